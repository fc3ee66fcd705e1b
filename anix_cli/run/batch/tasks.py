"""Which task is next. Takes do not depend on each other; a film is joined when all its takes are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Task:
    """A take of a film to make, or the film to join (``take`` None). ``film`` counts the batch's films."""

    film: int
    take: int | None


@dataclass
class _Film:
    waiting: list[int]
    in_order: bool = False
    running: int = 0
    begun: bool = False
    joined: bool = False
    failed: bool = False


@dataclass
class Queue:
    """What is left to do in a batch.

    Args:
        takes: by film, the takes that are to be made; None for a film that can't be made.
        retries: how often a task is given to another worker after one that was lost.
        in_order: by film, whether its takes wait for each other, since later ones remember earlier ones.
        keep_going: make the other takes of a film of which one has failed.
    """

    takes: Sequence[Sequence[int] | None]
    retries: int = 1
    keep_going: bool = False
    in_order: Sequence[bool] = ()
    _films: list[_Film] = field(init=False)
    _tries: dict[Task, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._films = [_Film(list(takes or ()), failed=takes is None) for takes in self.takes]
        for film, in_order in zip(self._films, self.in_order, strict=False):
            film.in_order = in_order

    def __len__(self) -> int:
        """How many tasks there are in all."""
        return sum(len(takes) + 1 for takes in self.takes if takes is not None)

    @property
    def finished(self) -> bool:
        """Whether nothing runs and nothing can be started."""
        return not any(film.running for film in self._films) and self._best(None) is None

    def failed(self, film: int) -> bool:
        return self._films[film].failed

    def start(self, near: int | None = None) -> Task | None:
        """The next task, rather one of the film ``near``, which its worker has loaded; None if none is ready.

        Films begin in the order in which they were given: what was begun is finished first.
        """
        task = self._best(near)
        if task is None:
            return None
        film = self._films[task.film]
        film.running += 1
        film.begun = True
        self._tries[task] = self._tries.get(task, 0) + 1
        if task.take is None:
            film.joined = True
        else:
            film.waiting.remove(task.take)
        return task

    def leave_unbegun(self) -> list[int]:
        """Films of which nothing was begun count as failed from now on; which those are."""
        left = [index for index, film in enumerate(self._films) if not film.begun and not film.failed]
        for index in left:
            self._films[index].failed = True
            self._films[index].waiting.clear()
        return left

    def done(self, task: Task) -> None:
        self._films[task.film].running -= 1

    def lost(self, task: Task, *, retry: bool) -> bool:
        """Records a task that came to nothing; whether it will be tried again.

        Args:
            retry: whether another worker could have more luck.
        """
        film = self._films[task.film]
        film.running -= 1
        again = retry and self._tries[task] <= self.retries and (self.keep_going or not film.failed)
        if not again:
            film.failed = True
            if not self.keep_going:
                film.waiting.clear()
        elif task.take is None:
            film.joined = False
        else:
            film.waiting.insert(0, task.take)
        return again

    def _best(self, near: int | None) -> Task | None:
        order = range(len(self._films)) if near is None else (near, *range(len(self._films)))
        for index in order:
            film = self._films[index]
            if film.in_order and film.running:
                continue
            if film.waiting:
                return Task(index, film.waiting[0])
            if not film.running and not film.failed and not film.joined:
                return Task(index, None)
        return None
