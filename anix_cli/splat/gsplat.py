"""The CUDA rasteriser: gsplat's ``rasterization``, by the rules of :func:`anix_cli.splat.render`.

gsplat 1.5.3 has the same constants (alpha limit 0.999, cut at 1/255, stop at a transmittance of 1e-4, extents
from the opacity), so that pictures differ by its float32 and fast exponentials alone. Positions, covariances,
opacities and depths stay in float32, since half precision would move them visibly; the higher harmonics are
kept in half precision (their error is below 1/2000 of a colour), and so may be the colours handed to a
generator. torch and gsplat are imported inside.
"""

# mypy: allow-untyped-defs, allow-any-generics

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.errors import fail
from ..core.gaussians import Gaussians
from .device import DeviceFrames, DeviceScene, compensation, joined, merged
from .render import Rendered

if TYPE_CHECKING:
    from .choose import Views

J = TypeVar("J")
R = TypeVar("R")
F64 = NDArray[np.float64]
Tensor = Any
Part = Any

LEAST_VERSION = (1, 5, 3)
_ALPHA_CUT = 1 / 255
_LEAST_NEAR = 1e-12
_LEAST_SHARE = 1e-4
_BATCH_BYTES = 4 << 30
"""Memory that one call may take for what lies between projecting and blending, roughly."""
_BYTES_A_GAUSSIAN, _BYTES_A_PIXEL = 96, 64
_MOST_CAMERAS = 16


class Gsplat:
    """gsplat on a CUDA device.

    Args:
        device: torch's name of it.

    Raises:
        AnixError: E404, gsplat is too old or its kernels cannot be loaded, or there is no such device.
    """

    name = "gsplat"

    def __init__(self, device: str = "cuda") -> None:
        import gsplat
        import torch

        version = str(getattr(gsplat, "__version__", "0"))
        if _numbers(version) < LEAST_VERSION:
            raise fail(
                "E404",
                f"gsplat {version} is too old to draw with",
                hint="pip install 'anix[gpu]' brings gsplat 1.5.3 or newer",
            )
        if device.startswith("cuda") and not torch.cuda.is_available():
            raise fail(
                "E404",
                "PyTorch finds no CUDA device to draw on",
                hint="--device cpu draws without one; or install a PyTorch built for this machine's CUDA",
            )
        if device.startswith("cuda") and not _has_kernels():
            raise fail(
                "E404",
                "gsplat cannot compile its kernels here, for it finds no CUDA toolkit",
                hint="install the CUDA toolkit (nvcc) that fits this PyTorch, or draw with --device cpu",
            )
        self._torch, self._gsplat, self._device = torch, gsplat, device

    def keep(self, gaussians: Gaussians) -> DeviceScene:
        """Gaussians on the device."""
        columns = ("means", "quats", "scales", "opacities", "sh")
        means, quats, scales, opacities, sh = (self._tensor(getattr(gaussians, name)) for name in columns)
        return DeviceScene(
            means, quats, scales, opacities, sh[:, :1], sh[:, 1:].half(), bool(gaussians.antialiased)
        )

    def render(
        self,
        parts: Sequence[Part] | Part,
        world_from_camera: ArrayLike,
        intrinsics: ArrayLike,
        size_px: tuple[int, int],
        *,
        near: float,
        background: tuple[float, float, float] = (0.0, 0.0, 0.0),
        eps2d: float = 0.3,
        threads: int | None = None,
    ) -> Rendered:
        """As :func:`anix_cli.splat.render`; ``threads`` means nothing here."""
        poses, lenses = np.asarray(world_from_camera)[None], np.asarray(intrinsics)[None]
        return self.render_batch(
            parts, poses, lenses, size_px, near=near, background=background, eps2d=eps2d
        ).host()[0]

    def render_batch(
        self,
        parts: Sequence[Part] | Part,
        world_from_camera: F64,
        intrinsics: F64,
        size_px: tuple[int, int],
        *,
        near: float,
        background: tuple[float, float, float] = (0.0, 0.0, 0.0),
        eps2d: float = 0.3,
        half: bool = False,
    ) -> DeviceFrames:
        """Pictures of several cameras in one call, left on the device.

        Args:
            parts: Gaussians and what ``keep`` made of some, drawn as if concatenated.
            world_from_camera, intrinsics: [C, 4, 4] and [C, 3, 3].
            half: give ``rgb`` as float16, exact to an eighth of an 8-bit level.
        """
        torch = self._torch
        scene = self._merged(parts)
        width, height = size_px
        with torch.inference_mode():
            view = self._tensor(np.linalg.inv(np.asarray(world_from_camera, np.float64)))
            lens, colour = self._tensor(intrinsics), self._tensor(np.asarray(background))
            shape = (len(view), height, width)
            if not len(scene):
                rgb, alpha = colour.expand(*shape, 3).clamp(0, 1), torch.zeros(shape, device=self._device)
                return DeviceFrames(rgb, torch.full_like(alpha, torch.inf), alpha)
            if scene.plain and len(view) > 1:  # their opacities differ from camera to camera
                one = partial(
                    self.render_batch, scene, size_px=size_px,
                    near=near, background=background, eps2d=eps2d, half=half,
                )  # fmt: skip
                cameras = zip(world_from_camera, intrinsics, strict=True)
                return joined([one(pose[None], lens[None]) for pose, lens in cameras])
            sh = torch.cat([scene.lowest, scene.higher.float()], dim=1)
            picture, covered, _ = self._gsplat.rasterization(
                means=scene.means,
                quats=scene.quats,
                scales=scene.scales,
                opacities=self._opacities(scene, view, lens, size_px, eps2d),
                colors=sh,
                viewmats=view,
                Ks=lens,
                width=width,
                height=height,
                near_plane=max(float(near), _LEAST_NEAR),
                eps2d=float(eps2d),
                sh_degree=_degree(sh.shape[1]),
                packed=True,
                backgrounds=colour.expand(len(view), 3).contiguous(),
                render_mode="RGB+ED",
                rasterize_mode="antialiased" if scene.antialiased else "classic",
            )
            alpha = covered[..., 0]
            rgb = picture[..., :3].clamp(0, 1)
            depth = torch.where(alpha >= _ALPHA_CUT, picture[..., 3], torch.inf)
            return DeviceFrames(rgb.half() if half else rgb, depth, alpha)

    def _opacities(
        self, scene: DeviceScene, view: Tensor, lens: Tensor, size_px: tuple[int, int], eps2d: float
    ) -> Tensor:
        """Opacities, those of ``plain`` rows raised by as much as the antialiased mode will lower them."""
        if not scene.plain:
            return scene.opacities
        raised = scene.opacities.clone()
        for rows in scene.plain:
            share = compensation(scene, rows, view[0], lens[0], size_px, eps2d)
            raised[rows] = raised[rows] / share.clamp(min=_LEAST_SHARE)
        return raised

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
        """As ``Rasteriser.frames``: frames that see the same parts go through the device together."""
        from .stream import in_order

        def drawn() -> Iterator[tuple[_Camera[J], Rendered | None]]:
            for batch in _batches(_cameras(jobs, views), size_px):
                parts = batch[0].parts
                if parts is None:
                    yield from ((camera, None) for camera in batch)
                    continue
                poses = np.stack([camera.world_from_camera for camera in batch])
                lenses = np.stack([camera.intrinsics for camera in batch])
                made = self.render_batch(
                    parts, poses, lenses, size_px, near=near, background=background, eps2d=eps2d
                )
                yield from zip(batch, made.host(), strict=True)

        def pictures() -> Iterator[tuple[J, Rendered | None]]:
            for _, frame in groupby(drawn(), key=lambda pair: pair[0].frame):
                yield _mean(frame)

        return in_order(lambda pair: finish(*pair), pictures())

    def _merged(self, parts: Sequence[Part] | Part) -> DeviceScene:
        several = parts if isinstance(parts, Sequence) else [parts]
        sets = [part if isinstance(part, DeviceScene) else self.keep(part) for part in several]
        return merged(sets) if sets else self.keep(_nothing())

    def _tensor(self, values: ArrayLike) -> Tensor:
        array = np.ascontiguousarray(values, np.float32)
        return self._torch.from_numpy(array.copy() if not array.flags.writeable else array).to(self._device)


