"""Video files against what was written into them, decoded back."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anix_cli.core.errors import AnixError
from anix_cli.media import video as videos
from anix_cli.media.mp4 import read_track
from anix_cli.media.process import as_input, launch, output_of
from anix_cli.media.video import (
    VideoWriter,
    count_frames,
    count_packets,
    delivery_timescale,
    frame_times,
    iter_frames,
    probe,
    read_frames,
)

SIZE = (64, 48)
FPS = Fraction(16)
RNG = np.random.default_rng(7)


def noise(frames: int, kind: str = "master") -> np.ndarray:
    width, height = SIZE
    if kind == "depth":
        return RNG.integers(0, 65536, (frames, height, width), dtype=np.uint16)
    if kind == "mask":
        return RNG.integers(0, 2, (frames, height, width)).astype(bool)
    return RNG.integers(0, 256, (frames, height, width, 3), dtype=np.uint8)


def written(path: Path, frames: np.ndarray, kind: str = "master", fps: Fraction = FPS, size=SIZE) -> Path:
    with VideoWriter(path, size, fps, kind) as video:
        video.write(frames)
    return path


def code_of(error: pytest.ExceptionInfo[AnixError]) -> str:
    return error.value.diagnostics[0].code


@pytest.mark.parametrize("kind", ["master", "guide", "depth"])
def test_lossless_kinds_come_back_bit_for_bit(tmp_path: Path, kind: str) -> None:
    frames = noise(9, kind)
    path = written(tmp_path / "v.mkv", frames, kind)
    np.testing.assert_array_equal(read_frames(path, kind=kind), frames)
    assert count_packets(path) == count_frames(path) == 9


def test_masks_come_back_as_0_and_255(tmp_path: Path) -> None:
    mask = noise(5, "mask")
    for given_mask in (mask, mask.astype(np.uint8), mask.astype(np.uint8) * 255):
        path = written(tmp_path / "m.mkv", given_mask, "mask")
        np.testing.assert_array_equal(read_frames(path, kind="mask"), np.where(mask, 255, 0))


@pytest.fixture(scope="module")
def long_master(tmp_path_factory) -> tuple[dict[Fraction, Path], np.ndarray]:
    frames = noise(90)
    folder = tmp_path_factory.mktemp("long")
    rates = (Fraction(16), Fraction(24000, 1001), Fraction(25, 3), Fraction(60), Fraction(12345, 1000))
    return {fps: written(folder / f"{i}.mkv", frames, fps=fps) for i, fps in enumerate(rates)}, frames


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_any_range_is_exact_to_the_frame_at_any_rate(long_master, data) -> None:
    files, frames = long_master
    fps = data.draw(st.sampled_from(sorted(files)))
    start = data.draw(st.integers(0, 89))
    count = data.draw(st.one_of(st.none(), st.integers(1, 90 - start)))
    got = read_frames(files[fps], start, count)
    np.testing.assert_array_equal(got, frames[start : None if count is None else start + count])
    assert probe(files[fps]).fps == fps


def test_pieces_join_to_the_whole_and_stay_small(long_master) -> None:
    files, frames = long_master
    pieces = list(iter_frames(files[FPS], 7, start=3, count=40))
    assert [len(piece) for piece in pieces] == [7, 7, 7, 7, 7, 5]
    np.testing.assert_array_equal(np.concatenate(pieces), frames[3:43])


def test_more_frames_than_there_are_is_an_error(long_master) -> None:
    files, _ = long_master
    with pytest.raises(AnixError, match="3 of the frames 88 to 92 are not there") as caught:
        read_frames(files[FPS], 88, 5)
    assert code_of(caught) == "E541"


@pytest.mark.parametrize("size", [(16, 16), (2, 2), (66, 34), (130, 90)])
def test_small_and_odd_sizes(tmp_path: Path, size: tuple[int, int]) -> None:
    frames = RNG.integers(0, 256, (3, size[1], size[0], 3), dtype=np.uint8)
    np.testing.assert_array_equal(read_frames(written(tmp_path / "m.mkv", frames, size=size)), frames)
    if min(size) >= 16:
        path = written(tmp_path / "d.mp4", frames, "delivery", size=size)
        assert read_frames(path, kind="delivery").shape == frames.shape


def test_the_same_frames_give_the_same_bytes(tmp_path: Path) -> None:
    for kind in ("master", "delivery"):
        frames = noise(12)
        first = written(tmp_path / "a", frames, kind).read_bytes()
        with VideoWriter(tmp_path / "b", SIZE, FPS, kind) as video:
            for frame in frames:
                video.write(frame[None])
        assert first == (tmp_path / "b").read_bytes()


PATCHES = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (128, 128, 128), (255, 255, 255), (0, 0, 0), (200, 120, 40)]


def test_delivery_keeps_colours_and_says_how(tmp_path: Path) -> None:
    frames = np.zeros((8, 48, 32 * len(PATCHES), 3), dtype=np.uint8)
    for number, colour in enumerate(PATCHES):
        frames[:, :, 32 * number : 32 * (number + 1)] = colour
    size = (frames.shape[2], 48)
    path = written(tmp_path / "d.mp4", frames, "delivery", size=size)
    info = probe(path, count=True)
    assert (info.codec, info.pix_fmt, info.frames, info.size_px, info.fps) == (
        "h264",
        "yuv420p",
        8,
        size,
        FPS,
    )
    assert info.color_range == "tv"
    assert {info.color_space, info.color_primaries, info.color_trc} == {"bt709"}
    back = read_frames(path, kind="delivery").astype(int)
    for number, colour in enumerate(PATCHES):
        patch = back[:, 8:40, 32 * number + 8 : 32 * number + 24]
        assert np.abs(patch - np.array(colour)).max() <= 3, colour


def test_delivery_luma_is_bt709_limited(tmp_path: Path) -> None:
    """Y' of pure colours by ITU-R BT.709-6, item 3.2: 16 + 219 · (0.2126 R + 0.7152 G + 0.0722 B)."""
    for colour in PATCHES:
        frames = np.full((1, 48, 64, 3), colour, dtype=np.uint8)
        path = written(tmp_path / "d.mp4", frames, "delivery")
        stream = as_input(path).output("pipe:1", format="rawvideo", pix_fmt="yuv420p")
        _, raw = output_of(launch(stream, "reading", path, stdout=True))
        luma = np.frombuffer(raw, np.uint8)[: 48 * 64].reshape(48, 64)
        expected = 16 + 219 * np.dot(colour, [0.2126, 0.7152, 0.0722]) / 255
        assert abs(luma[24, 32] - expected) <= 1


