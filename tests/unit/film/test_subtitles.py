"""SubRip and WebVTT as programs write them, and what is said of files that are neither."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anix_cli.core.errors import AnixError
from anix_cli.film.captions import Caption, in_turn, subrip, webvtt
from anix_cli.film.subtitles import Subtitle, as_captions, read_subtitles

SRT = (
    "1\n00:00:01,000 --> 00:00:02,500\nHello\n<i>world</i>\n\n"
    "2\n00:01:00,040 --> 00:01:01,000 X1:40\n{\\an8}7\n"
)
VTT = """WEBVTT - some title
Kind: captions

NOTE
a note --

STYLE
::cue { color: red }

intro
00:01.000 --> 00:02.500 align:start
Hello
<v Ann>world</v>

01:00.040 --> 01:01.000
7 &amp; &lt;8&gt;
"""


def read(path: Path, content: bytes | str) -> list[Subtitle]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_subtitles(path)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("lead", ["", "\ufeff", "\n\n"])
def test_both_formats(tmp_path: Path, end: str, lead: str) -> None:
    for text, last in ((SRT, "7"), (VTT, "7 & <8>")):
        first, second = read(tmp_path / "s", lead + text.replace("\n", end))
        assert first == Subtitle("Hello\nworld", Fraction(1), Fraction(5, 2))
        assert second == Subtitle(last, Fraction(6004, 100), Fraction(61))


def test_utf_16_and_what_goes_beyond_the_film(tmp_path: Path) -> None:
    found = read(tmp_path / "s", SRT.encode("utf-16"))
    assert [one.text for one in found] == ["Hello\nworld", "7"]
    assert as_captions(found, Fraction(16), 30) == [Caption("Hello\nworld", 16, 30)]


WRONG = {
    "empty": ("", "line 1, holds no subtitles"),
    "a story": ("Once upon\na time\n\nthere was", "line 1, has no line with times"),
    "times": ("1\n00:00:01 --> 00:00:02\nHi\n", "line 2, has no times"),
    "backwards": ("\n\n1\n00:00:03,000 --> 00:00:02,000\nHi\n", "line 4, ends before"),
    "torn": (SRT + "\n3\n00:00", "line 10, has no line"),
    "latin-1": (b"1\n00:00:01,000 --> 00:00:02,000\nGr\xfc\xdfe\n", "line 3, is not UTF-8"),
    "zeros": (bytes(100), "is not text"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_subtitles(tmp_path: Path, case: str) -> None:
    content, words = WRONG[case]
    with pytest.raises(AnixError) as caught:
        read(tmp_path / "talk.srt", content)
    (found,) = caught.value.diagnostics
    assert found.code == "E383" and words in found.message and "talk.srt" in found.message
    with pytest.raises(AnixError, match="does not exist"):
        read_subtitles(tmp_path / "none.srt")


CAPTION = st.builds(
    lambda text, start, length: Caption(text, start, start + length),
    st.text("aé日<&-> \n", max_size=8), st.integers(0, 50), st.integers(0, 20),
)  # fmt: skip


@given(st.lists(CAPTION, max_size=6))
def test_captions_that_overlap_are_shown_together_and_none_is_lost(captions: list[Caption]) -> None:
    shown = in_turn(captions)
    for before, after in pairwise(shown):
        assert before.stop <= after.start
    for frame in range(75):
        there = [one for one in captions if one.start <= frame < one.stop and one.text.strip()]
        lines = {line.strip() for one in there for line in one.text.splitlines() if line.strip()}
        now = [one for one in shown if one.start <= frame < one.stop]
        assert len(now) == bool(lines)
        assert not now or set(now[0].text.splitlines()) == lines


@given(st.lists(CAPTION, min_size=1, max_size=5))
def test_what_is_written_is_read_back(tmp_path_factory, captions: list[Caption]) -> None:
    fps, path = Fraction(25), tmp_path_factory.mktemp("s") / "s.vtt"
    wanted = in_turn(captions)
    if not wanted:
        return
    path.write_text(webvtt(captions, fps), encoding="utf-8")
    found = read_subtitles(path)
    assert [(one.start_s, one.stop_s) for one in found] == [
        (one.start / fps, one.stop / fps) for one in wanted
    ]
    assert [one.text for one in found] == [one.text for one in wanted]
    path.write_text(subrip(captions, fps), encoding="utf-8")
    times = [(one.start_s, one.stop_s) for one in read_subtitles(path)]
    assert times == [(one.start / fps, one.stop / fps) for one in wanted]
