"""Standard streams that are closed, full or ASCII end nothing and show no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest


def shell(film, command: str, **environment: str) -> tuple[int, str, str]:
    """Runs a shell line in which "anix" is this package."""
    anix = f"{sys.executable} -m anix_cli"
    done = subprocess.run(
        ["bash", "-c", command.replace("anix", anix)],
        cwd=film, capture_output=True, env={**os.environ, **environment}, check=False, timeout=120,
    )  # fmt: skip
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("anix validate film.yaml >&-", 0),
        ("anix plan film.yaml --json >&-", 0),
        ("anix validate film.yaml 2>&-", 0),
        ("anix validate - <&-", 3),
        ("anix validate film.yaml >/dev/full", 4),
        ("anix plan film.yaml --json >/dev/full", 4),
        ("anix plan film.yaml 2>/dev/full", 0),
        ("anix --help >/dev/full", 4),
        ("anix validate --help >/dev/full", 4),
    ],
)
def test_closed_and_full_streams(project, command, code):
    found, _, err = shell(project, command)
    assert found == code, err
    assert "Traceback" not in err and "bug" not in err
    assert ("E414" in err) == (code == 4)


def test_a_reader_that_leaves_is_no_failure(project):
    code, out, err = shell(
        project, "set -o pipefail; PYTHONUNBUFFERED=1 anix plan --json film.yaml | head -1"
    )
    assert (code, out) == (0, "{\n")
    assert "Traceback" not in err and "Exception ignored" not in err


def test_a_render_goes_on_without_anyone_to_read_it(project):
    shell(project, "anix render film.yaml -o film.mp4 2>&1 | true")
    deadline = time.monotonic() + 60
    while not (project / "film.mp4").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert (project / "film.mp4").exists()


def test_ascii_terminals_and_foreign_letters(project):
    (project / "film.yaml").rename(project / "café.yaml")
    text = (project / "café.yaml").read_text().replace("title: Small", "title: Café 👋")
    (project / "café.yaml").write_text(text)
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    code, out, err = shell(project, "anix validate café.yaml", **ascii_only)
    assert code == 0 and "valid" in out, err
    code, out, err = shell(project, "anix plan café.yaml -o - | anix guide -", PYTHONIOENCODING="latin-1")
    assert code == 0 and "run" in out, err


def test_no_control_characters_without_a_terminal(project):
    code, out, err = shell(project, "anix render film.yaml -o film.mp4", FORCE_COLOR="1", COLUMNS="20")
    assert code == 0
    assert not {"\r", "\x1b"} & set(out + err)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 75), (signal.SIGINT, 130)])
def test_a_signal_at_any_moment_of_the_start_is_clean(project, number, code):
    for delay_s in (0.2, 0.4, 0.7):
        child = subprocess.Popen(
            [sys.executable, "-m", "anix_cli", "render", "film.yaml", "-o", "film.mp4"],
            cwd=project, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(delay_s)
        child.send_signal(number)
        said = child.communicate(timeout=60)[1].decode()
        assert child.returncode in (code, -number), said  # -number: before Python had begun
        assert "Traceback" not in said


@pytest.mark.parametrize("form", ["github", "json", "sarif"])
def test_a_reader_that_leaves_does_not_make_a_screenplay_valid(project, form):
    (project / "bad.yaml").write_text("anix: 2\n", "utf-8")
    command = f"set -o pipefail; anix validate --format {form} bad.yaml | true"
    code, _, err = shell(project, command, PYTHONUNBUFFERED="1")
    assert code == 3, err
    assert "Traceback" not in err


def test_fmt_goes_on_when_its_reader_leaves(project):
    names = [f"{number}.yaml" for number in range(4)]
    for name in names:
        (project / name).write_text("title: x\nanix: 1\n", "utf-8")
    code, _, err = shell(project, f"set -o pipefail; anix fmt {' '.join(names)} | true", PYTHONUNBUFFERED="1")
    assert code == 0, err
    assert {(project / name).read_text("utf-8") for name in names} == {"anix: 1\ntitle: x\n"}
