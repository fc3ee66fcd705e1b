"""One round of a gait, two steps, out of a performance that walks or runs about: even, and closed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..models.model import F64, Rhythm
from ..models.pose import matrices, times
from .contact import runs
from .performer import Performance

_SHORTEST_S, _LONGEST_S = 0.4, 2.4
_STRIDE = 2
"""Only every so many-th moment is compared with every other."""
_SWINGS = 0.5
"""Of the most that limbs swing in the clip, what they must swing in a round of it."""
_ALIKE = 0.15
"""Of how far poses are apart on the whole, how far the ends of a round may be."""
_STEADY = 0.6
_LOW = 0.15
"""Legs above its lowest place, up to which an ankle may be of a foot that stands."""
_GOES = 0.3
_TRAVELS = 1.0
"""Legs from where it begins; a motion that stays nearer goes on the spot."""
_INVERSE = np.array([1.0, -1.0, -1.0, -1.0])


def gait_round(shown: Performance) -> tuple[Performance, Rhythm | None] | None:
    """The round that closes best at a steady pace, with the way that it goes taken out, and how it goes;
    None if none closes."""
    ends = _ends(shown)
    if ends is None:
        return None
    found = _closed(shown, *ends)
    way = float(np.linalg.norm((shown.hips[ends[1]] - shown.hips[ends[0]])[[0, 2]]))
    return found, rhythm_of(found, way)


def closed(shown: Performance) -> Performance:
    """All of it, brought to end as it begins."""
    return _closed(shown, 0, len(shown.times_s) - 1, level=False)


def _ends(shown: Performance) -> tuple[int, int] | None:
    """(first, last) moments of the round."""
    poses = _poses(shown)[::_STRIDE]
    hips = shown.hips[::_STRIDE, [0, 2]]
    step = float(shown.times_s[1] - shown.times_s[0]) * _STRIDE if len(shown.times_s) > 1 else 0.0
    count = len(poses)
    if step <= 0 or (count - 1) * step < _SHORTEST_S:
        return None
    apart = ((poses[:, None] - poses[None]) ** 2).sum(axis=2)
    spread = float(((poses - poses.mean(axis=0)) ** 2).sum(axis=1).mean())
    swings = float(np.percentile(apart.max(axis=1), 90))
    if spread < 1e-4:
        return None
    fewest = max(2, round(_SHORTEST_S / step))
    most = min(count - 1, round(_LONGEST_S / step))
    tried = []
    for length in range(fewest, most + 1):
        ways = np.linalg.norm(hips[length:] - hips[:-length], axis=1) / (length * step)
        tried += [(length, first, float(way)) for first, way in enumerate(ways)]
    travels = float(np.linalg.norm(hips - hips[0], axis=1).max()) > _TRAVELS
    fastest = float(np.percentile([way for _, _, way in tried], 90)) if travels else 0.0
    found: list[tuple[float, int, int]] = []
    for length, first, way in tried:
        if way < _STEADY * fastest or apart[first, first : first + length].max() < _SWINGS * swings:
            continue
        found.append((_unlike(apart, first, length), length, first))
    if not found or min(found)[0] > _ALIKE * spread:
        return None
    enough = max(1.5 * min(found)[0], 0.01 * spread)
    shortest = min(length for unlike, length, _ in found if unlike <= enough)
    few = [each for each in found if shortest <= each[1] <= 1.2 * shortest]
    _, length, first = min(few)
    last = (first + length) * _STRIDE
    return first * _STRIDE, last if first or last + _STRIDE < len(shown.times_s) else len(shown.times_s) - 1


def _unlike(apart: F64, first: int, length: int) -> float:
    """How unlike the surroundings of both ends are: poses, and with them how they change."""
    pairs = [
        apart[first + k, first + length + k] for k in (-2, -1, 0, 1, 2)
        if first + k >= 0 and first + length + k < len(apart)
    ]  # fmt: skip
    return float(np.mean(pairs))


def _poses(shown: Performance) -> F64:
    """[T, n] where limbs point, as seen from the body: legs, and arms for less."""
    back = _about_y(-_yaws(shown))
    found = []
    for limb, reach in shown.reach.items():
        weight = 1.0 if "leg" in limb else 0.5
        found.append(weight * (matrices(times(back, shown.turns[limb])) @ reach))
    return np.concatenate(found, axis=1) if found else np.zeros((len(shown.times_s), 1))


def _yaws(shown: Performance) -> F64:
    ahead = matrices(shown.turns["hips"])[:, :, 2]
    return np.unwrap(np.arctan2(ahead[:, 0], ahead[:, 2]))


def _about_y(angles: F64) -> F64:
    quats = np.zeros((len(angles), 4))
    quats[:, 0], quats[:, 2] = np.cos(angles / 2), np.sin(angles / 2)
    return quats


def _closed(shown: Performance, first: int, last: int, *, level: bool = True) -> Performance:
    """Moments first … last; with ``level`` facing ahead and on the spot on the whole."""
    rows = slice(first, last + 1)
    count = last + 1 - first
    share = np.linspace(0.0, 1.0, count)
    yaws, hips = _yaws(shown)[rows], shown.hips[rows]
    trend = yaws[0] + share * (yaws[-1] - yaws[0])
    trend = trend + (yaws - trend)[:-1].mean()
    if not level:
        trend = np.zeros(count)
    back = _about_y(-trend)
    way = hips[0] + share[:, None] * (hips[-1] - hips[0])
    moved = hips - way
    if level:
        moved = (matrices(back) @ moved[:, :, None])[:, :, 0]
        moved[:, [0, 2]] -= moved[:-1, [0, 2]].mean(axis=0)
        moved[:, 1] += hips[:-1, 1].mean() - moved[:-1, 1].mean()
    else:
        moved += hips[:-1].mean(axis=0) - moved[:-1].mean(axis=0)

    def turned(turns: F64) -> F64:
        return _joined(times(back, turns[rows]), share)

    return replace(
        shown,
        times_s=shown.times_s[rows] - shown.times_s[first],
        turns={role: turned(turns) for role, turns in shown.turns.items()},
        trunk=tuple((at, turned(turns)) for at, turns in shown.trunk),
        hips=moved,
        feet=_feet(shown, rows, way, back),
        same={name: (_joined(own[rows], share), rest) for name, (own, rest) in shown.same.items()},
    )


def _feet(shown: Performance, rows: slice, way: F64, back: F64) -> F64 | None:
    """[T, 2, 3] the ankles as the hips are moved: the way taken out, and facing ahead."""
    if shown.feet is None:
        return None
    moved = shown.feet[rows] - (way - way[0])[:, None] * (1, 0, 1)
    moved = (moved - shown.hips[rows][:1, None] * (1, 0, 1)) @ np.swapaxes(matrices(back), 1, 2)
    return np.asarray(moved)


def rhythm_of(shown: Performance, way: float) -> Rhythm | None:
    """When each foot of a closed round stands: while it is low and goes back; None where one never does.

    Args:
        way: that was taken out of the round, in legs; next to nothing where it was on the spot.
    """
    if shown.feet is None or len(shown.times_s) < 5:
        return None
    step = float(shown.times_s[1])
    begins, stands, speeds = [], [], []
    for side in (0, 1):
        foot = shown.feet[:-1, side]
        back = (np.roll(foot[:, 2], -1) - foot[:, 2]) < 0
        down = back & (foot[:, 1] < foot[:, 1].min() + _LOW)
        if down.all() or not down.any():
            return None
        turn = int(np.flatnonzero(~down)[0])
        first, last = max(runs(np.roll(down, -turn)), key=lambda run: run[1] - run[0])
        begins.append((first + turn) % len(down) * step)
        stands.append((last - first) * step)
        speeds.append((foot[(first + turn) % len(down), 2] - foot[(last + turn) % len(down), 2]) / stands[-1])
    gone = way if way > _GOES else float(np.mean(speeds)) * shown.duration_s
    return Rhythm(gone, (begins[0], begins[1]), (stands[0], stands[1])) if gone > _GOES else None


def _joined(turns: F64, share: F64) -> F64:
    """Turns [T, 4] of which the ends are alike: what is amiss is shared out over all of them."""
    off = times(turns[0], turns[-1] * _INVERSE)
    off = off if off[0] >= 0 else -off
    angle = 2 * float(np.arccos(min(off[0], 1.0)))
    if angle < 1e-6:
        return turns
    axis = off[1:] / max(float(np.linalg.norm(off[1:])), 1e-12)
    part = angle * (share - 0.5)
    quats = np.concatenate([np.cos(part / 2)[:, None], np.sin(part / 2)[:, None] * axis], axis=1)
    return times(quats, turns)
