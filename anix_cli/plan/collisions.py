"""Whether who acts walks into something, and how far the way is free."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..core.plan import Beat
from .blocking import Blocked
from .pace import nominal_speed
from .routes import Routes
from .shooting import Film
from .trouble import Trouble

F64 = NDArray[np.float64]

_LEAST_M = 0.3
"""A shorter way is none."""


def check_way(film: Film, index: int, name: str, blocked: Blocked, routes: Routes | None) -> None:
    """E222 where a character walks into something, or over a cliff: where, and how far it could go."""
    if routes is None or not blocked.speed_mps.any():
        return
    if any(trouble.code[0] == "E" for trouble in blocked.troubles):
        return
    xz = blocked.root[:, [0, 2]]
    # The frames of a run lie further apart than a post is thick.
    fine = np.empty((2 * len(xz) - 1, 2))
    fine[::2], fine[1::2] = xz, 0.5 * (xz[1:] + xz[:-1])
    bump = routes.bump(fine)
    if bump is None:
        return
    at = bump // 2
    beat = next(
        (one for one in blocked.beats if _moves(one) and one.start <= at < one.start + one.frames), None
    )
    begin = beat.start if beat is not None else 0
    gone = float(np.linalg.norm(np.diff(xz[begin : at + 1], axis=0), axis=1).sum())
    fits = math.floor(10 * max(gone - 0.1, 0.0)) / 10
    x, z = fine[bump]
    doing = beat.action.replace("_", " ") if beat is not None else "move"
    when = f"after {float(at / film.recipe.fps):.1f} s, at x {x:.1f}, z {z:.1f}"
    what = "over a drop or a step too high" if routes.falls((float(x), float(z))) else "into something"
    told = f"{name} would {doing} {what} {when}; {fits:g} m of that way are free."
    if fits < _LEAST_M:
        hint = "Turn first, or start elsewhere."
    elif beat is not None and beat.amount is not None and beat.amount.unit in {"m", "steps"}:
        hint = f"Say {fits:g} metres at the most, or turn first."
    else:
        hint = "Make the shot shorter, or turn first."
    hint += " To an anchor, a character goes round what is in the way."
    film.note(index, "command", Trouble("E222", told, hint))


def _moves(beat: Beat) -> bool:
    return nominal_speed(beat) > 0
