"""Two runs at once, runs that are stopped while they join or are preempted, stores that are only read."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anix_cli.cli.main import run
from anix_cli.core.keys import file_digest
from anix_cli.media.inspect import count_frames
from anix_cli.run.signals import Terminated
from anix_cli.store import atomic

from .test_batch import batch, films, write  # noqa: F401
from .test_chain import clips
from .test_full_disk import film, left_over  # noqa: F401
from .test_streams import shell


def started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "anix_cli", *arguments],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def stamps(folder: Path) -> dict[str, int]:
    return {path.parent.name: path.stat().st_mtime_ns for path in folder.glob(".anix/v1/clips/*/*/clip.json")}


def test_two_runs_of_one_film_and_one_of_another_at_once(film):  # noqa: F811
    (film / "other.yaml").write_text((film / "film.yaml").read_text().replace("seed: 7", "seed: 8"))
    for name in ("film", "other"):
        assert run(["render", f"{name}.yaml", "-o", f"alone/{name}.mp4", "--no-report"]) == 0
    alone = {name: file_digest(film / "alone" / f"{name}.mp4") for name in ("film", "other")}
    shutil.rmtree(film / ".anix")
    both = [started(film, "render", f"{name}.yaml", "-o", f"{name}.mp4", "--no-report")
            for name in ("film", "film", "other")]  # fmt: skip
    for process in both:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0 and "Traceback" not in err, err
    assert {name: file_digest(film / f"{name}.mp4") for name in alone} == alone
    assert run(["cache", "verify", "film.yaml"]) == 0 and not left_over(film)


@pytest.mark.parametrize(("stop", "code"), [(Terminated, 75), (KeyboardInterrupt, 130)])
def test_a_join_that_is_stopped_leaves_no_film_and_loses_no_clip(film, capsys, monkeypatch, stop, code):  # noqa: F811
    real = atomic.sync_file

    def stopped(path: Path) -> None:
        if ".film." in path.name:  # written, and not yet there under its name
            raise stop
        real(path)

    with monkeypatch.context() as patch:
        patch.setattr(atomic, "sync_file", stopped)
        assert run(["render", "film.yaml", "-o", "film.mp4", "--no-report"]) == code
    assert "resumes" in capsys.readouterr().err
    assert not (film / "film.mp4").exists() and not (film / "film.mp4.json").exists() and not left_over(film)
    before = stamps(film)
    assert len(before) == 2
    assert run(["render", "film.yaml", "-o", "film.mp4", "--no-report"]) == 0
    assert stamps(film) == before and count_frames(film / "film.mp4") == 8


def test_a_join_that_is_killed_leaves_the_old_film_and_no_rubbish(film):  # noqa: F811
    assert run(["render", "film.yaml", "-o", "film.mp4", "--no-report"]) == 0
    old = file_digest(film / "film.mp4")
    kill = (
        "import os, signal, sys; from anix_cli.store import atomic\n"
        "real, me = atomic.sync_file, os.getpid()\n"
        "atomic.sync_file = lambda p: os.kill(me, signal.SIGKILL) if '.film.' in p.name else real(p)\n"
        "from anix_cli.cli.main import run; run(sys.argv[1:])\n"
    )
    asked = ["render", "film.yaml", "-o", "film.mp4", "--no-report", "--slate"]
    done = subprocess.run([sys.executable, "-c", kill, *asked], cwd=film, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL and file_digest(film / "film.mp4") == old
    assert [path for path in film.iterdir() if ".partial" in path.name]
    before = stamps(film)
    assert run(asked) == 0
    assert stamps(film) == before and file_digest(film / "film.mp4") != old
    assert not [path for path in film.iterdir() if ".partial" in path.name]


def test_a_preempted_night_goes_on_when_it_is_queued_again(films, capsys):  # noqa: F811
    write(films, "a.yaml", defect="hang", takes=3)
    process = started(
        films, "batch", "a.yaml", "--out", "out", "--backend", "faulty", "--jobs", "2", "--no-report"
    )
    until = time.monotonic() + 60
    while len(stamps(films)) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 75 and "resumes" in err
    before = stamps(films)
    assert len(before) == 2  # the first take hung
    assert batch("a.yaml") == 0
    after = stamps(films)
    assert len(after) == 3 and before.items() <= after.items()
    assert capsys.readouterr().out == "made\ta.yaml\tout/a.mp4\n"


def test_two_nights_of_the_same_films_at_once(films):  # noqa: F811
    write(films, "a.yaml", takes=2)
    both = [started(films, "batch", "a.yaml", "--out", "out", "--backend", "faulty") for _ in range(2)]
    for process in both:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0 and out.split("\t")[0] in ("made", "up to date"), err
    assert count_frames(films / "out" / "a.mp4") == 8 and run(["cache", "verify", "a.yaml"]) == 0


def test_a_list_of_films_is_not_read_by_what_is_run(film):  # noqa: F811
    text = (film / "film.yaml").read_text()
    for name in ("a", "b", "c"):
        (film / f"{name}.yaml").write_text(text)
    loop = "printf 'a\\nb\\nc\\n' | while read f; do anix render $f.yaml -o $f.mp4 --no-report -q; done"
    code, out, _ = shell(film, loop)
    assert (code, out) == (0, "a.mp4\nb.mp4\nc.mp4\n")


READ_ONLY = """
set -e
mount --bind .anix .anix; mount -o remount,bind,ro .anix
anix() {{ {python} -m anix_cli "$@"; }}
anix render film.yaml -o again.mp4 --no-report
! anix render film.yaml -o film.mp4 --no-report --set film.seed=9 2>err; cat err
ANIX_CACHE_DIR=elsewhere anix render film.yaml -o film.mp4 --no-report --set film.seed=9
"""


def test_a_store_that_is_only_read(film):  # noqa: F811
    alone = ["unshare", "--user", "--map-root-user", "--mount"]
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], check=False).returncode:
        pytest.skip("no file system can be mounted here")
    assert run(["render", "film.yaml", "-o", "film.mp4", "--no-report"]) == 0
    script = READ_ONLY.format(python=sys.executable)
    done = subprocess.run(
        [*alone, "bash", "-c", script], cwd=film, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "E413" in done.stdout and "ANIX_CACHE_DIR" in done.stdout and "Traceback" not in done.stdout
    assert file_digest(film / "again.mp4") and len(clips(film)) == 2
