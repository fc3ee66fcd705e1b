"""What a director is told about broken screenplays is pinned; see regenerate.py to renew it."""

from __future__ import annotations

import pytest

from anix_cli.core.errors import ExitCode
from tests.golden.regenerate import BROKEN, TEXTS, text_of

FILES = sorted(BROKEN.glob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_what_a_director_is_told(file):
    expected = (TEXTS / f"{file.stem}.txt").read_text(encoding="utf-8")
    assert text_of(file) == expected


def test_there_are_many_and_each_is_refused():
    assert len(FILES) >= 30
    texts = {file.stem: file.read_text(encoding="utf-8") for file in TEXTS.glob("*.txt")}
    assert set(texts) == {file.stem for file in FILES}
    for name, text in texts.items():
        assert text.endswith(f"\nexit {int(ExitCode.INVALID)}\n"), name


def test_they_need_little_room():
    assert sum(file.stat().st_size for file in BROKEN.rglob("*") if file.is_file()) < 100_000
