"""The nearest right spelling, only where one is truly near: a wrong suggestion is worse than none."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

_MOST_SIBLINGS = 2000


def distance(a: str, b: str, most: int | None = None) -> int:
    """Edits between two words: insert, delete, replace, swap neighbours (optimal string alignment).

    Args:
        most: where more edits than this are needed, any larger number is as good an answer.
    """
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        two_before, before, row = before, row, [i]
        for j, y in enumerate(b, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, two_before[j - 2] + 1)
            row.append(cost)
        if most is not None and min(row) > most and min(before) > most:
            break
    return row[-1]


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The one candidate within 1 edit (2 from eight letters on), whatever the case, or None."""
    folded = word.casefold()
    limit = 0 if len(word) <= 2 else 1 if len(word) < 8 else 2
    scored: list[tuple[int, str]] = []
    for candidate in candidates:
        if abs(len(candidate) - len(word)) > limit:
            continue
        edits = distance(folded, candidate.casefold(), limit)
        if edits <= limit and edits < len(candidate):
            scored.append((edits, candidate))
    best = min((edits for edits, _ in scored), default=None)
    found = [candidate for edits, candidate in scored if edits == best]
    return found[0] if len(found) == 1 else None


def sibling(path: Path, written: str) -> str | None:
    """A file beside a missing one with nearly its name, written as the missing one is in the screenplay."""
    try:
        with os.scandir(path.parent) as entries:
            names = [entry.name for _, entry in zip(range(_MOST_SIBLINGS), entries, strict=False)]
    except (OSError, ValueError):
        return None
    near = nearest(path.name, (name for name in names if name != path.name))
    return written[: len(written) - len(path.name)] + near if near else None
