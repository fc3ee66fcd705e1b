"""The shot list as people and programs get it."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anix_cli.plan.shotlist import ListedShot
from anix_cli.report.shotlist import as_csv, as_data, as_markdown, as_table
from anix_cli.report.terminal import columns

FPS = Fraction(16)


def row(take: int = 1, name: str = "run", **more) -> ListedShot:
    told = {
        "character": "mira", "command": "Mira runs", "understood": "run forward", "camera": "follow",
        "place": "door", "start": 0, "frames": 48,
    }  # fmt: skip
    return ListedShot(take, name, **{**told, **more}, fps=FPS)


ROWS = (
    row(),
    row(name="wave", understood="turn around, then wave", place="goes on", start=48, frames=40),
    row(2, "end", character="", camera="crane up 2 m, wide", start=88, frames=8, fade_frames=8),
)


def test_a_table():
    rows = (*ROWS[:2], row(2, "end", character="", camera="orbit", start=88, frames=8, fade_frames=8))
    rule = "-" * 86
    assert as_table(rows, "Film").split("\n") == [
        "shot  who   action                  camera             place    from         to           frames",
        f"-- take 1 {rule}",
        "run   mira  run forward             follow             door     00:00:00:00  00:00:03:00      48",
        "wave  mira  turn around, then wave  follow             goes on  00:00:03:00  00:00:05:08      40",
        f"-- take 2 {rule}",
        "end         run forward             fade 0.5 s, orbit  door     00:00:05:08  00:00:06:00       8",
        "",
        "Film: 3 shots in 2 takes, 96 frames = 6.00 s at 16 fps",
    ]


@pytest.mark.parametrize("width", [80, 100, 118])
def test_a_table_keeps_within_the_terminal_and_loses_no_word(width):
    lines = as_table(ROWS, "Film", width=width).split("\n")[:-2]
    assert max(columns(line) for line in lines) <= width
    told = " ".join(lines).split()
    for word in ("around,", "then", "wave", "crane", "00:00:05:08"):
        assert word in told


def test_wide_characters_are_aligned():
    table = as_table((row(name="a", character="ミラ"), row(name="b", character="Zoë")), "映画").split("\n")
    ends = [columns(line[: line.index("run forward")]) for line in table[2:4]]
    assert ends[0] == ends[1]


@given(
    st.lists(st.text(st.characters(exclude_categories=("Cs",)), max_size=30), min_size=3, max_size=3),
    st.one_of(st.none(), st.integers(1, 150)),
)
def test_no_text_breaks_the_table(texts, width):
    rows = (row(character=texts[0], understood=texts[1], camera=texts[2]), row(2, start=48))
    table = as_table(rows, texts[0], width=width)
    assert "\x1b" not in table
    if width is None:
        assert len(table.split("\n")) == 7


def test_csv_reads_back():
    odd = row(command='she says "hi",\nthen waves', understood="wave")
    read = list(csv.DictReader(io.StringIO(as_csv((odd, *ROWS)))))
    assert read[0]["command"] == odd.command
    assert [list(record) for record in read] == [list(as_data(ROWS)[0])] * 4
    assert (read[3]["start_s"], read[3]["end_s"], read[3]["fade_s"]) == ("5.5", "6.0", "0.5")


def test_markdown_has_a_line_for_each_shot():
    told = as_markdown((row(camera="a|b", understood="*x*\n# y"), *ROWS)).split("\n")
    assert len(told) == 2 + 4
    assert {line.replace("\\|", "").count("|") for line in told} == {10}
    assert "\\*x\\*" in told[2]


def test_data_is_json_with_all_keys():
    records = json.loads(json.dumps(as_data(ROWS)))
    assert records[2] == {
        "take": 2, "id": "end", "character": "", "command": "Mira runs", "understood": "run forward",
        "camera": "crane up 2 m, wide", "place": "door", "start_frame": 88, "end_frame": 96, "frames": 8,
        "start_s": 5.5, "end_s": 6.0, "duration_s": 0.5, "fade_s": 0.5, "dissolve_s": 0.0,
    }  # fmt: skip
