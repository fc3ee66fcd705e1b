"""Any bytes give diagnostics or a Screenplay, never another exception."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from screenplay_texts import BASE, HEAD

from anix_cli.core.codes import CODES
from anix_cli.core.errors import AnixError
from anix_cli.core.screenplay import Screenplay
from anix_cli.report.diagnostics import as_text
from anix_cli.report.lsp import lsp_diagnostic
from anix_cli.screenplay import load
from anix_cli.screenplay.near import distance, nearest

YAML_BITS = st.sampled_from(
    [*"{}[],:#&*!|>'\"%@`-?<~.=\\", "\n", "\n  ", "\n    ", "- ", ": ", "\t", "<<", "---", "...", "!!", "\r",
     "\ufeff", "&a", "*a", "0", "7", "01", ".inf", "1e9999", "null", "true", "a", "é", "👋", "\u2028",
     "\\x1b", "\\ud800",
     "anix", "shots", "id", "command", "duration", "camera", "views", "film", "size", "x-a",
     "face", "at"]
)  # fmt: skip


def outcome(data: bytes) -> None:
    try:
        film = load(Path("-"), text=data)
    except AnixError as error:
        assert error.diagnostics
        for problem in error.diagnostics:
            assert problem.code in CODES
            shown = as_text(problem)
            assert not any(ord(char) < 32 and char != "\n" for char in shown)
            shown.encode("utf-8")
            json.dumps(lsp_diagnostic(problem, problem.span)).encode("utf-8")
            if problem.span is not None:
                assert problem.span.column <= len(problem.source) + 1
    else:
        assert isinstance(film, Screenplay)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(data):
    outcome(data)


@settings(max_examples=250, deadline=None)
@given(st.lists(YAML_BITS, max_size=40).map("".join))
def test_any_yaml_like_text(text):
    outcome(text.encode("utf-8"))


@settings(max_examples=250, deadline=None)
@given(st.integers(0, len(BASE)), st.integers(0, 6), st.lists(YAML_BITS, max_size=4).map("".join))
def test_a_sound_text_with_a_wrong_spot(at, removed, added):
    outcome((BASE[:at] + added + BASE[at + removed :]).encode("utf-8"))


@settings(max_examples=100, deadline=None)
@given(st.lists(YAML_BITS, max_size=12).map("".join))
def test_any_value_of_a_command(written):
    outcome(f"{HEAD}shots:\n  - id: a\n    duration: 1\n    command: {written}\n".encode())


@given(st.text("abcd", max_size=6), st.text("abcd", max_size=6))
def test_distance_is_a_symmetric_count_of_edits(a, b):
    edits = distance(a, b)
    assert edits == distance(b, a)
    assert (edits == 0) == (a == b)
    assert abs(len(a) - len(b)) <= edits <= max(len(a), len(b))


def test_near_is_truly_near():
    keys = ["command", "camera", "duration", "id", "cut", "anchor"]
    assert nearest("durration", keys) == "duration"
    assert nearest("Camera", keys) == "camera"
    assert nearest("camrea", keys) == "camera"
    assert nearest("ct", keys) is None
    assert nearest("cost", keys) is None
    assert nearest("comment", keys) is None
    assert nearest("ix", keys) is None
    assert nearest("bat", ["cat", "hat"]) is None
