"""Work spread over threads whose results come in order, with so many under way at once and no more."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

J = TypeVar("J")
R = TypeVar("R")


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(
    work: Callable[[J], R], jobs: Iterable[J], *, threads: int | None = None, ahead: int = 1
) -> Generator[R, None, None]:
    """Results of ``work`` for each job, in the order of the jobs.

    At most ``threads + ahead`` results exist that were not taken yet, whatever the number of jobs. The first
    error ends it; so does closing the iterator, and both wait for what is just being worked on.

    Args:
        threads: None for all cores; 1 works in the caller's thread.
        ahead: how many may be finished before they are asked for.
    """
    count = threads or cores()
    if count == 1:
        yield from map(work, jobs)
        return
    pending: deque[Future[R]] = deque()
    with ThreadPoolExecutor(count, thread_name_prefix="anix-frames") as pool:
        try:
            for job in jobs:
                pending.append(pool.submit(work, job))
                if len(pending) >= count + ahead:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()
