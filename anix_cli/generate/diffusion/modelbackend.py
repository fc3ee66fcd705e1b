"""What all backends that hold a model have to do with this machine: packages, memory, weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar

from anix_cli.core.errors import AnixError, together

from .holder import Holder

if TYPE_CHECKING:
    from anix_cli.core.clip import ClipRequest, Frames, Progress
    from anix_cli.model.places import Placed

    from .ladder import Footprint, Rung


EXTRAS = ("torch", "diffusers", "transformers", "accelerate", "peft", "ftfy", "safetensors")


class ModelBackend:
    """Holds one model at a time, until a clip wants another or ``close``."""

    needs: ClassVar[Sequence[str]] = EXTRAS
    """Packages without which no clip can be made."""

    def __init__(self) -> None:
        self.holder = Holder(self.ways)

    def prepare(self, options: Sequence[Mapping[str, Any]]) -> None:
        """Makes sure, before the first frame, that clips with such options can be made.

        Raises:
            AnixError: E471, something is not installed; E472, E473, no GPU or too little memory; E474 …
                E478, the weights.
        """
        self.ready(self.needs, options)

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        """The new frames, [F, H, W, 3] uint8 sRGB."""
        raise NotImplementedError

    def close(self) -> None:
        """Frees the model."""
        self.holder.close()

    def models(self, options: Sequence[Mapping[str, Any]]) -> Sequence[tuple[Footprint, Sequence[str]]]:
        """The models that clips with such options need, each with the names of its weights."""
        raise NotImplementedError

    def vram_gib(self, options: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
        """What must be free on the GPU for such clips, at least, and what it takes to be quickest."""
        from .ladder import ways

        held = [ways(model) for model, _ in self.models(options)]
        return (
            max(min(way.vram_gib for way in each) for each in held),
            max(each[0].vram_gib for each in held),
        )

    def ready(self, modules: Sequence[str], options: Sequence[Mapping[str, Any]]) -> None:
        """Makes sure that clips with such options can be made. Nothing is fetched where that is of no use.

        Raises:
            AnixError: E471, something is not installed; else all at once: E472, E473, no GPU or too little
                memory; E474 … E478, the weights.
        """
        self.installed(modules)
        wanted = self.models(options)
        problems = together(*(partial(self.ways, model, False, False) for model, _ in wanted))
        place = self._look if problems else self.place
        problems += together(*(partial(place, name) for _, names in wanted for name in names))
        if problems:
            raise AnixError(problems)

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

    def _look(self, name: str) -> None:
        """As :meth:`place`, but fetches nothing."""
        from anix_cli.model.fetch import look
        from anix_cli.model.registry import weights_called

        look(weights_called(name))

    def place(self, name: str) -> Placed:
        """Where weights are. Raises AnixError: E474 … E478."""
        from anix_cli.model.fetch import resolve
        from anix_cli.model.registry import weights_called

        return resolve(weights_called(name))
