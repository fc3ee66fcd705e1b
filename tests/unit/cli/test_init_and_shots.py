"""`anix init` and `anix shots` as typed."""

from __future__ import annotations

import csv
import io
import json
import shlex
import subprocess
import sys

import pytest

from anix_cli.samples.template import TEMPLATES


def test_init_tells_what_to_do_next_and_that_works(anix, tmp_path):
    folder = tmp_path / "my films" / "first"
    code, out, err = anix("init", str(folder))
    assert (code, err) == (0, "")
    commands = [shlex.split(line) for line in out.splitlines() if line.startswith("  anix ")]
    assert [command[1] for command in commands] == ["validate", "render"]
    assert commands[1][2:] == [str(folder / "film.yaml"), "-o", str(folder / "film.mp4")]
    code, out, err = anix(*commands[0][1:])
    assert (code, err) == (0, "")
    assert "valid" in out


def test_init_in_json(anix, tmp_path):
    code, out, _ = anix("init", "--template", "turntable", str(tmp_path), "--json")
    told = json.loads(out)
    assert code == 0
    assert (told["template"], told["screenplay"]) == ("turntable", str(tmp_path / "film.yaml"))
    assert told["files"][-1] == told["screenplay"]
    assert len(told["files"]) == 7


def test_the_templates_are_listed(anix):
    code, out, _ = anix("init", "--list")
    assert code == 0
    assert {line.split()[0]: line.split(maxsplit=1)[1] for line in out.splitlines()} == {
        name: template.about for name, template in TEMPLATES.items()
    }
    code, out, _ = anix("init", "--list", "--json")
    assert [record["template"] for record in json.loads(out)] == list(TEMPLATES)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["init"], "name a folder"),
        (["init", "-t", "tlak", "new"], "did you mean talk?"),
        (["init", "taken"], "E438"),
    ],
)
def test_wrong_uses_of_init_write_nothing(anix, tmp_path, monkeypatch, arguments, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "notes.txt").touch()
    code, out, err = anix(*arguments)
    assert (code, out) == (2, "")
    assert told in err
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["notes.txt", "taken"]


def test_shots_as_a_table(anix, project):
    code, out, err = anix("shots", str(project / "film.yaml"))
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert [line.split()[0] for line in lines if line and not line.startswith("--")][1:-1] == [
        "run", "wave", "orbit", "end",
    ]  # fmt: skip
    assert [line[:9] for line in lines if line.startswith("--")] == ["-- take 1", "-- take 2"]
    assert lines[-1] == "Small: 4 shots in 2 takes, 36 frames = 4.50 s at 8 fps"


def test_shots_for_programs_agree(anix, project):
    film = str(project / "film.yaml")
    data = json.loads(anix("shots", film, "--json")[1])
    assert data == json.loads(anix("shots", film, "--format", "json")[1])
    rows = list(csv.DictReader(io.StringIO(anix("shots", film, "--format", "csv")[1])))
    assert [{key: str(value) for key, value in record.items()} for record in data] == rows
    assert anix("shots", film, "--format", "markdown")[1].count("\n") == len(data) + 2
    assert [record["start_frame"] for record in data] == [0, 12, 20, 28]


def test_shots_at_the_backends_rate(anix, project):
    film = project / "film.yaml"
    film.write_text(film.read_text(encoding="utf-8").replace("fps: 8, ", ""), encoding="utf-8")
    assert json.loads(anix("shots", str(film), "--json")[1])[0]["frames"] == 24
    assert json.loads(anix("shots", str(film), "--json", "--set", "film.fps=10")[1])[0]["frames"] == 15


def test_shots_that_are_not_understood(anix, project):
    film = project / "film.yaml"
    film.write_text(film.read_text(encoding="utf-8").replace("he stops and waves", "he glorps"), "utf-8")
    code, out, err = anix("shots", str(film), "--json")
    assert (code, out) == (3, "")
    assert "E201" in err


def test_warnings_of_shots_go_to_standard_error(anix, project):
    film = project / "film.yaml"
    film.write_text(film.read_text(encoding="utf-8").replace("he stops and waves", "he turns"), "utf-8")
    code, out, err = anix("shots", str(film), "--json")
    assert (code, len(json.loads(out))) == (0, 4)
    assert "W205" in err
    assert anix("shots", str(film), "--strict")[:2] == (3, "")


@pytest.mark.parametrize(
    "more", [["--json", "--format", "csv"], ["--format", "pdf"], ["--backend", "anmatic"]]
)
def test_wrong_uses_of_shots(anix, project, more):
    code, out, err = anix("shots", str(project / "film.yaml"), *more)
    assert (code, out) == (2, "")
    assert err


@pytest.mark.parametrize("arguments", [["shots", "film.yaml"], ["init", "new"]])
def test_both_start_fast_because_they_load_nothing_heavy(project, arguments):
    probe = (
        "import sys; from anix_cli.cli.main import run; code = run(sys.argv[1:]);"
        "heavy = {'numpy', 'numba', 'scipy', 'PIL', 'jsonschema'} & set(sys.modules);"
        "sys.exit(code or ' '.join(heavy) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe, *arguments], cwd=project, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
