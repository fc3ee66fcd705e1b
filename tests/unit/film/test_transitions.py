"""Dissolves: two shots in one frame, by shares that are known, in a film that is shorter by what overlaps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anix_cli.core.keys import file_digest
from anix_cli.core.plan import FilmOutput, Plan, Sound, Take, Transition
from anix_cli.film.captions import subrip
from anix_cli.film.publish import captions_of, publish
from anix_cli.film.soundtrack import samples_at, soundtrack_of, write_soundtrack
from anix_cli.film.transition import dissolved
from anix_cli.media.inspect import frame_times
from anix_cli.media.video import count_frames, read_frames
from tests.planned_film import FPS, a_plan, made


def dissolving(plan: Plan, **overlaps: int) -> Plan:
    """The plan with shots moved forward so that they overlap the ones before by so many frames."""
    shots, at = [], 0
    for shot in plan.shots():
        over = overlaps.get(shot.id, 0)
        how = Transition("dissolve", float(over / FPS)) if over else shot.transition
        shots.append(replace(shot, start=at - over, transition=how))
        at += shot.frames - over
    return replace(plan, takes=tuple(Take((shot,)) for shot in shots))


@given(st.data())
def test_any_pieces_of_any_shots_are_blended_as_the_closed_form_says(data: st.DataObject) -> None:
    lengths = data.draw(st.lists(st.integers(4, 12), min_size=1, max_size=4))
    overlaps, room = [0], lengths[0] - 1
    for length in lengths[1:]:
        overlaps.append(data.draw(st.integers(0, min(room, length - 1))))
        room = length - 1 - overlaps[-1]
    rng = np.random.default_rng(len(lengths))
    shots = [rng.integers(0, 256, (length, 1, 2, 3), dtype=np.uint8) for length in lengths]
    total = sum(lengths) - sum(overlaps)
    expected = np.zeros((total, 1, 2, 3))
    pieces, zones, at = [], [], 0
    for shot, over in zip(shots, overlaps, strict=True):
        start = at - over
        if over:
            zones.append((start, at))
        for frame in range(len(shot)):
            part = (frame + 0.5) / over if frame < over else 1.0
            expected[start + frame] = expected[start + frame] * (1 - part) + shot[frame] * part
        cut = data.draw(st.integers(1, len(shot)))
        pieces += [(start, shot[:cut]), *([(start + cut, shot[cut:])] if cut < len(shot) else [])]
        at = start + len(shot)
    found = np.concatenate(list(dissolved(pieces, zones)))
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, atol=0.51)


@pytest.mark.parametrize("codec", ["h264", "ffv1"])
def test_a_film_with_a_dissolve(tmp_path: Path, codec: str) -> None:
    """Shots of levels 40, 200 and 90; the second dissolves over its first clip and into the next."""
    plan = dissolving(a_plan(tmp_path, ((6,), (2, 8), (4, 4))), s1=4, s2=2)
    plan = replace(plan, output=FilmOutput(codec))
    folder = tmp_path / "clips"
    folder.mkdir()
    segments, facts = [], []
    for number, level in enumerate((40, 200, 90)):
        own = [shot for shot in plan.shots() if shot.id == f"s{number}"]
        some, more = made(replace(plan, takes=(Take(tuple(own)),)), folder, level)
        segments += some
        facts += more
    assert (plan.frames, plan.overlaps) == (18, {"s1": 4, "s2": 2})
    film = tmp_path / ("film.mp4" if codec == "h264" else "film.mkv")
    written, _ = publish(plan, segments, facts, film)
    levels = read_frames(film, kind="delivery" if codec == "h264" else "master").mean(axis=(1, 2, 3))
    into = [40 + 160 * (n + 0.5) / 4 for n in range(4)]
    out = [200 - 110 * (n + 0.5) / 2 for n in range(2)]
    expected = [40, 40, *into, *[200] * 4, *out, *[90] * 6]
    np.testing.assert_allclose(levels, expected, atol=1.5 if codec == "h264" else 0.5)
    assert count_frames(film) == 18 == written["frames"]
    assert frame_times(film)[-1] == pytest.approx(float(17 / FPS), abs=0.001)
    told = [shot["transition"] for shot in written["shots"]]
    assert told[0] is None and told[1] == {"kind": "dissolve", "seconds": 0.25, "colour": [0, 0, 0]}


def test_captions_meet_in_the_middle_and_sounds_cross(tmp_path: Path) -> None:
    from tests.sound_files import write_wav

    plan = dissolving(a_plan(tmp_path, ((16,), (16,))), s1=8)
    wav = write_wav(tmp_path / "a.wav", np.full(48_000 * 2, 0.5), 48_000)
    shots = [replace(shot, caption=shot.id, sound=Sound(wav, file_digest(wav))) for shot in plan.shots()]
    plan = replace(plan, takes=tuple(Take((shot,)) for shot in shots))
    assert [(one.start, one.stop) for one in captions_of(plan)] == [(0, 12), (12, 24)]
    assert "00:00:00,750 --> 00:00:01,500\ns1" in subrip(captions_of(plan), FPS)
    write_soundtrack(tmp_path / "t.raw", soundtrack_of(plan), samples_at(24, FPS), FPS)
    heard = np.fromfile(tmp_path / "t.raw", "<f4").reshape(-1, 2)[:, 0]
    assert len(heard) == 72_000
    np.testing.assert_allclose(heard[: 72_000 - 240], 0.5, atol=1e-3)


def test_fades_through_a_colour(tmp_path: Path) -> None:
    plan = a_plan(tmp_path, ((8,), (8,)))
    first, second = plan.shots()
    second = replace(second, transition=Transition("fade", 0.5, (255, 255, 255)))
    plan = replace(plan, takes=(Take((first, second)),), output=FilmOutput("ffv1"))
    (tmp_path / "clips").mkdir()
    segments, facts = made(plan, tmp_path / "clips", 55)
    film = tmp_path / "film.mkv"
    publish(plan, segments, facts, film)
    levels = read_frames(film).mean(axis=(1, 2, 3))
    ramp = np.array([0.125, 0.375, 0.625, 0.875])
    np.testing.assert_allclose(levels[4:12], 255 - 200 * np.concatenate([ramp[::-1], ramp]), atol=0.5)
    assert set(levels[:4]) == set(levels[12:]) == {55.0}
