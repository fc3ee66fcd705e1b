"""What the problem codes mean: as a table, one at length, and as data."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import indent, wrap
from typing import Any

from anix_cli.core.codes import CODES
from anix_cli.core.codes.examples import EXAMPLES
from anix_cli.core.errors import ExitCode

_WIDTH = 88
_RANGES = {
    "1": "the screenplay as written",
    "2": "commands, blocking and cameras",
    "3": "scene and character files",
    "4": "the machine: ffmpeg, disk, outputs",
    "5": "generation",
}
_MEANING = {
    ExitCode.SHOTS_FAILED: "some shots failed; the others are kept",
    ExitCode.USAGE: "the command as it was typed, or a file that it names",
    ExitCode.INVALID: "the screenplay, or what it names",
    ExitCode.ENVIRONMENT: "the machine",
}


def codes_table() -> str:
    """All codes with their exit codes and titles, by range, errors before warnings."""
    lines = ["code  exit  title"]
    for digit, what in _RANGES.items():
        lines += ["", f"{digit}xx  {what}"]
        for code in _in_range(digit):
            exit_code = "-" if code.startswith("W") else str(int(CODES[code].exit_code))
            lines.append(f"{code}  {exit_code:>4}  {CODES[code].title}")
    return "\n".join(lines)


def explanation(code: str) -> str:
    """What a registered code means, what to do, an example and the exit code."""
    parts = [f"{code}  {CODES[code].title}", _paragraph(CODES[code].help)]
    if example := EXAMPLES.get(code):
        parts.append("  wrong:\n" + indent(example.wrong, "    "))
        parts.append("  right:\n" + indent(example.right, "    "))
    parts.append(_paragraph(_ending(code)))
    return "\n\n".join(parts)


def code_record(code: str) -> dict[str, Any]:
    """A registered code as data; ``exit_code`` is null for a warning."""
    known, example = CODES[code], EXAMPLES.get(code)
    warning = code.startswith("W")
    return {
        "code": code,
        "severity": "warning" if warning else "error",
        "title": known.title,
        "help": known.help,
        "exit_code": None if warning else int(known.exit_code),
        "example": {"wrong": example.wrong, "right": example.right} if example else None,
    }


def all_codes() -> list[str]:
    """Every registered code, in the order of the table."""
    return [code for digit in _RANGES for code in _in_range(digit)]


def _in_range(digit: str) -> Iterator[str]:
    yield from sorted(code for code in CODES if code[1] == digit)


def _ending(code: str) -> str:
    if code.startswith("W"):
        return "A warning: the film is made all the same. With --strict it counts as an error, exit code 3."
    exit_code = CODES[code].exit_code
    return f"Exit code {int(exit_code)}: {_MEANING[exit_code]}."


def _paragraph(text: str) -> str:
    return "\n".join(wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="  "))
