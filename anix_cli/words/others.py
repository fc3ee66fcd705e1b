"""Clauses that tell of somebody else, or of nothing at all."""

from __future__ import annotations

from .beats import Read
from .clause import Clause
from .lexicon import lexicon
from .near import english


def not_at_all(clause: Clause) -> bool:
    """ "Don't move", "don't move a muscle"."""
    return not clause.rest or clause.rest[-1].text in {"muscle", "inch", "bit", "finger", "all"}


def only_tells_when(clause: Clause, read: Read, who: str) -> bool:
    """Whether a clause about somebody else says no more than when: "until the guard leaves", "when I say so",
    "while the band plays", "as soon as the fiddler begins".
    ``who``: the subject before it."""
    if clause.link not in {"until", "after", "while", "before"} or clause.subject.token is None:
        return False
    word = clause.subject.token.text
    closed = lexicon().closed
    apart = word in closed["group"] or word == "i" or (read.unknown is not None and _another(clause))
    other = word in {"he", "she", "they"} and who in {"he", "she", "they"} and word != who
    return (clause.link == "until" and (other or _another(clause))) or (
        apart and clause.subject.kind == "actor"
    )


def only_says_why(clause: Clause, read: Read) -> bool:
    """ "To attract attention": a right English verb that names nothing to be seen here."""
    if clause.link != "purpose":
        return False
    noticed = any(token.text == "attention" for token in clause.rest)
    return noticed or (read.unknown is not None and read.unknown.text in english())


def _another(clause: Clause) -> bool:
    """Whether what ends an action is done by somebody else: "waits until the guard leaves"."""
    token = clause.subject.token
    pronouns = lexicon().closed["subject"]
    return clause.subject.kind == "actor" and token is not None and token.text not in pronouns
