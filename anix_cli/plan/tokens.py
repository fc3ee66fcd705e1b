"""Words of a command with their places, and which verb each may be a form of."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

from . import lexicon, numbers

_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u109f"
"""Accents written as signs of their own, and scripts that write vowels so: parts of a word."""
_WORD = rf"[^\W\d_](?:[^\W\d_]|[{_MARKS}])*"
_TOKEN = re.compile(numbers.PATTERN + rf"|{_WORD}(?:['\-]{_WORD})*|[,;.!?:°]", re.UNICODE | re.IGNORECASE)
_SILENT = frozenset(" \t\r\n\f\v\u00a0\"'“”‘’«»()[]{}…/\\&*_~|<>=+-‐‑‒–—−#%@`^$")
"""Signs between words that change nothing."""
_VOWELS = "aeiou"


@dataclass(frozen=True)
class Token:
    """One word, number or mark: lower case, with its place in the command."""

    text: str
    start: int
    end: int

    @property
    def is_mark(self) -> bool:
        return self.text in ",;.!?:"

    @property
    def is_number(self) -> bool:
        return numbers.is_number(self.text)


def tokens_of(command: str) -> list[Token]:
    """The command's words, numbers and marks, in order. Curly apostrophes count as straight ones."""
    plain = command.replace("’", "'").replace("_", " ")
    return [
        Token(unicodedata.normalize("NFC", match[0].lower()), *match.span())
        for match in _TOKEN.finditer(plain)
    ]


def signs_beside(command: str, tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Where signs stand that are no part of any word, number or mark, such as emoji: start and end."""
    heard = {place for token in tokens for place in range(token.start, token.end)}
    odd = [at for at, sign in enumerate(command) if at not in heard and sign not in _SILENT]
    found: list[tuple[int, int]] = []
    for at in odd:
        if found and found[-1][1] == at:
            found[-1] = (found[-1][0], at + 1)
        else:
            found.append((at, at + 1))
    return found


def _doubles(lemma: str) -> bool:
    ends = lemma[-3:]
    return len(ends) == 3 and (
        ends[2] not in _VOWELS + "wxy" and ends[1] in _VOWELS and ends[0] not in _VOWELS and len(lemma) <= 5
    )


def _regular_forms(lemma: str) -> set[str]:
    if lemma.endswith("e"):
        stem = lemma[:-1]
        return {lemma, lemma + "s", lemma + "d", stem + "ing"}
    if lemma.endswith("y") and lemma[-2] not in _VOWELS:
        return {lemma, lemma[:-1] + "ies", lemma[:-1] + "ied", lemma + "ing"}
    third = lemma + ("es" if lemma.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")
    root = lemma + lemma[-1] if _doubles(lemma) else lemma
    return {lemma, third, root + "ed", root + "ing"}


@cache
def verb_forms() -> dict[str, str]:
    """Every inflected form of every verb of the lexicon → its lemma."""
    forms = {form: lemma for lemma in sorted(lexicon.all_verbs()) for form in _regular_forms(lemma)}
    return forms | {form: lemma for form, lemma in lexicon.IRREGULAR.items() if lemma in lexicon.all_verbs()}


def lemma_of(word: str) -> str | None:
    """The verb that a word is a form of, or None."""
    return verb_forms().get(word)


def near_names(word: str, names: Collection[str]) -> tuple[str, ...]:
    """The name that is spelt much like a word, if there is one."""
    spoken = {name.lower(): name for name in names}
    return tuple(spoken[near] for near in difflib.get_close_matches(word.lower(), spoken, n=1, cutoff=0.7))


def near_verbs(word: str) -> tuple[str, ...]:
    """Up to three verbs spelt much like an unknown word; none if nothing is truly near."""
    if len(word) < 3:
        return ()
    near = difflib.get_close_matches(word, list(verb_forms()), n=6, cutoff=0.72)
    lemmas = dict.fromkeys(verb_forms()[form] for form in near)
    return tuple(lemmas)[:3]
