"""Spelling: which right word is truly near to a wrong one."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache, lru_cache

from .lexicon import lexicon, lines_of

SHORTEST = 4
"""Shorter words must be written exactly."""
LONG = 8
"""From this length on, two slips are forgiven."""


def distance(one: str, other: str, most: int) -> int:
    """Number of letters to insert, delete, change or swap with the next (optimal string alignment), counted
    up
    to ``most`` + 1."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        older, before, row = before, row, [i] + [0] * len(other)
        for j, sign in enumerate(other, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != sign))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == sign:
                row[j] = min(row[j], older[j - 2] + 1)
        if min(row) > most:
            return most + 1
    return row[-1]


def nearest(word: str, candidates: Iterable[str], *, shortest: int = SHORTEST) -> list[str]:
    """The candidates that are nearest to a word, none where nothing is truly near, in alphabetical order."""
    if len(word) < shortest or len(word) > 24:
        return []
    most = 2 if len(word) >= LONG else 1
    found: dict[int, list[str]] = {}
    for candidate in candidates:
        if abs(len(candidate) - len(word)) > most:
            continue
        if candidate[:1] != word[:1] and candidate[:2] != word[1::-1] and candidate[:1] != word[1:2]:
            continue  # a wrong first letter is nobody's slip but a swapped or a missing one
        if (far := distance(word, candidate, most)) <= most:
            found.setdefault(far, []).append(candidate)
    return sorted(found[min(found)]) if found else []


@cache
def english() -> frozenset[str]:
    """Right English words that mean nothing here, and so are no slips of anything else."""
    return frozenset(word for line in lines_of("english.txt") for word in line)


@cache
def _verb_forms(camera: bool, common: bool) -> tuple[str, ...]:
    words = lexicon()
    pool = words.camera if camera else words.common if common else words.verbs
    return tuple(
        form for form, readings in words.forms.items() if any(lemma in pool for lemma, _ in readings)
    )


@lru_cache(maxsize=1024)
def near_forms(word: str, *, camera: bool = False) -> tuple[str, tuple[str, ...]]:
    """The form of a verb that a misspelt word is, "" unless it is the only one; and the verbs that are near.

    Forms of one verb count as one: "wavse" is "waves", and "wave" is as near. A rare verb counts only
    where no common one is near.
    """
    if word in english() or _stem_is_english(word):
        return "", ()
    if nearest(word, ("she", "they", "the", "then"), shortest=4):
        return "", ()
    words = lexicon()
    near = nearest(word, _verb_forms(camera, True), shortest=3)
    near = near or nearest(word, _verb_forms(camera, False), shortest=3)
    lemmas = dict.fromkeys(words.forms[form][0][0] for form in near)
    alone = len(lemmas) == 1 and len(word) >= SHORTEST
    best = sorted(near, key=lambda form: (_unlike(form, word), abs(len(form) - len(word)), form))
    return (best[0] if alone else ""), tuple(lemmas)[:3]


def _unlike(form: str, word: str) -> tuple[bool, bool]:
    """Less for the form of a verb that has the same letters, or ends alike."""
    return sorted(form) != sorted(word), form[-1:] != word[-1:]


def _stem_is_english(word: str) -> bool:
    stems = {word.removesuffix(end) for end in ("s", "es", "ed", "ing", "d")}
    if word.endswith("ing"):
        stems.add(word.removesuffix("ing") + "e")
    return bool(stems & english())


def near_direction(word: str) -> str:
    """The direction that a misspelt word is; "" unless it is the only one."""
    if word in english() or lexicon().known(word):
        return ""
    plain = [form for form in lexicon().closed["direction"] if "_" not in form and len(form) > 3]
    near = nearest(word, plain)
    meant = {lexicon().closed["direction"][form] for form in near}
    return near[0] if len(meant) == 1 else ""


@cache
def near_limb(word: str) -> str:
    """The part of the body that a word with two letters swapped or one left out is; "" unless it is the only
    one. "Food" is no slip of "foot"."""
    closed = lexicon().closed
    if word in english():
        return ""
    near = nearest(word, [*closed["sided"], *closed["body"]])
    exact = [form for form in near if sorted(form) == sorted(word)]
    exact = exact or [form for form in near if len(form) > len(word)]
    return exact[0] if len(exact) == 1 else ""


def near_names(word: str, names: Collection[str]) -> tuple[str, ...]:
    """The name that is spelt much like a word, if there is one."""
    import difflib

    spoken = {name.lower(): name for name in names}
    return tuple(spoken[near] for near in difflib.get_close_matches(word.lower(), spoken, n=1, cutoff=0.7))
