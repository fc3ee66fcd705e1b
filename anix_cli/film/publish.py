"""Clips of a plan → the film with its manifest beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import __version__
from ..core.plan import Plan
from . import manifest as manifests
from .join import Joined, Overlay, Segment, check_name, join
from .manifest import ClipFact
from .slate import SlatedShot, slate
from .transition import fade, fade_gains


def publish(
    plan: Plan,
    segments: Sequence[Segment],
    clips: Sequence[ClipFact],
    output: Path,
    *,
    slated: bool = False,
    metadata: Mapping[str, str] | None = None,
    anonymous: bool = False,
    advance: Callable[[int], None] | None = None,
) -> tuple[dict[str, Any], bool]:
    """Joins the film and writes its manifest; a film that is there already and up to date is left alone.

    Args:
        segments, clips: of all clips of the plan, in order.
        slated: draw shot, command and time code on the picture.
        metadata: more tags for the file.
        anonymous: write no title and no tags into the file.

    Returns:
        The manifest as written, and whether an existing film was up to date.

    Raises:
        AnixError: as :func:`~anix_cli.film.join.join`.
    """
    check_name(output)
    draft = manifests.build(plan, clips, output, slate=slated)
    if manifests.up_to_date(output, draft):
        found = manifests.read(output)
        if found is not None:
            return found, True
    tags = None if anonymous else {"comment": f"made with anix {__version__}", **(metadata or {})}
    written: dict[str, Any] = {}

    def seal(film: Path, joined: Joined) -> None:
        written.update(manifests.sealed(draft, film, output))
        manifests.write(written, output)

    join(
        segments,
        output,
        fps=plan.fps,
        size_px=plan.size_px,
        overlays=overlays(plan, slated=slated),
        title=plan.title,
        metadata=tags,
        advance=advance,
        seal=seal,
    )
    return written, False


def overlays(plan: Plan, *, slated: bool) -> list[Overlay]:
    """What the join draws on the film's frames: fades first, so that the slate stays readable in them."""
    shots = list(plan.shots())
    drawn: list[Overlay] = []
    if any(shot.fade_s > 0 for shot in shots):
        drawn.append(fade(fade_gains([(shot.frames, shot.fade_s) for shot in shots], plan.fps)))
    if slated:
        labels = [SlatedShot(shot.id, shot.command, shot.start, shot.frames) for shot in shots]
        drawn.append(slate(labels, fps=plan.fps, size_px=plan.size_px))
    return drawn
