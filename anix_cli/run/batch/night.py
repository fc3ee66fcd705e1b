"""A batch from its first task to its last: gives tasks to workers, and notices who is lost or hangs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Protocol

from ...core.errors import Diagnostic, fail
from ...core.events import (
    BatchFinished,
    BatchStarted,
    ClipFinished,
    Event,
    FilmFailed,
    FilmFinished,
    FilmLeft,
    FramesDone,
    GuideFinished,
    Noted,
    StageStarted,
    TaskFailed,
    TaskFinished,
    TaskStarted,
)
from .films import Booked, Wish, frames_in_all, seconds_in_all
from .local import ENDING_S, Said
from .orders import Order
from .tasks import Queue, Task

TICK_S = 0.5
"""So often it is looked whether somebody hangs."""
ANEW = frozenset({"E555", "E563"})
"""After these another worker, freshly started, may have more luck."""


class Place(Protocol):
    """Where a worker works: one process, or another one after it."""

    number: int
    run: int

    @property
    def ready(self) -> bool: ...
    def give(self, order: Order) -> None: ...
    def end(self) -> None: ...
    def kill(self) -> None: ...
    def wait(self, seconds: float = ENDING_S) -> None: ...
    def how_it_ended(self, doing: str) -> Diagnostic: ...


@dataclass(frozen=True)
class Outcome:
    """How a film of the batch ended."""

    booked: Booked
    made: bool
    reused: bool = False
    problems: tuple[Diagnostic, ...] = ()
    left: bool = False

    @property
    def failed(self) -> bool:
        return not self.made and not self.left


@dataclass
class _Job:
    """What a worker is doing. ``since``: its last sign of a whole step forward."""

    task: Task
    started: float
    since: float


@dataclass
class Night:
    """Runs a batch.

    Args:
        places: the workers; ``heard``: where all that they tell arrives.
        emit: hears every event, with the film and the take that it is about.
        timeout_s: so long a worker may be without finishing a clip or a frame of a guide; None for ever.
        room_s: so long it waits for any worker to be ready.
        budget_s: after so long no film is begun any more; None for no such time.
    """

    booked: Sequence[Booked]
    wish: Wish
    places: Sequence[Place]
    heard: SimpleQueue[Said]
    emit: Callable[[Event, str | None, int | None], None]
    retries: int = 1
    keep_going: bool = False
    timeout_s: float | None = None
    budget_s: float | None = None
    room_s: float = 300.0
    _alone_since: float | None = None
    _left: set[int] = field(default_factory=set)
    _jobs: dict[int, _Job] = field(default_factory=dict)
    _near: dict[int, int] = field(default_factory=dict)
    _problems: dict[int, list[Diagnostic]] = field(default_factory=dict)
    _reused: set[int] = field(default_factory=set)
    _told: dict[int, set[object]] = field(default_factory=dict)

    def run(self) -> list[Outcome]:
        """All films, as far as they can be made. Workers have ended when it returns, however it does."""
        started = time.monotonic()
        queue = Queue(
            [None if one.plan is None or one.left else one.takes for one in self.booked],
            self.retries,
            self.keep_going,
            [one.remembers for one in self.booked],
        )
        frames, seconds = frames_in_all(self.booked), seconds_in_all(self.booked)
        self.emit(BatchStarted(len(self.booked), len(queue), len(self.places), frames, seconds), None, None)
        for index, one in enumerate(self.booked):
            self._told[index] = {_same(problem) for problem in one.problems}
            if one.plan is None:
                self._fail(index, one.problems)
                continue
            if one.left:
                self._leave(index)
            for problem in one.problems:
                self.emit(Noted(problem), self._name(index), None)
        try:
            while not queue.finished:
                if self.budget_s is not None and time.monotonic() - started > self.budget_s:
                    for index in queue.leave_unbegun():
                        self._leave(index)
                self._hand_out(queue)
                self._wait_for_room()
                self._listen(queue)
                self._look(queue)
        finally:
            self._dismiss()
        outcomes = [self._outcome(index, queue) for index in range(len(self.booked))]
        made, failed = sum(one.made for one in outcomes), sum(one.failed for one in outcomes)
        seconds = time.monotonic() - started
        self.emit(BatchFinished(made, failed, seconds), None, None)
        return outcomes

    def _hand_out(self, queue: Queue) -> None:
        for place in self.places:
            if place.number in self._jobs or not place.ready:
                continue
            task = queue.start(self._near.get(place.number))
            if task is None:
                return
            now = time.monotonic()
            self._jobs[place.number] = _Job(task, now, now)
            self._near[place.number] = task.film
            name = self._name(task.film)
            self.emit(TaskStarted(name, task.take, place.number), name, task.take)
            place.give(self.booked[task.film].order(task.take, self.wish))

    def _wait_for_room(self) -> None:
        """Ends a batch that has work and nobody, for too long, to do it. Raises AnixError: E565."""
        if self._jobs:
            self._alone_since = None
            return
        now = time.monotonic()
        self._alone_since = self._alone_since or now
        if now - self._alone_since > self.room_s:
            raise fail(
                "E565",
                f"no worker could be started for {self.room_s:g} s: no node has room for one",
                hint="add a node; finished clips are kept, and the same command goes on from here",
            )

    def _listen(self, queue: Queue) -> None:
        """Waits for the next thing that is told, and takes it in with all that has been told meanwhile."""
        try:
            said = self.heard.get(timeout=TICK_S)
            while True:
                self._take_in(said, queue)
                said = self.heard.get_nowait()
        except Empty:
            return

    def _take_in(self, said: Said, queue: Queue) -> None:
        place, job = self.places[said.worker], self._jobs.get(said.worker)
        if said.run != place.run or job is None:
            return  # from a process that was given up, or has ended when it had nothing to do
        match said.event:
            case None:
                problem = place.how_it_ended(self._doing(job.task))
                self._lost(said.worker, (problem,), queue, retry=True)
            case TaskFailed(_, _, _, _, problems):
                anew = any(problem.code in ANEW for problem in problems)
                if anew:
                    place.kill()
                self._lost(said.worker, problems, queue, retry=anew)
            case TaskFinished(_, take, _, seconds):
                del self._jobs[said.worker]
                queue.done(job.task)
                name = self._name(job.task.film)
                self.emit(TaskFinished(name, take, said.worker, seconds), name, take)
            case Noted(diagnostic) if _same(diagnostic) in self._told[job.task.film]:
                pass
            case event:
                if _is_a_step(event):
                    job.since = time.monotonic()
                if isinstance(event, FilmFinished) and event.reused:
                    self._reused.add(job.task.film)
                self.emit(event, self._name(job.task.film), job.task.take)

    def _look(self, queue: Queue) -> None:
        """Gives up workers that hang."""
        if self.timeout_s is None:
            return
        for number, job in list(self._jobs.items()):
            if time.monotonic() - job.since > self.timeout_s:
                self.places[number].kill()
                problem = Diagnostic(
                    "E562",
                    f"{self._doing(job.task)}: the worker finished nothing for {self.timeout_s:g} s",
                    hint="finished clips are kept; give slow clips more time with --timeout-per-clip",
                )
                self._lost(number, (problem,), queue, retry=True)

    def _lost(self, number: int, problems: tuple[Diagnostic, ...], queue: Queue, *, retry: bool) -> None:
        task = self._jobs.pop(number).task
        failed_before = queue.failed(task.film)
        again = queue.lost(task, retry=retry)
        name = self._name(task.film)
        self.emit(TaskFailed(name, task.take, number, again, problems), name, task.take)
        if not again:
            self._problems.setdefault(task.film, []).extend(problems)
            if not failed_before:
                self.emit(FilmFailed(name, problems), name, None)

    def _leave(self, index: int) -> None:
        self._left.add(index)
        self.emit(FilmLeft(self._name(index), self.booked[index].seconds), self._name(index), None)

    def _fail(self, index: int, problems: tuple[Diagnostic, ...]) -> None:
        self._problems[index] = list(problems)
        self.emit(FilmFailed(self._name(index), problems), self._name(index), None)

    def _dismiss(self) -> None:
        """Ends all workers; those that do not end by themselves are killed."""
        for place in self.places:
            place.end()
        until = time.monotonic() + ENDING_S
        for place in self.places:
            place.wait(until - time.monotonic())

    def _outcome(self, index: int, queue: Queue) -> Outcome:
        made = self.booked[index].plan is not None and not queue.failed(index)
        problems = tuple(self._problems.get(index, ()))
        return Outcome(self.booked[index], made, index in self._reused, problems, index in self._left)

    def _name(self, index: int) -> str:
        return str(self.booked[index].screenplay)

    def _doing(self, task: Task) -> str:
        what = "joining" if task.take is None else f"take {task.take + 1}"
        return f"{self._name(task.film)}, {what}"


def _same(problem: Diagnostic) -> object:
    """What makes two problems of one film the same, wherever they were found."""
    return problem.code, problem.message, problem.span


def _is_a_step(event: Event) -> bool:
    """Whether it shows that work goes on. Steps within a clip do not: it has so much time and no more."""
    return isinstance(event, (ClipFinished, GuideFinished, StageStarted, FilmFinished)) or (
        isinstance(event, FramesDone) and event.stage in ("guide", "join")
    )
