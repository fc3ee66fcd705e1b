"""Sentences with expected readings: how many are read right, and that nothing forbidden is read.

``data/directions.tsv`` came with the task; ``data/sentences.tsv`` was written before the rules were tuned,
and a third of it (:func:`scoring.kept_back`) was only counted, never looked at, meanwhile. The ``SETS`` were
written and counted later, each before anything was mended for it.
"""

from __future__ import annotations

import pytest
import scoring

SETS = (
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
    "twenty_first",
    "twenty_second",
    "twenty_third",
    "twenty_fourth",
    "twenty_fifth",
    "twenty_sixth",
    "twenty_seventh",
    "twenty_eighth",
    "twenty_ninth",
    "thirtieth",
    "thirty_first",
    "thirty_second",
    "thirty_third",
    "thirty_fourth",
    "thirty_fifth",
    "thirty_sixth",
    "thirty_seventh",
)
ROWS = {
    "directions": list(scoring.directions()),
    "tuned": [row for row in scoring.sentences() if not scoring.kept_back(row[0])],
    "kept back": [row for row in scoring.sentences() if scoring.kept_back(row[0])],
    **{name: list(scoring.sentences(name)) for name in SETS},
}


@pytest.mark.parametrize("name", ROWS)
def test_at_least_95_of_100_are_right(name: str) -> None:
    rows = ROWS[name]
    wrong = [text for text, expected in rows if not scoring.right(text, expected)]
    assert len(wrong) <= 0.05 * len(rows), wrong


@pytest.mark.parametrize("name", ROWS)
def test_nothing_forbidden_is_read(name: str) -> None:
    assert [text for text, expected in ROWS[name] if scoring.forbidden(scoring.read(text), expected)] == []


def test_there_are_enough_sentences() -> None:
    assert len(ROWS["directions"]) == 47
    assert len(ROWS["tuned"]) + len(ROWS["kept back"]) >= 500
    assert len(ROWS["kept back"]) >= 150


def test_the_scorer_tells_wrong_from_right() -> None:
    """A scorer that passes everything would pass this parser, too."""
    for short in ("L:walk >forward", "G:wave", "C:pan >left ; G:wave", "L:run >forward #3m", "error"):
        assert not scoring.right("Run forward.", scoring.expected_of(short))
    assert scoring.right("Run forward.", scoring.expected_of("L:run >forward"))
    assert not scoring.right("Run forward.", scoring.expected_of("L:run >forward !! L:*"))
    assert not scoring.right("She waves while bowing.", scoring.expected_of("G:wave ; G:bow"))
    assert scoring.right("She waves while bowing.", scoring.expected_of("any: G:bow ; G:wave +"))
