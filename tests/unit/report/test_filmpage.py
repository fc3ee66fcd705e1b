"""The report of a film as HTML: whole, self-contained, and deaf to what is written in it."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from anix_cli.core.errors import Diagnostic, Span
from anix_cli.core.filmreport import (
    FilmFile,
    FilmIndex,
    IndexedFilm,
    ReportedClip,
    ReportedFilm,
    ReportedShot,
    ReportedTake,
    Still,
    ToldBeat,
)
from anix_cli.media.stills import webp
from anix_cli.report.filmpage import draw_film, measured, state_of
from anix_cli.report.indexpage import draw_index
from anix_cli.report.page import link, seconds
from tests.planned_film import a_plan

KEY = "ab" * 32
STAMP = f"film {KEY}"
VOID = {"meta", "img", "br", "link", "input", "hr"}
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e\"'&\x00\x07 <img src=x onerror=alert(2)>"


class Read(HTMLParser):
    """Elements with their attributes, text, and whether they close as they open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert len(attrs) == len(dict(attrs)), f"an attribute twice in {tag}"
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.words.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def a_still(frame: int, **pictures: bytes | None) -> Still:
    picture = webp(np.full((24, 32, 3), 40 * frame % 256, np.uint8))
    return Still(frame, f"00:00:00:0{frame}", (32, 24), **{"guide": picture, "result": picture, **pictures})


def a_shot(name: str, *, start: int = 0, **changes) -> ReportedShot:
    clip = ReportedClip(0, 0, 5, 77, KEY, "a prompt", "made", "changed: cameras", KEY, 12.25)
    return replace(
        ReportedShot(
            id=name, command="she waves", understood="wave",
            beats=(ToldBeat("gesture", "wave", "waves", 0.0, 0.25),), characters=("mira",),
            camera="follow", view="54°x33°", start=start, frames=5, start_timecode="00:00:00:00",
            end_timecode="00:00:00:05", duration_s=0.3125, start_s=0.0, begins="", caption="",
            has_sound=False,
            guide_key=KEY, guide_state="kept", guide_because="", clips=(clip,), notes=(),
            again="anix render film.yaml -o film.mp4 --set shots.s0.seed=8", stills=(a_still(0), a_still(4)),
        ),
        **changes,
    )  # fmt: skip


def a_film(*shots: ReportedShot, **changes) -> ReportedFilm:
    film = ReportedFilm(
        title="The courier", screenplay="film.yaml", size_px=(64, 48), fps="16", frames=9, duration_s=0.5625,
        seed=7, backend="animatic", draft=True, takes=(ReportedTake(1, shots),),
        film=FilmFile("film.mp4", "current", 1234567, KEY, False, {"anix": "0.1"}), problems=(), notes=(),
        render="anix render film.yaml -o film.mp4",
    )  # fmt: skip
    return replace(film, **changes)


def drawn(film: ReportedFilm, folder: Path) -> str:
    return draw_film(film, a_plan(folder), {"gate <b>": (1.0, 2.0)}, None, STAMP)


@pytest.fixture
def page(tmp_path):
    return drawn(a_film(a_shot("s0"), a_shot("s1", start=5)), tmp_path)


