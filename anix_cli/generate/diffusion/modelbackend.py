"""What all backends that hold a model have to do with this machine: packages, memory, weights."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from .holder import Holder

if TYPE_CHECKING:
    from anix_cli.model.places import Placed

    from .ladder import Footprint, Rung


class ModelBackend:
    """Holds one model at a time, until a clip wants another or ``close``."""

    def __init__(self) -> None:
        self.holder = Holder(self.ways)

    def close(self) -> None:
        """Frees the model."""
        self.holder.close()

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
