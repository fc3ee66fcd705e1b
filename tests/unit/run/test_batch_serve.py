"""A worker's answers."""

from __future__ import annotations

import io
import json
import threading
from pathlib import Path

import pytest

from anix_cli.core.errors import fail
from anix_cli.core.eventstream import event_of
from anix_cli.run.batch import serve as served
from anix_cli.run.batch.orders import Order

ORDER = Order(Path("/a b/film\udcff.yaml"), Path("out/film.mp4"), "animatic", 2, settings=("film.seed=3",))


def test_an_order_comes_back_from_its_line():
    line = ORDER.line()
    assert "\n" not in line and line.isascii() and Order.of(line) == ORDER


@pytest.mark.parametrize(
    ("error", "code"), [(fail("E555", "the backend failed"), "E555"), (ZeroDivisionError("x"), "E563")]
)
def test_a_task_that_fails_is_told_and_the_next_one_done(monkeypatch, error, code, capsys):
    done = []

    class Worker:
        def __init__(self, pages):
            pass

        def do(self, order, emit):
            done.append(order.take)
            if order.take == 2:
                raise error

        def close(self):
            done.append("closed")

    ended = threading.Event()
    monkeypatch.setattr(served, "Worker", Worker)
    monkeypatch.setattr(served.os, "kill", lambda *_: ended.set())
    last = Order(ORDER.screenplay, ORDER.output, "animatic", None)
    told = io.StringIO()
    served.serve(io.StringIO(f"{ORDER.line()}\n{last.line()}\n"), told)
    first, second = (event_of(json.loads(line)) for line in told.getvalue().splitlines())
    assert [problem.code for problem in first.problems] == [code] and first.take == 2
    assert (second.film, second.take) == (str(ORDER.screenplay), None)
    assert done == [2, None, "closed"] and ended.wait(5)
