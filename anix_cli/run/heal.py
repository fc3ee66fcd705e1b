"""Damage in the store is noticed, set aside and made again: a bad sector must not end a night."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ..core.errors import AnixError, Diagnostic
from ..core.events import Emit, Noted
from ..core.plan import Plan
from ..store.store import Store, verify
from .clips import find_clips
from .layout import find_guide

DAMAGE = {"E541", "E542", "E544"}
"""What reading a guide or a clip raises when its file isn't what was written."""

T = TypeVar("T")


def healing(plan: Plan, store: Store, emit: Emit, work: Callable[[], T]) -> T:
    """Does some work; if it meets a damaged file of the store, sets that aside and does the work once more.

    Raises:
        AnixError: what the work raises, where no entry of this film is to blame for it.
    """
    try:
        return work()
    except AnixError as error:
        if not DAMAGE & {found.code for found in error.diagnostics} or not discard_damaged(plan, store, emit):
            raise
    return work()


def discard_damaged(plan: Plan, store: Store, emit: Emit) -> int:
    """Compares every file that this film uses with its digest; removes entries that differ, and says so."""
    guides = [(f"the guide of shot {shot.id}", find_guide(store, shot)) for shot in plan.shots()]
    clips = [(f"shot {f.shot.id}, clip {f.clip.index}", f.entry) for f in find_clips(plan, store)]
    count = 0
    for name, entry in guides + clips:
        problems = verify(entry, deep=True) if entry is not None else []
        if entry is not None and problems:
            store.discard(entry)
            count += 1
            emit(
                Noted(Diagnostic("W411", f"{name} is damaged in the store ({problems[0]}); it is made anew"))
            )
    return count
