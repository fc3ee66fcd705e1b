"""One clear message, the right exit code, and nothing that was finished is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image

from anix_cli.cli.main import run

from .test_chain import clips, edit


@pytest.fixture
def film(project, monkeypatch):
    monkeypatch.chdir(project)
    return project


def message(capsys) -> str:
    err = capsys.readouterr().err
    assert "Traceback" not in err
    return err


@pytest.mark.parametrize("command", [["validate"], ["plan"], ["render", "-o", "film.mp4"]])
def test_wrong_key(film, capsys, command):
    edit(film, "duration: 1.5", "durration: 1.5")
    assert run([command[0], "film.yaml", *command[1:]]) == 3
    err = message(capsys)
    assert "film.yaml:16:" in err and "durration" in err and "duration" in err and "^" in err


@pytest.mark.parametrize("command", [["validate"], ["render", "-o", "film.mp4"]])
def test_missing_scene_file(film, capsys, command):
    (film / "yard.ply").unlink()
    assert run([command[0], "film.yaml", *command[1:]]) == 3
    err = message(capsys)
    assert "film.yaml:5:" in err and str(film / "yard.ply") in err


@pytest.mark.parametrize("command", [["validate"], ["render", "-o", "film.mp4"]])
def test_truncated_scene(film, capsys, command):
    whole = (film / "yard.ply").read_bytes()
    (film / "yard.ply").write_bytes(whole[:-100])
    assert run([command[0], "film.yaml", *command[1:]]) == 3
    err = message(capsys)
    assert "film.yaml:5:" in err and "truncated" in err and "E306" in err


def test_missing_screenplay(film, capsys):
    assert run(["render", "nothing.yaml"]) == 2
    assert "nothing.yaml" in message(capsys)


def test_unwritable_output_is_found_before_work(film, capsys):
    (film / "file").write_text("")
    assert run(["render", "film.yaml", "-o", "file/film.mp4"]) == 4
    assert "file" in message(capsys)
    assert clips(film) == {}


def test_an_output_of_somebody_else_is_never_replaced(film, capsys):
    (film / "film.mp4").write_bytes(b"holiday")
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 2
    assert "--overwrite" in message(capsys)
    assert (film / "film.mp4").read_bytes() == b"holiday"
    assert clips(film) == {}
    assert run(["render", "film.yaml", "-o", "film.mp4", "--overwrite"]) == 0
    assert (film / "film.mp4").stat().st_size > 1000


@pytest.mark.parametrize("where", ["option", "environment"])
def test_missing_ffmpeg_is_found_before_work(film, capsys, monkeypatch, where):
    arguments = ["render", "film.yaml", "-o", "film.mp4"]
    if where == "option":
        arguments += ["--ffmpeg", str(film / "no-ffmpeg")]
    else:
        monkeypatch.setenv("ANIX_FFMPEG", str(film / "no-ffmpeg"))
    assert run(arguments) == 4
    assert "no-ffmpeg" in message(capsys)
    assert clips(film) == {}


def test_unwritable_store(film, capsys, monkeypatch):
    (film / "file").write_text("")
    monkeypatch.setenv("ANIX_CACHE_DIR", str(film / "file" / "cache"))
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 4
    assert "ANIX_CACHE_DIR" in message(capsys)


def test_a_changed_scene_or_character_is_noticed_after_planning(film, capsys):
    assert run(["plan", "film.yaml", "-o", "plan.json"]) == 0
    whole = (film / "yard.ply").read_bytes()
    (film / "yard.ply").write_bytes(whole[:-4] + b"\0\0\0\x3e")
    assert run(["guide", "plan.json"]) == 2
    err = message(capsys)
    assert "E451" in err and "anix plan" in err
    (film / "yard.ply").write_bytes(whole)
    assert run(["guide", "plan.json"]) == 0
    (film / "front.png").write_bytes((film / "back.png").read_bytes())
    assert run(["generate", "plan.json"]) == 2
    err = message(capsys)
    assert "E452" in err and "anix plan" in err


def test_too_little_disk_is_found_before_work(film, capsys, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=100_000))
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 4
    err = message(capsys)
    assert "E461" in err and "ANIX_CACHE_DIR" in err
    assert clips(film) == {}


def test_equal_views_are_warned_about_where_they_are_named(film, capsys):
    (film / "back.png").write_bytes((film / "front.png").read_bytes())
    assert run(["plan", "film.yaml"]) == 0
    err = message(capsys)
    assert "W341" in err and "film.yaml:8:" in err


def test_usage(film, capsys):
    assert run(["rendr", "film.yaml"]) == 2
    assert run(["render", "film.yaml", "--colour"]) == 2
    assert run(["render"]) == 2
    assert run(["render", "film.yaml", "-o", "film.txt"]) == 2
    assert run(["render", "film.yaml", "--backend", "wan-vase"]) == 2


def test_an_animated_view_is_told(film, capsys):
    still = Image.open(film / "front.png")
    still.save(film / "front.png", save_all=True, append_images=[still.rotate(5)])
    assert run(["plan", "film.yaml"]) == 0
    err = message(capsys)
    assert "first" in err and "film.yaml:8:" in err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 75), (signal.SIGINT, 130), (signal.SIGKILL, -9)]
)
def test_a_stopped_run_resumes_from_the_last_finished_clip(film, number, code):
    edit(film, "size: 128x96", "size: 640x480")
    child = subprocess.Popen(
        [sys.executable, "-m", "anix_cli", "render", "film.yaml", "-o", "film.mp4"],
        cwd=film, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env={**os.environ, "CI": "1"},
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not clips(film) and time.monotonic() < deadline and child.poll() is None:
        time.sleep(0.02)
    child.send_signal(number)
    said = child.communicate(timeout=60)[1].decode()
    assert child.returncode == code
    assert ("the same command resumes" in said) == (number != signal.SIGKILL)
    assert "Traceback" not in said
    finished = clips(film)
    assert finished, "the signal came before the first clip was done"
    assert not (film / "film.mp4").exists()
    stamps = {p: p.stat().st_mtime_ns for p in Path(film / ".anix/v1/clips").rglob("clip.json")}
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in stamps.items())
    left = list((film / ".anix/v1/tmp").glob("*"))
    assert not [path for path in left if path.is_dir()], "temporary folders of the dead run remain"
    # A stop between a folder's end and its lock's leaves an empty lock file, which a later run sweeps.
    assert all(path.suffix == ".lock" and path.stat().st_size == 0 for path in left)
