"""Reports of real films: what they tell is what store and manifest hold, and nothing is written in vain."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from anix_cli.cli.main import run
from anix_cli.core.errors import AnixError
from anix_cli.core.filmreport import ReportedFilm
from anix_cli.run.filmreport import Asked, film_beside, gather
from anix_cli.run.layout import store_root
from anix_cli.run.prepare import prepare
from anix_cli.run.reportfile import check_report_output, stamp_of
from anix_cli.run.reportindex import index_of
from anix_cli.run.sheets import Sizes, frames_shown, sizes_for
from anix_cli.scene import write_ply
from anix_cli.screenplay import load
from anix_cli.store.store import Store
from tests.conftest import SCREENPLAY, draw_views, yard

FILM = SCREENPLAY.replace("128x96", "96x64").replace("duration: 1.5}", "duration: 1}")


@pytest.fixture(scope="module")
def rendered(tmp_path_factory) -> Path:
    """A film and its report; nothing changes it."""
    folder = tmp_path_factory.mktemp("rendered")
    write_ply(folder / "yard.ply", yard())
    draw_views(folder)
    (folder / "film.yaml").write_text(FILM, encoding="utf-8")
    code, _ = anix(folder, "render", "film.yaml", "-o", "film.mp4", "-q")
    assert code == 0
    return folder


@pytest.fixture
def film(rendered, tmp_path) -> Path:
    """A copy of it to change."""
    return Path(shutil.copytree(rendered, tmp_path / "film"))


def anix(folder: Path, *arguments: str) -> tuple[int, None]:
    before, cache = Path.cwd(), os.environ.pop("ANIX_CACHE_DIR", None)
    os.chdir(folder)
    try:
        return run(list(arguments)), None
    finally:
        os.chdir(before)
        if cache is not None:
            os.environ["ANIX_CACHE_DIR"] = cache


def facts(folder: Path, **details) -> ReportedFilm:
    screenplay = load(folder / "film.yaml")
    store = Store(store_root(screenplay.path))
    plan = prepare(screenplay, backend="animatic", store=store).plan
    film = folder / "film.mp4"
    return gather(screenplay, plan, store, report=folder / "film.html", film=film, **details).film


def pictures(page: Path) -> list[bytes]:
    found = re.findall(r'src="data:image/webp;base64,([^"]+)"', page.read_text("utf-8"))
    return [base64.b64decode(one) for one in found]


def test_figures_equal_the_manifests(rendered):
    told, manifest = facts(rendered), json.loads((rendered / "film.mp4.json").read_text())
    assert (told.frames, told.seed, told.backend) == (
        manifest["frames"],
        manifest["seed"],
        manifest["backend"],
    )
    assert (told.film.sha256, told.film.size_bytes) == (
        manifest["output"]["sha256"],
        manifest["output"]["bytes"],
    )
    assert told.film.state == "current"
    for shot, written in zip(told.shots, manifest["shots"], strict=True):
        assert (shot.id, shot.start, shot.frames) == (written["id"], written["start"], written["frames"])
        for clip, kept in zip(shot.clips, written["clips"], strict=True):
            ours = (clip.seed, clip.recipe_key, clip.key, clip.seconds, clip.frames)
            assert ours == tuple(kept[name] for name in ("seed", "recipe_key", "key", "seconds", "frames"))
            assert (clip.state, clip.because) == ("made", "for the first time")
    assert [beat.told for beat in told.shots[0].beats] == ["run forward"]
    assert told.shots[0].beats[0].words == "runs forward"


def test_a_render_writes_a_report_with_all_pictures(rendered):
    page = rendered / "film.html"
    assert stamp_of(page) == "film"
    assert len(pictures(page)) == 4 * 4 * 2
    assert page.stat().st_size < 300_000
    assert str(rendered) not in page.read_text("utf-8")


def test_pictures_are_those_frames(rendered):
    from PIL import Image

    from anix_cli.media.video import read_frames

    told = facts(rendered)
    store = Store(rendered / ".anix")
    entry = store.get("clips", told.shots[0].clips[0].key)
    frames = read_frames(entry.file("frames.mkv"))
    for number, frame in enumerate(frames_shown(8, 4)):
        path = rendered / f"{number}.webp"
        path.write_bytes(pictures(rendered / "film.html")[2 * number + 1])
        with Image.open(path) as image:
            shown = np.asarray(image.convert("RGB"), dtype=float)
        path.unlink()
        off = [np.abs(shown - one).mean() for one in frames]
        assert off[frame] < 6
        assert off[frame] <= min(off) + 0.2


def test_a_film_that_is_up_to_date_keeps_its_report(rendered):
    page = rendered / "film.html"
    before = page.stat().st_mtime_ns, page.read_bytes()
    assert anix(rendered, "render", "film.yaml", "-o", "film.mp4", "-q")[0] == 0
    assert anix(rendered, "report", "film.yaml")[0] == 0
    assert (page.stat().st_mtime_ns, page.read_bytes()) == before


def test_the_same_film_has_the_same_report_wherever_it_lies(film, rendered):
    page = film / "film.html"
    before = page.read_bytes()
    page.unlink()
    (film / ".anix" / "v1" / "sheets").rename(film / "gone")
    assert anix(film, "report", "film.yaml")[0] == 0
    assert page.read_bytes() == before, "what was made and why moves with the project"
    assert [len(one) for one in pictures(page)] == [len(one) for one in pictures(rendered / "film.html")]
    assert b"for the first time" in before


def test_an_edit_tells_what_was_made_and_why(film):
    assert anix(film, "render", "film.yaml", "-o", "film.mp4", "-q", "--no-report")[0] == 0
    text = FILM.replace("cut: true, anchor: well, duration: 1", "cut: true, anchor: well, duration: 1.25")
    (film / "film.yaml").write_text(text, encoding="utf-8")
    stale = facts(film)
    assert [clip.state for clip in stale.clips] == ["made", "made", "made", "missing"]
    assert stale.film.state == "older"
    assert anix(film, "render", "film.yaml", "-o", "film.mp4", "-q")[0] == 0
    told = facts(film)
    assert [clip.state for clip in told.clips] == ["kept", "kept", "kept", "made"]
    assert told.film.state == "current"


def test_a_plan_that_was_not_rendered_has_a_report(project):
    assert anix(project, "report", "film.yaml", "-o", "early.html")[0] == 0
    text = (project / "early.html").read_text("utf-8")
    assert pictures(project / "early.html") == []
    assert text.count("no guide yet") == 4 * 4
    assert "there is no film of this screenplay here yet" in text
    assert "4 missing" in text
    assert text.count("data:image/svg+xml") == 2


def test_a_missing_clip_is_told_and_the_rest_shown(film):
    key = facts(film).shots[3].clips[0].key
    shutil.rmtree(Store(film / ".anix").location("clips", key))
    assert anix(film, "report", "film.yaml")[0] == 0
    text = (film / "film.html").read_text("utf-8")
    assert text.count("no result yet") == 4
    assert len(pictures(film / "film.html")) == 4 * 4 * 2 - 4
    assert "out of date" in text


def test_a_damaged_clip_costs_its_pictures_only(film):
    key = facts(film).shots[1].clips[0].key
    file = Store(film / ".anix").location("clips", key) / "frames.mkv"
    file.write_bytes(bytes(file.stat().st_size))
    shutil.rmtree(film / ".anix" / "v1" / "sheets")
    (film / "film.html").unlink()
    assert anix(film, "report", "film.yaml")[0] == 0
    assert len(pictures(film / "film.html")) == 4 * 4 * 2 - 4


def test_a_render_that_fails_reports_what_there_is(film, monkeypatch, capsys):
    from anix_cli.core.errors import fail
    from anix_cli.generate.animatic import AnimaticBackend

    def broken(*_):
        raise fail("E555", "the backend broke down")

    monkeypatch.setattr(AnimaticBackend, "generate", broken)
    text = FILM.replace("cut: true, anchor: well, duration: 1", "cut: true, anchor: well, duration: 1.25")
    (film / "film.yaml").write_text(text, encoding="utf-8")
    assert anix(film, "render", "film.yaml", "-o", "film.mp4", "-q")[0] != 0
    assert "E555" in capsys.readouterr().err
    page = (film / "film.html").read_text("utf-8")
    assert "The film was not finished" in page
    assert "E555" in page
    assert "3 kept, 1 missing" in page
    monkeypatch.undo()
    assert anix(film, "render", "film.yaml", "-o", "film.mp4", "-q")[0] == 0
    assert "E555" not in (film / "film.html").read_text("utf-8")


def test_a_render_does_not_fail_over_its_report(film, capsys):
    (film / "film.html").write_text("mine", encoding="utf-8")
    assert anix(film, "render", "film.yaml", "-o", "film.mp4", "-q")[0] == 0
    said = capsys.readouterr().err
    assert "W412" in said
    assert "is no report of anix" in said
    assert (film / "film.html").read_text("utf-8") == "mine"


def test_warnings_lie_with_their_shot(project):
    text = SCREENPLAY.replace("command: he stops and waves", "command: he stops and waves beautifully")
    (project / "film.yaml").write_text(text, encoding="utf-8")
    told = facts(project)
    codes = [[note.code for note in shot.notes] for shot in told.shots]
    assert [sorted(one) for one in codes] == [[], ["W201", "W203"], [], []]
    assert {note.file for note in told.shots[1].notes} == {Path("film.yaml")}
    assert not any(one.span and one.span.line > 12 for one in told.notes)


def test_commands_make_just_that(film):
    told = facts(film, asked=Asked(("film.quality=draft",), slate=True))
    assert told.render == "anix render film.yaml -o film.mp4 --slate --set film.quality=draft"
    assert told.shots[3].again == f"{told.render} --set shots.end.seed=8"
    assert anix(film, *told.shots[3].again.split()[1:], "-q")[0] == 0
    states = re.findall(
        r'<td>clip 0</td><td><span class="state (\w+)', (film / "film.html").read_text("utf-8")
    )
    assert states == ["kept", "kept", "kept", "made"]


def test_places_of_reports(film):
    for name, kind in (
        ("film.mp4", "film"),
        ("yard.ply", "film"),
        ("film.html", "index"),
        ("film.yaml", "index"),
    ):
        with pytest.raises(AnixError) as failed:
            check_report_output(film / name, kind, overwrite=False)
        assert [found.code for found in failed.value.diagnostics] == ["E440"]
    check_report_output(film / "film.html", "film", overwrite=False)
    check_report_output(film / "film.html", "index", overwrite=True)
    assert film_beside(film / "film.html", "h264") == film / "film.mp4"
    shutil.copy(film / "film.mp4.json", film / "other.mkv.json")
    assert film_beside(film / "other.html", "h264") == film / "other.mkv"
    assert film_beside(film / "new.html", "prores") == film / "new.mov"


def test_an_index_of_a_folder(film):
    below = film / "more"
    below.mkdir()
    for name in ("film.mp4", "film.mp4.json"):
        shutil.copy(film / name, below / f"gone{name.removeprefix('film')}")
        shutil.copy(film / name, below / f"longer{name.removeprefix('film')}")
        shutil.copy(film / name, below / f"bad{name.removeprefix('film')}")
    (below / "gone.mp4").unlink()
    with (below / "longer.mp4").open("ab") as stream:
        stream.write(b"more")
    (below / "bad.mp4.json").write_text('{"manifest": 1, "title"', encoding="utf-8")
    (below / "foreign.mp4.json").write_text('{"frames": 3}', encoding="utf-8")
    found = index_of(film).films
    states = {one.name: one.state for one in found}
    assert states == {
        "film.mp4": "current", "more/bad.mp4": "damaged", "more/gone.mp4": "missing",
        "more/longer.mp4": "changed",
    }  # fmt: skip
    first = found[0]
    assert (first.frames, first.shots, first.clips, first.report) == (32, 4, 4, "film.html")
    assert first.thumbnail is not None
    assert anix(film, "report", ".")[0] == 0
    assert stamp_of(film / "index.html") == "index"
    before = (film / "index.html").stat().st_mtime_ns
    assert anix(film, "report", str(film))[0] == 0
    assert (film / "index.html").stat().st_mtime_ns == before
    assert len(pictures(film / "index.html")) == 2


def test_a_folder_without_films(tmp_path):
    with pytest.raises(AnixError) as failed:
        index_of(tmp_path)
    assert [found.code for found in failed.value.diagnostics] == ["E441"]


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5, 48, 240])
@pytest.mark.parametrize("stills", [1, 2, 3, 4])
def test_frames_shown_go_from_first_to_last(frames, stills):
    found = frames_shown(frames, stills)
    assert len(found) == min(frames, stills) == len(set(found))
    assert all(0 <= frame < frames for frame in found)
    if stills > 1:
        assert {found[0], found[-1]} == {0, frames - 1}


def test_long_films_show_less_of_each_shot():
    assert sizes_for(4) == Sizes(4, 416)
    shown = [sizes_for(count) for count in (40, 160, 600, 2000)]
    pixels = [one.stills * one.width_px**2 for one in shown]
    assert pixels == sorted(pixels, reverse=True)
