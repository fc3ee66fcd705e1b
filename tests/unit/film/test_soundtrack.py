"""The sound of a film against what each shot asks for, decoded from the film again."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from anix_cli.core.errors import AnixError
from anix_cli.core.keys import file_digest
from anix_cli.core.plan import FilmOutput, Sound
from anix_cli.film.join import Segment, join
from anix_cli.film.soundtrack import Cue, Soundtrack, samples_at, write_soundtrack
from anix_cli.media.video import probe
from tests.grey_clips import FPS, SIZE, clips, picture_bytes
from tests.sound_files import converted, heard, tone, write_wav

LENGTHS = (24, 13, 30)
TOTAL = sum(LENGTHS)


@pytest.fixture(scope="module")
def segments(tmp_path_factory) -> list[Segment]:
    return clips(tmp_path_factory.mktemp("clips"), LENGTHS)


def sound(path: Path, samples: np.ndarray, rate: int = 48_000) -> Sound:
    write_wav(path, samples, rate)
    return Sound(path, file_digest(path))


def click(seconds: float) -> np.ndarray:
    """Silence but for a burst of 2 ms at its very start."""
    samples = np.zeros(round(seconds * 48_000))
    samples[:96] = 0.9
    return samples


def raw(path: Path, cues: list[Cue], frames: int = TOTAL, fps: Fraction = FPS) -> np.ndarray:
    write_soundtrack(path, Soundtrack(cues), samples_at(frames, fps), fps)
    return np.fromfile(path, "<f4").reshape(-1, 2)


def test_each_sound_lies_exactly_in_its_shot(tmp_path: Path) -> None:
    """Sample by sample: silence, the short sound whole, the long one cut with a fade of 5 ms."""
    short = np.random.default_rng(0).uniform(-0.9, 0.9, 10_000)
    cues = [
        Cue(sound(tmp_path / "a.wav", short), 0, 24),
        Cue(sound(tmp_path / "b.wav", np.full(60_000, 0.5)), 24, 37),
    ]
    data = raw(tmp_path / "t.raw", cues)
    assert len(data) == 201_000
    np.testing.assert_allclose(data[:10_000, 1], np.round(short * 32767) / 32768, atol=1e-6)
    assert not data[10_000:72_000].any() and not data[111_000:].any()
    expected = np.full(39_000, np.round(0.5 * 32767) / 32768)
    expected[-240:] *= (240 - np.arange(240) - 0.5) / 240
    np.testing.assert_allclose(data[72_000:111_000, 0], expected, atol=1e-6)


def test_a_sound_as_long_as_its_shot_is_not_faded(tmp_path: Path) -> None:
    data = raw(tmp_path / "t.raw", [Cue(sound(tmp_path / "a.wav", np.full(39_000, 0.5)), 24, 37)])
    assert data[110_999, 0] == pytest.approx(0.5, abs=1e-4)


@pytest.mark.parametrize("fps", [Fraction(24000, 1001), Fraction(25, 3), Fraction(60)])
def test_neighbours_neither_overlap_nor_leave_a_gap(tmp_path: Path, fps: Fraction) -> None:
    loud = sound(tmp_path / "a.wav", np.full(48_000 * 9, 0.5))
    data = raw(tmp_path / "t.raw", [Cue(loud, 0, 7), Cue(loud, 7, 8), Cue(loud, 8, 15)], 15, fps)
    assert len(data) == round(15 / fps * 48_000)
    cuts = [samples_at(7, fps), samples_at(8, fps), len(data)]
    low = np.flatnonzero(data[:, 0] < 0.49)
    assert set(low) <= {sample for cut in cuts for sample in range(cut - 240, cut)}
    assert abs(samples_at(7, fps) / 48_000 - 7 / fps) < 1e-4


MATRIX = [
    ("h264", ".mp4", "aac"), ("h264", ".m4v", "aac"), ("h264", ".mov", "aac"), ("h264", ".mkv", "opus"),
    ("h265", ".mp4", "aac"), ("h265", ".mkv", "opus"), ("prores", ".mov", "pcm_s24le"),
    ("prores", ".mkv", "pcm_s24le"), ("av1", ".mp4", "aac"), ("av1", ".webm", "opus"),
    ("ffv1", ".mkv", "pcm_s24le"),
]  # fmt: skip


@pytest.mark.parametrize(("codec", "suffix", "kind"), MATRIX)
def test_sound_begins_with_its_shot_and_is_as_long_as_the_film(
    segments, tmp_path: Path, codec: str, suffix: str, kind: str
) -> None:
    film = tmp_path / f"film{suffix}"
    cues = [
        Cue(sound(tmp_path / "click.wav", click(1)), 24, 37),
        Cue(sound(tmp_path / "tone.wav", tone(9, 48_000), 48_000), 37, 67),
    ]
    join(segments, film, fps=FPS, size_px=SIZE, encoding=FilmOutput(codec), sound=Soundtrack(cues))
    data = heard(film)
    assert abs(len(data) / 48_000 - float(TOTAL / FPS)) < 0.010
    level = np.abs(data).max(axis=1)
    start, follows = samples_at(24, FPS), samples_at(37, FPS)
    before = level[: start - 1100]  # AAC spreads a click over a packet before it
    assert before.max() < 0.01
    onset = int(np.argmax(level > 0.4))
    assert abs(onset - start) < 48, "a click is heard within a millisecond of its shot's first frame"
    assert level[start + 4800 : follows - 1100].max() < 0.01
    tone_part = data[follows + 2000 : -2000]
    np.testing.assert_allclose(np.sqrt((tone_part**2).mean(axis=0)), 0.3535, rtol=0.02)
    assert f"Audio: {kind}" in described(film)
    assert "48000 Hz, stereo" in described(film)


def described(film: Path) -> str:
    from anix_cli.media.inspect import _describe

    return _describe(film)


@pytest.mark.parametrize("frames", range(1, 9))
def test_sound_of_any_length_ends_with_the_picture(tmp_path: Path, frames: int) -> None:
    fps = Fraction(30_000, 1001)
    segments = clips(tmp_path, (frames,), fps)
    cues = [Cue(sound(tmp_path / "t.wav", tone(2, 48_000), 48_000), 0, frames)]
    for suffix, most in ((".mp4", 1e-4), (".mkv", 1e-4)):
        film = tmp_path / f"film{suffix}"
        join(segments, film, fps=fps, size_px=SIZE, sound=Soundtrack(cues))
        assert abs(len(heard(film)) / 48_000 - float(frames / fps)) < most


@pytest.mark.parametrize("suffix", [".mp4", ".mov", ".mkv"])
def test_the_picture_is_the_same_to_the_byte_with_and_without_sound_and_captions(
    segments, tmp_path: Path, suffix: str
) -> None:
    from anix_cli.film.captions import Caption

    plain, full = tmp_path / f"plain{suffix}", tmp_path / f"full{suffix}"
    cues = [Cue(sound(tmp_path / "t.wav", tone(2, 48_000), 48_000), 0, 24)]
    assert join(segments, plain, fps=FPS, size_px=SIZE).copied
    result = join(
        segments, full, fps=FPS, size_px=SIZE, sound=Soundtrack(cues), captions=[Caption("Hi", 0, 24)]
    )
    assert result.copied
    assert picture_bytes(full) == picture_bytes(plain)
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


def test_the_same_sounds_give_the_same_bytes(segments, tmp_path: Path) -> None:
    cues = [Cue(sound(tmp_path / "t.wav", tone(2, 48_000), 48_000), 5, 24)]
    for suffix in (".mp4", ".mkv"):
        films = [tmp_path / f"{name}{suffix}" for name in "ab"]
        for film in films:
            join(segments, film, fps=FPS, size_px=SIZE, sound=Soundtrack(cues))
        assert films[0].read_bytes() == films[1].read_bytes()


def test_compressed_sound_begins_with_its_shot_too(segments, tmp_path: Path) -> None:
    wav = write_wav(tmp_path / "t.wav", tone(1, 44_100))
    for name in ("t.mp3", "t.m4a", "t.flac", "t.ogg"):
        path = converted(wav, tmp_path / name)
        film = tmp_path / "film.mov"
        cues = [Cue(Sound(path, file_digest(path)), 24, 37)]
        join(segments, film, fps=FPS, size_px=SIZE, encoding=FilmOutput("prores"), sound=Soundtrack(cues))
        onset = int(np.argmax(np.abs(heard(film)).max(axis=1) > 0.1))
        assert abs(onset / 48_000 - 1.5) < 1 / 16, name


def test_a_sound_that_changed_or_cannot_be_used_leaves_the_old_film(segments, tmp_path: Path) -> None:
    film = tmp_path / "film.mp4"
    film.write_text("the old film")
    made = sound(tmp_path / "t.wav", tone(1))
    changes = {
        "E454": lambda: write_wav(made.file, tone(0.5)),
        "E381": made.file.unlink,
    }
    for code, change in changes.items():
        change()
        with pytest.raises(AnixError) as caught:
            join(segments, film, fps=FPS, size_px=SIZE, sound=Soundtrack([Cue(made, 0, 24)]))
        assert caught.value.diagnostics[0].code == code
        assert film.read_text() == "the old film"
        assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


def test_an_hour_of_silence_costs_no_disk(tmp_path: Path) -> None:
    path = tmp_path / "t.raw"
    quiet = Soundtrack([Cue(sound(tmp_path / "a.wav", tone(0.1, 48_000)), 16, 32)])
    write_soundtrack(path, quiet, 48_000 * 3600, FPS)
    assert path.stat().st_size == 48_000 * 3600 * 8
    assert path.stat().st_blocks * 512 < 10 << 20 or not _sparse(tmp_path)


def _sparse(folder: Path) -> bool:
    probe_file = folder / "sparse"
    with probe_file.open("wb") as stream:
        stream.truncate(100 << 20)
    return probe_file.stat().st_blocks * 512 < 10 << 20


def test_a_film_without_sound_has_no_sound_track(segments, tmp_path: Path) -> None:
    join(segments, tmp_path / "film.mp4", fps=FPS, size_px=SIZE)
    assert "Audio" not in described(tmp_path / "film.mp4")
    assert probe(tmp_path / "film.mp4").codec == "h264"
