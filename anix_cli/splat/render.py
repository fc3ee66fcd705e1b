"""The one function contract of all rasterisers, and the CPU's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.gaussians import Gaussians
from .camera import camera_vector
from .layout import BLOCK, RECORD, TILE_PX
from .pack import PackedScene, columns_of, empty_blocks, work_rows
from .scratch import Scratch
from .threads import cores, in_threads

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
Part = Gaussians | PackedScene

# Units of work of several threads, in blocks of Gaussians. Results depend neither on them nor on the threads.
_JOB_BLOCKS = 32
_BANDS_PER_THREAD = 2
# 256 MiB of chains.
_MOST_CHUNKS = 1 << 20


@dataclass(frozen=True)
class Rendered:
    """A picture.

    Attributes:
        rgb: [H, W, 3] float32 in [0, 1], sRGB as stored in the Gaussians, composited on the background.
        depth: [H, W] float32, expected distance along the camera's z, +inf where alpha < 1/255.
        alpha: [H, W] float32 in [0, 1].
    """

    rgb: F32
    depth: F32
    alpha: F32

    @classmethod
    def empty(cls, size_px: tuple[int, int]) -> Rendered:
        """A picture of (width, height) to draw into, its values left as they are."""
        width, height = size_px
        return cls(
            np.empty((height, width, 3), np.float32),
            np.empty((height, width), np.float32),
            np.empty((height, width), np.float32),
        )


def render(
    parts: Sequence[Part] | Part,
    world_from_camera: ArrayLike,
    intrinsics: ArrayLike,
    size_px: tuple[int, int],
    *,
    near: float,
    background: tuple[float, float, float] = (0.0, 0.0, 0.0),
    eps2d: float = 0.3,
    threads: int | None = None,
    scratch: Scratch | None = None,
    out: Rendered | None = None,
) -> Rendered:
    """Draws Gaussians on the CPU.

    Rules, those of gsplat 1.5.3 and so of Kerbl et al. 2023:

    - Dropped: camera z < ``near`` (or ≤ 0), and opacity < 1/255.
    - Σ′ = J·W·Σ·Wᵀ·Jᵀ + ``eps2d``·I. In J alone x/z is limited to [−c_x/f_x − m, (w − c_x)/f_x + m] with
      m = 0.3 · w / (2·f_x), and y/z likewise: for a centred principal point that is ±1.3·tan(fov/2).
    - ``antialiased`` parts: opacity · √(det(Σ′ − eps2d·I) / det Σ′).
    - colour = max(0, 0.5 + Σ_k Y_k(d)·sh_k) with d the unit vector from the camera's centre to the mean.
    - Order: camera z rounded to float32; ties by index in the concatenated parts.
    - At pixel centres (+0.5): alpha = min(0.999, opacity·exp(−½ dᵀ Σ′⁻¹ d)), skipped below 1/255; a pixel is
      finished before the Gaussian that would bring its transmittance to ≤ 1e-4.
    - rgb = Σ c·alpha·T + T·background, clamped to [0, 1] at the end; depth = Σ z·alpha·T / alpha_total.

    A scene that is drawn more than once is drawn faster when it is packed (:func:`pack`); what moves need
    not be. Several frames at once, each with ``threads=1`` and a ``scratch`` of its own, are faster than one
    frame with several threads.

    Args:
        parts: sets that are drawn together as if concatenated, without copying them.
        world_from_camera: [4, 4] rigid, OpenCV axes.
        intrinsics: [3, 3] pinhole, pixels, no skew.
        size_px: (width, height).
        near: in units of the means; a small fraction of the scene's extent.
        eps2d: variance in px² added on the picture.
        threads: most threads to use, None for all cores. The same bytes come out whatever it is.
        scratch: memory to work in, kept between pictures; not used by two threads at the same time.
        out: a picture of that size to draw into, which is returned.

    Raises:
        ValueError: a size below 1, an ``out`` of another size, or a camera with numbers that are not finite.
    """
    sets = (parts,) if isinstance(parts, Gaussians | PackedScene) else tuple(parts)
    size = int(size_px[0]), int(size_px[1])
    if size[0] < 1 or size[1] < 1:
        raise ValueError(f"a picture of {size[0]} x {size[1]} pixels")
    picture = out if out is not None else Rendered.empty(size)
    if picture.alpha.shape != (size[1], size[0]):
        raise ValueError(
            f"a picture of {size[0]} x {size[1]} pixels does not fit {picture.alpha.shape[::-1]}"
        )
    memory = Scratch() if scratch is None else scratch
    camera = camera_vector(world_from_camera, intrinsics, size, near, eps2d)

    records, keys, spans = _project(sets, camera, threads, memory)
    order = _sort(records, keys, spans, memory)
    _draw(order, records, np.array(background, np.float32), picture, threads, memory)
    return picture


@dataclass(frozen=True)
class _Job:
    """Projects at most ``blocks`` blocks into the records from a row on; gives the row behind the last."""

    run: Callable[[F32, NDArray[np.uint32], int], int]
    blocks: int


def _project(
    sets: Sequence[Part], camera: F64, threads: int | None, memory: Scratch
) -> tuple[F32, NDArray[np.uint32], NDArray[np.int64]]:
    """All parts' splats: records [M, 16], keys [M], and spans [S, 2] of the rows that are filled."""
    alone = threads == 1
    jobs: list[_Job] = []
    for number, part in enumerate(sets):
        if isinstance(part, PackedScene):
            jobs += _packed_jobs(part, number, camera, alone, memory)
        else:
            jobs += _loose_jobs(part, number, camera, memory if alone else None)
    # One row behind each job's own may be overwritten.
    starts = np.cumsum([0] + [job.blocks * BLOCK + 1 for job in jobs]).tolist()
    records = memory.take("records", (starts[-1] + 1, RECORD), np.float32)
    keys = memory.take("keys", (starts[-1] + 1,), np.uint32)
    ends = in_threads(lambda k: jobs[k].run(records, keys, starts[k]), range(len(jobs)), threads)
    spans = np.array(list(zip(starts[:-1], ends, strict=True)), np.int64).reshape(-1, 2)
    return records, keys, spans


