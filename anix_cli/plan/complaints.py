"""What is said of a command that cannot be followed."""

from __future__ import annotations

from typing import Any

from ..core.errors import Diagnostic
from ..core.screenplay import PathInFile, Screenplay
from ..words import Problem

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


def about(screenplay: Screenplay, where: PathInFile, problem: Problem) -> Diagnostic:
    """A problem of the command at ``where``, with what to do about it."""
    code, said = _SAID[problem.kind]
    message = said.format(text=problem.text, near=next(iter(problem.nearest), ""))
    details: dict[str, Any] = {"hint": _HINTS.get(problem.kind)}
    if problem.kind == "unknown_verb":
        details = _better_verb(problem.nearest)
    elif problem.kind == "unknown_name":
        names = ", ".join(screenplay.characters)
        details = {
            "expected": f"she, he or they, or one of {names}",
            "nearest": next(iter(problem.nearest), None),
        }
    elif problem.kind == "unresolved_reference" and problem.nearest:
        details = {"hint": f"It may be {' or '.join(problem.nearest)}: say which."}
    elif problem.kind == "number":
        details = {"hint": problem.nearest[0]}
    return screenplay.diagnostic(where, code, message, found=problem.text, **details)


def _better_verb(near: tuple[str, ...]) -> dict[str, Any]:
    """What to do about an unknown verb; a single near spelling is said anyway, as ``nearest``."""
    if len(near) == 1:
        return {"nearest": near[0]}
    verbs = " or ".join(f"“{word}”" for word in near)
    return {"hint": f"Did you mean {verbs}?" if verbs else "Say it with a plain verb: walks, turns, waves."}
