"""Signals end a run, also one that an extension module swallowed."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

import pytest

from anix_cli.core.events import StageFinished
from anix_cli.run.signals import Terminated, attentive, interruptible


@pytest.mark.parametrize(
    ("number", "error"),
    [(signal.SIGTERM, Terminated), (signal.SIGHUP, Terminated), (signal.SIGINT, KeyboardInterrupt)],
)
def test_a_signal_raises_once_and_handlers_come_back(number, error):
    started = signal.getsignal(number)
    if started is signal.SIG_IGN:  # the tests themselves run under nohup
        signal.signal(number, signal.SIG_DFL)
    before = signal.getsignal(number)
    try:
        with pytest.raises(error), interruptible():
            os.kill(os.getpid(), number)
        assert signal.getsignal(number) == before
    finally:
        signal.signal(number, started)


def test_with_nohup_the_end_of_the_terminal_ends_nothing():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interruptible():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_lost_signal_ends_the_run_at_its_next_event():
    heard = []
    with pytest.raises(Terminated), interruptible():
        emit = attentive(heard.append)
        emit(StageFinished("guide", 1.0))
        with suppress(Terminated):  # as the interpreter does within a callback of an extension module
            os.kill(os.getpid(), signal.SIGTERM)
        emit(StageFinished("generate", 1.0))
    assert heard == [StageFinished("guide", 1.0)]


def test_an_old_signal_is_forgotten():
    with pytest.raises(Terminated), interruptible():
        os.kill(os.getpid(), signal.SIGTERM)
    heard = []
    with interruptible():
        attentive(heard.append)(StageFinished("join", 0.1))
    assert len(heard) == 1