def _packed_jobs(part: PackedScene, number: int, camera: F64, alone: bool, memory: Scratch) -> list[_Job]:
    from .projecting import cull, project

    seen = memory.take(f"seen {number}", (len(part.bounds),), np.int32)
    seen = seen[: cull(part.bounds, camera, seen)]
    step = max(len(seen), 1) if alone else _JOB_BLOCKS

    def job(blocks: I32) -> _Job:
        return _Job(
            lambda records, keys, at: project(
                part.groups, part.sh, part.sh_steps, part.indices, part.antialiased, number,
                blocks, camera, records, keys, at,
            ),
            len(blocks),
        )  # fmt: skip

    return [job(seen[start : start + step]) for start in range(0, len(seen), step)]


def _loose_jobs(part: Gaussians, number: int, camera: F64, memory: Scratch | None) -> list[_Job]:
    """Gaussians that were not packed are packed in passing, some blocks at a time, in their own order."""
    from .packing import pack_blocks
    from .projecting import cull, project

    columns = columns_of(part)
    rows = _JOB_BLOCKS * BLOCK

    def run(start: int, stop: int, records: F32, keys: NDArray[np.uint32], at: int) -> int:
        blocks = -(-(stop - start) // BLOCK)
        a = empty_blocks(blocks, columns[-1].shape[1], memory)
        pack_blocks(
            np.arange(start, stop, dtype=np.int32), *columns, 0, blocks,
            a["groups"], a["sh"], a["sh_steps"], a["indices"], a["bounds"], work_rows(columns),
        )  # fmt: skip
        seen = np.empty(blocks, np.int32)
        seen = seen[: cull(a["bounds"], camera, seen)]
        end: int = project(
            a["groups"], a["sh"], a["sh_steps"], a["indices"], bool(part.antialiased), number,
            seen, camera, records, keys, at,
        )  # fmt: skip
        return end

    def job(start: int) -> _Job:
        stop = min(start + rows, len(part))
        return _Job(lambda *to: run(start, stop, *to), -(-(stop - start) // BLOCK))

    return [job(start) for start in range(0, len(part), rows)]


def _sort(records: F32, keys: NDArray[np.uint32], spans: NDArray[np.int64], memory: Scratch) -> I32:
    """The filled rows of the records, nearest first."""
    from .ordering import BUCKETS, DIGITS, by_depth

    count = int((spans[:, 1] - spans[:, 0]).sum())
    rows: I32 = memory.take("rows", (count,), np.int32)
    by_depth(
        keys, spans, records.view(np.int32),
        memory.take("pairs", (count,), np.uint64), memory.take("other pairs", (count,), np.uint64),
        memory.take("counts", (DIGITS * BUCKETS,), np.int32), rows,
    )  # fmt: skip
    return rows


def _draw(
    order: I32, records: F32, background: F32, picture: Rendered, threads: int | None, memory: Scratch
) -> None:
    """Bins and blends, in bands of tile rows where there are several threads."""
    rows = -(-picture.alpha.shape[0] // TILE_PX)
    count = threads or cores()
    step = rows if count == 1 else max(1, -(-rows // (count * _BANDS_PER_THREAD)))
    bands = [(first, min(first + step, rows)) for first in range(0, rows, step)]

    def draw(k: int) -> None:
        _draw_band(order, records, *bands[k], background, picture, memory.child(k))

    in_threads(draw, range(len(bands)), threads)


def _draw_band(
    order: I32, records: F32, first: int, end: int, background: F32, picture: Rendered, memory: Scratch
) -> None:
    """Draws tile rows first … end − 1; in halves where their chains would take too much memory at once."""
    from . import blending
    from .binning import CHUNK, bin_band

    columns = -(-picture.alpha.shape[1] // TILE_PX)
    tiles = (end - first) * columns
    flat = records.reshape(-1)
    cursors, edges = memory.take("cursors", (tiles + 1,), np.int32), memory.take("edges", (16,), np.int32)
    chunks = memory.chunks(tiles, len(order))
    while True:
        nexts = memory.take("nexts", (chunks,), np.int32)
        chain = memory.take("chain", (chunks * CHUNK,), np.int64)
        identities = flat.view(np.int32)
        if bin_band(order, flat, identities, columns, first, end, edges, cursors, nexts, chain) >= 0:
            break
        if chunks >= _MOST_CHUNKS and end - first > 1:
            middle = (first + end) // 2
            _draw_band(order, records, first, middle, background, picture, memory)
            _draw_band(order, records, middle, end, background, picture, memory)
            return
        chunks = memory.more_chunks(chunks)
    words = memory.take("words", (blending.WORDS_SIZE,), np.uint32)
    blending.blend_band(
        flat, cursors, nexts, chain, first, end, background,
        memory.take("entries", (blending.ENTRIES_SIZE,), np.float32),
        memory.take("state", (blending.STATE_SIZE,), np.float32),
        memory.take("masks", (2, CHUNK), np.uint8),
        words, words.view(np.uint64),
        picture.rgb, picture.depth, picture.alpha,
    )  # fmt: skip