def test_delivery_of_a_smooth_picture_is_close(tmp_path: Path) -> None:
    y, x = np.mgrid[:96, :160]
    frames = np.stack(
        [np.stack([(x + 2 * t) % 160 * 1.5, y * 2.5, (x + y) % 250], -1) for t in range(20)]
    ).astype(np.uint8)
    path = written(tmp_path / "d.mp4", frames, "delivery", size=(160, 96))
    error = read_frames(path, kind="delivery").astype(float) - frames
    assert 10 * np.log10(255**2 / np.mean(error**2)) > 36


@pytest.mark.parametrize("fps", [Fraction(16), Fraction(24000, 1001), Fraction(25, 3), Fraction(30)])
def test_delivery_frames_are_shown_at_their_times(tmp_path: Path, fps: Fraction) -> None:
    path = written(tmp_path / "d.mp4", noise(11), "delivery", fps=fps)
    assert frame_times(path) == tuple(Fraction(i) / fps for i in range(11))
    track = read_track(path)
    assert track.durations == ((11, delivery_timescale(fps) / fps),)
    assert not track.reordered
    assert track.complete
    assert track.size_px == SIZE


def test_delivery_headers_do_not_depend_on_the_pictures(tmp_path: Path) -> None:
    tracks = {
        read_track(written(tmp_path / "d.mp4", frames, "delivery")).description
        for frames in (noise(1), noise(30), np.zeros((2, 48, 64, 3), np.uint8))
    }
    assert len(tracks) == 1


def test_delivery_starts_with_its_index(tmp_path: Path) -> None:
    data = written(tmp_path / "d.mp4", noise(4), "delivery").read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")