@dataclass(frozen=True)
class _Camera(Generic[J]):
    """One sub-frame of the job that is number ``frame``; ``parts`` None: there is nothing to draw for it."""

    frame: int
    job: J
    parts: Sequence[Part] | None
    world_from_camera: F64
    intrinsics: F64


def _cameras(jobs: Iterable[J], views: Callable[[J], Views | None]) -> Iterator[_Camera[J]]:
    for frame, job in enumerate(jobs):
        seen = views(job)
        if seen is None:
            yield _Camera(frame, job, None, np.eye(4), np.eye(3))
            continue
        for i, (pose, lens) in enumerate(
            zip(seen.exposure.world_from_camera, seen.exposure.intrinsics, strict=True)
        ):
            yield _Camera(frame, job, seen.parts_of(i), pose, lens)


def _batches(cameras: Iterable[_Camera[J]], size_px: tuple[int, int]) -> Iterator[list[_Camera[J]]]:
    """Consecutive cameras that see the very same parts, as many as the device takes at once."""
    batch: list[_Camera[J]] = []
    for camera in cameras:
        if batch and (camera.parts is not batch[0].parts or len(batch) >= _at_once(camera.parts, size_px)):
            yield batch
            batch = []
        batch.append(camera)
    if batch:
        yield batch


def _mean(frame: Iterator[tuple[_Camera[J], Rendered | None]]) -> tuple[J, Rendered | None]:
    """A job and the mean of its sub-frames."""
    from .exposure import accumulate

    camera, first = next(frame)
    if first is None:
        return camera.job, None
    return camera.job, accumulate(chain([first], (picture for _, picture in frame if picture is not None)))


def _at_once(parts: Sequence[Part] | None, size_px: tuple[int, int]) -> int:
    count = sum(len(part) for part in parts or ())
    each = count * _BYTES_A_GAUSSIAN + size_px[0] * size_px[1] * _BYTES_A_PIXEL
    return max(1, min(_MOST_CAMERAS, _BATCH_BYTES // max(each, 1)))


def _has_kernels() -> bool:
    """Whether gsplat's kernels are there; compiles them if need be, which takes minutes, once."""
    try:
        from gsplat.cuda._backend import _C
    except ImportError:  # another version's layout; drawing will tell
        return True
    return _C is not None


def _degree(harmonics: int) -> int:
    return {1: 0, 4: 1, 9: 2, 16: 3}[harmonics]


def _nothing() -> Gaussians:
    empty = np.zeros((0, 3), np.float32)
    return Gaussians(
        empty, np.zeros((0, 4), np.float32), empty, np.zeros(0, np.float32), np.zeros((0, 1, 3), np.float32)
    )


def _numbers(version: str) -> tuple[int, ...]:
    """(1, 5, 3) of "1.5.3+cu124"; what follows a part that is no number does not count."""
    numbers: list[int] = []
    for word in version.partition("+")[0].split("."):
        if not word.isdigit():
            break
        numbers.append(int(word))
    return tuple(numbers)
