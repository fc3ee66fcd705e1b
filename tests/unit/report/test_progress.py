"""How far a run is and how long it may take; bars on terminals of any width; the plain log's heartbeat."""

from __future__ import annotations

import fcntl
import io
import os
import re
import struct
import termios
import time
from types import SimpleNamespace

import pytest

from anix_cli.core.errors import Diagnostic
from anix_cli.core.events import (
    BatchFinished,
    BatchStarted,
    ClipFinished,
    FilmFailed,
    FilmFinished,
    FramesDone,
    RunStarted,
    StageFinished,
    StageStarted,
    TakeStarted,
    TaskFailed,
    TaskFinished,
    TaskStarted,
)
from anix_cli.report import progress as module
from anix_cli.report.bars import Bars, Row
from anix_cli.report.batchview import BatchBars, BatchLines, batch_beat, batch_view
from anix_cli.report.console import Console, Lines, Live, beat_told, console
from anix_cli.report.progress import BatchProgress, RunProgress, left_told, steps_told


@pytest.fixture
def clock(monkeypatch):
    now = SimpleNamespace(at=1000.0)
    monkeypatch.setattr(module.time, "monotonic", lambda: now.at)
    return now


def started(guide_s: float | None = 20.0, clip_s: float | None = 300.0) -> RunStarted:
    return RunStarted("Night", 2, 40, 60, 2, 0, takes=2, guide_seconds=guide_s, clip_seconds=clip_s)


def test_what_is_left_comes_from_what_was_measured_before_and_then_now(clock):
    run = RunProgress()
    run(started())
    assert run.left_s() == 320.0 and run.frames == (0, 100)
    run(StageStarted("guide", 40))
    clock.at += 10
    run(FramesDone("guide", "a", 10))  # a frame a second: three times as slow as it was
    assert run.left_s() == 30.0 + 300.0 and run.frames == (10, 100)
    run(FramesDone("guide", "b", 30))
    run(StageFinished("guide", 10.0))
    assert run.left_s() == 300.0
    run(StageStarted("generate", 60))
    clock.at += 8
    run(FramesDone("generate", "a", 2, 0, 1, 30))
    assert run.left_s() == pytest.approx(58 * 4.0)
    run(FramesDone("generate", "a", 58, 0, 30, 30))
    run(StageFinished("generate", 9.0))
    assert run.left_s() == 0.0 and run.frames == (100, 100)
    run(StageStarted("join", 60))
    assert run.left_s() is None and run.frames == (100, 100)  # how quick joining is, was not measured


def test_a_first_run_tells_no_time_until_it_has_measured(clock):
    run = RunProgress()
    run(started(None, None))
    run(StageStarted("guide", 40))
    clock.at += 1
    run(FramesDone("guide", "a", 20))
    assert run.left_s() is None and left_told(run.left_s()) == ""
    assert beat_told(run) == "guide     guide a, 20/40; 20/100 frames in all"


def test_where_a_run_is_is_told_with_take_clip_and_step(clock):
    run = RunProgress()
    run(started())
    run(StageStarted("guide", 40))
    run(FramesDone("guide", "wide", 10))
    assert steps_told(run) == "guide wide, 10/40"
    run(StageStarted("generate", 60))
    run(TakeStarted(1, 2))
    run(FramesDone("generate", "wave", 3, 2, 12, 30))
    assert steps_told(run) == "take 2/2, wave clip 2, 12/30" and run.step_of == (12, 30)
    run(StageStarted("candidates", 60))
    run(FramesDone("candidates", "wave", 3, 0, 1, 30))
    assert run.where() == "take 2/2, wave candidate clip 0"


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(None, ""), (0, ""), (59, "under a minute left"), (61, "about 1 min left"), (4000, "about 67 min left"),
     (9000, "about 2.5 h left")],
)  # fmt: skip
def test_how_long_is_told(seconds, told):
    assert left_told(seconds) == told


PROBLEM = Diagnostic("E561", "it is gone")


def night() -> BatchProgress:
    batch = BatchProgress()
    batch(BatchStarted(3, 5, 2, 100, 400.0), None, None)
    batch(FilmFailed("bad.yaml", (PROBLEM,)), "bad.yaml", None)
    batch(TaskStarted("films/a.yaml", 0, 0), "films/a.yaml", 0)
    batch(TaskStarted("films/a.yaml", 1, 1), "films/a.yaml", 1)
    return batch


def test_a_batch_knows_what_each_worker_does(clock):
    batch = night()
    assert batch.left_s() == 200.0  # two workers
    clock.at += 50
    batch(StageStarted("guide", 40), "films/a.yaml", 0)
    batch(FramesDone("guide", "s", 20), "films/a.yaml", 0)
    batch(FramesDone("generate", "t", 5, 0, 7, 30), "films/a.yaml", 1)
    assert batch.frames == (25, 100) and batch.left_s() == 150.0
    assert batch_beat(batch) == [
        "1/3 films, 0/5 tasks done, about 2 min left",
        "  a.yaml take 1: guide s, 20/40",
        "  a.yaml take 2: t clip 0, 7/30",
    ]
    batch(TaskFailed("films/a.yaml", 0, 0, True, (PROBLEM,)), "films/a.yaml", 0)
    batch(TaskFinished("films/a.yaml", 1, 1, 9.0), "films/a.yaml", 1)
    assert batch_beat(batch) == ["1/3 films, 1/5 tasks done, about 2 min left"]


