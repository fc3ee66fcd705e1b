"""What was found as a SARIF 2.1.0 log (OASIS, errata 01), for code scanning and viewers.

Paragraphs (§) are those of the standard.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote_from_bytes

from anix_cli import __version__
from anix_cli.core.codes import CODES, exit_code_of
from anix_cli.core.errors import Diagnostic, Span

from .checked import Checked, clean, in_full, place_of, uri_of, whole

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")


def sarif_log(checked: Sequence[Checked]) -> dict[str, Any]:
    """A log of one run. Files inside the current folder are relative to it, others have a whole address."""
    folder = _current_folder()
    told = ((problem, *place_of(problem, one)) for one in checked for problem in one.problems)
    found = list(dict.fromkeys(told))
    codes = sorted({problem.code for problem, _, _ in found})
    run = {
        "tool": {
            "driver": {
                "name": "anix",
                "semanticVersion": __version__,
                "rules": [_rule(code) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": f"{folder.as_uri().rstrip('/')}/"}},
        "invocations": [
            {
                "executionSuccessful": True,
                "exitCode": int(exit_code_of(tuple(problem for problem, _, _ in found))),
            }
        ],
        "artifacts": [{"location": _location(file, folder)} for file in _files(checked)],
        "results": [_result(problem, span, _location(file, folder), codes) for problem, file, span in found],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    """§3.49. An unregistered code, which is a bug, still makes a sound log."""
    known = CODES.get(code)
    title, text = (known.title, known.help) if known else (code, "This code is not registered.")
    return {
        "id": code,
        "shortDescription": {"text": _message(title)},
        "fullDescription": {"text": _message(text)},
        "help": {"text": _message(f"{text} More: anix errors {code}")},
        "defaultConfiguration": {"level": "warning" if code.startswith("W") else "error"},
    }


def _result(
    problem: Diagnostic, span: Span | None, location: dict[str, Any], codes: list[str]
) -> dict[str, Any]:
    """§3.27."""
    place: dict[str, Any] = {"artifactLocation": location}
    if span is not None:
        line, column = span.line, span.column
        place["region"] = {
            "startLine": line,
            "startColumn": column,
            "endLine": line,
            "endColumn": column + span.length,  # one past the last character, §3.30.8
        }
    return {
        "ruleId": problem.code,
        "ruleIndex": codes.index(problem.code),
        "level": problem.severity,
        "message": {"text": _message(in_full(problem))},
        "locations": [{"physicalLocation": place}],
    }


def _files(checked: Sequence[Checked]) -> Iterator[Path]:
    yield from dict.fromkeys(file for one in checked for file in (one.file, *one.read))


def _location(file: Path, folder: Path) -> dict[str, Any]:
    """§3.4."""
    if file != Path("-"):
        with suppress(ValueError):
            inside = whole(file).relative_to(folder)
            return {"uri": quote_from_bytes(os.fsencode(inside.as_posix())), "uriBaseId": _ROOT}
    return {"uri": uri_of(file)}


def _current_folder() -> Path:
    with suppress(FileNotFoundError):  # it was deleted
        return Path.cwd()
    return Path("/")


def _message(text: str) -> str:
    """A text that reads as it is: braces would be placeholders (§3.11.5), ``[…](`` a link (§3.11.6)."""
    return _LINK.sub(r"\\[", clean(text).replace("{", "{{").replace("}", "}}"))
