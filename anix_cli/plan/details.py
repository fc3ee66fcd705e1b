"""What stands around a verb: directions, amounts, pace, side, object and target; and names."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from ..core.plan import Amount
from . import lexicon
from .lexicon import Verb
from .numbers import number
from .tokens import Token, tokens_of

_AFTER_A_NAME = frozenset(lexicon.PREPOSITIONS) | frozenset(lexicon.SPEEDS) | {"in", "and"}


@dataclass(frozen=True)
class Names:
    """Words that name characters, and anchors by the words that a command may use for them."""

    characters: frozenset[str]
    places: dict[tuple[str, ...], str]

    @staticmethod
    def of(characters: Collection[str], places: Collection[str], aliases: Mapping[str, str]) -> Names:
        """``aliases``: other words for places."""
        return _names_of(tuple(characters), tuple({**aliases, **{name: name for name in places}}.items()))

    def place(self, phrase: str) -> str | None:
        """The anchor that a noun phrase names: its words, or their end ("the old door" → door)."""
        words = tuple(phrase.replace("-", " ").split())
        for start in range(len(words)):
            if words[start:] in self.places:
                return self.places[words[start:]]
        return None

    def at_start(self, words: list[str]) -> tuple[str | None, int]:
        """The anchor whose words begin a text (after an article), and how many words that is."""
        skip = 1 if words and words[0] in lexicon.ARTICLES else 0
        for name, anchor in self.places.items():
            if name and tuple(words[skip : skip + len(name)]) == name:
                return anchor, skip + len(name)
        for name, anchor in self.places.items():  # an anchor that is called like an article: "to a"
            after = words[len(name) : len(name) + 1]
            if skip and tuple(words[: len(name)]) == name and (not after or after[0] in _AFTER_A_NAME):
                return anchor, len(name)
        return None, 0


@lru_cache(maxsize=16)
def _names_of(characters: tuple[str, ...], places: tuple[tuple[str, str], ...]) -> Names:
    """The same for all commands of a screenplay. ``places``: what they are called, and the anchor."""
    people = {word for name in characters for word in words_of(name)}
    spoken = {tuple(token.text for token in tokens_of(said.replace("-", " "))): name for said, name in places}
    longest_first = sorted(spoken.items(), key=lambda item: -len(item[0]))
    return Names(frozenset(people | {word + "'s" for word in people}), dict(longest_first))


def words_of(name: str) -> list[str]:
    """A character's name in the words that commands use for it."""
    return unicodedata.normalize("NFC", name.lower()).replace("_", " ").split()


@dataclass(frozen=True)
class Lost:
    """Words that mean nothing to the plan."""

    text: str
    span: tuple[int, int]


@dataclass
class Details:
    """What stands around a verb."""

    direction: str | None = None
    amount: Amount | None = None
    speed: str | None = None
    side: str | None = None
    object: str | None = None
    target: str | None = None
    lost: list[Lost] = field(default_factory=list)


def skippable(token: Token, names: Names) -> bool:
    text = token.text
    return (
        text in lexicon.SUBJECTS
        or text in lexicon.FILLERS
        or text in names.characters
        or text in lexicon.SPEEDS
        or text in {"and", "then", "but", "to", "in", "by"}
    )


def _amount(value: float, unit: str) -> Amount:
    factor = lexicon.METRES.get(unit)
    return Amount(round(value * factor, 6), "m") if factor else Amount(value, unit)


def _number(token: Token) -> float | None:
    if token.is_number:
        return number(token.text)
    return lexicon.NUMBERS.get(token.text)


def read_details(tokens: list[Token], verb: Verb, names: Names, into: Details) -> None:
    """Reads what stands after the verb, left to right."""
    index = 0
    while index < len(tokens):
        index += (
            _read_amount(tokens, index, into)
            or _read_direction(tokens, index, into)
            or _read_place(tokens, index, verb, names, into)
            or _read_noun(tokens, index, verb, names, into)
        )


def _read_amount(tokens: list[Token], index: int, into: Details) -> int:
    text = tokens[index].text
    if text in lexicon.ONCE:
        into.amount = Amount(lexicon.ONCE[text], "times")
        return 1
    value = _number(tokens[index])
    if value is None:
        return 0
    for gap in (1, 2, 3):  # "a couple of steps", "three quick steps"
        if index + gap >= len(tokens):
            break
        unit = lexicon.UNITS.get(tokens[index + gap].text)
        if unit:
            if gap > 1 and (inner := _number(tokens[index + gap - 1])) is not None:
                value *= inner if text in {"a", "half"} else 1
            for between in tokens[index + 1 : index + gap]:
                into.speed = lexicon.SPEEDS.get(between.text, into.speed)
                if between.text == "couple":
                    value = 2.0
            into.amount = _amount(value, unit)
            return gap + 1
    return 0


def _read_direction(tokens: list[Token], index: int, into: Details) -> int:
    text = tokens[index].text
    after = [token.text for token in tokens[index + 1 : index + 4]]
    if text in lexicon.SPEEDS:
        into.speed = lexicon.SPEEDS[text]
        return 1
    for still in (["in", "place"], ["on", "the", "spot"]):
        if [text, *after][: len(still)] == still:
            into.direction = "in_place"
            return len(still)
    if text in {"screen", "camera", "stage"} and after[:1] and after[0] in {"left", "right"}:
        into.direction = f"{text}_{after[0]}"
        return 2
    return _read_side(after, into) if text == "to" else _read_plain_direction(text, after, into)


