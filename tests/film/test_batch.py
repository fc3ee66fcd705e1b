"""Batches through the command line: workers that die, hang and fail, films that are broken, signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from anix_cli.cli.main import run
from anix_cli.core.schemas import schema
from anix_cli.media.inspect import count_frames
from anix_cli.run.rates import GUIDE, clip_work, learn
from anix_cli.store.store import Store

SHOT = "command: he waves, anchor: well, duration: 0.5"


@pytest.fixture
def films(project, monkeypatch):
    monkeypatch.chdir(project)
    monkeypatch.setenv("ANIX_TEST_NOISE", "1")
    monkeypatch.setenv("ANIX_TEST_FAULTS", str(project / "faults"))
    (project / "faults").mkdir()
    return project


def write(
    folder: Path, name: str, *, seed: int = 1, defect: str = "", times: int = 1, takes: int = 1
) -> Path:
    """A film of some takes of half a second; the first take breaks as asked for."""
    text = (folder / "film.yaml").read_text()
    head = text[: text.index("shots:")].replace("128x96", "64x64").replace("seed: 7", f"seed: {seed}")
    options = f", options: {{faulty: {{defect: {defect}, times: {times}}}}}" if defect else ""
    shots = [f"  - {{id: s0, {SHOT}{options}}}"]
    shots += [f"  - {{id: s{index}, cut: true, {SHOT}}}" for index in range(1, takes)]
    path = folder / name
    path.write_text(head + "shots:\n" + "\n".join(shots) + "\n")
    return path


def batch(*arguments: str) -> int:
    return run(["batch", *arguments, "--out", "out", "--backend", "faulty", "--no-report"])


def events(path: Path) -> list[dict]:
    found = [json.loads(line) for line in path.read_text().splitlines()]
    for one in found:
        jsonschema.validate(one, schema("events-v1"))
    return found


def test_a_night_of_twelve(films, capsys):
    names = [f"f{index:02}.yaml" for index in range(12)]
    for index, name in enumerate(names):
        defect = {4: "memory", 7: "die", 9: "fail"}.get(index, "")
        write(films, name, seed=index, defect=defect, times=99 if defect == "memory" else 1)
    for name, old, new in ((names[2], "anchor: well", "anchor: wel"), (names[5], "yard.ply", "gone.ply")):
        path = films / name
        path.write_text(path.read_text().replace(old, new))
    assert batch(*names, "--jobs", "2", "--events", "night.ndjson", "--json") == 1
    out, err = capsys.readouterr()
    rows = {row["screenplay"]: row for row in json.loads(out)["films"]}
    assert [rows[name]["state"] for name in names] == [
        "made", "made", "invalid", "made", "failed", "invalid", *["made"] * 6
    ]  # fmt: skip
    assert rows[names[4]]["problems"][0]["code"] == "E555" and rows[names[2]]["problems"][0]["code"] == "E123"
    assert "Traceback" not in err and "did you mean well?" in err
    made = [name for name in names if rows[name]["state"] == "made"]
    assert all(count_frames(films / rows[name]["film"]) == 4 for name in made) and len(made) == 9
    told = events(films / "night.ndjson")
    failed = [(one["film"], one["again"]) for one in told if one["event"] == "task_failed"]
    assert sorted(failed) == [(names[4], False), (names[4], True), (names[7], True), (names[9], True)]
    gone = next(one for one in told if one["event"] == "task_failed" and one["film"] == names[7])
    assert gone["problems"][0]["code"] == "E561" and "signal 9" in gone["problems"][0]["message"]
    assert told[-1] | {"at": "", "seconds": 0} == {
        "events": 1, "at": "", "event": "batch_finished", "made": 9, "failed": 3, "seconds": 0
    }  # fmt: skip
    before = {path: path.stat().st_mtime_ns for path in (films / "out").iterdir()}
    assert batch(*names, "--events", "again.ndjson") == 1
    assert capsys.readouterr().out.count("up to date") == 9
    again = events(films / "again.ndjson")
    assert {one["film"] for one in again if one.get("take") is not None} == {names[4]}
    assert {path: path.stat().st_mtime_ns for path in (films / "out").iterdir()} == before


def test_a_worker_that_hangs_is_replaced(films, capsys):
    write(films, "a.yaml", defect="hang")
    assert batch("a.yaml", "--timeout-per-clip", "4s", "--events", "night.ndjson") == 0
    failed = [one for one in events(films / "night.ndjson") if one["event"] == "task_failed"]
    assert [(one["again"], one["problems"][0]["code"]) for one in failed] == [(True, "E562")]
    assert (films / "out" / "a.mp4").exists()


def test_what_the_night_is_too_short_for_is_left(films, capsys):
    store = Store(films / ".anix")
    learn(store, GUIDE, 0.0, 1, (10, 10))
    learn(store, clip_work("faulty"), 3600.0, 1, (64, 64))  # an hour a frame
    for name, takes in (("long.yaml", 2), ("short.yaml", 1)):
        write(films, name, takes=takes)
    asked = ("long.yaml", "short.yaml", "--budget-hours", "5", "--events", "night.ndjson", "--json")
    assert batch(*asked) == 0
    rows = json.loads(capsys.readouterr().out)["films"]
    assert [(row["screenplay"], row["state"]) for row in rows] == [
        ("long.yaml", "left"),
        ("short.yaml", "made"),
    ]
    told = events(films / "night.ndjson")
    assert [(one["film"], one["seconds"]) for one in told if one["event"] == "film_left"] == [
        ("long.yaml", 8 * 3600)
    ]
    assert told[0]["seconds"] == 4 * 3600 and told[0]["event"] == "batch_started"
    assert [path.name for path in (films / "out").glob("*.mp4")] == ["short.mp4"]


def test_other_takes_are_made_only_if_asked_for(films, capsys):
    write(films, "a.yaml", defect="fail", times=99, takes=3)
    assert batch("a.yaml", "--retries", "0", "--jobs", "1", "--events", "one.ndjson") == 1
    assert [one["take"] for one in events(films / "one.ndjson") if one["event"] == "task_finished"] == []
    assert batch("a.yaml", "--retries", "0", "--jobs", "1", "--events", "two.ndjson", "--keep-going") == 1
    assert [one["take"] for one in events(films / "two.ndjson") if one["event"] == "task_finished"] == [1, 2]
    assert not (films / "out" / "a.mp4").exists()


def test_shards_share_the_films(films, capsys):
    for index in range(3):
        write(films, f"f{index}.yaml", seed=index)
    names = [f"f{index}.yaml" for index in range(3)]
    assert batch(*names, "--shard", "2/2") == 0
    assert [path.name for path in (films / "out").glob("*.mp4")] == ["f1.mp4"]
    assert batch(*names, "--shard", "1/2") == 0
    assert {path.name for path in (films / "out").glob("*.mp4")} == {"f0.mp4", "f1.mp4", "f2.mp4"}


@pytest.mark.parametrize("value", ["0/2", "3/2", "a/b", "2", "1/2/3"])
def test_wrong_shards(films, capsys, value):
    assert batch("film.yaml", "--shard", value) == 2


@pytest.mark.parametrize("value", ["0", "x", "1d", "-5s", ""])
def test_wrong_times(films, capsys, value):
    assert batch("film.yaml", "--timeout-per-clip", value) == 2


def test_films_of_one_name_are_called_by_their_folders(films, capsys):
    for folder in ("one", "two"):
        (films / folder).mkdir()
        text = write(films, "a.yaml").read_text()
        for file in ("yard.ply", "front.png", "left.png", "right.png", "back.png"):
            text = text.replace(file, f"../{file}")
        (films / folder / "a.yaml").write_text(text)
    assert batch("one/a.yaml", "two/a.yaml") == 0
    assert {path.name for path in (films / "out").glob("*.mp4")} == {"one-a.mp4", "two-a.mp4"}
    other = films / "x" / "one"
    other.mkdir(parents=True)
    (other / "a.yaml").write_text("anix: 1\n")
    assert batch("one/a.yaml", "x/one/a.yaml") == 2
    assert "E446" in capsys.readouterr().err


def test_any_name_of_folder_and_file(films, capsys, monkeypatch):
    odd = Path(os.fsdecode(b"An'na 100% [x]\n \xff\"q"))
    odd.mkdir()
    for file in ("yard.ply", "front.png", "left.png", "right.png", "back.png"):
        (odd / file).write_bytes((films / file).read_bytes())
    write(films, "a.yaml", takes=2).rename(odd / os.fsdecode(b"-f %d\xfe\n.yaml"))
    monkeypatch.chdir(odd)
    name = os.fsdecode(b"-f %d\xfe\n")
    assert run(["batch", "--out", "o u't", "--backend", "faulty", "--", f"{name}.yaml"]) == 0
    out = capsys.readouterr().out
    assert out == "made\t-f %d\\xfe\\n.yaml\to u't/-f %d\\xfe\\n.mp4\n"
    assert count_frames(Path("o u't") / f"{name}.mp4") == 8 and (Path("o u't") / "index.html").exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 75), (signal.SIGINT, 130)])
def test_a_signal_ends_all_workers(films, number, code):
    write(films, "a.yaml", defect="hang")
    process = subprocess.Popen(
        [sys.executable, "-m", "anix_cli", "batch", "a.yaml", "--out", "out", "--backend", "faulty"],
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    until = time.monotonic() + 60
    while not list((films / "faults").iterdir()) and time.monotonic() < until:
        time.sleep(0.05)
    workers = children(process.pid)
    assert workers
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == code and "resumes" in err and "Traceback" not in err
    assert not [pid for pid in workers if alive(pid)]


def test_workers_end_with_a_batch_that_is_killed(films):
    write(films, "a.yaml", defect="hang")
    process = subprocess.Popen(
        [sys.executable, "-m", "anix_cli", "batch", "a.yaml", "--out", "out", "--backend", "faulty"],
        stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    until = time.monotonic() + 60
    while not list((films / "faults").iterdir()) and time.monotonic() < until:
        time.sleep(0.05)
    workers = children(process.pid)
    process.kill()
    process.wait()
    until = time.monotonic() + 20
    while any(alive(pid) for pid in workers) and time.monotonic() < until:
        time.sleep(0.05)
    assert workers and not [pid for pid in workers if alive(pid)]


def children(pid: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(stat.parent.name))
    return found


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
