"""Sampling and decoding that go on when memory runs out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from anix_cli.core.clip import BadFrames, Frames

from .holder import no_memory
from .holding import out_of_memory, release
from .ladder import Rung
from .latents import KeptLatents

T = TypeVar("T")


class OnRung(Protocol):
    """What a backend has loaded."""

    pipe: Any
    rung: Rung


def sigmas_of(scheduler: Any) -> list[float]:
    """The noise levels that were gone through; [] of schedulers that count in other ways."""
    return [round(float(level), 4) for level in getattr(scheduler, "sigmas", ())]


def sampled(hold: Callable[[], Any], step_down: Callable[[], None], sample: Callable[[Any], T]) -> T:
    """What ``sample`` gives for what is held; where memory runs out, the same a rung lower.

    Args:
        hold: loads where nothing is held. step_down: raises E558 at the last rung.
    """
    while True:
        held = hold()
        made: list[T] = []
        try:
            made.append(sample(held))
        except Exception as error:
            if not out_of_memory(error):
                raise
        if made:
            return made[0]
        del held  # outside of the handler: the error's frames hold what filled the memory
        step_down()


def decoded(
    hold: Callable[[], OnRung], decode: Callable[[Any, bool], Frames], kept: KeptLatents
) -> tuple[Frames, str]:
    """Frames, and how they were decoded: "whole", or "in tiles" where memory ran out or the rung says so.

    Args:
        decode: called with what is held and whether in tiles.
        kept: where the latents are; those that give no picture are forgotten.

    Raises:
        AnixError: E558, memory ran out in tiles as well.
        BadFrames: as ``decode`` does.
    """
    for tiled in (False, True):
        held = hold()
        try:
            frames = decode(held, tiled)
        except BadFrames:
            kept.forget()
            raise
        except Exception as error:
            if not out_of_memory(error):
                raise
        else:
            return frames, "in tiles" if tiled or held.rung.tiled else "whole"
        release()
    raise no_memory("decoding", "tiles", kept=kept.file is not None)


def only_further(step: Callable[[int], None]) -> Callable[[int], None]:
    """The listener of several tries: a later one tells nothing until it is further than those before."""
    furthest = 0

    def forward(done: int) -> None:
        nonlocal furthest
        if done > furthest:
            furthest = done
            step(done)

    return forward
