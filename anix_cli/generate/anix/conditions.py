"""From a request to what the model takes: frames on its grid, a mask for each character, their views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from anix_cli.core.clip import ClipRequest, Frames
from anix_cli.core.plan import Subject

from ..diffusion.regions import GRID, Bools, box_region, covered, passes
from ..diffusion.views import TOWARDS_RAD, on_white

if TYPE_CHECKING:
    from anix_cli.model.anix.pictures import Shown


@dataclass(frozen=True)
class Call:
    """One call of the model.

    Attributes:
        people: who is drawn in it.
        region: [T+F, H, W], where any of them may be.
        masks: [G, T+F, H, W], where each may be; one for nobody.
    """

    people: tuple[Subject, ...]
    region: Bools
    masks: Bools


def calls(request: ClipRequest, most: int) -> list[Call]:
    """Who is drawn together: all, where the model has mask channels for so many; else one after the other,
    those far from the camera first, each into what there is by then."""
    each = passes(request)
    people = [subject for subject, _ in each if subject is not None]
    if len(people) > 1 and len(people) <= most:
        shape = request.anchor.shape
        masks = [request.anchor & box_region(one, shape) & ~covered(request, one) for one in people]
        return [Call(tuple(people), np.logical_or.reduce(masks), np.stack(masks))]
    return [Call(() if subject is None else (subject,), region, region[None]) for subject, region in each]


def shown_of(
    request: ClipRequest, drawn: Frames, masks: Bools, people: Sequence[Subject]
) -> tuple[Shown, int]:
    """What a call shows, and how many of its new frames are wanted.

    Args:
        drawn: [T+F, H, W, 3], the guide with who is drawn already.
        masks: [G, T+F, H, W].
    """
    from anix_cli.model.anix.pictures import Shown, View

    tail = len(request.tail)
    kept = (tail - 1) // GRID * GRID + 1 if tail else 0
    at = _on_grid(tail - kept, len(drawn), kept)
    views: list[Any] = [
        View(name, on_white(request.cast[one.character].views[name]), index)
        for index, one in enumerate(people)
        for name in TOWARDS_RAD
        if name in request.cast[one.character].views
    ]
    past = request.tail[tail - kept :] if kept else None
    return Shown(drawn[at], masks[:, at], views, past, request.memory), request.frames


def _on_grid(start: int, stop: int, kept: int) -> Any:
    """Indices of frames from ``start``, the last standing still until all are 4n + 1, one new at least."""
    count = max(stop - start, kept + 1)
    wanted = -(-(count - 1) // GRID) * GRID + 1
    return np.minimum(np.arange(start, start + wanted), stop - 1)
