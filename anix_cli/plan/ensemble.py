"""All who are in a shot, blocked: those who act, and those who stand by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..core.plan import Beat
from ..core.time import frames_from_seconds
from .around import Around
from .blocking import Blocked, Part, block, reaches
from .collisions import check_way
from .company import beside, meeting, order_of, places_beside, run_into
from .entrances import check_bounds
from .roles import Roles
from .routes import Routes
from .shooting import Film, Shooting
from .standing import Standing
from .trouble import Trouble

F64 = NDArray[np.float64]

_WAITS = tuple(Fraction(tenths, 10) for tenths in (5, 10, 15, 20, 30, 40))
"""So long, seconds, one who acts waits for another to be out of the way."""
_ROUNDS = 3
"""So many places at which another is met are gone round."""


def come_in(whole: Film, index: int, name: str, beats: Sequence[Beat], roles: Roles, now: Shooting) -> bool:
    """Brings all who act, or are gone to, onto the stage: where they were seen last, or beside the one with
    whom they act. False, with E223, where somebody is gone to who is nowhere yet."""
    lead = now.standing[name]
    acting = list(dict.fromkeys(other for doing in roles for other in doing))
    mates = {other for doing in roles if name in doing for other in doing}
    meant = {beat.target for beat in beats if beat.target in whole.extents}
    for other in dict.fromkeys([*acting, *sorted(filter(None, meant))]):
        if other in now.on_stage or other == name:
            continue
        if other not in now.standing and other not in acting:
            text = f"{other} has not come in yet: no shot before this one shows them, to go to or to look at."
            hint = f"Let {other} act before, in a shot with an anchor."
            whole.note(index, "command", Trouble("E223", text, hint))
            return False
        if other not in now.standing or other in mates:
            taken = [now.standing[one].xz for one in now.on_stage]
            now.standing[other] = replace(
                beside(lead, len(now.on_stage) - 1, whole.routes, taken), speed_mps=0.0, slip_rad=0.0
            )
        now.on_stage.append(other)
    return True


def block_all(
    whole: Film, index: int, name: str, beats: tuple[Beat, ...], roles: Roles, *, frames: int, now: Shooting
) -> dict[str, Blocked]:
    """Everybody through shot number ``index``, the one whom it shows first.

    One after the other: those who stand by, then those who act, who keep clear of all before them.
    """
    names = [name, *(other for other in now.on_stage if other != name)]
    if len(names) == 1:
        around = Around({mark: found.xz for mark, found in now.marks.items()}, whole.routes)
        return {name: _told(whole, index, name, _alone(whole, name, beats, frames, around, now), now)}
    acting = [one for one in names if any(one in doing for doing in roles)] if beats else []
    order = [one for one in names if one not in acting] + order_of(acting, beats, roles)
    starts = dict(now.standing)
    reach = _reaches(whole, beats, roles, acting, now)
    done: dict[str, Blocked] = {}
    for one in order:
        around = _around(whole, one, beats, roles, starts, done, now)
        if one not in acting:
            done[one] = _alone(whole, one, (), frames, around, now)
        else:
            mine = tuple(number for number, doing in enumerate(roles) if one in doing)
            done[one] = _clear(whole, index, one, beats, frames, around, Part(mine, reach), done, now)
        _told(whole, index, one, done[one], now, several=len(acting) > 1)
    found = {one: done[one] for one in names}
    first = next((done[one] for one in acting), done[name])
    found[name] = replace(found[name], beats=first.beats)
    return found


def _alone(
    whole: Film,
    name: str,
    beats: tuple[Beat, ...],
    frames: int,
    around: Around,
    now: Shooting,
    part: Part | None = None,
) -> Blocked:
    return block(
        beats, frames, whole.recipe.fps, start=now.standing[name], ground=whole.stage.ground, around=around,
        steps=whole.extents[name].steps, part=part, motions=whole.screenplay.characters[name].motions,
    )  # fmt: skip


def _around(
    whole: Film,
    name: str,
    beats: Sequence[Beat],
    roles: Roles,
    starts: Mapping[str, Standing],
    done: Mapping[str, Blocked],
    now: Shooting,
) -> Around:
    """What is around one of several: the others are in the way where they stand, or will."""
    places = {mark: found.xz for mark, found in now.marks.items()}
    people = {
        other: done[other].root[:, [0, 2]] if other in done else np.array([starts[other].xz])
        for other in now.on_stage
        if other != name
    }
    ends = [done[other].end.xz for other in people if other in done]
    routes = Routes(None, whole.stage.ground) if whole.routes is None else whole.routes
    if beats and any(name in doing for doing in roles):
        places = places_beside(places, beats, roles, name, starts)
    return Around(places, routes.with_others(ends), people)


def _reaches(
    whole: Film, beats: Sequence[Beat], roles: Roles, acting: Sequence[str], now: Shooting
) -> tuple[float | None, ...]:
    """For each beat, how far whoever has to go furthest has to go."""
    places = {mark: found.xz for mark, found in now.marks.items()}
    found: list[float | None] = [None] * len(beats)
    for one in acting:
        people = {other: np.array([now.standing[other].xz]) for other in now.on_stage if other != one}
        mine = [number for number, doing in enumerate(roles) if one in doing]
        far = reaches([beats[number] for number in mine], now.standing[one],
                      Around(places, whole.routes, people))  # fmt: skip
        for number, reach in zip(mine, far, strict=True):
            before = found[number]
            found[number] = reach if before is None or reach is None else max(before, reach)
    return tuple(found)


def _clear(
    whole: Film,
    index: int,
    name: str,
    beats: tuple[Beat, ...],
    frames: int,
    around: Around,
    part: Part,
    others: Mapping[str, Blocked],
    now: Shooting,
) -> Blocked:
    """One who acts, waiting where another would be run into, or going round where they are met; W226 where
    neither helps."""
    fps = whole.recipe.fps
    first = _alone(whole, name, beats, frames, around, now, part)
    trouble = run_into(name, first, others, float(fps))
    if trouble is None:
        return first
    for seconds in _WAITS:
        wait = frames_from_seconds(seconds, fps)
        later = _alone(whole, name, beats, frames, around, now, replace(part, wait=wait))
        if len(later.troubles) <= len(first.troubles) and run_into(name, later, others, float(fps)) is None:
            return later
    passing = _passing(whole, name, beats, frames, around, part, others, now, first)
    if passing is not None:
        return passing
    whole.note(index, "command", trouble)
    return first


def _passing(
    whole: Film,
    name: str,
    beats: tuple[Beat, ...],
    frames: int,
    around: Around,
    part: Part,
    others: Mapping[str, Blocked],
    now: Shooting,
    first: Blocked,
) -> Blocked | None:
    """The way of one who goes round where another would be met; None where that does not help."""
    if around.routes is None:
        return None
    met, last = list(around.routes.others), first
    for _ in range(_ROUNDS):
        other = meeting(last, others)
        met.append((float(other[0]), float(other[1])))
        last = _alone(
            whole, name, beats, frames, replace(around, routes=around.routes.with_others(met)), now, part
        )
        if len(last.troubles) > len(first.troubles):
            return None
        if run_into(name, last, others, float(whole.recipe.fps)) is None:
            return last
    return None


def _told(
    whole: Film, index: int, name: str, blocked: Blocked, now: Shooting, *, several: bool = False
) -> Blocked:
    """Goes on from there, and says what is wrong."""
    now.standing[name] = blocked.end
    for trouble in blocked.troubles:
        message = f"{name}: {trouble.message}" if several else trouble.message
        whole.note(index, "command", replace(trouble, message=message))
    check_bounds(whole, index, name, blocked, now)
    check_way(whole, index, name, blocked, whole.routes)
    return blocked
