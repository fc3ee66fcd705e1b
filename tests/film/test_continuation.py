"""Clips continue each other exactly: tails, overlap, grids and trimming, seen by a backend that counts."""

from __future__ import annotations

import json
import shutil
from importlib.metadata import EntryPoint

import numpy as np
import pytest

from anix_cli import generate
from anix_cli.cli.main import run
from anix_cli.media.video import read_frames

from .numbered import Drifting, Numbered, number_of
from .test_chain import clips, edit


@pytest.fixture
def film(project, monkeypatch):
    monkeypatch.chdir(project)
    points = {
        name: EntryPoint(name, f"tests.film.numbered:{name.title()}", generate.GROUP)
        for name in ("numbered", "short", "drifting", "slow")
    }
    monkeypatch.setattr(generate, "_found", lambda: points)
    Numbered.requests.clear()
    return project


def render(*more: str) -> int:
    return run(["render", "film.yaml", "-o", "film.mp4", "--backend", "numbered", *more])


def masters(folder) -> list[np.ndarray]:
    """The kept frames of every clip, in the order of the film."""
    manifest = json.loads((folder / "film.mp4.json").read_text())
    keys = [clip["key"] for shot in manifest["shots"] for clip in shot["clips"]]
    store = folder / ".anix/v1/clips"
    return [read_frames(store / key[:2] / key / "frames.mkv") for key in keys]


def test_no_frame_is_lost_or_repeated_within_a_take(film):
    assert render() == 0
    frames = np.concatenate(masters(film))
    assert [number_of(frame) for frame in frames] == [*range(1, 29), *range(1, 9)]


def test_requests_have_the_tail_before_them_and_fit_the_grid(film):
    assert render() == 0
    kept = masters(film)
    requests = [request for request in Numbered.requests if request is not None]
    assert len(requests) == len(kept)
    before = None
    for request, frames in zip(requests, kept, strict=True):
        total = len(request.tail) + request.frames
        assert total % 4 == 1 and total <= 13
        assert request.frames >= len(frames)
        assert len(request.guide) == len(request.world_from_camera) == len(request.blocking[0].root) == total
        if len(request.tail):
            assert len(request.tail) == 3
            assert np.array_equal(request.tail, before[-3:])
            assert not np.array_equal(request.guide[0], request.guide[3])
        before = frames
    assert sum(len(request.tail) == 0 for request in requests) == 2  # one for each take
    assert Numbered.requests[-1] is None  # closed


def test_guides_of_a_tail_come_from_the_shot_before(film):
    assert render() == 0
    requests = [request for request in Numbered.requests if request is not None]
    whole, start = {}, 0
    for request, frames in zip(requests, masters(film), strict=True):
        start = start if len(request.tail) else 1000 * len(whole)
        for offset in range(-len(request.tail), len(frames)):
            seen = request.guide[offset + len(request.tail)]
            assert np.array_equal(whole.setdefault(start + offset, seen), seen)
        start += len(frames)


def test_another_number_of_frames_than_asked_is_refused(film, capsys):
    assert run(["render", "film.yaml", "-o", "film.mp4", "--backend", "short"]) == 1
    assert "E553" in capsys.readouterr().err
    assert clips(film) == {}


def test_what_continues_other_pixels_is_made_again(film):
    arguments = ["render", "film.yaml", "-o", "film.mp4", "--backend", "drifting"]
    assert run(arguments) == 0
    before = clips(film)
    first = next(name for name, clip in before.items() if clip == ("run", 0))
    shutil.rmtree(film / ".anix/v1/clips" / first[:2] / first)
    Drifting.salt[0] += 1
    assert run(arguments) == 0
    made = {clip for name, clip in clips(film).items() if name not in before}
    assert {shot for shot, _ in made} == {"wave", "orbit"}  # "end" continues nothing
    assert clips(film)[first] == ("run", 0)


def test_size_must_fit_the_backend(film, capsys):
    edit(film, "size: 128x96", "size: 130x96")
    assert render() == 3
    err = capsys.readouterr().err
    assert "E191" in err and "128x96" in err and "film.yaml:4:" in err


def test_the_rate_must_be_the_backends(film, capsys):
    assert run(["plan", "film.yaml", "--backend", "slow"]) == 3
    err = capsys.readouterr().err
    assert "E192" in err and "film.yaml:4:" in err
    edit(film, ", fps: 8", "")
    assert run(["plan", "film.yaml", "--backend", "slow"]) == 0
    assert "16 fps" in capsys.readouterr().out
