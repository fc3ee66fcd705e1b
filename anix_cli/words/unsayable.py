"""Names and numbers that cannot be read in one way only."""

from __future__ import annotations

from itertools import pairwise

from .lexicon import lexicon
from .names import Names
from .numbers import how_to_write, number
from .results import Problem
from .tokens import Token


def names_that_cut(words: list[Token], names: Names) -> list[Problem]:
    """Anchors whose names hold a word that cuts or cancels: "to then" leads nowhere."""
    found: list[Problem] = []
    closed = lexicon().closed
    cutting = ("then", "while", "and", "but", "negation", "repeat", "again", "or")
    for name, anchor in names.places.items():
        cut = next((word for word in name if any(word in closed[kind] for kind in cutting)), None)
        for index in range(1, len(words)) if cut else ():
            here = words[index : index + len(name)]
            leads = words[index - 1].text in closed["prep"] or words[index - 1].text in closed["det"]
            if tuple(token.text for token in here) == name and leads:
                found.append(Problem("name", anchor, (here[0].start, here[-1].end), (cut or "",)))
    return found


def unclear_numbers(words: list[Token], names: Names) -> list[Problem]:
    """Numbers that can be read in more than one way, and those with a space in them, "1 000" or "2 1/2"."""
    split = [
        Problem("number", f"{one.text} {other.text}", (one.start, other.end), ("Write it without a space.",))
        for one, other in pairwise(words)
        if one.is_number and other.is_number and other.text[0] not in "+-−–±"
        if not any({one.text, other.text} <= set(name) for name in names.places)
    ]
    inside = {place for problem in split for place in problem.span}
    return [
        Problem("number", token.text, (token.start, token.end), (how_to_write(token.text),))
        for token in words
        if token.is_number and number(token.text) is None
        if not {token.start, token.end} & inside and not any(token.text in name for name in names.places)
    ] + split
