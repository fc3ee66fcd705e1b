"""What backends share that draw one character a call into what there is, back to front."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..performing import Troupe
from .modelbackend import ModelBackend

if TYPE_CHECKING:
    from anix_cli.core.clip import ClipRequest, Frames, Progress
    from anix_cli.core.plan import Subject

    from .regions import Bools

Make = Callable[[int, "Subject | None", "Bools", "Frames", Callable[[int], None]], "Frames"]
"""(number of the pass, who, where, what there is [T+F, H, W, 3], listener of steps) → new frames [F, …]."""


class PassBackend(ModelBackend):
    """Holds a model, the bodies of the cast, and what of a clip is drawn already."""

    def __init__(self) -> None:
        super().__init__()
        self.troupe = Troupe()

    def close(self) -> None:
        """Frees the model and forgets the bodies."""
        super().close()
        self.troupe.dismiss()

    def draw(
        self,
        request: ClipRequest,
        calls: Sequence[tuple[Subject | None, Bools]],
        steps: int,
        progress: Progress,
        make: Make,
    ) -> Frames:
        """New frames: each call's where it draws, over those of the calls before; the last one's whole.

        Args:
            steps: of one call.
        """
        import numpy as np

        base, start = request.guide.copy(), len(request.tail)
        for index, (subject, region) in enumerate(calls):

            def step(done: int, at: int = index) -> None:
                progress(at * (steps + 1) + done, len(calls) * (steps + 1))

            frames = make(index, subject, region, base, step)
            step(steps + 1)
            drawn = region[start:, ..., None] if index + 1 < len(calls) else True
            base[start:] = np.where(drawn, frames, base[start:])
        return base[start:].copy()


def pass_seed(seed: int, index: int) -> int:
    """Of one call: the clip's own for the first."""
    return (seed + 0x9E3779B9 * index) % 2**32
