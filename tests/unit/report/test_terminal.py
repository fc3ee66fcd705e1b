"""What reaches a terminal: never a control character, only letters that it has, colour only where wanted."""

from __future__ import annotations

import io
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anix_cli.cli.streams import Unbreakable
from anix_cli.core.errors import Diagnostic, Span, strictly
from anix_cli.report.console import Console
from anix_cli.report.diagnostics import WIDEST, as_text, encoding_of, show, tally
from anix_cli.report.terminal import cells, columns, escaped, wants_colour


class Terminal(io.StringIO):
    """A stream that claims to be a terminal with an encoding."""

    def __init__(self, *, tty: bool = True, encoding: str = "utf-8") -> None:
        super().__init__()
        self._tty, self._encoding = tty, encoding

    def isatty(self) -> bool:
        return self._tty

    @property
    def encoding(self) -> str:
        return self._encoding


@pytest.mark.parametrize(
    ("environment", "tty", "coloured"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"TERM": "dumb"}, True, False),
        ({"TERM": "xterm-256color"}, True, True),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True, True),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, False, False),
        ({"FORCE_COLOR": "0", "TERM": "dumb"}, True, False),
        ({"FORCE_COLOR": "", "TERM": "dumb"}, True, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ({"NO_COLOR": "0", "FORCE_COLOR": "3"}, True, False),
    ],
)
def test_when_to_colour(environment, tty, coloured, monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    stream = Terminal(tty=tty)
    assert wants_colour(stream) is coloured
    show([Diagnostic("W101", "m", span=Span(1, 1), source="x", file=Path("f"))], stream)
    assert ("\x1b[" in stream.getvalue()) is coloured
    view = Console(Terminal(tty=tty))
    with view:
        from anix_cli.core.events import Noted

        view(Noted(Diagnostic("W101", "m")))
    assert ("\x1b[" in view.stream.getvalue()) is coloured


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("utf-8", "“門” é – ok…"),
        ("ascii", '"\\u9580" \\xe9 - ok...'),
        ("latin-1", '"\\u9580" é - ok...'),
        ("cp1252", "“\\u9580” é – ok…"),
        ("utf-16", "“門” é – ok…"),
        ("no-such-encoding", "\\u201c\\u9580\\u201d \\xe9 \\u2013 ok\\u2026"),
    ],
)
def test_what_a_stream_lacks_is_written_plainly(encoding, shown):
    assert escaped("“門” é – ok…", encoding) == shown


def test_carets_stand_right_where_letters_are_escaped():
    stream = Terminal(encoding="ascii")
    line = 'title: "門" wrong'
    show([Diagnostic("E104", "m", file=Path("門.yaml"), span=Span(1, 12, 5), source=line)], stream)
    head, source, carets = stream.getvalue().splitlines()
    assert head == "\x1b[1m\\u9580.yaml:1:12: \x1b[0m\x1b[1m\x1b[31mE104\x1b[0m m" or head.endswith("E104 m")
    assert source[carets.replace("\x1b[31m", "").index("^") :] == "wrong"
    assert stream.getvalue().isascii()


def test_standard_error_keeps_its_encoding():
    assert encoding_of(Unbreakable(io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))) == "latin-1"
    assert encoding_of(Unbreakable(None)) == "utf-8"
    assert encoding_of(io.StringIO()) == "utf-8"


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("plain", 5), ("門", 2), ("👋", 2), ("e\u0301", 1), ("\u1112\u1161\u11ab", 2), ("กำ", 2),
        ("น้ำ", 2),
        ("नमस्ते", 4), ("a\u200db", 2), ("Ａ", 2), ("\u20ac", 1), ("", 0),
    ],
)  # fmt: skip
def test_columns(text, width):
    assert columns(text) == width


@given(st.text())
def test_nothing_that_controls_is_shown(text):
    shown = escaped(text)
    assert all(unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp") for char in shown)
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\ufeff\u2060")
    assert "".join(cells(text)) == escaped(text).replace("\\t", "    ") or "\t" not in text or "\\t" in text


def test_tag_characters_have_their_whole_number():
    assert escaped("\U000e0041") == "\\U000e0041"


def test_a_huge_text_is_shown_in_part():
    shown = escaped("a" * 10_000_000)
    assert len(shown) < 2100
    assert " ... " in shown


@example("", "", " ", "utf-8")
@given(
    st.text(st.characters(exclude_characters="\n\r")),
    st.text(),
    st.text(),
    st.sampled_from(["utf-8", "ascii"]),
)
def test_lines_are_never_too_wide_and_carets_never_off(before, marked, after, encoding):
    line = before * 7 + marked + after * 5
    span = Span(1, len(before) * 7 + 1, max(1, len(marked)))
    shown = as_text(Diagnostic("E104", "m", file=Path("f"), span=span, source=line), encoding=encoding)
    lines = shown.split("\n")
    assert len(lines) == 3
    margin = columns("  1 | ")
    assert margin <= columns(lines[2]) <= margin + WIDEST
    assert columns(lines[1]) <= margin + WIDEST
    start = lines[2].index("^")
    assert set(lines[2][start:]) == {"^"}
    # The piece of the line that begins above the first caret is what the mark begins with.
    first = next(iter(cells(line[span.column - 1 :], encoding)), "")
    at, used = 0, 0
    while used < start and at < len(lines[1]):
        used += columns(lines[1][at])
        at += 1
    while at < len(lines[1]) and columns(lines[1][at]) == 0 and not lines[1][at:].startswith(first):
        at += 1
    assert used == start or first.strip() == ""  # spaces at the end of a line are not shown
    assert lines[1][at:].startswith(first.rstrip()) or lines[1][at:].startswith("...")


@pytest.mark.parametrize("glyph", ["門", "👩\u200d🚀", "e\u0301", "\x1b", "a"])
def test_a_long_line_of_anything_is_cut_round_the_place(glyph):
    line = glyph * 3000 + "WRONG" + glyph * 3000
    shown = as_text(Diagnostic("E104", "m", span=Span(1, 3000 * len(glyph) + 1, 5), source=line)).split("\n")
    assert columns(shown[1]) <= WIDEST + 6
    assert shown[1].count("...") == 2
    assert columns(shown[1][: shown[1].index("WRONG")]) == shown[2].index("^")
    # The place is about in the middle: both sides are shown.
    assert 40 <= shown[2].index("^") <= 64


def test_what_is_near_the_start_is_shown_from_the_start():
    line = "camera: {move: orbit, degrees: x" + " # a long remark" * 20
    shown = as_text(Diagnostic("E104", "m", span=Span(3, 32, 1), source=line)).split("\n")
    assert shown[1].startswith("  3 | camera: {move")
    assert shown[1].endswith("...")
    assert columns(shown[1]) == WIDEST + 6


def test_how_many():
    error, warning = Diagnostic("E104", "m"), Diagnostic("W101", "m")
    assert tally([]) == "no problems"
    assert tally([error]) == "1 error"
    assert tally([error, warning, error]) == "2 errors, 1 warning"
    assert tally(strictly([warning])) == "1 warning that counts as an error (--strict)"
    assert tally(strictly([error, warning, warning])) == "1 error, 2 warnings that count as errors (--strict)"
