"""What was found as data, shaped as the Language Server Protocol 3.17 has it: ``diagnostics-v1``.

``documents`` are its ``PublishDiagnosticsParams``, so that an editor's plug-in can hand them on as they are;
a document without problems is there as well, with an empty list, so that old marks go away.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from anix_cli.core.codes import CODES, exit_code_of
from anix_cli.core.errors import Diagnostic, Span

from .checked import Checked, clean, in_full, place_of, readable, uri_of

_SEVERITIES = {"error": 1, "warning": 2}


def diagnostics_document(checked: Sequence[Checked]) -> dict[str, Any]:
    """All that ``anix validate --json`` says, as ``schemas/diagnostics-v1.json`` describes it."""
    return {
        "diagnostics": 1,
        "valid": all(screenplay.valid for screenplay in checked),
        "exit_code": int(exit_code_of(tuple(problem for one in checked for problem in one.problems))),
        "screenplays": [_screenplay(one) for one in checked],
        "documents": _documents(checked),
    }


def lsp_diagnostic(problem: Diagnostic, span: Span | None) -> dict[str, Any]:
    """One problem as an LSP ``Diagnostic`` at a place of its document.

    Lines and characters count from 0, characters in UTF-16 code units (the protocol's default); a problem
    without a place has an empty range at 0:0. ``message`` ends with the remarks, as an editor shows no more.
    """
    told = {
        "title": CODES[problem.code].title if problem.code in CODES else None,
        "file": readable(problem.file) if problem.file else None,
        "line": span.line if span else None,
        "column": span.column if span else None,
        "length": span.length if span else None,
        "problem": problem.message,
        "found": problem.found,
        "expected": problem.expected,
        "nearest": problem.nearest,
        "hint": problem.hint,
    }
    return {
        "range": _range(span, problem.source),
        "severity": _SEVERITIES[problem.severity],
        "code": problem.code,
        "source": "anix",
        "message": in_full(problem),
        "data": {key: clean(value) if isinstance(value, str) else value for key, value in told.items()},
    }


def _screenplay(checked: Checked) -> dict[str, Any]:
    severities = [problem.severity for problem in checked.problems]
    return {
        "file": readable(checked.file),
        "uri": uri_of(checked.file),
        "valid": checked.valid,
        "errors": severities.count("error"),
        "warnings": severities.count("warning"),
        "shots": checked.shots,
        "duration": checked.duration_s,
    }


def _documents(checked: Iterable[Checked]) -> list[dict[str, Any]]:
    """By file, in the order of their first mention; what two screenplays share is told once."""
    found: dict[str, list[dict[str, Any]]] = {}
    for screenplay in checked:
        for file in (screenplay.file, *screenplay.read):
            found.setdefault(uri_of(file), [])
        for problem in screenplay.problems:
            file, span = place_of(problem, screenplay)
            told = found.setdefault(uri_of(file), [])
            if (one := lsp_diagnostic(problem, span)) not in told:
                told.append(one)
    return [{"uri": uri, "diagnostics": told} for uri, told in found.items()]


def _range(span: Span | None, source: str | None) -> dict[str, Any]:
    if span is None:
        nowhere = {"line": 0, "character": 0}
        return {"start": nowhere, "end": nowhere}
    line, start = span.line - 1, span.column - 1
    stop = start + span.length
    if source is not None:
        start, stop = (_utf16_units(source[:count]) for count in (start, stop))
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": stop}}


def _utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
