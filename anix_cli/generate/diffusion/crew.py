"""Several GPUs for one clip: context parallelism of diffusers, one process a GPU, this one being the first.

Each process holds the whole model and a part of the sequence (Ulysses, arXiv 2309.14509); attention swaps
heads for tokens between them. It works where diffusers has a plan for the model (``_cp_plan``).
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from anix_cli.core.errors import fail

from .holding import parts

_PATIENCE = timedelta(minutes=30)
"""For the slowest to load the model."""
_LEAVE_S = 10.0


def check_plan(title: str, transformer: Any, heads: int, gpus: int, here: int) -> None:
    """Whether a model can be shared between so many GPUs of this machine.

    Args:
        transformer: its class; heads: of its attention; here: GPUs of the machine.

    Raises:
        AnixError: E480, it can't; E481, there are fewer GPUs.
    """
    if getattr(transformer, "_cp_plan", None) is None:
        raise fail(
            "E480",
            f"{title} makes a clip on one GPU: diffusers has no plan to share {transformer.__name__}",
            hint="leave --gpus-per-clip out",
        )
    if heads % gpus:
        fitting = [n for n in range(2, 17) if heads % n == 0]
        raise fail(
            "E480",
            f"{title} has {heads} attention heads, which {gpus} GPUs cannot share",
            hint=f"--gpus-per-clip can be {', '.join(map(str, fitting))}",
        )
    if here < gpus:
        raise fail(
            "E481",
            f"{gpus} GPUs for a clip are asked for, and this machine has {here}",
            hint=f"--gpus-per-clip {here}" if here > 1 else "leave --gpus-per-clip out",
        )


def check_tokens(title: str, tokens: int, gpus: int) -> None:
    """Raises AnixError E480 where a clip's tokens don't divide among the GPUs."""
    if tokens % gpus:
        raise fail(
            "E480",
            f"{title}: the {tokens} tokens of a clip of this size and length do not divide among {gpus} GPUs",
            hint="take another number for --gpus-per-clip, or a film.size in multiples of "
            f"{16 * gpus} pixels",
        )


@dataclass
class _Member:
    process: Any
    line: Any


class Crew:
    """The other processes.

    Args:
        gpus: of all together. load: (device) → what holds a pipeline; it must be picklable.
        device: "cuda", or "cpu" in tests.
        before: called first in each process, this one as well; in tests.
    """

    def __init__(
        self,
        gpus: int,
        load: Callable[[str], Any],
        *,
        device: str = "cuda",
        before: Callable[[], None] | None = None,
    ) -> None:
        import multiprocessing

        self._folder = tempfile.TemporaryDirectory(prefix="anix-crew-")
        meeting = Path(self._folder.name) / "meeting"
        fresh = multiprocessing.get_context("spawn")
        self._members: list[_Member] = []
        self.held: Any = None
        try:
            for rank in range(1, gpus):
                mine, theirs = fresh.Pipe()
                process = fresh.Process(
                    target=_work, args=(rank, gpus, str(meeting), device, load, before, theirs), daemon=True
                )
                process.start()
                self._members.append(_Member(process, mine))
            self.held = _joined(0, gpus, str(meeting), device, load, before)
        except BaseException:
            self.close()
            raise

    def begin(self, work: Callable[..., Any], given: Mapping[str, Any]) -> None:
        """Lets the others begin ``work(held, **given)``; this process does the same at once."""
        for member in self._members:
            member.line.send((work, dict(given)))

    def end(self) -> None:
        """Waits until the others are done. Raises RuntimeError where one has failed."""
        for rank, member in enumerate(self._members, start=1):
            try:
                wrong = member.line.recv()
            except EOFError:
                wrong = "its process ended"
            if wrong:
                raise RuntimeError(f"GPU {rank} failed: {wrong}")

    def close(self) -> None:
        """Ends the other processes."""
        import torch

        for member in self._members:
            try:
                member.line.send(None)
            except OSError:
                continue
        for member in self._members:
            member.process.join(_LEAVE_S if self.held is not None else 0)
            if member.process.is_alive():
                member.process.kill()
                member.process.join()
        self._members, self.held = [], None
        if torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()
        self._folder.cleanup()


def _joined(
    rank: int,
    gpus: int,
    meeting: str,
    device: str,
    load: Callable[[str], Any],
    before: Callable[[], None] | None,
) -> Any:
    """The model of one process, sharing the work with the others."""
    import torch
    from diffusers import ContextParallelConfig
    from diffusers.utils import logging

    logging.set_verbosity_error()  # that it is experimental is not for the user of a film
    warnings.filterwarnings("ignore", category=FutureWarning, module=r"diffusers\.hooks")
    if before is not None:
        before()
    if device == "cuda":
        torch.cuda.set_device(rank)
    torch.distributed.init_process_group(
        "nccl" if device == "cuda" else "gloo",
        init_method=f"file://{meeting}", rank=rank, world_size=gpus, timeout=_PATIENCE,
    )  # fmt: skip
    held = load(f"cuda:{rank}" if device == "cuda" else device)
    for part in parts(held.pipe, "transformer", "transformer_2"):
        part.enable_parallelism(config=ContextParallelConfig(ulysses_degree=gpus))
    return held


def _work(
    rank: int,
    gpus: int,
    meeting: str,
    device: str,
    load: Callable[[str], Any],
    before: Callable[[], None] | None,
    line: Any,
) -> None:
    """What another process does until it is told to end, or the first one is gone."""
    held = _joined(rank, gpus, meeting, device, load, before)
    while True:
        try:
            job = line.recv()
        except EOFError:
            return
        if job is None:
            return
        work, given = job
        try:
            work(held, **given)
            line.send("")
        except Exception as error:  # told to the first process, which decides
            line.send(f"{type(error).__name__}: {error}".strip().splitlines()[0])
            return
