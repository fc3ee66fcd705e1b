"""Who listens to a run beside its terminal: a metrics' file, a command at the end. They change nothing."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families as parsed

from anix_cli.cli import listening
from anix_cli.cli.main import run
from anix_cli.core.errors import fail

from .test_batch import batch, films, write  # noqa: F401
from .test_chain import edit

KEEP = f"{sys.executable} -c 'import sys; open(sys.argv[1], \"w\").write(sys.stdin.read())' told.json"


@pytest.fixture
def film(project, monkeypatch):
    monkeypatch.chdir(project)
    edit(project, "  - {id: run, command: Mo runs forward, anchor: gate, duration: 1.5}\n", "")
    edit(project, "128x96", "64x64")
    edit(project, "id: wave,", "id: wave, anchor: gate,")
    return project


def told(folder: Path) -> dict:
    return json.loads((folder / "told.json").read_text())


def metrics(path: Path) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in parsed(path.read_text())
        for sample in family.samples
    }


def test_a_night_is_summed_up_as_its_results_say(films, capsys):  # noqa: F811
    write(films, "a.yaml")
    write(films, "b.yaml", seed=2, defect="fail", times=99)
    write(films, "c.yaml").write_text("anix: 1\n")
    asked = ("a.yaml", "b.yaml", "c.yaml", "--json", "--retries", "0")
    assert batch(*asked, "--notify-command", KEEP, "--metrics", "night.prom") == 1
    rows = json.loads(capsys.readouterr().out)["films"]
    found = told(films)
    assert found["films"] == [{**row, "film": row["film"] and str(films / row["film"])} for row in rows]
    assert [row["state"] for row in rows] == ["made", "failed", "invalid"]
    counted = {
        name: found[name] for name in ("exit_code", "made", "failed", "invalid", "up_to_date", "problems")
    }
    assert counted == {
        "exit_code": 1, "made": 1, "failed": 1, "invalid": 1, "up_to_date": 0, "problems": []
    }  # fmt: skip
    assert found["text"].startswith("anix batch: 1 made, 1 failed, 1 invalid in ")
    kept = metrics(films / "night.prom")
    assert kept["anix_run_exit_code",] == 1 and kept["anix_films", "failed"] == 2
    assert kept["anix_film_state", "a.yaml", "made"] == 1 and kept["anix_frames_total", "generate"] == 4
    assert kept["anix_task_failures_total", "E555", "false"] == 1
    assert not list(films.glob("*.scratch*")) and not list(films.glob(".*scratch*"))
    assert batch("a.yaml", "--notify-command", KEEP, "--metrics", "night.prom") == 0
    assert told(films)["films"][0]["state"] == "up to date" and told(films)["up_to_date"] == 1
    assert metrics(films / "night.prom")["anix_films", "reused"] == 1


def test_a_render_is_told_however_it_ends(film, capsys):
    asked = ["render", "film.yaml", "-o", "film.mp4", "--no-report", "--notify-command", KEEP]
    assert run([*asked, "--metrics", "a b.prom"]) == 0
    row = {"screenplay": "film.yaml", "film": str(film / "film.mp4"), "state": "made", "problems": []}
    assert told(film)["films"] == [row] and told(film)["exit_code"] == 0
    assert metrics(film / "a b.prom")["anix_clip_duration_seconds_count",] == 3
    edit(film, "duration: 1}", "durration: 1}")
    assert run(asked) == 3
    assert told(film)["exit_code"] == 3 and told(film)["films"][0]["state"] == "failed"
    assert told(film)["films"][0]["problems"][0]["code"] == "E112"
    (film / "x").mkdir()
    (film / "x" / "film.yaml").write_text("")
    (film / "y" / "x").mkdir(parents=True)
    (film / "y" / "x" / "film.yaml").write_text("")
    assert run(["batch", "x/film.yaml", "y/x/film.yaml", "--out", "o", "--notify-command", KEEP]) == 2
    assert told(film)["exit_code"] == 2 and told(film)["unfinished"] == 2
    assert [one["code"] for one in told(film)["problems"]] == ["E446"]


@pytest.mark.parametrize("command", ["false", "'/no such/program' x", "sh -c 'exec <&-; sleep 60'"])
def test_a_notification_that_fails_or_hangs_changes_nothing(film, capsys, monkeypatch, command):
    monkeypatch.setattr("anix_cli.run.notify.LONGEST_S", 0.5)
    assert run(["render", "film.yaml", "-o", "film.mp4", "--no-report", "--notify-command", command]) == 0
    out, err = capsys.readouterr()
    assert out == "film.mp4\n" and "W413" in err and "Traceback" not in err
    # A program that isn't there is said at the beginning already.
    assert err.count("W413") == (2 if "no such" in command else 1)


@pytest.mark.parametrize("command", ["'", "", '"a'])
def test_what_is_no_command_is_refused_before_work(film, capsys, command):
    assert run(["render", "film.yaml", "-o", "film.mp4", "--notify-command", command]) == 2
    assert "--notify-command" in capsys.readouterr().err and not (film / ".anix").exists()


def test_metrics_that_cannot_be_written_are_found_before_work(film, capsys):
    (film / "file").write_text("")
    assert run(["render", "film.yaml", "-o", "film.mp4", "--metrics", "file/a.prom"]) == 4
    assert "E412" in capsys.readouterr().err and not (film / "film.mp4").exists()


def test_metrics_that_cannot_be_written_any_more_are_a_warning(film, capsys, monkeypatch):
    real, written = listening._write, []

    def once(metrics, place):
        if written:
            raise fail("E411", f"The disk is full: {place} could not be written.")
        written.append(place)
        real(metrics, place)

    monkeypatch.setattr(listening, "_write", once)
    assert run(["render", "film.yaml", "-o", "film.mp4", "--no-report", "--metrics", "m.prom"]) == 0
    err = capsys.readouterr().err
    assert "W414" in err and "m.prom" in err and (film / "film.mp4").exists()


def test_a_stopped_night_is_told_of(films, monkeypatch):  # noqa: F811
    write(films, "a.yaml", defect="hang")
    process = subprocess.Popen(
        [sys.executable, "-m", "anix_cli", "batch", "a.yaml", "--out", "out", "--backend", "faulty",
         "--notify-command", KEEP, "--metrics", "m.prom"],
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    until = time.monotonic() + 60
    while not list((films / "faults").iterdir()) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 75
    assert told(films)["exit_code"] == 75 and told(films)["films"][0]["state"] == "unfinished"
    assert metrics(films / "m.prom")["anix_run_exit_code",] == 75
