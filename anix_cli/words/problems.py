"""What is said of a command that cannot be followed: a code, a sentence, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .results import Problem

_SAID = {
    "unknown_verb": ("E201", "“{text}” is not an action that anix knows."),
    "unknown_name": ("E217", "“{text}” is nobody in this screenplay."),
    "negation": ("E202", "“{text}”: the command says only what is not done."),
    "name": (
        "E205",
        "An anchor called “{text}” cannot be named in a command, where “{near}” means something else.",
    ),
    "number": ("E209", "“{text}” is not a number that can be read in one way only."),
    "unresolved_reference": ("E208", "It is not clear what “{text}” stands for."),
    "language": ("E219", "“{text}” is {near}; only English is read."),
    "choice": ("E220", "“{text}” leaves open which of two things is done."),
    "no_words": ("E207", "The command holds no action that anix knows."),
}
_HINTS = {
    "negation": 'Say what is done instead, or "" for a hold.',
    "language": "Write the command in English; names of characters and places may be in any language.",
    "choice": "Say one of them, or write two shots.",
    "name": "Give the anchor another name.",
    "unresolved_reference": "Say the action or the thing itself.",
    "no_words": 'Write it in plain English ("she walks to the door"), or "" for a hold.',
}


@dataclass(frozen=True)
class Complaint:
    """A problem in words; ``nearest`` and ``expected`` as in a Diagnostic."""

    code: str
    message: str
    found: str
    hint: str | None = None
    expected: str | None = None
    nearest: str | None = None

    @property
    def suggestions(self) -> list[str]:
        """What to write instead, or else what to do."""
        return [text for text in (self.nearest, self.hint or self.expected) if text]


def complaint(problem: Problem, people: Iterable[str] = ()) -> Complaint:
    """What is said of a problem; ``people``: names of characters that could be meant."""
    code, said = _SAID[problem.kind]
    first = next(iter(problem.nearest), "")
    message = said.format(text=problem.text, near=first)
    hint, expected, nearest = _HINTS.get(problem.kind), None, None
    if problem.kind == "unknown_verb":
        nearest, hint = _better_verb(problem.nearest)
    elif problem.kind == "unknown_name":
        expected, nearest = f"she, he or they, or one of {', '.join(people)}", first or None
    elif problem.kind == "unresolved_reference" and problem.nearest:
        hint = f"It may be {' or '.join(problem.nearest)}: say which."
    elif problem.kind == "number":
        hint = first
    return Complaint(code, message, problem.text, hint, expected, nearest)


def _better_verb(near: tuple[str, ...]) -> tuple[str | None, str | None]:
    """What to do about an unknown verb: the only near one, or a hint that names up to three."""
    if len(near) == 1:
        return near[0], None
    verbs = " or ".join(f"“{word}”" for word in near)
    return None, f"Did you mean {verbs}?" if verbs else "Say it with a plain verb: walks, turns, waves."
