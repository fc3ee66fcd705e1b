"""One model at a time, held in the quickest way that memory allows; a way down when it runs out."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from anix_cli.core.errors import AnixError, fail

from .ladder import Footprint, Rung, below

Ways = Callable[[Footprint, bool, bool], tuple[Rung, ...]]
"""(model, precise, ever) → rungs. ``ever``: also those for which too little is free just now."""


class Holder:
    """Holds what a backend has loaded. A rung that memory forced is kept for the rest of the run."""

    def __init__(self, ways: Ways) -> None:
        self.loaded: Any = None
        self._ways = ways
        self._held_for: Hashable = None
        self._rung: dict[tuple[str, bool], Rung] = {}

    def get(self, model: Footprint, variant: Hashable, *, precise: bool, load: Callable[[Rung], Any]) -> Any:
        """What ``load`` gives for a model, loaded where another or none is held.

        Args:
            variant: what else tells one loading from another.

        Raises:
            AnixError: E472, E473, no GPU or too little memory; as ``load`` does.
        """
        wanted = (model.title, variant, precise)
        if self.loaded is None or self._held_for != wanted:
            self.close()
            at = (model.title, precise)
            rung = self._rung.get(at) or self._ways(model, precise, False)[0]
            self.loaded = load(rung)
            self._held_for, self._rung[at] = wanted, rung
        return self.loaded

    def step_down(self, model: Footprint, *, precise: bool) -> None:
        """Memory ran out: the next rung, for the rest of the run.

        Raises:
            AnixError: E558, this was the last.
        """
        at = (model.title, precise)
        self.close()
        lower = below(self._ways(model, precise, True), self._rung[at])
        if lower is None:
            raise no_memory(model.title, self._rung[at].name)
        self._rung[at] = lower

    def close(self) -> None:
        """Frees the model."""
        if self.loaded is not None:
            from .holding import release

            held, self.loaded, self._held_for = self.loaded, None, None
            getattr(held, "close", lambda: None)()
            del held
            release()


def no_memory(what: str, rung: str, *, kept: bool = False) -> AnixError:
    """E558: memory ran out in the most sparing way."""
    saved = "what was sampled is kept, and the same command goes on from there; " if kept else ""
    return fail(
        "E558",
        f"{what} ran out of memory, even in the most sparing way ({rung})",
        hint=f"{saved}lower film.size, take a smaller model, or end what else uses the GPU",
    )
