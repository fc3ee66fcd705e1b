"""The store: what get() returns is whole, whoever writes and whatever ends them."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anix_cli.core.errors import AnixError
from anix_cli.store import locks
from anix_cli.store import store as store_module
from anix_cli.store.store import ENTRY, Store, verify

KEY = "ab" * 32
OTHER = "cd" * 32


def put(store: Store, key: str = KEY, text: str = "content", kind: str = "clips"):
    with store.writing(kind, key) as partial:
        (partial.path / "a.txt").write_text(text)
        (partial.path / "deep").mkdir()
        (partial.path / "deep" / "b.bin").write_bytes(b"\0" * 1000)
        return partial.commit({"frames": 7, "nested": {"x": [1, 2]}})


def test_an_entry_comes_back_as_it_was_committed(tmp_path: Path) -> None:
    store = Store(tmp_path / "cache")
    assert store.get("clips", KEY) is None
    made = put(store)
    found = store.get("clips", KEY)
    assert found == made
    assert found.record == {"frames": 7, "nested": {"x": [1, 2]}}
    assert found.file("a.txt").read_text() == "content"
    assert found.files["deep/b.bin"].bytes == 1000
    assert found.path == tmp_path / "cache" / "v1" / "clips" / "ab" / KEY
    assert store.get("guides", KEY) is None
    assert [entry.key for entry in store.entries("clips")] == [KEY]
    with pytest.raises(KeyError):
        found.file("c.txt")


def test_making_a_store_and_asking_it_touches_no_disk(tmp_path: Path) -> None:
    store = Store(tmp_path / "cache")
    store.get("clips", KEY)
    store.read_note("film")
    assert list(store.entries("clips")) == []
    assert not (tmp_path / "cache").exists()


def test_an_uncommitted_entry_leaves_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(RuntimeError), store.writing("clips", KEY) as partial:
        (partial.path / "a.txt").write_text("half")
        raise RuntimeError
    with store.writing("clips", KEY) as partial:
        (partial.path / "a.txt").write_text("never committed")
    assert store.get("clips", KEY) is None
    assert list((tmp_path / "v1" / "tmp").iterdir()) == []


def test_the_first_commit_wins_and_the_second_takes_its_result(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.writing("clips", KEY) as slow:
        (slow.path / "a.txt").write_text("slow")
        put(store, text="fast")
        entry = slow.commit({"frames": 1})
    assert entry.file("a.txt").read_text() == "fast"
    assert entry.record["frames"] == 7


@pytest.mark.parametrize("damage", ["no entry", "version", "other key", "cut file", "lost file", "not json"])
def test_a_damaged_entry_is_not_found_and_is_replaced(tmp_path: Path, damage: str) -> None:
    store = Store(tmp_path)
    entry = put(store)
    commit = entry.path / ENTRY
    content = json.loads(commit.read_text())
    if damage == "no entry":
        commit.unlink()
    elif damage == "version":
        commit.write_text(json.dumps({**content, "version": 99}))
    elif damage == "other key":
        commit.write_text(json.dumps({**content, "key": OTHER}))
    elif damage == "cut file":
        entry.file("a.txt").write_text("con")
    elif damage == "lost file":
        entry.file("deep/b.bin").unlink()
    else:
        commit.write_text('{"version": 1')
    assert store.get("clips", KEY) is None
    assert put(store, text="new").file("a.txt").read_text() == "new"
    assert store.get("clips", KEY).file("a.txt").read_text() == "new"
    assert list((tmp_path / "v1" / "tmp").iterdir()) == []


def test_verify_compares_sizes_and_digests(tmp_path: Path) -> None:
    entry = put(Store(tmp_path))
    assert verify(entry, deep=True) == []
    entry.file("a.txt").write_text("c0ntent")
    assert verify(entry) == []
    assert verify(entry, deep=True) == ["a.txt has other content than was stored"]
    entry.file("a.txt").unlink()
    assert verify(entry) == ["a.txt is missing"]


@pytest.mark.parametrize(
    ("kind", "key"), [("clips", "../../x"), ("../x", KEY), ("tmp", KEY), ("clips", "AB" * 32)]
)
def test_addresses_cannot_leave_the_store(tmp_path: Path, kind: str, key: str) -> None:
    with pytest.raises(ValueError, match="address"):
        Store(tmp_path).get(kind, key)


def test_an_entry_without_files_or_with_links_is_refused(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.writing("clips", KEY) as partial, pytest.raises(ValueError, match="at least one file"):
        partial.commit({})
    with store.writing("clips", KEY) as partial:
        (partial.path / "link").symlink_to("/etc/hostname")
        with pytest.raises(ValueError, match="not links"):
            partial.commit({})
    assert store.get("clips", KEY) is None


def test_an_unwritable_store_names_the_variable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = Store(tmp_path / "file" / "cache")
    for attempt in (store.check_writable, lambda: put(store), lambda: store.write_note("film", {})):
        with pytest.raises(AnixError) as caught:
            attempt()
        assert caught.value.diagnostics[0].code == "E413"
        assert "ANIX_CACHE_DIR" in caught.value.diagnostics[0].hint


def test_a_writable_store_passes_the_check_and_keeps_nothing_of_it(tmp_path: Path) -> None:
    Store(tmp_path).check_writable()
    assert list((tmp_path / "v1" / "tmp").iterdir()) == []


FULL = (
    OSError(28, "No space left on device"),
    OSError(122, "Disk quota exceeded"),
    OSError("Not enough free space to write 18808832 bytes after offset 128"),  # as NumPy has it
    OSError("1000 requested and 640 written"),
)


@pytest.mark.parametrize("error", FULL)
def test_a_full_disk_is_named(tmp_path: Path, error: OSError) -> None:
    store = Store(tmp_path)
    with pytest.raises(AnixError) as caught, store.writing("clips", KEY):
        raise error
    assert caught.value.diagnostics[0].code == "E411"
    assert list((tmp_path / "v1" / "tmp").iterdir()) == []


def test_notes_are_replaced_and_damage_is_no_error(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.write_note("film", {"run/0": {"guide": "1"}})
    store.write_note("film", {"run/0": {"guide": "2"}})
    assert store.read_note("film") == {"run/0": {"guide": "2"}}
    (tmp_path / "v1" / "notes" / "film.json").write_text("[1")
    assert store.read_note("film") == {}


def _race(root: str, barrier, rounds: int, mark: str, wins) -> None:
    store = Store(Path(root))
    for number in range(rounds):
        barrier.wait(30)
        with store.writing("clips", f"{number:064x}") as partial:
            (partial.path / "a.txt").write_text(mark * 5000)
            entry = partial.commit({"by": mark})
        wins.put((number, entry.record["by"], entry.file("a.txt").read_text()[:1]))


@pytest.mark.parametrize("broken", [False, True], ids=["empty", "over broken entries"])
def test_two_processes_at_once_agree_on_every_entry(tmp_path: Path, broken: bool) -> None:
    for number in range(20 if broken else 0):
        place = Store(tmp_path).location("clips", f"{number:064x}")
        place.mkdir(parents=True)
        (place / "a.txt").write_text("left over")
    context = multiprocessing.get_context("fork")
    barrier, wins, rounds = context.Barrier(2), context.Queue(), 20
    workers = [
        context.Process(target=_race, args=(str(tmp_path), barrier, rounds, mark, wins), daemon=True)
        for mark in "xy"
    ]
    for worker in workers:
        worker.start()
    results = [wins.get(timeout=60) for _ in range(2 * rounds)]
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    for number in range(rounds):
        seen = {(by, first) for n, by, first in results if n == number}
        assert len(seen) == 1
        by, first = seen.pop()
        assert by == first == Store(tmp_path).get("clips", f"{number:064x}").record["by"]
    assert list((tmp_path / "v1" / "tmp").iterdir()) == []


_WRITER = """
import sys, time
from pathlib import Path
from anix_cli.store.store import Store
with Store(Path(sys.argv[1])).writing("clips", "ab" * 32) as partial:
    (partial.path / "a.txt").write_text("half")
    print("writing", flush=True)
    time.sleep(60)
    partial.commit({})
