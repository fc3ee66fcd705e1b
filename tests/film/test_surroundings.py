"""Names of any bytes, no home, an ASCII locale, streams that are closed or full: a night takes them all."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shlex
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pytest

from anix_cli.cli.main import run
from anix_cli.media.inspect import count_frames

from .test_full_disk import film  # noqa: F401
from .test_streams import shell

ODD = os.fsdecode(b"An'na 100% [x]\n \xff\"q $(x) `y` {made} %s")


def bare(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Runs anix with hardly any environment; what is compiled is compiled once for all tests."""
    kept = {name: os.environ[name] for name in ("PATH", "NUMBA_CACHE_DIR") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-m", "anix_cli", *arguments],
        cwd=folder, env={**kept, **environment}, capture_output=True, check=False,
        stdin=subprocess.DEVNULL, timeout=120,
    )  # fmt: skip


def test_every_command_takes_any_name(film, capsys, monkeypatch):  # noqa: F811
    odd = film / ODD
    odd.mkdir()
    for file in ("yard.ply", "front.png", "left.png", "right.png", "back.png"):
        (film / file).rename(odd / file)
    name = os.fsdecode(b"-f %d\xfe\n[1]")
    (film / "film.yaml").rename(odd / f"{name}.yaml")
    monkeypatch.chdir(odd)
    summed_up = os.fsdecode(b"to ld\xff")
    keep = "import sys; open(sys.argv[1], 'wb').write(sys.stdin.buffer.read())"
    notify = shlex.join([sys.executable, "-c", keep, summed_up])
    yaml, out = f"./{name}.yaml", os.fsdecode(b"o'u\xff t/-x %d.mp4")
    told = ["--events", f"{name}.ndjson", "--metrics", f"{name}.prom", "--notify-command", notify]
    assert run(["render", yaml, "-o", out, "--candidates", "2", *told]) == 0
    assert count_frames(Path(out)) == 8 and Path(out).with_suffix(".html").exists()
    events = [json.loads(line) for line in Path(f"{name}.ndjson").read_text("ascii").splitlines()]
    assert next(one["path"] for one in events if one["event"] == "film_finished") == out
    summary = json.loads(Path(summed_up).read_bytes())
    assert summary["films"][0]["film"] == str(odd / out) and summary["made"] == 1
    Path(f"{name}.prom").read_text("utf-8")
    assert run(["report", yaml, "-o", f"{name}.html"]) == 0 and Path(f"{name}.html").exists()
    assert run(["pick", yaml, "s0=1"]) == 0 and "pick: 1" in Path(yaml).read_text("utf-8")
    assert run(["plan", yaml, "-o", f"{name}.json"]) == 0
    assert run(["cache", "ls", yaml]) == 0 and run(["cache", "verify", yaml]) == 0
    assert run(["cache", "gc", yaml, "--dry-run"]) == 0
    assert run(["batch", "--out", out + ".d", "--dry-run", "--", f"{name}.yaml"]) == 0
    err = capsys.readouterr().err
    assert "Traceback" not in err and "bug" not in err


@pytest.mark.parametrize("home", [None, "/proc"])  # /proc: nobody can write there, root neither
def test_no_home_is_needed(film, home):  # noqa: F811
    environment = {} if home is None else {"HOME": home, "XDG_CACHE_HOME": f"{home}/cache"}
    done = bare(film, "batch", "film.yaml", "--out", "out", **environment)
    assert (done.returncode, done.stdout) == (0, b"made\tfilm.yaml\tout/film.mp4\n"), done.stderr
    assert b"Traceback" not in done.stderr and not {0x1B, 0x0D} & set(done.stderr)


def test_names_and_titles_in_an_ascii_locale(film):  # noqa: F811
    (film / "yard.ply").rename(film / "plätz.ply")
    text = (
        (film / "film.yaml")
        .read_text()
        .replace("yard.ply", "plätz.ply")
        .replace("title: Small", "title: Café")
    )
    (film / "é ü.yaml").write_text(text, encoding="utf-8")
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = bare(film, "batch", "é ü.yaml", "--out", "ö", "--events", "ß.ndjson", **ascii_only)
    assert done.returncode == 0 and done.stdout.startswith(b"made\t\\xc3\\xa9 \\xc3\\xbc.yaml\t"), done.stderr
    assert {path.name for path in (film / "ö").iterdir()} == {
        "é ü.mp4", "é ü.mp4.json", "é ü.html", "index.html"
    }  # fmt: skip
    asked = (
        "render",
        "é ü.yaml",
        "-o",
        "ö/é ü.mp4",
        "--metrics",
        "µ.prom",
        "--slate",
        "--notify-command",
        "true ñ",
    )
    commands = (
        asked,
        ("report", "é ü.yaml", "-o", "ñ.html"),
        ("pick", "é ü.yaml", "s0=0"),
        ("cache", "ls", "é ü.yaml"),
        ("cache", "verify", "é ü.yaml"),
        ("plan", "é ü.yaml", "-o", "ñ.json"),
    )
    for command in commands:
        done = bare(film, *command, **ascii_only)
        assert done.returncode == 0 and done.stdout.isascii() and b"bug" not in done.stderr, (
            command,
            done.stderr,
        )
    assert (film / "ñ.html").exists() and (film / "µ.prom").exists() and (film / "ñ.json").exists()


@pytest.mark.parametrize(
    ("streams", "code", "out"),
    [
        ("2>/dev/full", 0, "made\tfilm.yaml\tout/film.mp4\n"),
        ("<&- >&- 2>&-", 0, ""),
        (">/dev/full", 4, ""),
        ("--events - | head -1", 0, '{"events": 1'),
    ],
)
def test_a_batch_whose_streams_are_closed_or_full(film, streams, code, out):  # noqa: F811
    found, said, err = shell(film, f"set -o pipefail; anix batch film.yaml --out out --no-report {streams}")
    assert found == code and said.startswith(out) and "Traceback" not in err and "bug" not in err
    assert count_frames(film / "out" / "film.mp4") == 8


def test_a_reader_that_leaves_does_not_make_a_broken_night_whole(film):  # noqa: F811
    (film / "bad.yaml").write_text("anix: 1\n")
    found, _, err = shell(film, "set -o pipefail; anix batch bad.yaml --out out --json | true")
    assert found == 1 and "Traceback" not in err


def test_a_log_of_a_batch_has_no_control_characters(film):  # noqa: F811
    environment = {"FORCE_COLOR": "1", "COLUMNS": "20", "NO_COLOR": "1", "TERM": "xterm-256color"}
    (film / "bad.yaml").write_text("anix: 1\n")
    code, out, err = shell(film, "anix batch bad.yaml --out out", **environment)
    assert code == 1 and not {"\r", "\x1b"} & set(out + err)


def test_a_terminal_without_colour(film):  # noqa: F811
    """On a terminal of 80 columns: bars, no colour, and the result."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    process = subprocess.Popen(
        [sys.executable, "-m", "anix_cli", "batch", "film.yaml", "--out", "out"],
        cwd=film, stdout=slave, stderr=slave, stdin=subprocess.DEVNULL,
        env={**environment, "NO_COLOR": "1", "TERM": "xterm"},
    )  # fmt: skip
    os.close(slave)
    said = b""
    with suppress(OSError):  # a terminal that nobody holds any more
        while piece := os.read(master, 65536):
            said += piece
    os.close(master)
    assert process.wait(60) == 0
    assert b"0/1 films" in said and re.search(rb"made\s+film.yaml\s+out/film.mp4", said)
    assert not re.search(rb"\x1b\[[0-9;]*m", said)
