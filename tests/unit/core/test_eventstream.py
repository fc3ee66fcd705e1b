"""Events as lines of JSON hold to their schema and come back as they were."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anix_cli.core.errors import Diagnostic, Span
from anix_cli.core.events import Event
from anix_cli.core.eventstream import KINDS, document_of, event_of
from anix_cli.core.schemas import schema

AT = "2026-01-02T03:04:05.678Z"
_text, _count = st.text(), st.integers(0, 10**9)
_problem = st.builds(
    Diagnostic,
    code=st.from_regex(r"[EW][0-9]{3}", fullmatch=True),
    message=_text,
    file=st.none() | st.just(Path("a/b.yaml")),
    span=st.none() | st.builds(Span, st.integers(1, 99), st.integers(1, 99), st.integers(0, 99)),
    source=st.none() | _text,
    hint=st.none() | _text,
)
_VALUES = {
    "str": _text,
    "int": _count,
    "int | None": st.none() | _count,
    "float": st.floats(0, 1e9),
    "float | None": st.none() | st.floats(0, 1e9),
    "bool": st.booleans(),
    "Diagnostic": _problem,
    "tuple[Diagnostic, ...]": st.lists(_problem, max_size=3).map(tuple),
}


def _events() -> st.SearchStrategy[Event]:
    return st.one_of(
        *(st.builds(kind, **{f.name: _VALUES[f.type] for f in fields(kind)}) for kind in KINDS.values())
    )


@given(event=_events(), film=st.none() | _text, take=st.none() | _count)
def test_an_event_comes_back_from_its_line(event, film, take):
    line = json.dumps(document_of(event, at=AT, film=film, take=take))
    document = json.loads(line)
    jsonschema.validate(document, schema("events-v1"))
    assert event_of(document) == event


def test_the_schema_knows_every_kind_with_its_fields():
    found = schema("events-v1")
    assert found["properties"]["event"]["enum"] == list(KINDS)
    stated = {variant["properties"]["event"]["const"]: set(variant["required"]) for variant in found["oneOf"]}
    assert stated == {name: {field.name for field in fields(kind)} for name, kind in KINDS.items()}


@pytest.mark.parametrize(
    "line",
    [{}, {"events": 2, "event": "noted"}, {"events": 1, "event": "x"}, {"events": 1, "event": "noted"}],
)
def test_what_is_no_event_is_refused(line):
    with pytest.raises(ValueError, match="event"):
        event_of(line)