@pytest.fixture
def terminal():
    """A terminal to write to, of 20 columns; what it was sent; and a way to change its width."""
    master, slave = os.openpty()

    def resize(columns: int) -> None:
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def sent() -> str:
        stream.flush()
        os.write(slave, b"\0")  # a terminal hands on what it was sent when it likes to
        found = b""
        while not found.endswith(b"\0"):
            found += os.read(master, 65536)
        return found[:-1].decode()

    resize(20)
    with os.fdopen(slave, "w", encoding="utf-8") as stream:
        yield SimpleNamespace(stream=stream, sent=sent, resize=resize)
    os.close(master)


def drawn(text: str) -> list[str]:
    """What was drawn, piece by piece, without the moves of the cursor."""
    return [piece for piece in re.split(r"[\r\n]+", re.sub(r"\x1b\[A", "", text)) if piece.strip()]


def test_bars_fit_and_follow_the_width(terminal):
    bars = Bars(terminal.stream)
    rows = [Row("a very long title of a film", 3, 12, "about 3 min left"), Row("二重の題名で長い名前", 1, 30)]
    bars.show(rows)
    narrow = drawn(terminal.sent())
    assert narrow and max(len(one) for one in narrow) <= 20
    assert any("25%" in one for one in narrow)
    terminal.resize(70)
    bars.show(rows)
    wide = drawn(terminal.sent())
    assert 60 < max(len(one) for one in wide) <= 70 and any("about 3 min left" in one for one in wide)
    bars.line("a line above")
    assert "a line above" in drawn(terminal.sent())
    bars.close()
    assert not terminal.sent().strip("\r\x1b[A \n")


def test_bars_have_no_colour_and_plain_signs_where_there_are_no_others(terminal, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    terminal.resize(60)
    terminal.stream.reconfigure(encoding="ascii", errors="strict")
    with Live(terminal.stream) as view:
        view(started())
        view(StageStarted("generate", 60))
        view(FramesDone("generate", "é", 30, 0, 15, 30))
        view._draw()
    said = terminal.sent()
    assert "50%" in said and "#" in said and not re.search(r"\x1b\[[0-9;]*m", said)


def test_a_run_on_a_terminal_leaves_its_film_and_no_bars(terminal):
    terminal.resize(80)
    with Live(terminal.stream) as view:
        done = FilmFinished("film.mp4", 60, 10**6, 1.0, reused=False)
        join = (StageStarted("join", 60), FramesDone("join", "", 60), StageFinished("join", 1.0))
        for event in (started(), *join, done):
            view(event)
    assert drawn(terminal.sent())[-1] == "join      film.mp4: 60 frames, 1 MB, joined in 1.0 s"


def test_a_batch_on_a_terminal(terminal):
    terminal.resize(100)
    with BatchBars(terminal.stream) as view:
        view(BatchStarted(2, 3, 2, 100, None))
        view(TaskStarted("a.yaml", 0, 0), "a.yaml", 0)
        view(FramesDone("generate", "s", 50, 1, 3, 4), "a.yaml", 0)
        view._draw()
        first = terminal.sent()
        view(ClipFinished("s", 1, "k", 50, 1.0), "a.yaml", 0)
        view(TaskFinished("a.yaml", 0, 0, 1.0), "a.yaml", 0)
        view(FilmFinished("out/a.mp4", 50, 9, 1.0, reused=False), "a.yaml", None)
        view(BatchFinished(1, 1, 3.0))
    assert "0/2 films" in first and "50/100" in first and "a.yaml take 1 s clip 1  75%" in first
    last = drawn(terminal.sent())
    assert "a.yaml: out/a.mp4: 50 frames" in last and last[-1] == "1 made, 1 failed in 3 s"


@pytest.mark.parametrize(
    ("environment", "live"),
    [({}, True), ({"TERM": "dumb"}, False), ({"CI": "1"}, False), ({"NO_COLOR": "1"}, True)],
)
def test_which_view_is_taken(terminal, monkeypatch, environment, live):
    for name in ("CI", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    kinds = (Live, BatchBars) if live else (Lines, BatchLines)
    with console(stream=terminal.stream) as one, batch_view(stream=terminal.stream) as many:
        assert (type(one), type(many)) == kinds
    with console(stream=io.StringIO()) as one, batch_view(stream=io.StringIO()) as many:
        assert (type(one), type(many)) == (Lines, BatchLines)
    with (
        console(quiet=True, stream=terminal.stream) as one,
        batch_view(quiet=True, stream=terminal.stream) as many,
    ):
        assert (type(one), type(many)) == (Console, BatchLines)


@pytest.mark.parametrize("kind", ["render", "batch"])
def test_a_long_silence_is_broken(monkeypatch, kind):
    monkeypatch.setattr("anix_cli.report.console.HEARTBEAT_S", 0.2)
    monkeypatch.setattr("anix_cli.report.batchview.HEARTBEAT_S", 0.2)
    stream = io.StringIO()
    if kind == "render":
        with Lines(stream) as view:
            view(started())
            view(StageStarted("generate", 60))
            view(FramesDone("generate", "wave", 3, 0, 12, 30))
            _wait_for(stream, "12/30")
    else:
        with BatchLines(stream=stream) as batch:
            batch(BatchStarted(3, 5, 2, 100, 400.0))
            batch(TaskStarted("a.yaml", 0, 0), "a.yaml", 0)
            batch(FramesDone("generate", "wave", 3, 0, 12, 30), "a.yaml", 0)
            _wait_for(stream, "12/30")
    said = stream.getvalue()
    assert "wave clip 0, 12/30" in said and "left" in said and not {"\r", "\x1b"} & set(said)


def _wait_for(stream: io.StringIO, text: str) -> None:
    until = time.monotonic() + 20
    while text not in stream.getvalue() and time.monotonic() < until:
        time.sleep(0.02)
