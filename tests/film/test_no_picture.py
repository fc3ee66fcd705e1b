"""A generator with a defect: what is no picture is not kept, not fed on, tried once more, and told."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import ClassVar

import numpy as np
import pytest

from anix_cli import generate
from anix_cli.cli.main import run
from anix_cli.core.clip import BadFrames, ClipRequest, Frames, Progress
from anix_cli.core.errors import fail
from anix_cli.core.schemas import schema
from anix_cli.media.video import read_frames

from .numbered import Numbered
from .test_chain import clips

KINDS = ("sound", "nan", "black", "frozen", "once", "wandering")


class Sound(Numbered):
    """A model with weights and nothing wrong."""

    capabilities = replace(Numbered.capabilities, weights="some/weights@1")
    asked: ClassVar[list[ClipRequest]] = []

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        self.asked.append(request)
        return self.spoilt(super().generate(request, progress), request)

    def spoilt(self, frames: Frames, request: ClipRequest) -> Frames:
        return frames


class Nan(Sound):
    """Not finite from the second clip on, as its own floats show."""

    def spoilt(self, frames: Frames, request: ClipRequest) -> Frames:
        if len(request.tail):
            raise BadFrames("frame 10 is not finite")
        return frames


class Black(Sound):
    def spoilt(self, frames: Frames, request: ClipRequest) -> Frames:
        return np.zeros_like(frames)


class Frozen(Sound):
    def spoilt(self, frames: Frames, request: ClipRequest) -> Frames:
        return np.repeat(frames[:1], len(frames), axis=0)


class Once(Sound):
    """Black in its usual precision only."""

    def spoilt(self, frames: Frames, request: ClipRequest) -> Frames:
        request.note("precise", request.precise)
        return frames if request.precise else np.zeros_like(frames)


class Wandering(Sound):
    """Brighter by a tenth of what it was given, and the first two frames flash."""

    capabilities = replace(Sound.capabilities, drifts=True)

    def spoilt(self, frames: Frames, request: ClipRequest) -> Frames:
        frames = np.clip(frames * 1.1 + 4.0, 0, 255)
        frames[:2] += 12
        return np.clip(np.round(frames), 0, 255).astype(np.uint8)


@pytest.fixture
def film(project, monkeypatch):
    monkeypatch.chdir(project)
    points = {name: EntryPoint(name, f"{__name__}:{name.title()}", generate.GROUP) for name in KINDS}
    monkeypatch.setattr(generate, "_found", lambda: points)
    Sound.asked.clear()
    return project


def render(backend: str) -> int:
    return run(["render", "film.yaml", "-o", "film.mp4", "--backend", backend])


def records(folder):
    return [json.loads(path.read_text()) for path in sorted(folder.glob(".anix/v1/clips/*/*/clip.json"))]


@pytest.mark.parametrize(("kind", "words"), [("black", "black"), ("frozen", "nothing moves")])
def test_no_picture_fails_the_shot(film, capsys, kind, words):
    assert render(kind) == 1
    said = capsys.readouterr().err
    assert "E556" in said and "W551" in said and words in said and "shot run, clip 0" in said
    assert clips(film) == {}
    assert [request.precise for request in Sound.asked] == [False, True]


def test_what_failed_is_not_fed_on(film, capsys):
    assert render("nan") == 1
    assert "frame 10 is not finite" in capsys.readouterr().err
    assert set(clips(film).values()) == {("run", 0)}
    assert [len(request.tail) for request in Sound.asked] == [0, 3, 3]


def test_a_second_try_that_does_is_kept(film, capsys):
    assert render("once") == 0
    said = capsys.readouterr().err
    assert "W551" in said and "E556" not in said
    assert all(
        record["notes"]["precise"] and "black" in record["notes"]["retried"] for record in records(film)
    )
    assert len(Sound.asked) == 2 * len(clips(film))


def test_colours_are_locked_and_the_record_tells(film):
    assert render("wandering") == 0
    found = records(film)
    assert found and all(r["notes"]["drift"]["worst"] > 10 for r in found)
    assert all(0.85 < r["notes"]["colour_lock"]["gain"][0] < 0.97 for r in found)
    seams = [r["notes"]["seam"] for r in found if "seam" in r["notes"]]
    assert seams and all(s["levels"] < 1.5 and not s["repeats"] for s in seams)
    entry = next(film.glob(".anix/v1/clips/*/*/clip.json")).parent
    kept = read_frames(entry / "frames.mkv", 0, 3, kind="master")
    assert abs(float(kept[0].mean()) - float(kept[2].mean())) < 6


def test_what_the_record_says_is_in_its_schema(film):
    import jsonschema

    assert render("wandering") == 0
    for record in records(film):
        jsonschema.validate(record, schema("clip-v1"))


def test_scratch_is_for_one_clip_and_gone_when_it_is_kept(film, monkeypatch):
    seen = []

    def keeping(self, frames, request):
        request.scratch.mkdir(parents=True)
        (request.scratch / "latents").write_text("x")
        seen.append(request.scratch)
        return frames

    monkeypatch.setattr(Sound, "spoilt", keeping)
    assert render("sound") == 0
    assert len(set(seen)) == len(seen) == len(clips(film))
    assert not any(folder.exists() for folder in seen)


class Wordy(Sound):
    """An encoder that reads fewer words than it is told."""

    def spoilt(self, frames: Frames, request: ClipRequest) -> Frames:
        request.note("words_lost", "at dusk")
        return frames


def test_words_that_were_lost_are_told(film, capsys, monkeypatch):
    points = {"wordy": EntryPoint("wordy", f"{__name__}:Wordy", generate.GROUP)}
    monkeypatch.setattr(generate, "_found", lambda: points)
    assert render("wordy") == 0
    said = capsys.readouterr().err
    assert "W552" in said and "at dusk" in said


class Choosy(Sound):
    """Looks for what it needs before anything is made."""

    def prepare(self, options) -> None:
        raise fail("E472", "no GPU", hint="buy one")


def test_what_a_backend_lacks_is_told_before_guides_are_made(film, capsys, monkeypatch):
    points = {"choosy": EntryPoint("choosy", f"{__name__}:Choosy", generate.GROUP)}
    monkeypatch.setattr(generate, "_found", lambda: points)
    assert render("choosy") == 4
    assert "E472" in capsys.readouterr().err
    assert not list(film.glob(".anix/v1/guides/*/*"))
    assert run(["plan", "film.yaml", "-o", "plan.json", "--backend", "choosy"]) == 0
    assert run(["generate", "plan.json"]) == 4
