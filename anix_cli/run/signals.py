"""SIGTERM, or the end of its terminal, ends a run as cleanly as Ctrl-C; a second signal ends it at once."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ..core.events import Emit, Event


class Terminated(BaseException):
    """SIGTERM arrived: children end, finished clips stay, exit 75; a rerun resumes."""


_STOPS: dict[signal.Signals, type[BaseException]] = {
    signal.SIGTERM: Terminated,
    signal.SIGINT: KeyboardInterrupt,
}
if hasattr(signal, "SIGHUP"):  # the terminal was closed
    _STOPS[signal.SIGHUP] = Terminated
_received: list[type[BaseException]] = []


@contextmanager
def interruptible() -> Iterator[None]:
    """While active, the first SIGTERM, SIGINT or SIGHUP raises; after it the next one kills. With nohup,
    SIGHUP stays ignored."""
    _received.clear()
    before = {number: signal.signal(number, _stop) for number in _STOPS if not _unheard(number)}
    told, sys.unraisablehook = sys.unraisablehook, _unless_a_stop
    try:
        yield
    finally:
        sys.unraisablehook = told
        for number, handler in before.items():
            signal.signal(number, handler)


def _unheard(number: signal.Signals) -> bool:
    """Whether whoever started us wants us to outlive the terminal."""
    return number not in (signal.SIGTERM, signal.SIGINT) and signal.getsignal(number) is signal.SIG_IGN


def _stop(number: int, frame: FrameType | None) -> None:
    for known in _STOPS:
        if not _unheard(known):
            signal.signal(known, signal.SIG_DFL)
    _received.append(_STOPS[signal.Signals(number)])
    raise _received[0]


def _unless_a_stop(lost: sys.UnraisableHookArgs) -> None:
    """A stop that got lost in a callback is no news: :func:`attentive` remembers it."""
    if not issubclass(lost.exc_type, tuple(_STOPS.values())):
        sys.__unraisablehook__(lost)


def attentive(emit: Emit) -> Emit:
    """The same listener, but the run ends at its next event if a signal came and was lost.

    What a handler raises while an extension module calls back into Python is printed and forgotten by the
    interpreter.
    """

    def told(event: Event) -> None:
        if _received:
            raise _received[0]
        emit(event)

    return told
