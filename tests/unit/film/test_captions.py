"""Captions come out of the film as they were written, for exactly their shot's time."""

from __future__ import annotations

import re
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anix_cli.film.captions import Caption, shown, subrip
from anix_cli.film.join import join
from anix_cli.media.ffmpeg import find_ffmpeg
from tests.grey_clips import FPS, SIZE, clips


def extracted(film: Path) -> list[tuple[float, float, str]]:
    """Start, end and text of each caption, as ffmpeg reads them back."""
    command = [str(find_ffmpeg()), "-loglevel", "error", "-i", str(film), "-map", "0:s:0", "-f", "srt", "-"]
    text = subprocess.run(command, check=True, capture_output=True).stdout.decode()
    found = []
    for block in re.split(r"\n\n(?=\d+\n\d\d:)", text.strip("\n")):
        _, times, words = block.split("\n", 2)
        start, stop = (_seconds(time) for time in times.split(" --> "))
        found.append((start, stop, words.replace("\u2060", "").strip("\n")))
    return found


def _seconds(time: str) -> float:
    hours, minutes, rest = time.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest.replace(",", "."))


@pytest.fixture(scope="module")
def segments(tmp_path_factory):
    return clips(tmp_path_factory.mktemp("clips"), (8, 13, 3))


@pytest.mark.parametrize("suffix", [".mp4", ".m4v", ".mov", ".mkv"])
def test_captions_come_out_at_their_times(segments, tmp_path: Path, suffix: str) -> None:
    film = tmp_path / f"film{suffix}"
    words = ["Good morning!\nIt's 日本 🎬", "42"]
    told = [Caption(words[0], 0, 8), Caption(words[1], 21, 24)]
    assert join(segments, film, fps=FPS, size_px=SIZE, captions=told).copied
    found = extracted(film)
    assert [text for _, _, text in found] == words
    for (start, stop, _), caption in zip(found, told, strict=True):
        assert start == pytest.approx(float(caption.start / FPS), abs=0.0006)
        assert stop == pytest.approx(float(caption.stop / FPS), abs=0.0006)


def test_captions_of_shots_next_to_each_other_touch_at_odd_rates(tmp_path: Path) -> None:
    fps = Fraction(24000, 1001)
    segments = clips(tmp_path, (7, 5, 4), fps)
    told = [Caption("a", 0, 7), Caption("b", 7, 12), Caption("c", 12, 16)]
    join(segments, tmp_path / "film.mp4", fps=fps, size_px=SIZE, captions=told)
    found = extracted(tmp_path / "film.mp4")
    assert [text for _, _, text in found] == ["a", "b", "c"]
    assert found[0][1] == found[1][0] == pytest.approx(7 * 1001 / 24000, abs=0.0006)
    assert found[2][1] == pytest.approx(16 * 1001 / 24000, abs=0.0006)


ODD = [
    "<i>not italic</i> <b>", "{\\an8}up", "a\\Nb \\hc", "&amp; &lt; &nbsp;x",
    "1\n00:00:00,000 --> 00:00:09,000\nfake", "-- > a-->b", "<font color=red>red", "7", "{b} \\ {", "100%",
    "- a dash\n\n\nafter empty lines", "a < b & c > d", "\u200f\u05e9\u05dc\u05d5\u05dd", "tab\tbed",
    "WEBVTT", "'quoted' \"twice\"", "\\{x\\}", "ü" * 900, "two  spaces\u00a0\u3000more",
]  # fmt: skip


@pytest.mark.parametrize("suffix", [".mp4", ".mkv"])
def test_nothing_in_a_caption_is_markup(segments, tmp_path: Path, suffix: str) -> None:
    for number, text in enumerate(ODD):
        film = tmp_path / f"{number}{suffix}"
        told = [Caption(text, 0, 8), Caption("next", 8, 21)]
        join(segments, film, fps=FPS, size_px=SIZE, captions=told)
        assert [words for _, _, words in extracted(film)] == [shown(text).replace("\u2060", ""), "next"]


TEXTS = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")) | st.just("\n"), max_size=40)
PIECES = st.lists(
    st.sampled_from(["<i>", "{\\b1}", "\\N", "&gt;", "-->", "\n", " ", "7", "a", "<", "\\", "{"])
)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(TEXTS | PIECES.map("".join), min_size=1, max_size=8))
def test_any_text_comes_back(segments, tmp_path: Path, texts: list[str]) -> None:
    told = [Caption(text, 2 * n, 2 * n + 2) for n, text in enumerate(texts)]
    expected = [words for text in texts if (words := shown(text).replace("\u2060", ""))]
    for suffix in (".mp4", ".mkv"):
        film = tmp_path / f"any{suffix}"
        join(segments, film, fps=FPS, size_px=SIZE, captions=told)
        if not expected:
            assert b"tx3g" not in film.read_bytes()
        else:
            found = [words for _, _, words in extracted(film)]
            assert found == [words.replace("\u2060", "") for words in expected]


def test_words_stay_as_they_are_where_nothing_is_markup() -> None:
    text = "It's 6 > 5 & 7; a-b -> c d} 10%"
    assert shown(text) == text
    assert shown(" two \r\n\n  lines ") == "two\nlines"
    assert subrip([Caption(" \n", 0, 4)], FPS) == ""


def test_a_film_without_captions_has_no_subtitle_track(segments, tmp_path: Path) -> None:
    film = tmp_path / "film.mp4"
    join(segments, film, fps=FPS, size_px=SIZE, captions=[])
    assert b"tx3g" not in film.read_bytes()
