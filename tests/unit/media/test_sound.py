"""What is said of sound files by their structure alone, and what comes out of them."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anix_cli.core.errors import AnixError
from anix_cli.media.audio import check_sound, iter_samples
from anix_cli.media.sound import probe_sound
from tests.sound_files import converted, tone, write_wav

FORMATS = {
    "a.flac": "flac", "a.mp3": "mp3", "a.aac": "aac", "a.m4a": "mov", "a.ogg": "ogg", "a.opus": "ogg",
}  # fmt: skip


@pytest.fixture(scope="module")
def sounds(tmp_path_factory) -> Path:
    """A folder with one second of a tone, left louder than right, in every format."""
    folder = tmp_path_factory.mktemp("sounds")
    left = tone(1.0)
    wav = write_wav(folder / "a.wav", np.stack([left, left / 2], axis=1))
    for name in FORMATS:
        converted(wav, folder / name)
    return folder


def refused(path: Path, code: str = "E381") -> str:
    with pytest.raises(AnixError) as caught:
        probe_sound(path)
    (found,) = caught.value.diagnostics
    assert (found.code, found.file) == (code, path)
    assert path.name in found.message and found.hint
    return found.message


def samples(path: Path, count: int) -> np.ndarray:
    return np.concatenate(list(iter_samples(path, count)))


def test_wav_tells_its_length(sounds: Path) -> None:
    info = probe_sound(sounds / "a.wav")
    assert (info.demuxer, info.seconds) == ("wav", 1.0)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_known_by_its_content_and_heard(sounds: Path, name: str, tmp_path: Path) -> None:
    odd = tmp_path / "it's $(a) -sound.wav"
    odd.write_bytes((sounds / name).read_bytes())
    info = probe_sound(odd)
    assert info.demuxer == FORMATS[name]
    assert info.seconds is None or info.seconds == pytest.approx(1.0, abs=0.06)
    data = samples(odd, 48_000 * 3)
    assert len(data) / 48_000 == pytest.approx(1.0, abs=0.06)
    middle = data[12_000:36_000]
    np.testing.assert_allclose(np.sqrt((middle**2).mean(axis=0)), [0.3535, 0.1768], rtol=0.08)


def test_samples_are_exact(tmp_path: Path) -> None:
    """At 48 kHz nothing is resampled: 16-bit samples come back as they are, from both sides where mono."""
    values = np.random.default_rng(1).uniform(-1, 1, 5000)
    path = write_wav(tmp_path / "n.wav", values, rate=48_000)
    expected = np.round(values * 32767)[:, None].repeat(2, axis=1) / 32768
    np.testing.assert_allclose(samples(path, 9000), expected, atol=1e-6)
    np.testing.assert_allclose(samples(path, 1234), expected[:1234], atol=1e-6)


def test_six_channels_become_two(tmp_path: Path) -> None:
    wav = write_wav(tmp_path / "six.wav", np.stack([tone(0.2)] * 6, axis=1))
    data = samples(wav, 48_000)
    assert data.shape[1] == 2 and np.abs(data).max(axis=0).min() > 0.2


def test_a_part_can_be_taken_from_a_long_file(tmp_path: Path) -> None:
    wav = write_wav(tmp_path / "long.wav", tone(20.0, rate=8000), rate=8000)
    assert len(samples(wav, 100_001)) == 100_001
    check_sound(wav, 48_000)


def test_cut_off_files_are_found_without_decoding(sounds: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.wav"
    whole = (sounds / "a.wav").read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert "is cut off: 0.50 of 1.00 seconds are there" in refused(path)
    for length in (12, 30, 40):
        path.write_bytes(whole[:length])
        assert "cut off" in refused(path) or "damaged" in refused(path)
    m4a = (sounds / "a.m4a").read_bytes()
    path.write_bytes(m4a[: len(m4a) * 2 // 3])
    assert "is cut off" in refused(path)
    flac = (sounds / "a.flac").read_bytes()
    path.write_bytes(flac[:60])
    assert "is cut off" in refused(path)


def test_what_decodes_to_less_than_it_says_is_damaged(sounds: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.flac"
    flac = (sounds / "a.flac").read_bytes()
    path.write_bytes(flac[: len(flac) // 2])
    assert probe_sound(path).seconds == pytest.approx(1.0)
    with pytest.raises(AnixError) as caught:
        check_sound(path, 48_000)
    assert caught.value.diagnostics[0].code == "E381"
    assert "of 1.00 seconds nothing follows" in caught.value.diagnostics[0].message
    check_sound(path, 4_800)  # the part that a short shot needs is there


def test_silence_is_not_sound(sounds: Path, tmp_path: Path) -> None:
    assert "no samples" in refused(write_wav(tmp_path / "none.wav", np.zeros(0)), "E382")
    video = tmp_path / "picture.mp4"
    converted(sounds / "a.wav", video, "-f", "mp4", "-vn")
    assert probe_sound(video).demuxer == "mov"
    from anix_cli.media.video import VideoWriter

    with VideoWriter(video, (64, 48), 16, "delivery") as writer:
        writer.write(np.zeros((2, 48, 64, 3), np.uint8))
    assert "pictures only" in refused(video, "E382")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"<!DOCTYPE html><html>", "a web page"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
        (b"\x89PNG\r\n\x1a\n" + bytes(99), "is not a sound"),
        (b"#EXTM3U\nfile:///etc/passwd\n", "is not a sound"),
        (b"ffconcat version 1.0\nfile /etc/passwd\n", "is not a sound"),
        (b"ID3\x04\0\0\x7f\x7f\x7f\x7f", "within its tags"),
        (b"\xff" * 5000, "is not a sound"),
        (b"RIFF\xff\xff\xff\xffWAVEdata" + bytes(40), "is damaged"),
        (b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0" + bytes(16) + b"data" + bytes(9), "makes no sense"),
        (b"fLaC\0\0\0\x22" + bytes(34), "makes no sense"),
    ],
)
def test_what_is_no_sound_is_told(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "x.wav"
    path.write_bytes(content)
    assert words in refused(path)


def test_what_is_no_file(tmp_path: Path) -> None:
    assert "does not exist" in refused(tmp_path / "none.wav")
    assert "is not a file" in refused(tmp_path)
    os.mkfifo(tmp_path / "pipe.wav")
    assert "is not a file" in refused(tmp_path / "pipe.wav")


def test_wav_from_a_pipe_and_tags_before_the_sound(sounds: Path, tmp_path: Path) -> None:
    data = bytearray((sounds / "a.wav").read_bytes())
    at = data.index(b"data")
    for size in (0xFFFFFFFF, 0x7FFFFFFF):
        data[at + 4 : at + 8] = struct.pack("<I", size)
        (tmp_path / "pipe.wav").write_bytes(data)
        assert probe_sound(tmp_path / "pipe.wav").seconds == pytest.approx(1.0)
        assert len(samples(tmp_path / "pipe.wav", 99_999)) == pytest.approx(48_000, abs=64)
    tag = b"ID3\x04\0\0\0\0\x01\0" + bytes(128)
    (tmp_path / "t.mp3").write_bytes(tag + (sounds / "a.mp3").read_bytes())
    assert probe_sound(tmp_path / "t.mp3").demuxer == "mp3"
    assert len(samples(tmp_path / "t.mp3", 99_999)) > 40_000


def test_damage_inside_is_no_crash(sounds: Path, tmp_path: Path) -> None:
    """Any damage gives samples or a problem of a sound, never anything else."""
    rng = np.random.default_rng(3)
    for name in ("a.wav", "a.flac", "a.mp3", "a.m4a", "a.ogg"):
        data = bytearray((sounds / name).read_bytes())
        for _ in range(len(data) // 50):
            data[rng.integers(len(data))] = rng.integers(256)
        path = tmp_path / name
        path.write_bytes(data)
        try:
            check_sound(path, 48_000)
        except AnixError as error:
            assert error.diagnostics[0].code in ("E381", "E382")


HEADS = [
    b"RIFF\0\0\0\0WAVE", b"fLaC", b"OggS\0\x01vorbis", b"\0\0\0\x18ftypM4A ", b"ID3\x04\0\0", b"\xff\xfb\x90",
    b"\xff\xf1", b"RF64\xff\xff\xff\xffWAVEds64", b"",
]  # fmt: skip


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(HEADS), st.binary(max_size=300))
def test_any_bytes_are_a_sound_or_a_problem(tmp_path: Path, head: bytes, rest: bytes) -> None:
    path = tmp_path / "any"
    path.write_bytes(head + rest)
    try:
        info = probe_sound(path)
        assert info.seconds is None or info.seconds >= 0
    except AnixError as error:
        assert error.diagnostics[0].code in ("E381", "E382")
