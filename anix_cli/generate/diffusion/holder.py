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
            AnixError: E472, E473, no GPU or too little memory; E475, the weights are not this model's; E558,
                memory ran out on every rung; as ``load`` does.
        """
        wanted = (model.title, variant, precise)
        if self.loaded is None or self._held_for != wanted:
            self.close()
            at = (model.title, precise)
            if at not in self._rung:
                self._rung[at] = self._ways(model, precise, False)[0]
            while self.loaded is None:
                self.loaded = _tried(load, self._rung[at], model.title)
                if self.loaded is None:
                    self.step_down(model, precise=precise)
            self._held_for = wanted
        return self.loaded

    def step_down(self, model: Footprint, *, precise: bool) -> None:
        """Memory ran out: the next rung, for the rest of the run.

        Raises:
            AnixError: E558, this was the last.
        """
        at = (model.title, precise)
        self.close()
        _release()
        lower = below(self._ways(model, precise, True), self._rung[at])
        if lower is None:
            raise no_memory(model.title, self._rung[at].name)
        self._rung[at] = lower

    def close(self) -> None:
        """Frees the model."""
        if self.loaded is not None:
            held, self.loaded, self._held_for = self.loaded, None, None
            getattr(held, "close", lambda: None)()
            del held
            _release()


def _tried(load: Callable[[Rung], Any], rung: Rung, title: str) -> Any:
    """What ``load`` gives on a rung; None where memory ran out.

    Raises:
        AnixError: E475, files that are whole are of another model, or a damaged one.
    """
    from .holding import out_of_memory

    try:
        return load(rung)
    except Exception as error:
        if out_of_memory(error):
            return None
        if not isinstance(error, (ValueError, KeyError, NotImplementedError, OSError)):
            raise
        reason = f"{type(error).__name__}: {error}".strip().splitlines()[0]
        raise fail(
            "E475",
            f"the weights of {title} cannot be loaded ({reason[:200]})",
            hint="`anix models verify` looks at their files; those of another model or version of diffusers "
            "look whole: fetch them again",
        ) from error


def _release() -> None:
    from .holding import release

    release()


def no_memory(what: str, rung: str, *, kept: bool = False) -> AnixError:
    """E558: memory ran out in the most sparing way."""
    saved = "what was sampled is kept, and the same command goes on from there; " if kept else ""
    return fail(
        "E558",
        f"{what} ran out of memory, even in the most sparing way ({rung})",
        hint=f"{saved}lower film.size, take a smaller model, or end what else uses the GPU",
    )
