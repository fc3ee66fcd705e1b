"""Music and loudness, measured with BS.1770-4 as it is written down, apart from what makes the film."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.signal import lfilter, resample_poly

from anix_cli.core.keys import file_digest
from anix_cli.core.plan import FilmOutput, Music, Sound
from anix_cli.film.join import join
from anix_cli.film.mastering import CEILING_DBTP, limit, peak_gains
from anix_cli.film.soundtrack import Cue, Soundtrack, write_soundtrack
from anix_cli.media.loudness import Loudness, measure
from tests.grey_clips import FPS, SIZE, clips
from tests.sound_files import heard, tone, write_wav

RATE = 48_000


def lufs(samples: np.ndarray) -> float:
    """Integrated loudness of [n, 2] at 48 kHz: ITU-R BS.1770-4, annex 1, its coefficients and both gates."""
    shelf = (
        [1.53512485958697, -2.69169618940638, 1.19839281085285],
        [1, -1.69065929318241, 0.73248077421585],
    )
    high = ([1.0, -2.0, 1.0], [1, -1.99004745483398, 0.99007225036621])
    weighted = lfilter(*high, lfilter(*shelf, samples.astype(np.float64), axis=0), axis=0)
    block, step = RATE * 4 // 10, RATE // 10
    starts = range(0, len(weighted) - block + 1, step)
    power = np.array([(weighted[at : at + block] ** 2).mean(axis=0).sum() for at in starts])
    loud = power[-0.691 + 10 * np.log10(power + 1e-20) > -70]
    relative = -0.691 + 10 * np.log10(loud.mean()) - 10
    gated = loud[-0.691 + 10 * np.log10(loud) > relative]
    return float(-0.691 + 10 * np.log10(gated.mean()))


def true_peak_db(samples: np.ndarray) -> float:
    return float(20 * np.log10(np.abs(resample_poly(samples, 8, 1, axis=0)).max()))


def sound(path: Path, samples: np.ndarray) -> Sound:
    write_wav(path, samples, RATE)
    return Sound(path, file_digest(path))


def written(path: Path, track: Soundtrack, frames: int) -> tuple[np.ndarray, Loudness | None]:
    found = write_soundtrack(path, track, frames * RATE // 16, FPS)
    return np.fromfile(path, "<f4").reshape(-1, 2), found


@pytest.fixture(scope="module")
def talk(tmp_path_factory) -> Sound:
    """Six seconds like speech: noise in bursts, with a peak far above its mean."""
    rng = np.random.default_rng(3)
    bursts = np.repeat(rng.uniform(0, 1, 60) ** 2, RATE // 10)
    samples = np.clip(resample_poly(rng.normal(0, 0.2, RATE), 6, 1) * bursts, -1, 1)  # below 4 kHz
    samples[RATE::RATE] = 0.98
    return sound(tmp_path_factory.mktemp("talk") / "talk.wav", samples)


def test_a_tone_of_the_standard_measures_what_the_standard_says(tmp_path: Path) -> None:
    """EBU Tech 3341, case 1: a stereo sine of 1 kHz at −23 dBFS has −23 LUFS."""
    wave = np.repeat(tone(3, RATE, 1000.0, 10 ** (-23 / 20))[:, None], 2, axis=1)
    (tmp_path / "t.raw").write_bytes(wave.astype("<f4").tobytes())
    found = measure(tmp_path / "t.raw")
    assert found.integrated_lufs == pytest.approx(-23, abs=0.05)
    assert found.true_peak_dbtp == pytest.approx(-23, abs=0.1)
    assert lufs(wave) == pytest.approx(-23, abs=0.05)
    (tmp_path / "t.raw").write_bytes(bytes(8 * RATE))
    assert measure(tmp_path / "t.raw") == Loudness(None, None)
    (tmp_path / "t.raw").write_bytes(wave[:4800].astype("<f4").tobytes())
    assert measure(tmp_path / "t.raw").integrated_lufs is not None


@pytest.mark.parametrize("target", [-23.0, -16.0, -14.0])
def test_a_film_has_the_loudness_that_was_asked_for(tmp_path: Path, talk: Sound, target: float) -> None:
    track = Soundtrack([Cue(talk, 0, 96)], loudness_lufs=target)
    samples, told = written(tmp_path / "t.raw", track, 96)
    assert lufs(samples) == pytest.approx(target, abs=0.2)
    assert true_peak_db(samples) <= CEILING_DBTP + 0.15
    assert told is not None and told.integrated_lufs == pytest.approx(target, abs=0.1)
    assert told.true_peak_dbtp is not None and told.true_peak_dbtp <= CEILING_DBTP + 0.1


@pytest.mark.parametrize(("suffix", "codec"), [(".mp4", "h264"), (".mkv", "ffv1"), (".webm", "av1")])
def test_in_the_film_s_file_too_and_as_long_as_the_picture(
    tmp_path: Path, talk: Sound, suffix: str, codec: str
) -> None:
    segments = clips(tmp_path, (40, 24))
    film = tmp_path / f"film{suffix}"
    track = Soundtrack([Cue(talk, 8, 64)], loudness_lufs=-16.0)
    join(segments, film, fps=FPS, size_px=SIZE, encoding=FilmOutput(codec), sound=track)
    samples = heard(film)
    assert lufs(samples) == pytest.approx(-16, abs=0.5)
    assert abs(len(samples) / RATE - float(64 / FPS)) < 0.010
    assert np.abs(samples[: RATE // 2 - 1200]).max() < 0.01


def test_silence_stays_silence(tmp_path: Path) -> None:
    quiet = sound(tmp_path / "q.wav", np.zeros(RATE))
    samples, told = written(tmp_path / "t.raw", Soundtrack([Cue(quiet, 0, 16)], loudness_lufs=-16.0), 16)
    assert told == Loudness(None, None) and not samples.any()


def test_the_limiter_holds_peaks_between_samples_and_touches_nothing_else(tmp_path: Path) -> None:
    wave = np.zeros((RATE * 21, 2), np.float32)
    wave[:, 0] = 0.25 * np.sin(2 * np.pi * 440 * np.arange(len(wave)) / RATE)
    # A quarter of the rate, an eighth of a turn off: samples of 0.9 hide a wave of 1.27.
    loud = slice(10 * RATE - 300, 10 * RATE + 300)
    wave[loud, 1] = 1.27 * np.sin(2 * np.pi * RATE / 4 * np.arange(600) / RATE + np.pi / 4)
    (tmp_path / "t.raw").write_bytes(wave.astype("<f4").tobytes())
    limit(tmp_path / "t.raw", 1.0)
    found = np.fromfile(tmp_path / "t.raw", "<f4").reshape(-1, 2)
    assert true_peak_db(found) <= CEILING_DBTP + 0.15
    far = np.ones(len(wave), bool)
    far[loud.start - 600 : loud.stop + 600] = False
    np.testing.assert_array_equal(found[far], wave[far])
    gains = peak_gains(wave)
    assert np.abs(np.diff(gains)).max() < 0.01, "it never jumps"
    np.testing.assert_allclose(found, wave * gains[:, None], atol=2e-6)  # pieces of ten seconds join


def test_music_lies_under_all_of_it_loops_fades_and_makes_way(tmp_path: Path) -> None:
    music = Music(sound(tmp_path / "m.wav", np.full(RATE, 0.2)), loop=True, fade_s=0.5, duck_db=12.0)
    cue = Cue(sound(tmp_path / "s.wav", np.full(RATE // 2, 0.001)), 40, 64)
    samples, told = written(tmp_path / "t.raw", Soundtrack([cue], music), 96)
    assert told is not None
    level = samples[:, 0]
    times = (np.arange(len(level)) + 0.5) / RATE
    away = np.maximum(np.maximum(2.5 - times, times - 3.0), 0)  # the sound is heard from 2.5 s to 3 s
    duck = 10 ** (-12 * (1 - np.clip(away / 0.3, 0, 1)) / 20)
    expected = 0.2 * np.clip(times / 0.5, 0, 1) * np.clip((6 - times) / 0.5, 0, 1) * duck
    expected += np.where(away == 0, 0.001, 0)
    np.testing.assert_allclose(level[:-240], expected[:-240], atol=2e-4)


def test_music_that_does_not_loop_ends_and_volume_is_in_decibels(tmp_path: Path) -> None:
    short = sound(tmp_path / "m.wav", np.full(RATE, 0.5))
    samples, _ = written(tmp_path / "t.raw", Soundtrack((), Music(replace(short, volume_db=-6.0))), 32)
    np.testing.assert_allclose(samples[:RATE], 0.5 * 10 ** (-6 / 20), atol=1e-3)
    assert not samples[RATE:].any()
    cue = Cue(replace(short, volume_db=-20.0), 0, 16)
    samples, told = written(tmp_path / "t.raw", Soundtrack([cue]), 16)
    np.testing.assert_allclose(samples, 0.05, atol=1e-4)
    assert told is None, "a sound that is not mixed stays as it is"


def test_what_is_too_loud_together_is_held_below_full_scale(tmp_path: Path) -> None:
    loud = sound(tmp_path / "l.wav", tone(2, RATE, 440.0, 0.9))
    samples, told = written(tmp_path / "t.raw", Soundtrack([Cue(loud, 0, 32)], Music(loud)), 32)
    assert true_peak_db(samples) <= CEILING_DBTP + 0.15
    assert told is not None and told.true_peak_dbtp is not None
    assert Fraction(len(samples), RATE) == 2
