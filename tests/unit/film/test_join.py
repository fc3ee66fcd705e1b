"""Joining: exact counts and times, by copy and by encode, and what is said of clips that are broken."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from anix_cli.core.errors import AnixError
from anix_cli.film.join import Segment, check_name, join
from anix_cli.media.video import VideoWriter, count_packets, frame_times, probe, read_frames
from tests.grey_clips import FPS, SIZE, clips


@pytest.fixture(scope="module")
def five(tmp_path_factory) -> list[Segment]:
    return clips(tmp_path_factory.mktemp("five"))


def joined(segments, output: Path, **options):
    return join(segments, output, fps=options.pop("fps", FPS), size_px=SIZE, **options)


def assert_counts_up(output: Path, total: int, fps: Fraction = FPS) -> None:
    """Every frame is there, in order, once, at its time."""
    back = read_frames(output, kind="delivery")
    levels = back[:, 8:40, 8:56].mean(axis=(1, 2, 3))
    np.testing.assert_allclose(levels, 20 + 3 * np.arange(total), atol=1.4)
    tolerance = Fraction(1, 1000) if output.suffix == ".mkv" else 0
    for number, seconds in enumerate(frame_times(output)):
        assert abs(seconds - number / fps) <= tolerance


@pytest.mark.parametrize("suffix", [".mp4", ".mov", ".mkv", ".m4v"])
def test_clips_are_copied_frame_by_frame(five, tmp_path: Path, suffix: str) -> None:
    output = tmp_path / f"film{suffix}"
    result = joined(five, output, title="The courier", metadata={})
    assert (result.frames, result.copied, result.bytes) == (64, True, output.stat().st_size)
    assert count_packets(output) == 64
    assert_counts_up(output, 64)
    info = probe(output)
    assert (info.fps, info.size_px, info.pix_fmt, info.color_range) == (FPS, SIZE, "yuv420p", "tv")
    assert {info.color_space, info.color_primaries, info.color_trc} == {"bt709"}
    assert [path.name for path in tmp_path.iterdir()] == [output.name]


@pytest.mark.parametrize("fps", [Fraction(24000, 1001), Fraction(25, 3), Fraction(60)])
def test_other_rates(tmp_path: Path, fps: Fraction) -> None:
    segments = clips(tmp_path, (5, 3, 1), fps)
    assert joined(segments, tmp_path / "film.mp4", fps=fps).copied
    assert_counts_up(tmp_path / "film.mp4", 9, fps)


def test_an_overlay_means_one_encode_from_the_masters(five, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    def overlay(frames: np.ndarray, start: int) -> np.ndarray:
        seen.append((start, len(frames)))
        assert frames[0, 0, 0, 0] == 20 + 3 * start, "masters are lossless"
        return frames

    steps: list[int] = []
    result = joined(five, tmp_path / "film.mp4", overlays=[overlay], advance=steps.append)
    assert (result.frames, result.copied) == (64, False)
    assert sum(steps) == 64
    assert [start for start, _ in seen] == list(np.cumsum([0] + [n for _, n in seen])[:-1])
    assert_counts_up(tmp_path / "film.mp4", 64)


def test_clips_of_unlike_rates_are_encoded_anew(five, tmp_path: Path) -> None:
    odd = clips(tmp_path, (4,), Fraction(25))
    result = joined([*five[:2], *odd], tmp_path / "film.mp4")
    assert (result.frames, result.copied) == (29, False)
    assert frame_times(tmp_path / "film.mp4")[-1] == Fraction(28, 16)


def test_the_same_clips_give_the_same_bytes(five, tmp_path: Path) -> None:
    for name in ("a.mp4", "b.mp4"):
        joined(five, tmp_path / name, title="t", metadata={"comment": "c"})
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()


def test_title_and_tags_or_none(five, tmp_path: Path) -> None:
    joined(five, tmp_path / "a.mp4", title="It's = 日本", metadata={"comment": "made here"})
    joined(five, tmp_path / "b.mp4", title="It's = 日本", metadata=None)
    told, silent = (tmp_path / "a.mp4").read_bytes(), (tmp_path / "b.mp4").read_bytes()
    assert "It's = 日本".encode() in told
    assert b"made here" in told
    assert "It's = 日本".encode() not in silent
    assert told.index(b"moov") < told.index(b"mdat")


@pytest.mark.parametrize(
    "name", ["it's", "-dash", "new\nline", " spaces ", "日本", "a:b?c#d%20", "$(x)`y`", "'"]
)
def test_odd_names_of_clips_and_film(tmp_path: Path, name: str, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path(name)
    folder.mkdir()
    segments = clips(folder, (2, 3), name=name)
    output = folder / f"{name} film.mp4"
    assert joined(segments, output).copied
    assert_counts_up(output, 5)


def code_of(segments, output: Path, **options) -> str:
    before = sorted(output.parent.iterdir())
    with pytest.raises(AnixError) as caught:
        joined(segments, output, **options)
    assert sorted(output.parent.iterdir()) == before, "nothing half-made stays"
    (diagnostic,) = caught.value.diagnostics
    code_of.message = diagnostic.message
    return diagnostic.code


def same(frames: np.ndarray, start: int) -> np.ndarray:
    return frames


def test_no_frames_is_an_error(tmp_path: Path) -> None:
    assert code_of([], tmp_path / "film.mp4") == "E543"


def test_broken_clips_are_named(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    output = tmp_path / "out" / "film.mp4"
    output.write_text("the old film")
    whole = clips(tmp_path, (6, 20, 3))
    middle = whole[1]

    def with_middle(**changes) -> list[Segment]:
        fields = {"master": middle.master, "delivery": middle.delivery, "frames": 20, "name": middle.name}
        return [whole[0], Segment(**{**fields, **changes}), whole[2]]

    assert code_of(with_middle(delivery=tmp_path / "none.mp4"), output) == "E541"
    assert "none.mp4" in code_of.message
    assert code_of(with_middle(frames=19), output) == "E542"
    assert "shot s1, clip 0" in code_of.message
    assert code_of(with_middle(frames=19), output, overlays=[same]) == "E542"
    assert code_of(with_middle(frames=21), output, overlays=[same]) == "E542"
    assert code_of(with_middle(master=tmp_path / "none.mkv"), output, overlays=[same]) == "E541"
    data = middle.delivery.read_bytes()
    cut = tmp_path / "cut.mp4"
    for share in (0.99, 0.5, 0.1):
        cut.write_bytes(data[: int(len(data) * share)])
        assert code_of(with_middle(delivery=cut), output) == "E541"
    assert output.read_text() == "the old film"


def test_damage_inside_a_clip_is_found_after_the_join_and_named(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    segments = clips(tmp_path, (6,))
    frames = rng.integers(0, 256, (20, SIZE[1], SIZE[0], 3), dtype=np.uint8)
    with VideoWriter(tmp_path / "n.mp4", SIZE, FPS, "delivery") as video:
        video.write(frames)
    data = bytearray((tmp_path / "n.mp4").read_bytes())
    at = data.index(b"mdat") + len(data) // 3
    data[at : at + 400] = bytes(400)
    (tmp_path / "n.mp4").write_bytes(data)
    noisy = Segment(tmp_path / "n.mkv", tmp_path / "n.mp4", 20, "shot noise, clip 0")
    assert code_of([*segments, noisy], tmp_path / "film.mp4") == "E541"
    assert "shot noise, clip 0" in code_of.message


def test_a_clip_of_another_size_is_named(five, tmp_path: Path) -> None:
    for overlays in (None, [same]):
        with pytest.raises(AnixError, match="is 64x48; the film is 32x48") as caught:
            join(five, tmp_path / "film.mp4", fps=FPS, size_px=(32, 48), overlays=overlays)
        assert caught.value.diagnostics[0].code == "E544"


@pytest.mark.parametrize("name", ["film.avi", "film", "film.mp4.json"])
def test_what_is_no_films_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(AnixError, match="must end in") as caught:
        check_name(tmp_path / name)
    assert caught.value.diagnostics[0].code == "E432"


def test_a_folder_is_no_film(tmp_path: Path) -> None:
    (tmp_path / "film.mp4").mkdir()
    with pytest.raises(AnixError, match="folder") as caught:
        check_name(tmp_path / "film.mp4")
    assert caught.value.diagnostics[0].code == "E432"


def test_what_lies_there_and_is_no_file_is_not_replaced(five, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "film.mp4")
    assert code_of(five, tmp_path / "film.mp4") == "E412"
    assert "a pipe" in code_of.message
    assert (tmp_path / "film.mp4").is_fifo()


def test_the_longest_name_is_one_that_leaves_room_for_the_manifests(five, tmp_path: Path) -> None:
    for name in ("x" * 247 + ".mp4", "語" * 83 + ".mp4", "x" * 5000 + ".mp4"):
        with pytest.raises(AnixError, match="name is too long") as caught:
            check_name(tmp_path / name)
        assert caught.value.diagnostics[0].code == "E432"
    longest = tmp_path / ("x" * 246 + ".mp4")
    assert joined(five, longest).frames == 64
    with pytest.raises(AnixError, match="too long") as caught:
        check_name(tmp_path.joinpath(*["x" * 250] * 20, "film.mp4"))
    assert caught.value.diagnostics[0].code == "E412"


def test_an_unwritable_place_is_named(five, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(AnixError) as caught:
        joined(five, tmp_path / "file" / "film.mp4")
    assert caught.value.diagnostics[0].code == "E412"


def test_the_seal_sees_the_whole_film_before_it_has_its_name(five, tmp_path: Path) -> None:
    output = tmp_path / "film.mp4"
    output.write_text("old")

    def seal(film: Path, result) -> None:
        assert output.read_text() == "old"
        assert film.stat().st_size == result.bytes
        assert count_packets(film) == 64
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        joined(five, output, seal=seal)
    assert [path.name for path in tmp_path.iterdir()] == ["film.mp4"]
    assert output.read_text() == "old"


_MANY = """
import resource, sys
from fractions import Fraction
from pathlib import Path
from anix_cli.film.join import Segment, join
folder = Path(sys.argv[1])
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
kinds = [Segment(folder / f"c{i}.mkv", folder / f"c{i}.mp4", n) for i, n in enumerate((3, 1, 2))]
result = join([kinds[i % 3] for i in range(1500)], folder / "film.mp4", fps=Fraction(16), size_px=(64, 48))
print(result.frames, result.copied)
"""


def test_1500_clips_with_256_open_files_and_paths_of_200_characters(tmp_path: Path) -> None:
    folder = tmp_path / ("it's a long name " * 9) / ("x" * 60)
    folder.mkdir(parents=True)
    assert len(str(folder)) - len(str(tmp_path)) > 200
    clips(folder, (3, 1, 2))
    done = subprocess.run(
        [sys.executable, "-c", _MANY, str(folder)], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["3000", "True"], done.stderr
    times = frame_times(folder / "film.mp4")
    assert times == tuple(Fraction(i, 16) for i in range(3000))
    levels = read_frames(folder / "film.mp4", kind="delivery")[:, 20:30, 20:30].mean(axis=(1, 2, 3))
    np.testing.assert_allclose(levels, 20 + 3 * (np.arange(3000) % 6), atol=1.4)
