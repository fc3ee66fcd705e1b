"""One piece of what stands around a verb, and the noun phrase in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..core.plan import Amount
from .names import ARTICLES
from .tokens import Token


@dataclass(eq=False, repr=False)
class Noun:
    """A noun phrase.

    Attributes:
        words: without articles.
        side: left, right or both, where it is a part of the body.
        person: a pronoun for somebody; ``it``: one for a thing.
        count: how many, where that is said.
        more: it goes on with "and": "the pan and the lamp".
        place: the anchor that it names.
        meant: a misspelt part of the body, with its right name.
    """

    words: list[str]
    start: int
    end: int
    side: str | None = None
    pronoun: str = ""
    count: float | None = None
    place: str | None = None
    name: str = ""
    determiner: str = ""
    meant: tuple[Token, str] | None = None

    @property
    def text(self) -> str:
        return " ".join(self.words).replace("_", " ")

    @property
    def head(self) -> str:
        return self.words[-1] if self.words else ""


@dataclass(eq=False, repr=False)
class Item:
    """One piece behind a verb: ``kind`` is amount, bare (a number without a unit), vague, direction, speed,
    gait, particle, noun, phrase (``word`` is the preposition), shoulder, framing, quote, stop, again, break
    (a comma), manner, except (what is not meant) or lost."""

    kind: str
    tokens: list[Token]
    word: str = ""
    amount: Amount | None = None
    noun: Noun | None = None
    speed: str | None = None
    used: bool = field(default=False)

    @property
    def span(self) -> tuple[int, int]:
        return self.tokens[0].start, self.tokens[-1].end

    @property
    def text(self) -> str:
        return " ".join(token.text for token in self.tokens).replace("_", " ")


def plain(noun: Noun) -> str:
    """A noun phrase as a beat says it."""
    words = [word for word in noun.words if word not in ARTICLES]
    return " ".join(words).replace("_", " ")