def _read_plain_direction(text: str, after: list[str], into: Details) -> int:
    direction = lexicon.DIRECTIONS.get(text)
    if direction is None or (direction in {"in", "out"} and after[:1] and after[0] in lexicon.ARTICLES):
        return 0
    if direction in {"left", "right"} and after[:1] and after[0] in lexicon.SIDED:
        into.side = direction
        return 2
    if into.direction in {None, "forward"}:
        into.direction = direction
    return 1


def _read_side(after: list[str], into: Details) -> int:
    """ "to the left", "to her right"; not "to the right hand"."""
    for skip in (0, 1) if after[:1] and after[0] in lexicon.ARTICLES else (0,):
        if after[skip : skip + 1] in (["left"], ["right"]):
            if after[skip + 1 : skip + 2] and after[skip + 1] in lexicon.SIDED:
                return 0
            into.direction = after[skip]
            return skip + 2
    return 0


_ADDRESSING = frozenset({"at", "to", "toward", "towards", "into", "behind", "over"})
"""Prepositions that give a gesture something to turn to."""
_MORE_NEARLY = frozenset({None, "forward", "back", "up", "down", "in", "out", "along"})
"""Directions that a place to go to makes exact: "up to the door"."""


def _noun_phrase(tokens: list[Token]) -> tuple[str, int]:
    """The words of a noun phrase without its article, and how many tokens it takes."""
    taken = 0
    words: list[str] = []
    for token in tokens:
        ends = (
            token.text in lexicon.PREPOSITIONS
            or token.text in lexicon.DIRECTIONS
            or token.text in lexicon.SPEEDS
        )
        if words and (ends or token.text in {"in", "and"}):
            break
        if ends:
            break
        taken += 1
        if token.text not in lexicon.ARTICLES:
            words.append(token.text)
    return " ".join(words), taken


def is_preposition(token: Token) -> bool:
    return token.text in lexicon.PREPOSITIONS or token.text == "in"


def _read_place(tokens: list[Token], index: int, verb: Verb, names: Names, into: Details) -> int:
    """A preposition with what follows it: a direction, a target, the hands that do it; else it is lost."""
    text = tokens[index].text
    if not is_preposition(tokens[index]):
        return 0
    if text == "for":  # "waits for two seconds", "for the bus"
        return 1
    place, taken = names.at_start([token.text for token in tokens[index + 1 :]])
    phrase = place or ""
    if place is None:
        phrase, taken = _noun_phrase(tokens[index + 1 :])
        place = names.place(phrase)
    if not phrase or phrase.endswith(("self", "selves")) or text == "of":  # "a glass of water" is one thing
        return 1 + taken
    someone = place is None and phrase in lexicon.PRONOUNS
    if verb.category == "camera" and someone:
        return 1 + taken
    if text == "with" and phrase.split()[-1] in lexicon.SIDED:  # "waves with both hands"
        into.side = "both" if "both" in phrase or phrase.endswith("s") else into.side
    elif someone or not _read_target(text, place or phrase, verb, into):
        span = (tokens[index].start, tokens[index + taken].end)
        into.lost.append(Lost(" ".join(token.text for token in tokens[index : index + taken + 1]), span))
    return 1 + taken


def _read_target(text: str, target: str, verb: Verb, into: Details) -> bool:
    """Whether a preposition leads the verb somewhere, or to something."""
    if verb.category == "locomotion":
        direction = lexicon.PREPOSITIONS.get(text)
        if direction and not (verb.direction == "backward" and direction != "toward"):
            upon = _MORE_NEARLY if direction == "toward" else {None, "forward", "back"}
            into.direction = direction if into.direction in upon else into.direction
        elif text != "from" or into.direction not in {"away", None}:
            return False
    elif verb.category != "camera" and text not in _ADDRESSING:
        return False
    into.target = target
    return True


def _read_noun(tokens: list[Token], index: int, verb: Verb, names: Names, into: Details) -> int:
    text = tokens[index].text
    if skippable(tokens[index], names) and text not in lexicon.ARTICLES:
        if text == "both":
            into.side = "both"
        return 1
    if text.endswith("ly") or not verb.category:
        into.lost.append(Lost(text, (tokens[index].start, tokens[index].end)))
        return 1
    phrase, taken = _noun_phrase(tokens[index:])
    if not phrase:
        return max(1, taken)
    last = phrase.split()[-1]
    if last in lexicon.SIDED:
        if "both" in phrase or last.endswith("s"):
            into.side = "both"
        return taken
    if verb.category in {"object", "gesture"}:
        into.object = into.object or phrase
    elif verb.category == "locomotion" and taken and into.target is None:
        into.target = names.place(phrase) or phrase
    elif verb.category != "camera":
        into.lost.append(Lost(phrase, (tokens[index].start, tokens[index + taken - 1].end)))
    return taken
