"""What a batch says before it begins: what there is to make, how long it takes, and what would stop it."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from anix_cli.cli.main import run
from anix_cli.run.batch import films as booking
from anix_cli.run.rates import GUIDE, clip_work, learn
from anix_cli.store.store import Store

from .test_batch import batch, films, write  # noqa: F401


def dry(*arguments: str, backend: str = "faulty") -> int:
    return run(["batch", *arguments, "--out", "out", "--backend", backend, "--dry-run"])


def test_what_would_be_made_and_nothing_is(films, capsys):  # noqa: F811
    for name, takes in (("a.yaml", 2), ("b.yaml", 1)):
        write(films, name, takes=takes)
    write(films, "c.yaml").write_text("anix: 1\n")
    store = Store(films / ".anix")
    learn(store, GUIDE, 0.0, 1, (10, 10))
    learn(store, clip_work("faulty"), 60.0, 1, (64, 64))  # a minute a frame
    assert dry("a.yaml", "b.yaml", "c.yaml", "--candidates", "2", "--jobs", "2", "--json") == 1
    found = json.loads(capsys.readouterr().out)
    told = [(one["state"], one["takes"], one["clips"], one["seconds"]) for one in found["films"]]
    assert told == [("to do", 2, 2, 16 * 60), ("to do", 1, 1, 8 * 60), ("invalid", 0, 0, None)]
    assert found["seconds"] == 24 * 60 / 2 and found["workers"] == 2 and found["vram_gib"] is None
    made = [path for kind in ("clips", "guides") for path in (films / ".anix" / "v1" / kind).glob("*")]
    assert not made and not list((films / "out").glob("*"))
    assert dry("a.yaml", "b.yaml", "--budget-hours", "0.1", "--jobs", "1") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("to do\tb.yaml\t1 clips") and "about 4 min as measured here" in lines[0]
    assert lines[1].startswith("left\ta.yaml\t") and lines[-1].startswith(
        "in all: about 4 min as measured here"
    )
    assert batch("b.yaml") == 0
    capsys.readouterr()
    assert dry("b.yaml") == 0
    assert capsys.readouterr().out.startswith("up to date\tb.yaml\t")


def test_a_dry_run_tells_nobody(films):  # noqa: F811
    assert dry("film.yaml", "--events", "x.ndjson") == 2


def test_all_that_is_wrong_with_a_film_is_told_at_once(films, capsys, monkeypatch):  # noqa: F811
    write(films, "a.yaml")
    write(films, "b.yaml").write_text("anix: 1\n")
    (films / "out").mkdir()
    (films / "out" / "a.mp4").write_bytes(b"holiday")
    monkeypatch.setenv("ANIX_FFMPEG", str(films / "no-ffmpeg"))
    assert batch("a.yaml") == 1
    err = capsys.readouterr().err
    assert "E431" in err and "E401" in err
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=10))
    monkeypatch.delenv("ANIX_FFMPEG")
    write(films, "c.yaml", seed=3)
    assert batch("a.yaml", "b.yaml", "c.yaml") == 4
    err = capsys.readouterr().err
    assert "E461 these films need" in err and "E431" in err and "E113" in err


def test_the_room_of_all_films_on_one_disk_is_summed(films, capsys, monkeypatch):  # noqa: F811
    for index in range(3):
        write(films, f"{index}.yaml", seed=index)
    planned = booking.book(
        [films / f"{index}.yaml" for index in range(3)], booking.Wish(films / "out", "faulty")
    )
    each = sum(room.bytes for room in booking.rooms(planned[0].plan, planned[0].output))
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=2.9 * each))
    assert batch("0.yaml", "1.yaml", "2.yaml") == 4
    assert "E461 these films need" in capsys.readouterr().err
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=3.1 * each))
    assert batch("0.yaml", "1.yaml", "2.yaml") == 0


def test_an_output_folder_that_cannot_be_written(films, capsys):  # noqa: F811
    write(films, "a.yaml")
    (films / "file").write_text("")
    assert run(["batch", "a.yaml", "--out", "file/out", "--backend", "faulty"]) == 1
    assert "E412" in capsys.readouterr().err and not (films / ".anix" / "v1" / "clips").exists()


def test_one_file_named_twice_is_one_film(films, capsys):  # noqa: F811
    (films / "x").mkdir()
    write(films, "a.yaml")
    assert batch("a.yaml", "./a.yaml", "x/../a.yaml") == 0
    assert capsys.readouterr().out.count("made\t") == 1


def test_what_a_backend_lacks_is_found_before_the_night_for_each_film(films, capsys, monkeypatch):  # noqa: F811
    pytest.importorskip("diffusers")
    monkeypatch.setenv("ANIX_WEIGHTS_DIR", str(films / "weights"))
    monkeypatch.setenv("HF_HOME", str(films / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    for name in ("a.yaml", "b.yaml"):
        path = write(films, name)
        path.write_text(path.read_text().replace(", fps: 8", ""))
    assert run(["batch", "a.yaml", "b.yaml", "--out", "out", "--backend", "wan-vace", "--json"]) == 1
    out, err = capsys.readouterr()
    rows = json.loads(out)["films"]
    assert [(row["state"], [one["code"] for one in row["problems"]]) for row in rows] == [
        ("invalid", ["E472", "E474"])
    ] * 2
    assert dry("a.yaml", backend="wan-vace") == 1  # what it would take is told all the same
    line = capsys.readouterr().out.splitlines()[0]
    assert line.startswith("invalid\ta.yaml\tE472 ") and "(and 1 more); 1 clips, " in line
    assert "8 GiB free on the GPU" in line
    assert "wan2.1-vace-1.3b" in err and not list(films.glob(".anix/v1/guides/*/*"))
