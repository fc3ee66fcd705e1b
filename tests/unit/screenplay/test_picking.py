"""A pick changes a few characters of a screenplay and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from anix_cli.core.errors import AnixError
from anix_cli.screenplay.picking import with_picks

PATH = Path("film.yaml")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("shots: [{id: a}, {id: b}]", "shots: [{id: a}, {id: b, pick: 3}]"),
        ("shots: [{id: 'b' , x: 1}]  # c", "shots: [{id: 'b', pick: 3 , x: 1}]  # c"),
        ("shots:\n  - id: b  # the one\n    x: 1\n", "shots:\n  - id: b  # the one\n    pick: 3\n    x: 1\n"),
        ("shots:\r\n- x: 1\r\n  id: b", "shots:\r\n- x: 1\r\n  id: b\r\n  pick: 3"),
        ("shots: [{id: b, pick: 12}]", "shots: [{id: b, pick: 3}]"),
        ("shots:\n- pick:   0   # first\n  id: b\n", "shots:\n- pick:   3   # first\n  id: b\n"),
        (
            "x: &m {pick: 5}\nshots:\n- <<: *m\n  id: b\n",
            "x: &m {pick: 5}\nshots:\n- <<: *m\n  id: b\n  pick: 3\n",
        ),
        ("# é\nshots: [{id: b}]", "# é\nshots: [{id: b, pick: 3}]"),
    ],
)
def test_a_pick_is_written(before, after):
    assert with_picks(PATH, before.encode(), {"b": 3}).decode() == after


def test_several_at_once_and_a_byte_order_mark():
    before = "\ufeffshots: [{id: a}, {id: b, pick: 1}]".encode()
    assert (
        with_picks(PATH, before, {"b": 0, "a": 10}).decode()
        == "\ufeffshots: [{id: a, pick: 10}, {id: b, pick: 0}]"
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("shots: [{id: a}]", "E161"),
        ("shots: 3", "E161"),
        ("x: &m {id: b}\nshots:\n- <<: *m\n", "E162"),
        ("shots: [{id: b", "E107"),
    ],
)
def test_what_cannot_be_written_is_told(text, code):
    with pytest.raises(AnixError) as caught:
        with_picks(PATH, text.encode(), {"b": 3})
    assert [problem.code for problem in caught.value.diagnostics] == [code]
