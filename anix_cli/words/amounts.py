"""How much: numbers in digits and words with their units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..core.plan import Amount
from .lexicon import lexicon
from .numbers import number
from .tokens import Token

METRES = {"ft": 0.3048, "yd": 0.9144, "cm": 0.01, "km": 1000.0, "in": 0.0254, "mile": 1609.344}
_SECONDS = {"min": 60.0}
_SCALES = {"hundred": 100.0, "thousand": 1000.0}
_BETWEEN = frozenset({
    "full", "complete", "whole", "quick", "slow", "small", "big", "large", "long", "short", "more",
    "further", "other", "good", "single", "of", "a", "an", "extra", "careful", "tiny", "giant", "measured",
    "brisk", "rapid", "swift", "hurried", "halting", "little",
})  # fmt: skip
"""Words that may stand between a number and its unit."""
_HOW = frozenset({
    "with", "to", "toward", "towards", "for", "at", "each", "or", "and", "around", "round", "about", "along",
    "across", "over", "up", "down",
})  # fmt: skip
"""What follows "once" where that is an amount: "once around the fountain"."""
_PARTS = frozenset({"half", "three_quarters", "quarter", "½", "¼", "¾"})
_RATES = frozenset({"mph", "kph", "kmh", "mps", "fps"})
_TIMES = frozenset({"s", "sec", "second", "h", "hr", "hour", "min", "minute"})
FULL = frozenset({"full", "complete", "whole"})


@dataclass(frozen=True)
class Measure:
    """An amount as said: ``amount`` None where it is vague ("a few steps") or has no unit (``bare``).

    Attributes:
        taken: how many tokens.
        speed: what a word in between says, "three quick steps".
    """

    taken: int
    amount: Amount | None = None
    bare: float | None = None
    speed: str | None = None


def measure(tokens: Sequence[Token], at: int) -> Measure | None:
    """The amount that begins at a token, or None."""
    words, text = lexicon(), tokens[at].text
    once = words.value("amount", text)
    if text == "once" and at == 0 and _told_when(_word(tokens, 1)):
        once = None  # "once seated, she …"
    if once:
        return Measure(1, Amount({"once": 1.0, "twice": 2.0, "thrice": 3.0}[once], "times"))
    if (joined := _hyphened(text)) is not None:
        return Measure(1, joined)
    if text in {"a", "an"} and _word(tokens, at + 1) in words.closed["vague"]:
        return _vague(tokens, at + 2)
    if text in words.closed["vague"]:
        return _vague(tokens, at + 1)
    if text in FULL and words.value("unit", _word(tokens, at + 1)) == "turns":
        return Measure(2, Amount(1.0, "turns"))
    value, taken = _number_at(tokens, at)
    if value is None:
        return None
    unit, more, speed, factor = _unit_at(tokens, at + taken)
    half = [_word(tokens, at + taken + more + k) for k in (0, 1, 2)] == ["and", "a", "half"]
    if unit is not None and half and not words.has("unit", _word(tokens, at + taken + more + 3)):
        value, more = value + 0.5, more + 3  # "a minute and a half"
    if unit is None:
        alone = tokens[at].is_number or text not in {"a", "an", "one", "half", "quarter"}
        return Measure(taken, None, value, None) if alone else None
    said = tokens[at : at + taken + more]
    if _word(tokens, at + taken + more) == "at_a_time":
        return Measure(taken + more + 1, None, None, speed)  # "an inch at a time"
    some = said[0].text in {"a", "an"} and said[-1].text == "turn" and value * factor == 1.0
    if some and not any(token.text in FULL for token in said):
        return Measure(taken + more, None, None, speed)  # "a slow turn" is not all the way round
    if unit == "ft" and at and tokens[at - 1].text in {"on", "with", "both"}:
        return None  # "lands on two feet"
    return Measure(taken + more, amount_of(value * factor, unit), None, speed)


def rate(tokens: Sequence[Token], at: int) -> int:
    """How many tokens tell a pace in numbers, "2 m/s", "five miles an hour"; 0 where none does."""
    value, taken = _number_at(tokens, at) if at < len(tokens) else (None, 0)
    if value is None:
        return 0
    if _word(tokens, at + taken) in _RATES:
        return taken + 1
    if lexicon().value("unit", _word(tokens, at + taken)) not in {*METRES, "m", "deg", "steps", "turns"}:
        return 0
    per = _word(tokens, at + taken + 1) in {"a", "an", "per"}
    timed = _word(tokens, at + taken + 1 + per) in _TIMES
    return taken + 2 + per if timed else 0


def counts(text: str) -> bool:
    """Whether a word is a number."""
    return text.isdigit() or text in lexicon().closed["number"]


def amount_of(value: float, unit: str) -> Amount:
    """In metres and seconds where the unit is one of length or time."""
    if unit in METRES:
        return Amount(round(value * METRES[unit], 6), "m")
    if unit in _SECONDS:
        return Amount(value * _SECONDS[unit], "s")
    return Amount(value, unit)


def _told_when(text: str) -> bool:
    """Whether a word behind "once" says after what."""
    words = lexicon()
    loose = any(words.has(kind, text) for kind in ("direction", "speed", "again")) and not words.has(
        "prep", text
    )
    return bool(text) and text[0].isalpha() and not (loose or text in _HOW)


def _word(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text if at < len(tokens) else ""


def _hyphened(text: str) -> Amount | None:
    """ "180-degree", "two-metre"."""
    value, sign, unit = text.partition("-")
    found = lexicon().value("unit", unit) if sign else None
    said = _small(value)
    return amount_of(said, found) if found and said is not None else None


def _small(text: str) -> float | None:
    """A number of one word: "three", "twenty-five"."""
    values = lexicon().closed["number"]
    parts = text.split("-")
    if any(part not in values for part in parts) or len(parts) > 2:
        return None
    return sum(float(values[part]) for part in parts)


def _number_at(tokens: Sequence[Token], at: int) -> tuple[float | None, int]:
    """A number, with "and a half", "a hundred and eighty", "half a", "three quarters of a"."""
    if tokens[at].is_number:
        value, taken = number(tokens[at].text), 1
        if value is None:
            return None, 0
    else:
        value, taken = _in_words(tokens, at)
        if value is None:
            return None, 0
    if [_word(tokens, at + taken + k) for k in (0, 1, 2)] == ["and", "a", "half"]:
        return value + 0.5, taken + 3
    parts = lexicon().closed["number"]
    if _word(tokens, at + taken) == "and" and _word(tokens, at + taken + 1) in _PARTS:
        return value + float(parts[_word(tokens, at + taken + 1)]), taken + 2
    if [_word(tokens, at + taken + k) for k in (0, 1, 2)] == ["and", "a", "quarter"]:
        return value + 0.25, taken + 3
    if _word(tokens, at + taken) in {"½", "¼", "¾"}:
        return value + float(lexicon().closed["number"][_word(tokens, at + taken)]), taken + 1
    return value, taken


def _follows_part(tokens: Sequence[Token], at: int) -> bool:
    """Whether "a third" before it is a part of something: "a third of a turn"."""
    return _word(tokens, at) == "of" or lexicon().has("unit", _word(tokens, at))


def _in_words(tokens: Sequence[Token], at: int) -> tuple[float | None, int]:
    total, part, taken = 0.0, None, 0
    while at + taken < len(tokens):
        text = tokens[at + taken].text
        small = _small(text)
        if text in _SCALES and (part is not None or taken == 0):
            part = (1.0 if part is None else part) * _SCALES[text]
            total, part = total + part, None
        elif small is not None and part is None:
            if taken and text in {"a", "an", "half", "couple", "quarter"} and total == 0.0:
                break
            part = small
        elif small is not None and text == "dozen":
            part = (part or 1.0) * 12
        elif (
            small is not None
            and part is not None
            and text in {"half", "quarter", "couple", "½", "¼", "¾"}
            and part == 1.0
        ):
            part = small  # "a quarter", "a couple"
        elif text in {"third", "thirds"} and part in {1.0, 2.0} and _follows_part(tokens, at + taken + 1):
            part = part / 3
        elif text == "and" and taken and total and _small(_word(tokens, at + taken + 1)) is not None:
            if _word(tokens, at + taken + 1) in {"a", "an"}:
                break
        elif text in {"a", "an"} and part in {0.5, 0.25, 0.75}:
            pass  # "half a turn"
        else:
            break
        taken += 1
    if not taken:
        return None, 0
    return total + (part or 0.0), taken


def _unit_at(tokens: Sequence[Token], at: int) -> tuple[str | None, int, str | None, float]:
    """The unit that follows a number after at most three words, with the words' speed, and a factor: "half",
    as in "a half turn"."""
    words, speed, factor = lexicon(), None, 1.0
    way = [_word(tokens, at + gap) for gap in range(3)] == ["of", "the", "way"]
    if way and _word(tokens, at + 3) in {"round", "around"}:
        return "turns", 4, None, 1.0  # "three quarters of the way round"
    for gap in range(4):
        text = _word(tokens, at + gap)
        unit = words.value("unit", text)
        if unit and text not in {"in", "x", "m", "s"}:
            return unit, gap + 1, speed, factor
        digits = at > 0 and (tokens[at - 1].is_number or text != "in")
        if unit and gap == 0 and digits and tokens[at - 1].text not in {"a", "an"}:
            follows = _word(tokens, at + 1)
            if text != "in" or not follows or not follows[0].isalpha():
                return unit, 1, speed, factor
        if text in words.closed["speed"]:
            speed = words.closed["speed"][text]
        elif text in {"half", "quarter"}:
            factor *= float(words.closed["number"][text])
        elif text not in _BETWEEN:
            break
    return None, 0, None, 1.0


def _vague(tokens: Sequence[Token], at: int) -> Measure | None:
    """ "a few steps": an amount that is not said."""
    unit, more, speed, _ = _unit_at(tokens, at)
    return Measure(more + (2 if tokens[at - 2 : at - 1] and tokens[at - 2].text in {"a", "an"} else 1),
                   None, None, speed) if unit else None  # fmt: skip
