"""Codecs and qualities: what is in the files, decoded back, and the same bytes every time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from anix_cli.core.errors import AnixError
from anix_cli.core.plan import FilmOutput
from anix_cli.film.join import Segment, check_name, join
from anix_cli.media.delivery import SUFFIXES, pixel_bytes
from anix_cli.media.inspect import _describe
from anix_cli.media.video import VideoWriter, count_packets, frame_times, iter_frames, probe, read_frames
from tests.grey_clips import FPS, LENGTHS, SIZE, clips, picture_bytes

TOTAL = sum(LENGTHS)
QUALITIES = ("draft", "good", "best")
FILES = [(codec, suffix) for codec, suffixes in SUFFIXES.items() for suffix in suffixes]


@pytest.fixture(scope="module")
def five(tmp_path_factory) -> list[Segment]:
    return clips(tmp_path_factory.mktemp("five"))


@pytest.fixture(scope="module")
def moving(tmp_path_factory) -> tuple[list[Segment], np.ndarray]:
    """One clip of 320x192 in which a picture with some noise moves, and its frames."""
    folder = tmp_path_factory.mktemp("moving")
    rng = np.random.default_rng(5)
    y, x = np.mgrid[0:192, 0:420]
    wide = 128 + 60 * np.sin(x / 17) * np.cos(y / 23) + rng.normal(0, 4, (192, 420))
    colours = np.stack([wide, np.roll(wide, 40, axis=1), 255 - wide], axis=2)
    frames = np.stack([colours[:, 3 * f : 3 * f + 320] for f in range(24)]).clip(0, 255).astype(np.uint8)
    with (
        VideoWriter(folder / "m.mkv", (320, 192), FPS, "master") as master,
        VideoWriter(folder / "m.mp4", (320, 192), FPS, "delivery") as delivery,
    ):
        master.write(frames)
        delivery.write(frames)
    return [Segment(folder / "m.mkv", folder / "m.mp4", 24)], frames


@pytest.mark.parametrize(("codec", "suffix"), FILES)
def test_every_frame_is_there_at_its_time_with_all_tags(
    five, tmp_path: Path, codec: str, suffix: str
) -> None:
    film = tmp_path / f"film{suffix}"
    steps: list[int] = []
    output = FilmOutput(codec, "best")
    result = join(five, film, fps=FPS, size_px=SIZE, encoding=output, advance=steps.append)
    assert (result.frames, result.copied, sum(steps)) == (TOTAL, False, TOTAL)
    assert count_packets(film) == TOTAL
    tolerance = Fraction(1, 1000) if suffix in (".mkv", ".webm") else 0
    times = frame_times(film)
    assert all(abs(seconds - n / FPS) <= tolerance for n, seconds in enumerate(times))
    lossless = codec == "ffv1"
    frames = read_frames(film, kind="master" if lossless else "delivery")
    levels = frames[:, 8:40, 8:56].mean(axis=(1, 2, 3))
    np.testing.assert_allclose(levels, 20 + 3 * np.arange(TOTAL), atol=0 if lossless else 1.4)
    info = probe(film)
    assert (info.fps, info.size_px, info.color_range) == (FPS, SIZE, "pc" if lossless else "tv")
    tags = ("gbr", "bt709", "iec61966-2-1") if lossless else ("bt709",) * 3
    assert (info.color_space, info.color_primaries, info.color_trc) == tags
    names = {"h264": "h264", "h265": "hevc", "av1": "av1", "prores": "prores", "ffv1": "ffv1"}
    assert info.codec == names[codec]
    pixels = {"prores": "yuv422p10le", "av1": "yuv420p10le", "ffv1": "bgr0"}
    assert info.pix_fmt == pixels.get(codec, "yuv420p")
    assert [one.name for one in tmp_path.iterdir()] == [film.name]
    if suffix not in (".mkv", ".webm"):
        data = film.read_bytes()
        assert data.index(b"moov") < data.index(b"mdat"), "starts to play before it is loaded"
        if codec == "h265":
            assert b"hvc1" in data and b"hev1" not in data


@pytest.mark.parametrize("fps", [Fraction(24000, 1001), Fraction(25, 3)])
@pytest.mark.parametrize(("codec", "suffix"), [("h265", ".mp4"), ("h265", ".mkv"), ("prores", ".mov")])
def test_other_rates(tmp_path: Path, codec: str, suffix: str, fps: Fraction) -> None:
    segments = clips(tmp_path, (5, 30, 1), fps)
    film = tmp_path / f"film{suffix}"
    join(segments, film, fps=fps, size_px=SIZE, encoding=FilmOutput(codec))
    tolerance = Fraction(1, 1000) if suffix == ".mkv" else 0
    assert all(abs(seconds - n / fps) <= tolerance for n, seconds in enumerate(frame_times(film)))


def test_good_h264_is_the_clips_own_picture(five, tmp_path: Path) -> None:
    for output in (None, FilmOutput(), FilmOutput("h264", "good")):
        assert join(five, tmp_path / "film.mp4", fps=FPS, size_px=SIZE, encoding=output).copied
    for output in (FilmOutput("h264", "draft"), FilmOutput("h264", "best"), FilmOutput("h265", "good")):
        assert not join(five, tmp_path / "film.mp4", fps=FPS, size_px=SIZE, encoding=output).copied


def error_of(film: Path, frames: np.ndarray) -> float:
    """Mean squared error against what was filmed."""
    parts = [chunk.astype(np.float64) for chunk in iter_frames(film, kind="delivery")]
    return float(((np.concatenate(parts) - frames) ** 2).mean())


@pytest.mark.parametrize("codec", [codec for codec in SUFFIXES if codec != "ffv1"])
def test_better_quality_is_larger_and_nearer_to_the_masters(moving, tmp_path: Path, codec: str) -> None:
    segments, frames = moving
    sizes, errors = [], []
    for quality in QUALITIES:
        film = tmp_path / f"{quality}{SUFFIXES[codec][0]}"
        encoding = FilmOutput(codec, quality)
        sizes.append(join(segments, film, fps=FPS, size_px=(320, 192), encoding=encoding).bytes)
        errors.append(error_of(film, frames))
        assert pixel_bytes(encoding) > 0
    assert sizes == sorted(sizes) and sizes[2] > 1.3 * sizes[0]
    assert errors == sorted(errors, reverse=True)
    assert errors[2] < 15


def test_prores_profiles(moving, tmp_path: Path) -> None:
    tags = {"draft": "Proxy", "good": "Standard", "best": "HQ"}
    for quality, name in tags.items():
        film = tmp_path / "film.mov"
        join(moving[0], film, fps=FPS, size_px=(320, 192), encoding=FilmOutput("prores", quality))
        assert f"prores ({name})" in _describe(film)


_JOIN = """
import os, sys
from fractions import Fraction
from pathlib import Path
from anix_cli.core.plan import FilmOutput
from anix_cli.film.join import Segment, join
master, delivery, output, codec, quality = sys.argv[1:]
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
segment = Segment(Path(master), Path(delivery), 24)
join([segment], Path(output), fps=Fraction(16), size_px=(320, 192), encoding=FilmOutput(codec, quality))
"""


@pytest.mark.parametrize(
    ("codec", "quality"),
    [("h264", "best"), ("h265", "good"), ("av1", "good"), ("prores", "good"), ("ffv1", "good")],
)
def test_the_same_film_has_the_same_bytes_on_any_number_of_cores(
    moving, tmp_path: Path, codec: str, quality: str
) -> None:
    (segment,), _ = moving
    films = [tmp_path / f"{name}{SUFFIXES[codec][0]}" for name in "abc"]
    for film in films[:2]:
        join([segment], film, fps=FPS, size_px=(320, 192), encoding=FilmOutput(codec, quality))
    if hasattr(os, "sched_setaffinity"):
        arguments = [str(segment.master), str(segment.delivery), str(films[2]), codec, quality]
        subprocess.run([sys.executable, "-c", _JOIN, *arguments], check=True)
    else:
        films[2].write_bytes(films[0].read_bytes())
    assert films[0].read_bytes() == films[1].read_bytes() == films[2].read_bytes()


def test_prores_needs_a_file_that_holds_it(five, tmp_path: Path) -> None:
    for suffix in (".mp4", ".m4v"):
        with pytest.raises(AnixError, match="ProRes does not go into") as caught:
            check_name(tmp_path / f"it's{suffix}", "prores")
        (found,) = caught.value.diagnostics
        assert found.code == "E434" and "it's.mov" in found.hint
    with pytest.raises(AnixError) as caught:
        join(five, tmp_path / "film.mp4", fps=FPS, size_px=SIZE, encoding=FilmOutput("prores"))
    assert caught.value.diagnostics[0].code == "E434"
    assert list(tmp_path.iterdir()) == []
    assert check_name(tmp_path / "film.MOV", "prores") == "mov"


def test_a_fade_and_a_codec_are_one_encode(five, tmp_path: Path) -> None:
    film = tmp_path / "film.mov"

    def darker(frames: np.ndarray, start: int) -> np.ndarray:
        return frames // 2

    join(five, film, fps=FPS, size_px=SIZE, encoding=FilmOutput("prores"), overlays=[darker])
    levels = read_frames(film, kind="delivery").mean(axis=(1, 2, 3))
    np.testing.assert_allclose(levels, (20 + 3 * np.arange(TOTAL)) // 2, atol=1.4)


_SLOW = """
import sys
from fractions import Fraction
from pathlib import Path
from anix_cli.core.keys import file_digest
from anix_cli.core.plan import FilmOutput, Sound
from anix_cli.film.captions import Caption
from anix_cli.film.join import Segment, join
from anix_cli.film.soundtrack import Cue, Soundtrack
master, delivery, output, wav, codec = sys.argv[1:]
segments = [Segment(Path(master), Path(delivery), 24)] * 60
cue = Cue(Sound(Path(wav), file_digest(Path(wav))), 0, 24)
print("begins", flush=True)
join(segments, Path(output), fps=Fraction(16), size_px=(320, 192), encoding=FilmOutput(codec),
     captions=[Caption("Hi", 0, 24)], sound=Soundtrack([cue]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("codec", ["h265", "prores"])
def test_a_killed_join_leaves_the_old_film_and_the_next_one_sweeps_up(
    moving, tmp_path: Path, codec: str
) -> None:
    from tests.sound_files import tone, write_wav

    (segment,), _ = moving
    wav = write_wav(tmp_path / "t.wav", tone(1))
    folder = tmp_path / "out"
    folder.mkdir()
    film = folder / "film.mov"
    film.write_text("the old film")
    arguments = [str(segment.master), str(segment.delivery), str(film), str(wav), codec]
    child = subprocess.Popen([sys.executable, "-c", _SLOW, *arguments], stdout=subprocess.PIPE)
    assert child.stdout is not None and child.stdout.readline()
    while len(list(folder.iterdir())) < 3 and child.poll() is None:  # the film and two hidden files
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert film.read_text() == "the old film"
    assert len(list(folder.iterdir())) == 3
    join([segment], film, fps=FPS, size_px=(320, 192), sound=_cue(wav))
    assert [one.name for one in folder.iterdir()] == ["film.mov"]
    assert picture_bytes(film)


def _cue(wav: Path):
    from anix_cli.core.keys import file_digest
    from anix_cli.core.plan import Sound
    from anix_cli.film.soundtrack import Cue, Soundtrack

    return Soundtrack([Cue(Sound(wav, file_digest(wav)), 0, 24)])
