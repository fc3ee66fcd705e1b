"""A store is looked after: ages, sizes, damage."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from anix_cli.cli.main import run
from anix_cli.store.store import Store
from anix_cli.store.upkeep import kept, too_old

DAY = 86400.0


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ANIX_CACHE_DIR", raising=False)
    return Store(tmp_path / ".anix")


def put(store: Store, key: str, size: int, days: float, kind: str = "clips") -> Path:
    """An entry of so many bytes that was used so many days ago."""
    with store.writing(kind, key * 8) as partial:
        (partial.path / "a.bin").write_bytes(os.urandom(size))
        entry = partial.commit({})
    when = time.time() - days * DAY
    os.utime(entry.path / "entry.json", (when, when))
    return entry.path


def left(store: Store) -> set[str]:
    return {one.entry.key[0] for one in kept(store)}


def test_what_is_unused_for_long_goes(store, capsys):
    for key, days in (("a", 40), ("b", 20), ("c", 0)):
        put(store, key, 10, days)
    assert run(["cache", "gc", "--unused", "30d"]) == 0
    assert left(store) == {"b", "c"} and "removed 1 entries" in capsys.readouterr().out


def test_what_is_too_much_goes_the_longest_unused_first(store):
    for key, days in (("a", 3), ("b", 9), ("c", 1), ("d", 5)):
        put(store, key, 1000, days)
    assert run(["cache", "gc", "--keep", "2kB"]) == 0
    assert left(store) == {"a", "c"}


def test_what_may_be_in_use_stays(store):
    put(store, "a", 1000, 0.5 / 24)
    assert too_old(kept(store), unused_s=0.0, most_bytes=0) == []
    assert run(["cache", "gc", "--keep", "0", "--unused", "0m"]) == 0
    assert left(store) == {"a"}


def test_a_dry_run_keeps_everything(store, capsys):
    put(store, "a", 10, 40)
    assert run(["cache", "gc", "--unused", "1w", "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["removed"] == ["clips/aaaaaaaa"] and found["bytes"] == 10 and left(store) == {"a"}


def test_using_an_entry_makes_it_young_and_looking_does_not(store):
    put(store, "a", 10, 40)
    assert next(kept(store)).unused_s == pytest.approx(40 * DAY, abs=60)
    assert store.get("clips", "a" * 8) is not None
    assert next(kept(store)).unused_s < 60


def test_damage_is_found_to_the_last_bit(store, capsys):
    place, _ = put(store, "a", 100, 1), put(store, "b", 100, 1, kind="guides")
    assert run(["cache", "verify"]) == 0 and capsys.readouterr().out == "clean\n"
    data = bytearray((place / "a.bin").read_bytes())
    data[57] ^= 4
    (place / "a.bin").write_bytes(data)
    assert run(["cache", "verify", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [one["entry"] for one in found["damaged"]] == ["clips/aaaaaaaa"] and not found["clean"]
    assert run(["cache", "verify", "--discard"]) == 1
    assert run(["cache", "verify"]) == 0 and left(store) == {"b"}


def test_what_is_not_whole_is_told(store, capsys):
    place = put(store, "a", 100, 1)
    (place / "a.bin").unlink()
    assert run(["cache", "verify"]) == 1
    assert "not whole" in capsys.readouterr().out


def test_kinds_with_their_sizes(store, capsys):
    put(store, "a", 1500, 1)
    put(store, "b", 500, 3)
    put(store, "c", 7, 0, kind="guides")
    assert run(["cache", "ls", ".", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["kinds"]
    assert [(row["kind"], row["entries"], row["bytes"]) for row in rows] == [
        ("clips", 2, 2000),
        ("guides", 1, 7),
    ]
    assert rows[0]["first_used_s"] == pytest.approx(3 * DAY, abs=60)
    assert run(["cache", "ls"]) == 0 and "clips\t2\t2 kB\tunused 1 d to 3 d" in capsys.readouterr().out


def test_clips_that_were_begun_are_kept_a_day(store):
    for name, days in (("old", 2), ("new", 0.1)):
        folder = store.root / "unfinished" / name
        folder.mkdir(parents=True)
        (folder / "latents.safetensors").write_bytes(b"x")
        when = time.time() - days * DAY
        for path in (folder / "latents.safetensors", folder):
            os.utime(path, (when, when))
    assert run(["cache", "gc"]) == 0
    assert [path.name for path in (store.root / "unfinished").iterdir()] == ["new"]


@pytest.mark.parametrize(
    "arguments", [["--unused", "30"], ["--unused", "x"], ["--keep", "-1"], ["--keep", "many"]]
)
def test_wrong_amounts(store, arguments):
    put(store, "a", 10, 40)
    assert run(["cache", "gc", *arguments]) == 2 and left(store) == {"a"}


def test_no_store(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("ANIX_CACHE_DIR", raising=False)
    assert run(["cache", "ls", str(tmp_path)]) == 2
    assert "E416" in capsys.readouterr().err
