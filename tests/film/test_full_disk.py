"""A disk that becomes full: what was not written is named, nothing finished is lost, the next run resumes."""

from __future__ import annotations

import errno
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from anix_cli.cli.main import run
from anix_cli.generate.faulty import FaultyBackend
from anix_cli.media.inspect import count_frames
from anix_cli.store import atomic

from .test_batch import batch, events, films, write  # noqa: F401
from .test_chain import clips, edit


@pytest.fixture
def film(project, monkeypatch):
    """Two takes of four frames each, and a soundless film of 64 x 64."""
    monkeypatch.chdir(project)
    text = (project / "film.yaml").read_text()
    head = text[: text.index("shots:")].replace("128x96", "64x64")
    shots = [
        f"  - {{id: s{n}, command: he waves, anchor: well, cut: {str(n > 0).lower()}, duration: 0.5}}"
        for n in (0, 1)
    ]
    (project / "film.yaml").write_text(
        head + "shots:\n" + "\n".join(shots).replace(", cut: false", "") + "\n"
    )
    return project


def fill_at(monkeypatch, place: str, after: int = 0) -> None:
    """The disk is full as soon as a file of such a name is to be written, but for the first few."""
    real, seen = atomic.sync_file, []

    def sync(path: Path) -> None:
        if place in str(path):
            seen.append(path)
            if len(seen) > after:
                raise OSError(errno.ENOSPC, "No space left on device", str(path))
        real(path)

    monkeypatch.setattr(atomic, "sync_file", sync)


def left_over(folder: Path) -> list[Path]:
    """What a run left of what it could not finish."""
    inside = [path for path in (folder / ".anix" / "v1" / "tmp").glob("*") if path.suffix != ".lock"]
    return inside + [path for path in folder.iterdir() if ".partial" in path.name or ".scratch" in path.name]


@pytest.mark.parametrize(
    ("place", "after", "made"),
    [("guides-", 0, 0), ("clips-", 0, 0), ("clips-", 5, 1), (".film.", 0, 2), ("film.mp4.", 0, 2)],
    ids=["guide", "first clip", "second clip", "film", "manifest"],
)
def test_a_render_names_what_it_could_not_write_and_goes_on_from_there(
    film, capsys, monkeypatch, place, after, made
):
    with monkeypatch.context() as patch:
        fill_at(patch, place, after)
        assert run(["render", "film.yaml", "-o", "film.mp4", "--no-report"]) == 4
    err = capsys.readouterr().err
    assert "E411" in err and "Traceback" not in err
    assert len(clips(film)) == made and not (film / "film.mp4").exists() and not left_over(film)
    stamps = {path: path.stat().st_mtime_ns for path in film.glob(".anix/v1/clips/*/*/clip.json")}
    assert run(["render", "film.yaml", "-o", "film.mp4", "--no-report"]) == 0
    assert count_frames(film / "film.mp4") == 8
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in stamps.items())
    manifest = json.loads((film / "film.mp4.json").read_text())
    assert manifest["output"]["bytes"] == (film / "film.mp4").stat().st_size


def test_an_old_film_survives_a_new_one_that_finds_no_room(film, capsys, monkeypatch):
    assert run(["render", "film.yaml", "-o", "film.mp4", "--no-report"]) == 0
    before = {name: (film / name).read_bytes() for name in ("film.mp4", "film.mp4.json")}
    edit(film, "seed: 7", "seed: 8")
    edit(film, "title: Small", "title: Other")
    with monkeypatch.context() as patch:
        fill_at(patch, ".film.")
        assert run(["render", "film.yaml", "-o", "film.mp4", "--no-report"]) == 4
    assert {name: (film / name).read_bytes() for name in before} == before
    assert run(["render", "film.yaml", "-o", "film.mp4", "--no-report"]) == 0
    assert (film / "film.mp4.json").read_bytes() != before["film.mp4.json"]


def test_a_report_without_room_costs_no_film(film, capsys, monkeypatch):
    with monkeypatch.context() as patch:
        fill_at(patch, ".film.", after=2)
        assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    assert "W412" in capsys.readouterr().err and (film / "film.mp4").exists()
    assert not (film / "film.html").exists() and not left_over(film)
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 0
    assert (film / "film.html").exists() and "up to date" in capsys.readouterr().err


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        RuntimeError("Error while serializing: I/O error: No space left on device (os error 28)"),
    ],
    ids=["system", "safetensors"],
)
def test_a_backend_that_finds_no_room_is_no_broken_backend(films, capsys, monkeypatch, error):  # noqa: F811
    write(films, "a.yaml", defect="fail")

    def no_room(defect: str) -> None:
        raise error

    monkeypatch.setattr(FaultyBackend, "_break", staticmethod(no_room))
    asked = ["render", "a.yaml", "-o", "a.mp4", "--no-report", "--backend", "faulty"]
    assert run(asked) == 4
    err = capsys.readouterr().err
    assert "E411" in err and "E555" not in err and "unfinished" in err
    assert run(asked) == 0


def test_events_on_a_full_disk_end_and_the_film_does_not(film, capsys):
    assert run(["render", "film.yaml", "-o", "film.mp4", "--no-report", "--events", "/dev/full"]) == 0
    assert (film / "film.mp4").exists() and "Traceback" not in capsys.readouterr().err


SMALL = """
set -e
mkdir disk out; mount -t tmpfs -o size=1m none disk; mount -t tmpfs -o size=600k none out
export ANIX_CACHE_DIR=$PWD/disk/store
anix() {{ {python} -m anix_cli "$@"; }}
night="batch a.yaml b.yaml --out out --backend faulty --no-report --jobs 1"
anix $night --events out/e.ndjson >1.out 2>1.err || echo $? >1.code
umount out; mount -o remount,size=200m disk
anix $night >2.out 2>2.err || echo $? >2.code
"""


def test_a_batch_on_a_small_file_system(films):  # noqa: F811
    alone = ["unshare", "--user", "--map-root-user", "--mount"]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*alone, "mount", "-t", "tmpfs", "none", "/mnt"], check=False).returncode
    ):
        pytest.skip("no file system can be mounted here")
    for name, seed in (("a.yaml", 1), ("b.yaml", 2)):
        path = write(films, name, seed=seed)
        path.write_text(path.read_text().replace("64x64", "256x256"))
    script = SMALL.format(python=sys.executable)
    subprocess.run([*alone, "bash", "-c", script], cwd=films, check=True)
    assert (films / "1.code").read_text() == "4\n" and not (films / "2.code").exists()
    said = (films / "1.err").read_text()
    assert "E461 these films need" in said and "Traceback" not in said
    assert [line.split("\t")[0] for line in (films / "2.out").read_text().splitlines()] == ["made", "made"]
