"""Short screenplays that the tests change in one place."""

from __future__ import annotations

from collections.abc import Sequence

from anix_cli.core.errors import Diagnostic

HEAD = """\
anix: 1
scene: {file: room.ply}
characters: {mira: {views: {front: f.png, left: l.png, right: r.png, back: b.png}}}
anchors: {door: {at: [0, 3]}}
"""
SHOTS = "shots:\n  - {id: s1, command: run forward, duration: 3}\n"
BASE = HEAD + SHOTS


def shot(line: str) -> str:
    """A screenplay with one shot that has one more line."""
    return f"{HEAD}shots:\n  - id: s1\n    duration: 3\n    {line}\n"


def film(written: str) -> str:
    """A screenplay with settings of the film."""
    return f"{HEAD}film: {{{written}}}\n{SHOTS}"


def camera(written: str) -> str:
    """A screenplay whose only shot has a camera."""
    return shot(f"command: x\n    camera: {written}")


def duration(written: str) -> str:
    return BASE.replace("duration: 3", f"duration: {written}")


def marks(written: str, more: str = "") -> str:
    """A screenplay with other anchors, and more entries of the list of shots at its end."""
    return BASE.replace("{door: {at: [0, 3]}}", f"{{{written}}}") + more


def staged(written: str, more: str = "") -> str:
    """A screenplay with two named cameras, ``gate`` and ``roof``, and a camera for its only shot."""
    return f"cameras: {{gate: {{at: [0, 1, -4]}}, roof: {{at: [0, 9]}}}}\n{more}{camera(written)}"


def said_once(found: Sequence[Diagnostic], code: str, marked: str | None, hint: str | None) -> None:
    """One problem of that code, at that text, whose help contains the hint."""
    assert [problem.code for problem in found] == [code]
    problem = found[0]
    if marked is not None:
        column = problem.span.column - 1
        assert problem.source[column : column + problem.span.length] == marked
    if hint is not None:
        assert hint in " ".join(part for part in (problem.hint, problem.nearest, problem.expected) if part)
    assert "\n" not in problem.message