def test_it_parses_and_is_semantic(page):
    read = Read(page)
    assert read.all("html") == [{"lang": "en"}]
    assert [len(read.all(tag)) for tag in ("main", "nav", "h1", "article")] == [1, 1, 1, 2]
    ids = [attributes["id"] for _, attributes in read.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    local = {a["href"].removeprefix("#") for a in read.all("a") if a["href"].startswith("#")}
    named = {a["aria-labelledby"] for _, a in read.found if "aria-labelledby" in a}
    assert local | named <= set(ids)
    assert len(local) == 2


def test_all_pictures_decode_and_have_words(page):
    pictures = [one for one in Read(page).all("img") if one.get("id") != "large-picture"]
    assert len(pictures) == 2 * 2 * 2 + 1
    for picture in pictures:
        kind, _, data = picture["src"].partition(";base64,")
        content = base64.b64decode(data, validate=True)
        if kind == "data:image/svg+xml":
            assert ET.fromstring(content).tag.endswith("svg")  # noqa: S314
        else:
            assert kind == "data:image/webp"
            with Image.open(io.BytesIO(content)) as image:
                assert image.size == (int(picture["width"]), int(picture["height"])) == (32, 24)
        assert len(picture["alt"]) > 10
    assert len({one["alt"] for one in pictures}) == len(pictures)


def test_it_needs_nothing_from_anywhere(page):
    read = Read(page)
    sources = [value for _, found in read.found for name, value in found.items() if name in ("src", "href")]
    assert all(one.startswith(("data:image/", "#", "./")) for one in sources)
    without = re.sub(r"data:image/svg\+xml;base64,[^\"]+", "", page)
    assert not re.search(r"(?i)https?:|//[a-z]|@import|url\(", without)
    assert {tag for tag, _ in read.found}.isdisjoint({"iframe", "object", "embed", "form", "link"} - {"form"})


def test_the_policy_allows_the_own_style_and_script_alone(page):
    read = Read(page)
    policy = next(m["content"] for m in read.all("meta") if "Content-Security-Policy" in m.values())
    for tag in ("style", "script"):
        inside = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert len(inside) == 1
        digest = base64.b64encode(hashlib.sha256(inside[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert not any(name.startswith("on") or name == "style" for _, found in read.found for name in found)


def test_what_others_wrote_is_shown_and_does_nothing(tmp_path):
    note = Diagnostic("W230", HOSTILE, Path(HOSTILE.replace("/", "_")), Span(3, 7), HOSTILE, hint=HOSTILE)
    clip = ReportedClip(
        0, 0, 5, 77, KEY, HOSTILE, "missing", HOSTILE, notes={HOSTILE: HOSTILE, "drift": HOSTILE}
    )
    shot = a_shot(
        HOSTILE, command=HOSTILE, understood=HOSTILE, beats=(ToldBeat(HOSTILE, HOSTILE, HOSTILE, 0, 1),),
        characters=(HOSTILE,), camera=HOSTILE, caption=HOSTILE, guide_because=HOSTILE, clips=(clip,),
        notes=(note,), again=HOSTILE,
    )  # fmt: skip
    film = a_film(
        shot, title=HOSTILE, screenplay=HOSTILE, backend=HOSTILE, notes=(note,), problems=(note,),
        render=HOSTILE, film=FilmFile(HOSTILE, "current", 5, HOSTILE, True, {HOSTILE: HOSTILE}),
    )  # fmt: skip
    text = drawn(film, tmp_path)
    read, tame = Read(text), Read(drawn(a_film(a_shot("s0")), tmp_path))
    assert len(read.all("script")) == 1
    assert len(read.all("img")) == len(tame.all("img"))
    assert {tag for tag, _ in read.found} <= {tag for tag, _ in tame.found} | {"li", "strong", "br"}
    assert {name for _, found in read.found for name in found} <= {
        name for _, found in tame.found for name in found
    }
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert read.text.count("<script>alert(1)</script>\\x1b[31m\\u202e\"'&\\x00\\x07") > 15


def test_figures_are_those_of_the_facts(page):
    text = Read(page).text
    for told in ("9 frames", "64×48 at 16 fps", "1.23 MB", "12.2 s", "24.5 s", "77", "changed: cameras",
                 "she waves",
                 "54°x33°", "2 made, 0 kept, 0 missing", "a draft, drawn and not generated",
                 "anix render film.yaml -o film.mp4 --set shots.s0.seed=8"):  # fmt: skip
        assert told in text, told


def test_the_same_facts_give_the_same_bytes(tmp_path):
    film = a_film(a_shot("s0"), a_shot("s1"))
    assert drawn(film, tmp_path) == drawn(film, tmp_path)
    assert f'<meta name="anix-report" content="{STAMP}">' in drawn(film, tmp_path)[:4096]


def test_what_is_missing_is_told(tmp_path):
    clip = ReportedClip(0, 0, 5, 77, KEY, "", "missing", "not made yet")
    shot = a_shot(
        "s0", clips=(clip,), guide_state="missing", stills=(a_still(0, result=None), a_still(1, guide=None))
    )
    problem = Diagnostic("E555", "shot s0, clip 0: the backend animatic failed", hint="run it again")
    film = a_film(shot, film=FilmFile("film.mp4", "missing"), problems=(problem,), render="")
    read = Read(drawn(film, tmp_path))
    for told in ("no result yet", "no guide yet", "The film was not finished", "E555", "run it again",
                 "there is no film of this screenplay here yet", "not made yet"):  # fmt: skip
        assert told in read.text, told
    assert not [a for a in read.all("a") if a["href"].startswith("./")]
    assert state_of(shot) == "missing"


def test_drift_and_seams_are_tabled():
    notes = {
        "drift": {"first": 0.5, "last": 2.25, "worst": 3},
        "seam": {"levels": 1.5, "usual": 1.25, "repeats": True},
    }
    first = ReportedClip(0, 0, 5, 1, KEY, "", "made", "", KEY, 1.0, {"drift": {"first": 1.0}, "seam": 5})
    plain = ReportedClip(1, 5, 5, 1, KEY, "", "made", "", KEY, 1.0)
    shot = a_shot("s0", clips=(first, plain, replace(plain, index=2, notes=notes)))
    assert measured(shot) == [
        ["0", "1.00", "–", "–", "–", "–", "–"],
        ["2", "0.50", "2.25", "3.00", "1.50", "1.25", "yes"],
    ]


@pytest.mark.parametrize(
    ("value", "told"), [(None, "–"), (0.0, "–"), (0.84, "0.8 s"), (185.4, "3 min 05 s"), (7620, "2 h 07 min")]
)
def test_times_for_people(value, told):
    assert seconds(value) == told


@pytest.mark.parametrize(
    "name", ["javascript:alert(1)", "//evil.example/x", "a b#c?d.mp4", "\udcff.mp4", "é'\"<.mp4"]
)
def test_links_lead_to_files_beside_the_page(name):
    found = link(name)
    assert found.startswith("./")
    assert re.fullmatch(r"[A-Za-z0-9._/%~-]+", found)


def test_an_index_tells_states_and_links(tmp_path):
    whole = IndexedFilm("a/one.mp4", "current", HOSTILE, "one.yaml", "animatic", (64, 48), "16", 32, 2.0, 3,
                        4, 12.0, 2_000_000, "a/one.html", webp(np.zeros((24, 32, 3), np.uint8)),
                        (32, 24))  # fmt: skip
    films = (
        whole,
        IndexedFilm("b <b>.mp4", "damaged"),
        replace(whole, name="c.mp4", state="missing", report=""),
    )
    read = Read(draw_index(FilmIndex(HOSTILE, films), f"index {KEY}"))
    assert len(read.all("article")) == 3
    assert [a["href"] for a in read.all("a")] == [
        "./a/one.mp4", "./a/one.html", "./a/one.mp4.json", "./c.mp4.json",
    ]  # fmt: skip
    for told in ("2.00 s, 32 frames", "3, 4", "cannot be read", "film missing", "b <b>.mp4", "4.0 s of film"):
        assert told in read.text, told
    assert len(read.all("script")) == 1


@pytest.mark.slow
def test_a_browser_runs_the_own_script_and_no_other(tmp_path):
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("no Chromium on this machine")
    hostile = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    page = tmp_path / "film.html"
    page.write_text(
        drawn(a_film(a_shot(hostile, command=hostile), title=hostile), tmp_path), encoding="utf-8"
    )
    asked = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={tmp_path / 'profile'}",
        "--dump-dom",
    ]
    done = subprocess.run([browser, *asked, page.as_uri()], capture_output=True, timeout=120, check=False)
    shown = done.stdout.decode()
    if done.returncode or "<html" not in shown:
        pytest.skip("this Chromium does not start here")
    assert "<title>owned" not in shown
    buttons = re.findall(r"<button[^>]*class=\"copy\"[^>]*>", shown)
    assert buttons
    assert not any("hidden" in button for button in buttons)
