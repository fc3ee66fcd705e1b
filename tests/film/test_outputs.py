"""Codec, quality, background, captions and sound, as a user writes them and runs them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from anix_cli.cli.main import run
from anix_cli.media.inspect import _describe, count_frames
from anix_cli.media.video import probe, read_frames
from tests.grey_clips import picture_bytes
from tests.sound_files import heard, tone, write_wav


@pytest.fixture
def film(project, monkeypatch):
    monkeypatch.chdir(project)
    write_wav(project / "steps.wav", tone(3))
    return project


def edit(folder: Path, old: str, new: str) -> None:
    text = (folder / "film.yaml").read_text()
    assert old in text
    (folder / "film.yaml").write_text(text.replace(old, new))


def store(folder: Path) -> dict[Path, int]:
    """Files of guides and clips in the store, with their times."""
    return {
        path: path.stat().st_mtime_ns
        for kind in ("guides", "clips")
        for path in (folder / ".anix").glob(f"v1/{kind}/**/*")
        if path.is_file()
    }


def test_codec_quality_caption_and_sound_leave_clips_alone(film, capsys):
    assert run(["render", "film.yaml"]) == 0
    kept, plain = store(film), picture_bytes(film / "film.mp4")
    wave = "id: wave, command: he stops and waves"
    edit(film, wave, f'{wave}, caption: "Hello <there>!", audio: steps.wav')
    capsys.readouterr()
    assert run(["plan", "film.yaml", "-o", "plan.json"]) == 0
    assert "to do: 0 of" in capsys.readouterr().out
    assert run(["join", "plan.json", "-o", "film.mp4"]) == 0
    err = capsys.readouterr().err
    assert re.search(r"join +film.mp4: 36 frames, [\d.]+ kB, joined", err)
    assert store(film) == kept
    assert picture_bytes(film / "film.mp4") == plain
    told = _describe(film / "film.mp4")
    assert "Audio: aac" in told and "Subtitle: mov_text" in told
    sound = np.abs(heard(film / "film.mp4")).max(axis=1)
    assert len(sound) == 36 / 8 * 48_000
    assert int(np.argmax(sound > 0.2)) / 48_000 == pytest.approx(12 / 8, abs=0.01)
    assert int(np.flatnonzero(sound > 0.2)[-1]) / 48_000 == pytest.approx(20 / 8, abs=0.01)
    assert run(["render", "film.yaml", "--set", "film.codec=h265", "--set", "film.quality=best"]) == 0
    assert store(film) == kept
    assert probe(film / "film.mp4").codec == "hevc"
    assert count_frames(film / "film.mp4") == 36
    again = json.loads((film / "film.mp4.json").read_text())
    assert (again["encoding"]["codec"], again["encoding"]["quality"]) == ("h265", "best")


def test_prores_goes_into_its_own_kind_of_file(film, capsys):
    edit(film, "seed: 7", "seed: 7, codec: prores, quality: draft")
    assert run(["render", "film.yaml", "-o", "film.mp4"]) == 2
    err = capsys.readouterr().err
    assert "E434" in err and "film.mov" in err
    assert store(film) == {}, "refused before any work"
    assert run(["render", "film.yaml"]) == 0
    assert capsys.readouterr().out == "film.mov\n"
    assert probe(film / "film.mov").pix_fmt == "yuv422p10le"


def test_a_new_background_is_told_and_makes_guides_and_clips_anew(film, capsys):
    assert run(["render", "film.yaml"]) == 0
    dark = read_frames(film / "film.mp4", kind="delivery")
    edit(film, "seed: 7", "seed: 7, background: skyblue")
    capsys.readouterr()
    assert run(["plan", "film.yaml", "-o", "plan.json", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["scene"]["background"] == [135, 206, 235]
    for take in plan["takes"]:
        for shot in take["shots"]:
            assert shot["guide_stale_because"] == "changed: background"
            assert "background" in shot["clips"][0]["stale_because"]
    assert run(["render", "film.yaml"]) == 0
    light = read_frames(film / "film.mp4", kind="delivery")
    nothing = (dark.max(axis=-1) <= 2) & (np.abs(light.astype(int) - (135, 206, 235)).max(axis=-1) <= 4)
    assert nothing.mean(axis=(1, 2)).max() > 0.02
    assert np.percentile(light.astype(int) - dark, 0.1) > -12, "what is behind only adds"


def test_a_sound_that_cannot_be_used_is_found_by_every_command(film, capsys):
    wave = "id: wave, command: he stops and waves"
    edit(film, wave, f"{wave}, audio: steps.wav")
    whole = (film / "steps.wav").read_bytes()
    (film / "steps.wav").write_bytes(whole[:5000])
    for command in (["validate", "film.yaml"], ["plan", "film.yaml"], ["render", "film.yaml"]):
        assert run(command) == 3
        err = capsys.readouterr()
        told = err.err + err.out
        assert "E381" in told and "steps.wav is cut off" in told and "film.yaml:" in told
    assert store(film) == {}
    (film / "steps.wav").write_bytes(whole)
    assert run(["plan", "film.yaml", "-o", "plan.json"]) == 0
    assert run(["guide", "plan.json"]) == 0
    assert run(["generate", "plan.json"]) == 0
    write_wav(film / "steps.wav", tone(1))
    capsys.readouterr()
    assert run(["join", "plan.json", "-o", "film.mp4"]) == 2
    assert "E454" in capsys.readouterr().err
