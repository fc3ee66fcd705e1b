"""Measures the rasterisers on a scene and on this machine: how long a frame takes, and how exact it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.camera import intrinsics_from_fov_y, look_at
from ..core.gaussians import Gaussians
from ..core.optics import Exposure
from ..splat.choose import Cpu, Rasteriser, Views, rasteriser

if TYPE_CHECKING:
    from .scenesource import SceneSource

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]

FOV_Y_DEG = 55.0
NEAR_OF_EXTENT = 1e-3
SIZES = ((832, 480), (1280, 720))
FRAMES, ROUNDS = 24, 3
QUICK_FRAMES, QUICK_ROUNDS = 6, 1
_MOST_S, _LEAST_FRAMES = 5.0, 3
_RISE_DEG = 15.0
_TURN_DEG = 120.0


@dataclass(frozen=True)
class Row:
    """One measurement.

    Attributes:
        ms_per_frame: of the fastest round of the walk, wall time.
        cpu_ms: processor time of all cores together, likewise; what else the machine does disturbs it less.
        psnr_db: of one frame's colours as floats against the float64 picture.
    """

    scene: str
    gaussians: int
    sh: int
    size_px: tuple[int, int]
    engine: str
    ms_per_frame: float
    cpu_ms: float
    psnr_db: float

    def document(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        width, height = self.size_px
        return {
            "scene": self.scene,
            "gaussians": self.gaussians,
            "sh": self.sh,
            "size": f"{width}x{height}",
            "engine": self.engine,
            "ms_per_frame": round(self.ms_per_frame, 2),
            "psnr_db": round(min(self.psnr_db, 999.0), 1),
        }


@dataclass(frozen=True)
class Subject:
    """A scene to measure on: its Gaussians, a walk [F, 4, 4] through it, and the near plane."""

    name: str
    gaussians: Gaussians
    walk: F64
    near: float


class Engine(Protocol):
    """Something that draws: every frame of a walk, handing on each as it comes; and what it is called."""

    name: str

    def frames(self, poses: F64, lens: F64, size_px: tuple[int, int]) -> Iterator[F32]:
        """Pictures [H, W, 3] float32 of the cameras, in order."""
        ...


class Drawn:
    """A rasteriser of ours, as a film uses it."""

    def __init__(self, name: str, drawer: Rasteriser, subject: Subject) -> None:
        self.name = name
        self._drawer, self._near = drawer, subject.near
        self._parts = [[drawer.keep(subject.gaussians)]]

    def frames(self, poses: F64, lens: F64, size_px: tuple[int, int]) -> Iterator[F32]:
        def views(frame: int) -> Views:
            return Views(Exposure(poses[frame][None], lens[None], np.zeros(1)), self._parts)

        return self._drawer.frames(
            range(len(poses)), views, lambda _, picture: picture.rgb, size_px, near=self._near  # type: ignore[union-attr]
        )  # fmt: skip


class Still:
    """One frame after the other, each on all cores, as pictures of a scene are drawn."""

    def __init__(self, name: str, subject: Subject) -> None:
        from ..splat import pack

        self.name, self._near = name, subject.near
        self._scene = pack(subject.gaussians)

    def frames(self, poses: F64, lens: F64, size_px: tuple[int, int]) -> Iterator[F32]:
        from ..splat import render

        for pose in poses:
            yield render([self._scene], pose, lens, size_px, near=self._near).rgb


def our_engines(subject: Subject) -> list[Engine]:
    """One core, all cores on whole frames and on one, and the GPU where this process draws on one."""
    from ..splat.stream import cores

    count = cores()
    engines: list[Engine] = [Drawn("anix, 1 core", Cpu(1), subject)]
    if count > 1:
        engines.append(Drawn(f"anix, {count} cores", Cpu(), subject))
        engines.append(Still(f"anix, {count} cores, stills", subject))
    drawer = rasteriser()
    if drawer.name != "cpu":
        engines.append(Drawn(f"anix, {drawer.name}", drawer, subject))
    return engines


def measure(
    subject: Subject,
    engines: Sequence[Engine],
    sizes: Sequence[tuple[int, int]],
    *,
    rounds: int,
    advance: Callable[[str], None],
) -> Iterator[Row]:
    """A row for each engine and size.

    The float64 picture is that of the middle of the walk. Each engine draws that first, which compiles it.

    Args:
        advance: called with what is about to be done.
    """
    from ..splat.exact import psnr_db, render_exact

    middle = len(subject.walk) // 2
    for size in sizes:
        lens = intrinsics_from_fov_y(FOV_Y_DEG, size)
        advance(f"{subject.name}: the exact picture at {size[0]}x{size[1]}")
        exact = render_exact(subject.gaussians, subject.walk[middle], lens, size, near=subject.near).rgb
        for engine in engines:
            advance(f"{subject.name}: {engine.name} at {size[0]}x{size[1]}")
            (picture,) = engine.frames(subject.walk[middle : middle + 1], lens, size)
            accuracy = psnr_db(picture, exact)
            poses = _as_many(engine, subject.walk, lens, size)
            taken = [
                _seconds(engine, poses, lens, size) for _ in range(rounds if poses is subject.walk else 1)
            ]
            wall, cpu = (1e3 * min(times) / len(poses) for times in zip(*taken, strict=True))
            yield Row(
                subject.name, len(subject.gaussians), subject.gaussians.sh_degree, size, engine.name,
                wall, cpu, accuracy,
            )  # fmt: skip


def _as_many(engine: Engine, walk: F64, lens: F64, size_px: tuple[int, int]) -> F64:
    """The walk, or for a slow engine so many frames, evenly taken, as it draws in some seconds."""
    each, _ = _seconds(engine, walk[:1], lens, size_px)
    count = max(_LEAST_FRAMES, int(_MOST_S / max(each, 1e-6)))
    return walk if count >= len(walk) else walk[np.linspace(0, len(walk) - 1, count).round().astype(int)]


def _seconds(engine: Engine, poses: F64, lens: F64, size_px: tuple[int, int]) -> tuple[float, float]:
    """Wall and processor time of a walk."""
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in engine.frames(poses, lens, size_px):
        pass
    return time.perf_counter() - wall, time.process_time() - cpu


def subject_of(source: SceneSource, frames: int) -> Subject:
    """A user's scene, and a walk that shows it: turning at its most open spot, or round it.

    Raises:
        AnixError: E3xx, the scene cannot be read.
    """
    from ..scene.free import free_space
    from ..scene.look import not_flat, standpoint

    found, gaussians = source.analysed()
    bounds = not_flat(found.bounds_m)
    room = None if found.ground is None else free_space(gaussians, bounds, found.ground).standing
    stand = standpoint(gaussians, bounds, found.ground, room)
    near = NEAR_OF_EXTENT * float(np.linalg.norm(bounds[1] - bounds[0]))
    walk = _turning(stand.at, frames) if stand.inside else _round(stand.at, stand.radius_m, frames)
    return Subject(source.spec.file.name, gaussians, walk, near)


def sample_subject(frames: int) -> Subject:
    """The square of the sample film, seen from its middle."""
    from ..samples.plaza import plaza

    return Subject("the sample's square", plaza(), _turning(np.array([0.0, 1.6, -3.0]), frames), 0.05)


def _ways(frames: int) -> F64:
    """[F, 3] level unit vectors that turn."""
    angles = np.radians(np.linspace(-_TURN_DEG / 2, _TURN_DEG / 2, frames))
    return np.stack([np.sin(angles), 0 * angles, np.cos(angles)], axis=1)


def _turning(eye: F64, frames: int) -> F64:
    return np.stack([look_at(eye, eye + way) for way in _ways(frames)])


def _round(centre: F64, radius: float, frames: int) -> F64:
    rise = np.radians(_RISE_DEG)
    away = np.cos(rise) * _ways(frames) + np.array([0.0, np.sin(rise), 0.0])
    return np.stack([look_at(centre + radius * one, centre) for one in away])


def machine() -> str:
    """The processor, in words."""
    import platform

    from ..splat.stream import cores

    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    count = cores()
    return f"{count} {'core' if count == 1 else 'cores'} of {name}"
