"""Events as lines of JSON (schema ``events-v1``), for other programs and between processes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

from .errors import Diagnostic, Span
from .events import Event

VERSION = 1
ANY = ("events", "at", "event", "film", "take")
"""What a line may hold beside its event: the version, when (UTC), which event, and what it is about."""


def kind_of(event: type) -> str:
    """``ClipFinished`` → ``clip_finished``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event.__name__).lower()


KINDS: dict[str, type] = {kind_of(kind): kind for kind in get_args(Event)}


def document_of(event: Event, *, at: str, film: str | None = None, take: int | None = None) -> dict[str, Any]:
    """An event as the plain values of one line.

    Args:
        at: when, ISO 8601 in UTC.
        film: the screenplay that it is about, where the stream tells of several; take: which of its takes.
    """
    about = {"film": film, "take": take}
    own = {field.name: _plain(getattr(event, field.name)) for field in fields(event)}
    return {
        "events": VERSION,
        "at": at,
        "event": kind_of(type(event)),
        **{name: value for name, value in about.items() if value is not None and name not in own},
        **own,
    }


def event_of(document: Mapping[str, Any]) -> Event:
    """The event of one line.

    Raises:
        ValueError: it is of another version, or no event.
    """
    kind = KINDS.get(str(document.get("event")))
    if document.get("events") != VERSION or kind is None:
        raise ValueError("not a line of an event stream of this version")
    try:
        values = {field.name: _meant(document[field.name]) for field in fields(kind)}
    except KeyError as error:
        raise ValueError(f"an event {document['event']} without {error}") from error
    made: Event = kind(**values)
    return made


def _plain(value: Any) -> Any:
    if isinstance(value, Diagnostic):
        span = value.span
        found = {
            "code": value.code,
            "severity": value.severity,
            "message": value.message,
            "file": None if value.file is None else str(value.file),
            "line": None if span is None else span.line,
            "column": None if span is None else span.column,
            "length": None if span is None else span.length,
            "source": value.source,
            "found": value.found,
            "expected": value.expected,
            "nearest": value.nearest,
            "hint": value.hint,
        }
        return {name: said for name, said in found.items() if said is not None}
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def _meant(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_meant(one) for one in value)
    if not isinstance(value, Mapping):
        return value
    span = Span(value["line"], value["column"], value.get("length", 1)) if "line" in value else None
    return Diagnostic(
        value["code"],
        value["message"],
        file=Path(value["file"]) if "file" in value else None,
        span=span,
        strict=value["severity"] == "error" and value["code"].startswith("W"),
        **{name: value.get(name) for name in ("source", "found", "expected", "nearest", "hint")},
    )
