"""A night on a thousand workers, simulated: what scheduling costs, and what failures lose.

    python -m benchmarks.simulation --takes 10000 --workers 1000 --json

Time is simulated; the scheduling is the batch's own (``anix_cli.run.batch.tasks.Queue``), event by event.
Takes hold clips of random length, workers fail at random and are gone for a while. As in a real night,
finished clips of a lost take are in the store: who takes it over makes the rest.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
import time
from dataclasses import dataclass, field

from anix_cli.run.batch.tasks import Queue, Task

TAKES_EACH, CLIPS_MOST = 4, 12
CLIP_S, JOIN_S = 120.0, 30.0
AWAY_S = 600.0


@dataclass
class Night:
    """What happens. Times in simulated seconds, but for ``scheduling_s``."""

    queue: Queue
    clips: dict[Task, list[float]]
    mtbf_s: float
    chance: random.Random
    now: float = 0.0
    worked: float = 0.0
    lost: float = 0.0
    idle: float = 0.0
    failures: int = 0
    scheduling_s: float = 0.0
    begun: int = 0
    free: list[int] = field(default_factory=list)
    near: dict[int, int] = field(default_factory=dict)
    coming: list[tuple[float, int, int, Task | None, bool]] = field(default_factory=list)

    def run(self, workers: int) -> None:
        self.free = list(range(workers))[::-1]
        order = 0
        while not self._over():
            order = self._hand_out(order)
            if not self.coming:
                break
            then, _, worker, task, fails = heapq.heappop(self.coming)
            self.idle += len(self.free) * (then - self.now) if self._ready() else 0.0
            self.now = then
            order += 1
            if task is None:
                self.free.append(worker)
            elif fails:
                self._timed(lambda task=task: self.queue.lost(task, retry=True))
                self.failures += 1
                heapq.heappush(self.coming, (self.now + AWAY_S, order, worker, None, False))
            else:
                self._timed(lambda task=task: self.queue.done(task))
                self.free.append(worker)

    def _hand_out(self, order: int) -> int:
        while self.free:
            worker = self.free[-1]
            task = self._timed(lambda worker=worker: self.queue.start(self.near.get(worker)))
            if task is None:
                break
            self.free.pop()
            self.near[worker] = task.film
            self.begun += 1
            order += 1
            heapq.heappush(self.coming, self._outcome(order, worker, task))
        return order

    def _outcome(self, order: int, worker: int, task: Task) -> tuple[float, int, int, Task, bool]:
        """When and how a worker ends with a task; clips that it finishes need not be made again."""
        until = self.chance.expovariate(1 / self.mtbf_s)
        left = self.clips.setdefault(task, [JOIN_S])
        spent = 0.0
        while left:
            if spent + left[0] > until:
                self.lost += until - spent
                self.worked += until
                return (self.now + until, order, worker, task, True)
            spent += left.pop(0)
        self.worked += spent
        return (self.now + spent, order, worker, task, False)

    def _timed(self, do):  # type: ignore[no-untyped-def]
        started = time.perf_counter()
        try:
            return do()
        finally:
            self.scheduling_s += time.perf_counter() - started

    def _ready(self) -> bool:
        """Whether there is a task that nobody was given although somebody is free."""
        return bool(self.free) and self.queue._best(None) is not None

    def _over(self) -> bool:
        return not self.coming and self.queue._best(None) is None


def simulate(takes: int, workers: int, mtbf_h: float, seed: int) -> dict[str, object]:
    """One night; what it costs."""
    chance = random.Random(seed)  # noqa: S311  (no secret)
    films = [list(range(TAKES_EACH))] * (takes // TAKES_EACH)
    clips = {
        Task(film, take): [
            CLIP_S * chance.lognormvariate(0, 0.3) for _ in range(chance.randint(1, CLIPS_MOST))
        ]
        for film, held in enumerate(films)
        for take in held
    }
    needed = sum(sum(each) for each in clips.values()) + JOIN_S * len(films)
    night = Night(Queue(films, retries=20), clips, mtbf_h * 3600, chance)
    night.run(workers)
    made = sum(not night.queue.failed(film) for film in range(len(films)))
    return {
        "takes": takes,
        "workers": workers,
        "films_made": made,
        "films": len(films),
        "failures": night.failures,
        "hours": round(night.now / 3600, 3),
        "hours_at_best": round(needed / workers / 3600, 3),
        "lost_share": round(night.lost / night.worked, 5),
        "idle_while_work_was_ready_share": round(night.idle / max(night.worked, 1e-9), 6),
        "scheduling_us_per_task": round(night.scheduling_s / max(night.begun, 1) * 1e6, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--takes", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=1_000)
    parser.add_argument(
        "--mtbf-hours", type=float, default=12.0, help="mean time between a worker's failures"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found = simulate(asked.takes, asked.workers, asked.mtbf_hours, asked.seed)
    print(json.dumps(found) if asked.json else "\n".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
