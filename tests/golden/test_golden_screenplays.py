"""The texts that broken screenplays give are pinned; see regenerate.py to renew them."""

from __future__ import annotations

import pytest

from tests.golden.regenerate import SCREENPLAYS, screenplay_text

FILES = sorted(SCREENPLAYS.glob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_what_a_director_is_told(file):
    expected = file.with_suffix(".txt").read_text(encoding="utf-8")
    assert screenplay_text(file) == expected


def test_every_text_has_its_screenplay():
    assert {file.stem for file in SCREENPLAYS.glob("*.txt")} == {file.stem for file in FILES}