@pytest.mark.parametrize(
    "name", ["-dash.mkv", "it's.mkv", "a:b?c#d%20.mkv", "日本\n語 .mkv", "file:x.mkv", "$(x).mkv"]
)
def test_odd_names(tmp_path: Path, name: str, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    frames = noise(2)
    written(Path(name), frames)
    np.testing.assert_array_equal(read_frames(Path(name)), frames)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_missing_or_empty_or_foreign_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty.mkv").write_bytes(b"")
    (tmp_path / "text.mkv").write_text("#EXTM3U\nhttp://localhost/x.ts\n")
    for name in ("none.mkv", "empty.mkv", "text.mkv"):
        for act in (read_frames, count_frames, probe, read_track):
            with pytest.raises(AnixError) as caught:
                act(tmp_path / name)
            assert code_of(caught) == "E541"
            assert name in caught.value.diagnostics[0].message


@pytest.mark.parametrize("kind", ["master", "delivery"])
def test_a_cut_off_file_is_noticed(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path / "v", noise(20), kind)
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    with pytest.raises(AnixError) as caught:
        read_frames(path, 0, 20, kind)
    assert code_of(caught) == "E541"
    if kind == "delivery":
        assert not read_track(path).complete


def test_a_flipped_bit_in_a_master_is_noticed(tmp_path: Path) -> None:
    path = written(tmp_path / "v.mkv", noise(20))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x10
    path.write_bytes(data)
    with pytest.raises(AnixError) as caught:
        read_frames(path)
    assert code_of(caught) == "E541"


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.is_char_device():
        pytest.skip("this system has no /dev/full")
    with (
        pytest.raises(AnixError, match="disk is full") as caught,
        VideoWriter(full, SIZE, FPS, "master") as video,
    ):
        for _ in range(100):
            video.write(noise(10))
    assert code_of(caught) == "E411"
    assert full.exists()


def test_a_folder_that_is_not_there_is_an_error_with_what_ffmpeg_said(tmp_path: Path) -> None:
    with pytest.raises(AnixError, match="No such file") as caught:
        written(tmp_path / "none" / "v.mkv", noise(3))
    assert code_of(caught) == "E402"


def test_a_killed_encoder_is_an_error_and_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "v.mkv"
    with (
        pytest.raises(AnixError, match="signal 9") as caught,
        VideoWriter(path, SIZE, FPS, "master") as video,
    ):
        video.write(noise(2))
        video._child.process.kill()
        for _ in range(100):
            video.write(noise(20))
    assert code_of(caught) == "E402"
    assert not path.exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, RuntimeError])
def test_an_exception_ends_the_encoder_and_removes_the_file(tmp_path: Path, error) -> None:
    path = tmp_path / "v.mkv"
    with pytest.raises(error), VideoWriter(path, SIZE, FPS, "master") as video:
        video.write(noise(2))
        process = video._child.process
        raise error
    assert process.returncode is not None
    assert not path.exists()


def test_leaving_a_reader_early_ends_its_decoder(long_master, monkeypatch) -> None:
    children = []
    monkeypatch.setattr(
        videos, "launch", lambda *args, **kwargs: children.append(launch(*args, **kwargs)) or children[-1]
    )
    files, _ = long_master
    reader = iter_frames(files[FPS], 2)
    next(reader)
    reader.close()
    assert [child.process.returncode for child in children] == [-signal.SIGKILL]


_LOOP = """
import signal, sys
from fractions import Fraction
from pathlib import Path
import numpy as np
from anix_cli.media.video import VideoWriter
def stop(*_):
    raise SystemExit(75)
signal.signal(signal.SIGTERM, stop)
frames = np.zeros((4, 48, 64, 3), np.uint8)
with VideoWriter(Path(sys.argv[1]), (64, 48), Fraction(16), "master") as video:
    print(video._child.process.pid, flush=True)
    while True:
        video.write(frames)
"""


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 75), (signal.SIGINT, -signal.SIGINT)])
def test_a_signal_leaves_no_child_and_no_file(tmp_path: Path, sent: int, code: int) -> None:
    path = tmp_path / "v.mkv"
    parent = subprocess.Popen(
        [sys.executable, "-c", _LOOP, str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert parent.stdout is not None
    encoder = int(parent.stdout.readline())
    time.sleep(0.2)
    parent.send_signal(sent)
    assert parent.wait(30) == code
    parent.stdout.close()
    assert not Path(f"/proc/{encoder}").exists()
    assert not path.exists()


def test_wrong_frames_are_refused_before_ffmpeg_sees_them(tmp_path: Path) -> None:
    for wrong in (noise(1)[:, :-1], noise(1).astype(np.float32), noise(1, "depth")):
        with pytest.raises(ValueError, match="frames are"):
            written(tmp_path / "v.mkv", wrong)
    with pytest.raises(ValueError, match="at least one frame"):
        written(tmp_path / "v.mkv", noise(0))
    with pytest.raises(ValueError, match="even"):
        VideoWriter(tmp_path / "d.mp4", (65, 48), FPS, "delivery")
    assert list(tmp_path.iterdir()) == []
