"""Diagnostics as a person and as a machine see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from anix_cli.core.errors import Diagnostic, Span
from anix_cli.report.diagnostics import as_text

LINE = "film: {size: 833x480}"


def problem(source: str, column: int, length: int, **details) -> Diagnostic:
    span = Span(12, column, length)
    return Diagnostic(
        "E104", "both numbers must be even", file=Path("film.yaml"), span=span, source=source, **details
    )


def test_the_whole_form():
    shown = as_text(problem(LINE, 14, 7, expected="even numbers", nearest="834x480", hint="one\ntwo"))
    assert shown == (
        "film.yaml:12:14: E104 both numbers must be even\n"
        "  12 | film: {size: 833x480}\n"
        "     |              ^^^^^^^\n"
        "     = expected even numbers\n"
        "     = did you mean 834x480?\n"
        "     = one\n"
        "       two"
    )


def test_without_a_place():
    assert as_text(Diagnostic("E401", "there is no ffmpeg")) == "E401 there is no ffmpeg"
    shown = as_text(Diagnostic("E102", "the screenplay is empty", file=Path("-"), hint="write one"))
    assert shown == "<stdin>: E102 the screenplay is empty\n   = write one"


def test_paths_inside_the_current_folder_are_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert as_text(Diagnostic("E101", "m", file=tmp_path / "a" / "film.yaml")).startswith("a/film.yaml: ")
    assert as_text(Diagnostic("E101", "m", file=tmp_path.parent / "b.yaml")).startswith(str(tmp_path.parent))


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31m", "\\x1b[31m"),
        ("\x07", "\\x07"),
        ("\u202e", "\\u202e"),
        ("\u2028", "\\u2028"),
        ("\x9b", "\\x9b"),
    ],
)
def test_nothing_in_a_file_reaches_the_terminal_raw(raw, shown):
    text = as_text(
        Diagnostic(
            "E105", f"a{raw}b", file=Path(f"x{raw}.yaml"), span=Span(1, 1), source=f"{raw}c", hint=f"{raw}d"
        )
    )
    assert raw not in text
    assert text.count(shown) == 4


def test_a_file_name_that_is_not_text():
    bad = Diagnostic("E101", "m", file=Path("caf\udce9.yaml"))
    assert as_text(bad).startswith("caf\\xe9.yaml: ")


@pytest.mark.parametrize(
    ("before", "width"),
    [("wave 👋 ", 8), ("門 ", 3), ("e\u0301 ", 2), ("\t", 4), ("👩\u200d🚀 ", 5), ("\x1b ", 5)],
)
def test_carets_stand_under_what_they_mark(before, width):
    lines = as_text(problem(f"{before}wrong", len(before) + 1, 5)).splitlines()
    assert lines[2] == "     | " + " " * width + "^^^^^"


def test_a_long_line_is_shown_in_part():
    source = "a" * 5000 + "WRONG" + "b" * 1_000_000
    lines = as_text(problem(source, 5001, 5)).splitlines()
    assert all(len(line) <= 111 for line in lines)
    at = lines[2].index("^")
    assert lines[1][at : at + 5] == "WRONG"
    assert lines[2].count("^") == 5


def test_a_mark_longer_than_the_window():
    lines = as_text(problem("x" * 5000, 1, 5000)).splitlines()
    assert all(len(line) <= 111 for line in lines)
    assert lines[2].count("^") == 52


def test_colour_only_when_asked():
    plain = as_text(problem(LINE, 14, 7))
    tinted = as_text(problem(LINE, 14, 7), colour=True)
    assert "\x1b" not in plain
    assert "\x1b[31mE104\x1b[0m" in tinted
    for escape in ("\x1b[1m", "\x1b[31m", "\x1b[0m"):
        tinted = tinted.replace(escape, "")
    assert tinted == plain
    assert "\x1b[33m" in as_text(Diagnostic("W101", "m"), colour=True)