"""


def test_a_killed_writer_leaves_nothing_to_be_found_and_is_swept(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", _WRITER, str(tmp_path)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"writing\n"
    store, temporary = Store(tmp_path), tmp_path / "v1" / "tmp"
    put(store, OTHER)
    assert any(path.is_dir() for path in temporary.iterdir()), "a living writer's folder must stay"
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert store.get("clips", KEY) is None
    put(store, "ef" * 32)
    assert list(temporary.iterdir()) == []
    assert put(store).file("a.txt").read_text() == "content"


def test_killed_at_any_moment_of_a_commit_no_half_entry_is_found(tmp_path: Path) -> None:
    script = """
import sys
from pathlib import Path
from anix_cli.store.store import Store
store = Store(Path(sys.argv[1]))
for number in range(100000):
    with store.writing("clips", f"{number:064x}") as partial:
        for name in "abc":
            (partial.path / name).write_bytes(b"x" * 20000)
        partial.commit({"number": number})
    print(number, flush=True)
"""
    for attempt in range(4):
        root = tmp_path / str(attempt)
        child = subprocess.Popen([sys.executable, "-c", script, str(root)], stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(0.013 * attempt)
        child.kill()
        printed = child.stdout.read().split()
        child.wait()
        child.stdout.close()
        store = Store(root)
        folders = sorted((root / "v1" / "clips").glob("??/*"))
        found = [store.get("clips", folder.name) for folder in folders]
        assert all(entry is not None and verify(entry, deep=True) == [] for entry in found)
        assert len(found) >= len(printed) + 1


def test_a_number_that_a_living_process_has_now_proves_nothing(tmp_path: Path) -> None:
    left = tmp_path / f"clips-abab-{os.getpid()}-{locks.kernel()}-00ff"
    left.mkdir()
    (tmp_path / f"{left.name}.lock").write_text("")
    assert locks.sweep(tmp_path) == 1 and not list(tmp_path.iterdir())


def test_what_another_machine_may_be_writing_stays_for_a_day(tmp_path: Path) -> None:
    theirs = tmp_path / "clips-abab-77-01234567-00ff"
    theirs.mkdir()
    lock = tmp_path / f"{theirs.name}.lock"
    lock.write_text("")
    assert locks.sweep(tmp_path) == 0 and theirs.exists() and lock.exists()
    os.utime(lock, (0, 0))
    assert locks.sweep(tmp_path) == 1 and not list(tmp_path.iterdir())


def test_what_has_no_lock_is_kept_for_a_day(tmp_path: Path) -> None:
    (tmp_path / "young").mkdir()
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "a").write_text("x")
    (tmp_path / "old.probe").write_text("x")
    (tmp_path / "gone.lock").write_text("")
    past = time.time() - locks.ABANDONED_S - 60
    for name in ("old", "old.probe", "gone.lock"):
        os.utime(tmp_path / name, (past, past))
    assert locks.sweep(tmp_path) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["young"]


def test_an_entry_that_keeps_changing_is_an_error_not_a_loop(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(store_module, "_read", lambda *args: None)
    with pytest.raises(AnixError) as caught:
        put(Store(tmp_path))
    assert caught.value.diagnostics[0].code == "E413"
