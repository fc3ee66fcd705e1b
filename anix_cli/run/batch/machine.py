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


def workers_for(capabilities: Capabilities, jobs: int | None, gpus_each: int = 1) -> int:
    """How many workers: ``jobs``, else one for so many GPUs for models, else one for some cores."""
    if jobs is not None:
        return jobs
    if capabilities.weights and (there := gpus()):
        return max(1, len(there) // gpus_each)
    return 1 if capabilities.weights else max(1, (len(cores()) or os.cpu_count() or 1) // CORES_EACH)


def places_for(count: int, heard: SimpleQueue[Said], *, gpus_each: int) -> list[Local]:
    """Workers of this machine, which share its cores, and, where they need some, its GPUs in turn."""
    there, mine = gpus() if gpus_each else [], cores()
    return [
        Local(
            number,
            heard,
            COMMAND,
            environment={"CUDA_VISIBLE_DEVICES": ",".join(_turn(there, number, gpus_each))} if there else {},
            cores=_share(mine, number, count),
        )
        for number in range(count)
    ]


def _turn(there: Sequence[str], number: int, each: int) -> list[str]:
    """So many GPUs for a worker, those after the last one's; no more than there are."""
    return [there[(number * each + index) % len(there)] for index in range(min(each, len(there)))]


def _share(mine: Sequence[int], number: int, count: int) -> Sequence[int]:
    """Equal parts of the cores; all of them, if there are not enough for one each."""
    if count > len(mine):
        return ()
    return mine[len(mine) * number // count : len(mine) * (number + 1) // count]
