"""Plain threads: the kernels release the GIL."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}


def in_threads(work: Callable[[Any], T], jobs: Sequence[Any], threads: int | None) -> list[T]:
    """Results of ``work`` for each job, in order."""
    count = min(threads or cores(), len(jobs))
    if count <= 1:
        return [work(job) for job in jobs]
    key = (os.getpid(), count)  # a forked child inherits the pool but not its threads
    pool = _pools.get(key)
    if pool is None:
        pool = _pools[key] = ThreadPoolExecutor(count, thread_name_prefix="anix-splat")
    return list(pool.map(work, jobs))
