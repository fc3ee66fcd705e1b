"""A night that runs out of time finishes what it has begun, and leaves the rest."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

from anix_cli.core.errors import Diagnostic
from anix_cli.core.events import Event, FilmLeft, TaskFinished
from anix_cli.run.batch.films import Wish, book
from anix_cli.run.batch.local import Said
from anix_cli.run.batch.night import Night
from anix_cli.run.batch.orders import Order


@dataclass
class Instant:
    """A worker that has done everything as soon as it is asked, but for some delay."""

    heard: SimpleQueue[Said]
    delay_s: float
    number: int = 0
    run: int = 0
    ready: bool = True
    asked: list[tuple[str, int | None]] = field(default_factory=list)

    def give(self, order: Order) -> None:
        self.asked.append((order.screenplay.name, order.take))
        time.sleep(self.delay_s)
        self.heard.put(Said(0, 0, TaskFinished(str(order.screenplay), order.take, 0, self.delay_s)))

    def end(self) -> None: ...
    def kill(self) -> None: ...
    def wait(self, seconds: float = 0.0) -> None: ...

    def how_it_ended(self, doing: str) -> Diagnostic:
        raise AssertionError(doing)


def night(project: Path, budget_s: float | None) -> tuple[Instant, list[bool], list[Event]]:
    for name in ("a", "b"):
        (project / f"{name}.yaml").write_text((project / "film.yaml").read_text())
    wish = Wish(project / "out")
    booked = book([project / "a.yaml", project / "b.yaml"], wish)
    heard, told = SimpleQueue[Said](), []
    place = Instant(heard, 0.1)
    outcomes = Night(
        booked, wish, [place], heard, lambda event, film, take: told.append(event), budget_s=budget_s
    ).run()
    assert [one.failed for one in outcomes] == [False, False]
    return place, [one.left for one in outcomes], [one for one in told if isinstance(one, FilmLeft)]


def test_what_was_begun_in_time_is_finished_and_the_rest_left(project):
    place, left, told = night(project, 0.05)
    assert place.asked == [("a.yaml", 0), ("a.yaml", 1), ("a.yaml", None)]
    assert left == [False, True] and [Path(one.film).name for one in told] == ["b.yaml"]


def test_time_enough(project):
    place, left, told = night(project, None)
    assert len(place.asked) == 6 and left == [False, False] and told == []
