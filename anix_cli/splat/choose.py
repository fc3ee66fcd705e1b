"""Which rasteriser draws: the CPU's, or gsplat's on a CUDA device.

Both take scenes in a form of their own, made once by ``keep``, together with plain Gaussians that change from
frame to frame, and give whole frames in order. Importing this loads neither numba nor torch.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from ..core.errors import AnixError, fail
from ..core.gaussians import Gaussians
from ..core.optics import Exposure
from .render import Rendered

J = TypeVar("J")
R = TypeVar("R")
Part = Any
"""Gaussians, or what the rasteriser's ``keep`` made of some."""

DEVICES = ("auto", "cpu", "cuda")
_choice: list[str] = []
"""What this process was told to draw on, if anything."""


@dataclass(frozen=True)
class Views:
    """What one frame is made of: its sub-frames' cameras, and the parts that each of them sees.

    ``parts``: one list for each sub-frame, or a single one for all.
    """

    exposure: Exposure
    parts: Sequence[Sequence[Part]]

    def parts_of(self, index: int) -> Sequence[Part]:
        return self.parts[index if len(self.parts) > 1 else 0]


class Rasteriser(Protocol):
    """Draws Gaussians by the rules of :func:`anix_cli.splat.render`."""

    name: str

    def keep(self, gaussians: Gaussians) -> Part:
        """Gaussians that don't change, in the form that is drawn fastest."""
        ...

    def frames(
        self,
        jobs: Iterable[J],
        views: Callable[[J], Views | None],
        finish: Callable[[J, Rendered | None], R],
        size_px: tuple[int, int],
        *,
        near: float,
        background: tuple[float, float, float] = (0.0, 0.0, 0.0),
        eps2d: float = 0.3,
    ) -> Generator[R, None, None]:
        """``finish`` of each job's picture, in the order of the jobs; a bounded number is under way.

        Closing it ends what is under way.

        Args:
            views: what to draw for a job; None draws nothing. May be called in another thread.
            finish: what becomes of a picture (None: there is none). May be called in another thread.
        """
        ...


class Cpu:
    """Whole frames on different cores, each on one thread: the same bytes on any number of them."""

    name = "cpu"

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads

    def keep(self, gaussians: Gaussians) -> Part:
        from . import pack

        return pack(gaussians)

    def frames(
        self,
        jobs: Iterable[J],
        views: Callable[[J], Views | None],
        finish: Callable[[J, Rendered | None], R],
        size_px: tuple[int, int],
        *,
        near: float,
        background: tuple[float, float, float] = (0.0, 0.0, 0.0),
        eps2d: float = 0.3,
    ) -> Generator[R, None, None]:
        from . import render
        from .exposure import accumulate
        from .stream import in_order

        def draw(job: J) -> R:
            seen = views(job)
            if seen is None:
                return finish(job, None)
            lens = seen.exposure
            pictures = (
                render(
                    seen.parts_of(i), lens.world_from_camera[i], lens.intrinsics[i], size_px,
                    near=near, background=background, eps2d=eps2d, threads=1,
                )
                for i in range(len(lens))
            )  # fmt: skip
            return finish(job, accumulate(pictures))

        return in_order(draw, jobs, threads=self._threads)


def use_device(device: str | None) -> None:
    """From now on this process draws on ``device``; None goes back to ANIX_DEVICE or what there is.

    Raises:
        AnixError: E404, it is "cuda" and cannot be used; E439, it is not one of ``DEVICES``.
    """
    _choice[:] = [] if device is None else [device]
    rasteriser()


def rasteriser() -> Rasteriser:
    """That of :func:`use_device`, else of $ANIX_DEVICE, else gsplat where it can be used, else the CPU's.

    Raises:
        AnixError: E404, E439, as :func:`use_device`.
    """
    device = _choice[0] if _choice else os.environ.get("ANIX_DEVICE") or "auto"
    if device not in DEVICES:
        raise fail(
            "E439",
            f"there is no device {device!r} to draw on",
            hint=f"--device and ANIX_DEVICE take {', '.join(DEVICES)}",
        )
    if device == "cpu":
        return Cpu()
    from importlib.util import find_spec

    lacking = [name for name in ("torch", "gsplat") if find_spec(name) is None]
    if device == "auto" and lacking:
        return Cpu()
    try:
        if lacking:
            raise fail(
                "E404",
                f"drawing on a GPU needs {' and '.join(lacking)}, which is not installed",
                hint="pip install 'anix[gpu]'",
            )
        from .gsplat import Gsplat

        return Gsplat()
    except AnixError:
        if device == "auto":
            return Cpu()
        raise
