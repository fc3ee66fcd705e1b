"""Names of characters and of anchors, in the words that commands use for them."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .lexicon import lexicon
from .tokens import Token, tokens_of

ARTICLES = frozenset({
    "a", "an", "the", "his", "her", "its", "their", "my", "your", "our", "this", "that", "these", "those",
    "some",
})  # fmt: skip
_LEADING = frozenset({
    "to", "toward", "towards", "into", "onto", "at", "from", "past", "by", "along", "across", "through",
    "over", "under", "on", "upon", "behind", "off", "near", "beside", "against", "above", "below", "until",
    "beyond", "inside", "outside", "between", "around", "round", "up", "down", "up_to", "over_to",
    "back_to", "down_to", "as_far_as", "away_from", "out_of", "back_from", "in_front_of", "next_to",
    "close_to", "in_the_direction_of",
})  # fmt: skip
"""Prepositions after which the name of an anchor counts as one, whatever word it is."""


@dataclass(frozen=True)
class Names:
    """Words that name characters, and anchors by the words that a command may use for them.

    Attributes:
        characters: word groups → what the character is called.
        places: word groups → anchor, longest first.
        anybody: no cast is known, so that any name may be somebody's.
    """

    characters: Mapping[tuple[str, ...], str]
    places: Mapping[tuple[str, ...], str]
    anybody: bool = False

    @staticmethod
    def of(characters: Collection[str] | None, places: Collection[str], aliases: Mapping[str, str]) -> Names:
        """``aliases``: other words for places. ``characters`` None: the cast is not known."""
        spoken = {**aliases, **{name: name for name in places}}
        people = None if characters is None else tuple(characters)
        return _names_of(people, tuple(spoken.items()))

    def place(self, phrase: str) -> str | None:
        """The anchor that a noun phrase names: its words, or their end ("the old door" → door)."""
        words = tuple(phrase.replace("-", " ").replace("_", " ").split())
        for start in range(len(words)):
            if words[start:] in self.places:
                return self.places[words[start:]]
        return None


@lru_cache(maxsize=16)
def _names_of(characters: tuple[str, ...] | None, places: tuple[tuple[str, str], ...]) -> Names:
    """The same for all commands of a screenplay."""
    people = {group: name for name in characters or () if (group := words_of(name))}
    spoken = {group: name for said, name in places if (group := words_of(said))}
    longest = sorted(spoken.items(), key=lambda item: -len(item[0]))
    most = sorted(people.items(), key=lambda item: -len(item[0]))
    return Names(dict(most), dict(longest), characters is None)


def words_of(name: str) -> tuple[str, ...]:
    """A name in the words that commands use for it: lower case, without dots, hyphens as spaces."""
    plain = unicodedata.normalize("NFC", name.lower()).replace("-", " ")
    return tuple(token.text for token in tokens_of(plain) if not token.is_mark)


def with_names(tokens: Sequence[Token], names: Names) -> list[Token]:
    """The tokens with the names of characters made one token each, and those of anchors where a preposition
    leads to them. Dots inside a name are part of it."""
    found: list[Token] = []
    at = 0
    shouted = all(token.capital for token in tokens if token.kind == "word")
    while at < len(tokens):
        size, value = _character_at(tokens, at, names, capitals=not shouted)
        kind = "name"
        if not size and at and tokens[at - 1].text in _LEADING:
            (size, value), kind = _place_at(tokens, at, names), "place"
        if size:
            text = "_".join(token.text for token in tokens[at : at + size] if not token.is_mark)
            found.append(Token(text, tokens[at].start, tokens[at + size - 1].end, kind, value, capital=True))
        else:
            found.append(tokens[at])
        at += size or 1
    return found


def _character_at(tokens: Sequence[Token], at: int, names: Names, *, capitals: bool) -> tuple[int, str]:
    for group, name in names.characters.items():
        size = _matches(tokens, at, group, possessive=True)
        if not size:
            continue
        common = len(group) == 1 and (lexicon().known(group[0]) or group[0] in ARTICLES)
        if common and capitals and not tokens[at].capital:
            continue  # "will" and "mark" are names only where they are written so
        return size, name
    return 0, ""


def _place_at(tokens: Sequence[Token], at: int, names: Names) -> tuple[int, str]:
    """The anchor whose words begin here, after an article or none; the article is part of the token."""
    skip = 1 if tokens[at].text in ARTICLES else 0
    for group, anchor in names.places.items():
        size = _matches(tokens, at + skip, group)
        if size and not _goes_on(tokens, at + skip + size, group):
            return skip + size, anchor
    for group, anchor in names.places.items():  # an anchor that is called like an article: "to a"
        size = _matches(tokens, at, group) if skip else 0
        if size and _ends(tokens, at + size):
            return size, anchor
    return 0, ""


def _goes_on(tokens: Sequence[Token], at: int, group: tuple[str, ...]) -> bool:
    """Whether what looks like an anchor's name is only the beginning of another noun: "to the step
    ladder"."""
    if len(group) == 1 and group[0] in ARTICLES:
        return not _ends(tokens, at)
    return False


def _ends(tokens: Sequence[Token], at: int) -> bool:
    if at >= len(tokens):
        return True
    token, words = tokens[at], lexicon()
    classes = ("and", "but", "speed", "prep", "then", "while", "manner")
    return token.is_mark or token.text == "in" or any(words.has(kind, token.text) for kind in classes)


def _matches(tokens: Sequence[Token], at: int, group: tuple[str, ...], *, possessive: bool = False) -> int:
    """How many tokens from ``at`` are a group of words, dots between them skipped; 0 where they are not."""
    here = at
    for index, word in enumerate(group):
        while index and here < len(tokens) and tokens[here].text == ".":
            here += 1
        if here >= len(tokens):
            return 0
        token = tokens[here]
        parts = token.text.split("-")
        if token.text != word:
            last = possessive and index == len(group) - 1 and token.text == word + "'s"
            hyphened = tuple(parts) == group[index:] and len(parts) > 1
            if hyphened:
                return here + 1 - at
            if not last:
                return 0
        here += 1
    return here - at
