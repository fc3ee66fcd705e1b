"""How many workers a machine has room for, and what each may use."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from queue import SimpleQueue

from ...core.capabilities import Capabilities
from .local import Local, Said

CORES_EACH = 2
"""A worker that draws on the CPU uses so many well: more take turns waiting for its encoder."""
COMMAND = ("-m", "anix_cli.cli.worker")


def gpus() -> list[str]:
    """The CUDA devices that may be used, as CUDA_VISIBLE_DEVICES names them. Loads nothing of CUDA."""
    if (named := os.environ.get("CUDA_VISIBLE_DEVICES")) is not None:
        return [one.strip() for one in named.split(",") if one.strip() and one.strip() != "-1"]
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    with suppress(OSError, subprocess.SubprocessError):
        told = subprocess.run(
            [program, "-L"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20, check=True
        )
        return [str(index) for index, line in enumerate(told.stdout.splitlines()) if line.startswith("GPU ")]
    return []


def cores() -> list[int]:
    """The CPU cores that this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def workers_for(capabilities: Capabilities, jobs: int | None) -> int:
    """How many workers: ``jobs``, else one a GPU for models, else one for some cores."""
    if jobs is not None:
        return jobs
    if capabilities.weights and (there := gpus()):
        return len(there)
    return 1 if capabilities.weights else max(1, (len(cores()) or os.cpu_count() or 1) // CORES_EACH)


def places_for(count: int, heard: SimpleQueue[Said], *, gpu: bool) -> list[Local]:
    """Workers of this machine, which share its cores, and, where they need one, its GPUs in turn."""
    there, mine = gpus() if gpu else [], cores()
    return [
        Local(
            number,
            heard,
            COMMAND,
            environment={"CUDA_VISIBLE_DEVICES": there[number % len(there)]} if there else {},
            cores=_share(mine, number, count),
        )
        for number in range(count)
    ]


def _share(mine: Sequence[int], number: int, count: int) -> Sequence[int]:
    """Equal parts of the cores; all of them, if there are not enough for one each."""
    if count > len(mine):
        return ()
    return mine[len(mine) * number // count : len(mine) * (number + 1) // count]
