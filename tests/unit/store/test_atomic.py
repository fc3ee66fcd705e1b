"""Files that are whole or not there."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from anix_cli.core.errors import AnixError
from anix_cli.store import atomic, locks


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


_KILLED = """
import os, signal, sys
from pathlib import Path
from anix_cli.store import atomic
with atomic.writing(Path(sys.argv[1])) as partial:
    partial.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def left_by_a_killed_run(path: Path) -> Path:
    subprocess.run([sys.executable, "-c", _KILLED, str(path)], check=False)
    (left,) = path.parent.glob(".*.partial*")
    return left


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path: Path) -> None:
    left_by_a_killed_run(tmp_path / "film.mp4")
    atomic.write_text(tmp_path / "film.mp4", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["film.mp4"]


def test_what_another_run_is_writing_stays_however_old_it_looks(tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    with atomic.writing(path) as theirs:
        theirs.write_text("theirs")
        os.utime(theirs, (0, 0))
        atomic.write_text(path, "ours")
        assert theirs.read_text() == "theirs"
    assert path.read_text() == "theirs"


def test_what_another_host_may_be_writing_stays_for_a_day(tmp_path: Path, monkeypatch) -> None:
    left = left_by_a_killed_run(tmp_path / "film.mp4")
    monkeypatch.setattr(locks, "kernel", lambda: "0" * 8)
    atomic.write_text(tmp_path / "film.mp4", "new")
    assert left.exists()
    os.utime(left, (0, 0))
    atomic.write_text(tmp_path / "film.mp4", "new")
    assert not left.exists()


def test_a_sweep_between_making_and_locking_is_noticed(tmp_path: Path, monkeypatch) -> None:
    """The new file is gone when its lock is asked for: another one is made."""
    opened = os.open
    gone = []

    def open_and_lose(path, *args):
        handle = opened(path, *args)
        if not gone:
            gone.append(path)
            Path(path).unlink()
        return handle

    monkeypatch.setattr(locks.os, "open", open_and_lose)
    held = locks.LockedFile(tmp_path, ".f.", ".partial")
    assert held.path.exists()
    assert held.path not in gone
    held.remove()
    assert list(tmp_path.iterdir()) == []


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


FULL = (
    OSError(28, "No space left on device"),
    OSError(122, "Disk quota exceeded"),
    OSError("Not enough free space to write 18808832 bytes after offset 128"),  # as NumPy has it
    OSError("1000 requested and 640 written"),
)


@pytest.mark.parametrize("error", FULL)
def test_a_full_disk_is_named(tmp_path: Path, error: OSError) -> None:
    with pytest.raises(AnixError) as caught, atomic.writing(tmp_path / "film.mp4"):
        raise error
    assert caught.value.diagnostics[0].code == "E411"
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_file_is_refused_without_opening_it(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    os.mkfifo("pipe.mp4")
    (tmp_path / "folder.mp4").mkdir()
    (tmp_path / "link.mp4").symlink_to("pipe.mp4")
    with socket.socket(socket.AF_UNIX) as end:
        end.bind("socket.mp4")
        for name, kind in {
            "pipe.mp4": "a pipe",
            "folder.mp4": "a folder",
            "link.mp4": "a pipe",
            "socket.mp4": "a socket",
            "/dev/null": "a device",
        }.items():
            for act in (atomic.check_writable, lambda path: atomic.write_text(path, "x")):
                with pytest.raises(AnixError) as caught:
                    act(Path(name))
                (diagnostic,) = caught.value.diagnostics
                assert diagnostic.code == "E412"
                assert diagnostic.message == f"{name} is {kind}; a file's name is expected."
    assert Path("/dev/null").is_char_device()
    assert Path("pipe.mp4").is_fifo()


def test_a_device_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    with pytest.raises(AnixError), atomic.writing(path) as partial:
        partial.write_text("film")
        os.mkfifo(path)
    assert path.is_fifo()
    assert list(tmp_path.iterdir()) == [path]


def test_of_a_link_the_file_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    real, link = tmp_path / "disk" / "real", tmp_path / "film.mp4"
    link.symlink_to("disk/real")
    for content in ("first", "second"):  # the link leads nowhere at first
        atomic.check_writable(link)
        with atomic.writing(link) as partial:
            assert partial.suffix == ".mp4"
            partial.write_text(content)
        assert link.is_symlink()
        assert real.read_text() == content
    loop = tmp_path / "loop.mp4"
    loop.symlink_to("loop.mp4")
    with pytest.raises(AnixError) as caught:
        atomic.check_writable(loop)
    assert caught.value.diagnostics[0].code == "E412"


@pytest.mark.parametrize("name", ["x" * 256, "x." + "y" * 300, "/".join(["x" * 250] * 20)])
@pytest.mark.parametrize("act", [atomic.check_writable, lambda path: atomic.write_text(path, "x")])
def test_what_is_too_long_is_refused(tmp_path: Path, name: str, act) -> None:
    with pytest.raises(AnixError, match="too long") as caught:
        act(tmp_path / name)
    assert caught.value.diagnostics[0].code == "E412"
    assert list(tmp_path.iterdir()) == []


def test_a_long_suffix_leaves_room_for_the_temporary_name(tmp_path: Path) -> None:
    path = tmp_path / ("x." + "y" * 250)
    atomic.check_writable(path)
    atomic.write_text(path, "whole")
    assert path.read_text() == "whole"


def test_names_that_are_no_text_go_through_json(tmp_path: Path) -> None:
    content = {"name": os.fsdecode(b"f\xff.mp4"), "title": "Käse \U0001f9c0"}
    atomic.write_json(tmp_path / "a.json", content)
    text = (tmp_path / "a.json").read_text(encoding="utf-8")
    assert "Käse \U0001f9c0" in text
    assert json.loads(text)["name"] == content["name"]
    assert json.loads(text)["title"] == content["title"]


def test_scratch_is_beside_its_file_and_gone_afterwards(tmp_path: Path) -> None:
    output = tmp_path / "new" / "film.mp4"
    with atomic.scratch(output, ".raw") as place:
        assert place.parent == output.parent and place.suffix == ".raw"
        place.write_bytes(b"x")
    assert list(output.parent.iterdir()) == []
    with pytest.raises(KeyboardInterrupt), atomic.scratch(output, ".raw"):
        raise KeyboardInterrupt
    assert list(output.parent.iterdir()) == []
