"""What was understood of a command, and what keeps it from being followed."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.plan import Beat
from .pieces import Lost


@dataclass(frozen=True)
class Problem:
    """Something in a command that keeps it from being followed.

    Attributes:
        kind: unknown_verb, unknown_name, negation, no_words, number, name, language, choice or
            unresolved_reference.
        text, span: the words concerned and where they stand in the command.
        nearest: right words spelt much like it; for a number, what to do about it; for the name of an anchor,
            the word in it that means something else; for another language, its name; for a pronoun, what it
            may stand for.
    """

    kind: str
    text: str
    span: tuple[int, int]
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True)
class Corrected:
    """A misspelt word and how it was read."""

    text: str
    meant: str
    span: tuple[int, int]


@dataclass(frozen=True)
class Taken:
    """A word outside the lexicon that was taken for an action that it is much like; cosine 0 … 1."""

    text: str
    action: str
    likeness: float
    span: tuple[int, int]


@dataclass(frozen=True)
class Reading:
    """What was understood of a command.

    Attributes:
        beats: in the order in which they happen.
        not_understood: words that were read but mean nothing to the plan, with their place.
        problems: what keeps it from being followed; empty where all is well.
        cancelled: what is said not to happen, or was taken back, with its place.
        corrected: misspelt words, as they were read.
        taken: words outside the lexicon, as they were taken; only where ``meaning`` is given.
        phrases: for each beat the words that say it: its own, misspelt ones corrected and pronouns for things
            replaced; or others, where its own do not say it all.
        recalled: it repeats what the shot before says.
        actors: for each beat the character who is named as the one who does it, "" for a pronoun or nobody.
    """

    beats: tuple[Beat, ...]
    not_understood: tuple[Lost, ...] = ()
    problems: tuple[Problem, ...] = ()
    cancelled: tuple[Lost, ...] = ()
    corrected: tuple[Corrected, ...] = ()
    taken: tuple[Taken, ...] = ()
    phrases: tuple[str, ...] = ()
    actors: tuple[str, ...] = ()
    recalled: bool = False
