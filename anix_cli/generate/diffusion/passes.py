"""What backends share that draw one character a call into what there is, back to front."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..performing import Troupe
from .holder import Holder

if TYPE_CHECKING:
    from anix_cli.core.clip import ClipRequest, Frames, Progress
    from anix_cli.core.plan import Subject
    from anix_cli.model.places import Placed

    from .ladder import Footprint, Rung
    from .regions import Bools

Make = Callable[[int, "Subject | None", "Bools", "Frames", Callable[[int], None]], "Frames"]
"""(number of the pass, who, where, what there is [T+F, H, W, 3], listener of steps) → new frames [F, …]."""


class PassBackend:
    """Holds a model, the bodies of the cast, and what of a clip is drawn already."""

    def __init__(self) -> None:
        self.holder = Holder(self.ways)
        self.troupe = Troupe()

    def close(self) -> None:
        """Frees the model and forgets the bodies."""
        self.holder.close()
        self.troupe.dismiss()

    def installed(self, modules: Sequence[str]) -> None:
        """Raises AnixError: E471, one of these is not installed."""
        from anix_cli.model.fetch import missing_extra

        for module in modules:
            if find_spec(module) is None:
                raise missing_extra(module)

    def ways(self, model: Footprint, precise: bool, ever: bool) -> tuple[Rung, ...]:
        """Ways to hold a model. ``ever``: also those for which too little is free just now.

        Raises:
            AnixError: E472, E473, no GPU or too little memory.
        """
        from .ladder import Machine, machine, rungs

        return rungs(model, Machine(1e6, 1e6) if ever else machine(), precise=precise)

    def place(self, name: str) -> Placed:
        """Where weights are. Raises AnixError: E474 … E478."""
        from anix_cli.model.fetch import resolve
        from anix_cli.model.registry import weights_called

        return resolve(weights_called(name))

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
