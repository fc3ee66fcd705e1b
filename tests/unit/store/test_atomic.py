"""Files that are whole or not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anix_cli.core.errors import AnixError
from anix_cli.store import atomic


def test_a_file_appears_whole_and_parents_are_made(tmp_path: Path) -> None:
    path = tmp_path / "new" / "-odd 'name'\n日本.mp4"
    with atomic.writing(path) as partial:
        partial.write_text("half")
        assert not path.exists()
        assert partial.parent == path.parent
        assert partial.suffix == ".mp4"
        partial.write_text("whole")
    assert path.read_text() == "whole"
    assert list(path.parent.iterdir()) == [path]


def test_a_name_of_the_greatest_length(tmp_path: Path) -> None:
    path = tmp_path / ("語" * 83 + ".mp4")
    atomic.write_text(path, "whole")
    assert path.read_text() == "whole"


def test_what_a_killed_run_left_is_removed_after_a_day(tmp_path: Path) -> None:
    names = (".film.12-ab.partial.mp4", ".film.34-cd.partial.mp4", ".other.12-ab.partial.mp4", "film.mp4")
    for name in names:
        (tmp_path / name).write_text("old")
        if name != names[1]:
            os.utime(tmp_path / name, (0, 0))
    atomic.write_text(tmp_path / "film.mp4", "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])


def test_a_failure_keeps_the_old_file_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    path.write_text("old")
    for error in (RuntimeError, KeyboardInterrupt):
        with pytest.raises(error), atomic.writing(path) as partial:
            partial.write_text("half")
            raise error
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("act", [atomic.check_writable, lambda path: atomic.write_text(path, "x")])
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, act) -> None:
    (tmp_path / "file").write_text("in the way")
    path = tmp_path / "file" / "film.mp4"
    with pytest.raises(AnixError) as caught:
        act(path)
    assert caught.value.diagnostics[0].code == "E412"
    assert str(tmp_path / "file") in caught.value.diagnostics[0].message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_write_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(AnixError) as caught:
            atomic.check_writable(tmp_path / "film.mp4")
    finally:
        tmp_path.chmod(0o700)
    assert "permission denied" in caught.value.diagnostics[0].message


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(AnixError) as caught:
        atomic.check_writable(tmp_path)
    assert caught.value.diagnostics[0].code == "E412"


def test_the_check_leaves_nothing_and_keeps_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "film.mp4").write_text("old")
    atomic.check_writable(tmp_path / "film.mp4")
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("film.mp4", "old")]


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    with pytest.raises(AnixError) as caught, atomic.writing(tmp_path / "film.mp4"):
        raise OSError(28, "No space left on device")
    assert caught.value.diagnostics[0].code == "E411"
    assert list(tmp_path.iterdir()) == []
