"""Straight ways through free space, against a march in steps of a fiftieth of a cell."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from anix_cli.scene import free
from anix_cli.scene.free import FreeSpace
from anix_cli.scene.standing import StandingRoom

F64 = NDArray[np.float64]
Mask = NDArray[np.bool_]

SHAPE, CELL, LOW = (12, 7, 10), 0.25, np.array([-1.5, -0.5, -1.25])
HIGH = LOW + np.multiply(SHAPE, CELL)
FINE = 0.02


def space_of(taken: Mask) -> FreeSpace:
    floor = np.zeros((SHAPE[2], SHAPE[0]), dtype=bool)
    room = StandingRoom((float(LOW[0]), float(LOW[2])), CELL, floor, floor)
    return FreeSpace(LOW, CELL, SHAPE, np.flatnonzero(taken), room)


@pytest.fixture(params=[True, False], ids=["all cells in memory", "numbers of taken cells"])
def any_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if not request.param:
        monkeypatch.setattr(free, "_MOST_IN_MEMORY", 0)


def cluttered(share: float, seed: int) -> tuple[FreeSpace, Mask, np.random.Generator]:
    rng = np.random.default_rng(seed)
    taken = rng.random(SHAPE) < share
    return space_of(taken), taken, rng


def looked_up(taken: Mask, points: F64) -> Mask:
    """Whether points [..., 3] are in taken cells."""
    cell = np.floor((points - LOW) / CELL).astype(int)
    inside = ((cell >= 0) & (cell < SHAPE)).all(axis=-1)
    x, y, z = np.moveaxis(np.where(inside[..., None], cell, 0), -1, 0)
    return np.asarray(inside & taken[x, y, z])


def march(taken: Mask, start: F64, end: F64) -> tuple[F64, Mask]:
    """(distances from the start, whether something taken is there), every ``FINE`` cells."""
    length = float(np.linalg.norm(end - start))
    away = np.linspace(0, length, int(np.ceil(length / (FINE * CELL))) + 1)
    return away, looked_up(taken, start + away[:, None] * (end - start) / max(length, 1e-12))


def runs(away: F64, hit: Mask) -> list[tuple[float, float]]:
    """(first, last distance) of each stretch that is taken."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], hit, [False]]).astype(int)))
    return [(float(away[a]), float(away[b - 1])) for a, b in zip(edges[::2], edges[1::2], strict=True)]


@pytest.mark.usefixtures("any_way")
@pytest.mark.parametrize("share", [0.02, 0.2])
def test_what_is_between_points_is_what_a_march_meets(share: float) -> None:
    space, taken, rng = cluttered(share, 1)
    # Ends are inside the box and beyond it; some ways miss it, some are a point, some follow an axis.
    starts, ends = rng.uniform(LOW - 1.5, HIGH + 1.5, (2, 150, 3))
    ends[::7] = starts[::7]
    ends[1::7, 1:] = starts[1::7, 1:]
    got = space.between(starts, ends)
    for start, end, found in zip(starts, ends, got, strict=True):
        away, hit = march(taken, start, end)
        # What is cut across a corner may be missed: never more than three quarters of a cell.
        longest = max((last - first for first, last in runs(away, hit)), default=0.0)
        if np.array_equal(start, end):
            continue
        if found:
            assert hit.any() or _grazes(taken, start, end)
        else:
            assert longest <= (0.75 + 2 * FINE) * CELL
    assert 0 < got.sum() < len(got)


def _grazes(taken: Mask, start: F64, end: F64) -> bool:
    """Whether a way touches something in less than a step of the march."""
    fine = start + np.linspace(0, 1, 40_000)[:, None] * (end - start)
    return bool(looked_up(taken, fine).any())


@pytest.mark.usefixtures("any_way")
def test_ways_of_a_wall_with_a_gap() -> None:
    taken = np.zeros(SHAPE, dtype=bool)
    taken[6] = True
    taken[6, 2, 4] = False
    space = space_of(taken)
    gap = LOW + (np.array([6, 2, 4]) + 0.5) * CELL
    near, far = gap - np.eye(3)[0], gap + np.eye(3)[0]
    beside = np.array([0, 0, CELL])
    assert not space.between(near, far)
    assert space.between(near + beside, far + beside)
    assert not space.between(near + beside, near - beside)
    assert not space.between(near + np.array([0, 9, 0]), far + np.array([0, 9, 0])), "over the box"
    many = space.between(np.stack([near, near + beside])[:, None], np.stack([far, far + beside])[None])
    assert many.shape == (2, 2) and many[1, 1] and not many[0, 0]
    np.testing.assert_array_equal(
        space.between(near, np.stack([far, far + beside, near])), [False, True, False]
    )


@pytest.mark.usefixtures("any_way")
@pytest.mark.parametrize("share", [0.03, 0.2])
def test_depth_along_rays_is_that_of_a_march(share: float) -> None:
    space, taken, rng = cluttered(share, 2)
    starts = rng.uniform(LOW - 1.5, HIGH + 1.5, (150, 3))
    ways = rng.normal(size=(150, 3)) * rng.uniform(0.1, 5, (150, 1))
    ways[::5, :2] = 0
    got = space.ray_depth_m(starts, ways)
    assert np.isfinite(got).any() and np.isinf(got).any()
    limited = space.ray_depth_m(starts, ways, most_m=1.0)
    for start, way, depth, near in zip(starts, ways, got, limited, strict=True):
        unit = way / np.linalg.norm(way)
        away, hit = march(taken, start, start + 9 * unit)
        met = runs(away, hit)
        # The first stretch of half a cell or more is not passed by; shorter ones may be.
        stops = min((first for first, last in met if last - first > (0.5 + 2 * FINE) * CELL), default=np.inf)
        assert depth <= stops + 0.5 * CELL
        if np.isfinite(depth):
            assert looked_up(taken, start + depth * unit), "what it ends on is taken"
            assert depth >= min((first for first, _ in met), default=depth) - FINE * CELL
        assert near == depth if depth < 1 else near == np.inf or near < 1 + 0.5 * CELL


def test_what_was_observed_is_asked_of_the_middle_of_a_cube() -> None:
    space, taken, rng = cluttered(0.08, 3)
    side = 4 * CELL
    points = rng.uniform(LOW - 1, HIGH + 1, (40, 3))
    together = space.observed(points)
    again = cluttered(0.08, 3)[0]
    np.testing.assert_array_equal([float(again.observed(point)) for point in points], together)
    np.testing.assert_array_equal(space.observed(points.reshape(8, 5, 3)), together.reshape(8, 5))
    for point, share in zip(points[:12], together[:12], strict=True):
        middle = (np.floor(point / side) + 0.5) * side
        ended = 0
        for way in free._directions():
            away, hit = march(taken, middle, middle + 5 * way)
            ended += any(last - first > (0.5 + 2 * FINE) * CELL for first, last in runs(away, hit))
        # Ways that only cut corners may end or not.
        assert share * 48 >= ended and abs(share * 48 - ended) <= 12
    assert len(set(together.tolist())) > 5


def test_a_room_seen_from_inside_and_the_void_beyond() -> None:
    taken = np.zeros(SHAPE, dtype=bool)
    taken[[0, -1]] = taken[:, :, [0, -1]] = taken[:, 0] = True
    space = space_of(taken)
    middle = (LOW + HIGH) / 2
    above, beside, below = space.observed(middle + np.array([[0, 60, 0], [90, 0, 0], [0, -60, 0]]))
    assert space.observed(middle) == 1 and above < 0.2 and beside == below == 0
