"""A guide in segments is the guide in one piece, frame for frame."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from anix_cli.core.camera import intrinsics_from_lens, look_at
from anix_cli.core.errors import AnixError
from anix_cli.core.optics import Optics
from anix_cli.core.plan import PlannedShot, ScenePlacement
from anix_cli.guide.frames import guide_frames
from anix_cli.guide.read import read_guide
from anix_cli.guide.render import depth_scale, finish_guide, render_guide
from anix_cli.guide.segment import join_segments, read_segment, spans_of, write_segment
from anix_cli.media.video import frame_times
from anix_cli.splat import pack
from anix_cli.splat.choose import Cpu
from tests.conftest import yard

SIZE = (32, 24)
PLACEMENT = ScenePlacement(Path("yard.ply"), "0" * 64, "0" * 64, np.eye(4), 30.0)
SCENE = pack(yard())


def orbit(frames: int) -> PlannedShot:
    angles = np.linspace(0, 1, frames)
    poses = np.stack([look_at((5 * np.sin(a), 1.5, 5 * np.cos(a)), (0, 1, 0)) for a in angles])
    lens = np.repeat(intrinsics_from_lens(24, SIZE)[None], frames, axis=0)
    return PlannedShot("a", "", "orbit", 0, frames, (), (), poses, lens, (), "a" * 64)


def nothing(count: int) -> None:
    pass


@pytest.mark.parametrize(
    ("frames", "length", "expected"), [(1, 4, [1]), (4, 4, [4]), (5, 4, [4, 1]), (9, 4, [4, 4, 1])]
)
def test_spans_cover_all_frames_once(frames, length, expected):
    spans = spans_of(frames, length)
    assert [len(span) for span in spans] == expected
    assert [frame for span in spans for frame in span] == list(range(frames))


@pytest.mark.parametrize("fps", [Fraction(16), Fraction(24000, 1001), Fraction(60)])
def test_segments_join_to_the_guide_in_one_piece(tmp_path, fps):
    shot = orbit(19)
    (tmp_path / "whole").mkdir()
    whole = render_guide(
        shot, SCENE, PLACEMENT, size_px=SIZE, fps=fps, into=tmp_path / "whole", advance=nothing
    )
    segments, done = [], []
    for number, span in enumerate(spans_of(19, 4)):
        folder = tmp_path / str(number)
        folder.mkdir()
        write_segment(
            shot, SCENE, PLACEMENT, span, size_px=SIZE, fps=fps, scale_m=depth_scale(shot, SCENE),
            rasteriser=Cpu(2), into=folder, advance=done.append,
        )  # fmt: skip
        segments.append(read_segment(folder))
    assert sum(done) == 19
    (tmp_path / "joined").mkdir()
    joined = join_segments(segments, fps, tmp_path / "joined")
    record = finish_guide(shot, joined, size_px=SIZE, fps=fps, scale_m=depth_scale(shot, SCENE))
    assert record == whole
    for name in ("rgb.mkv", "depth.mkv", "mask.mkv"):
        times = frame_times(tmp_path / "joined" / name)
        assert times == frame_times(tmp_path / "whole" / name)
        assert max(abs(time - n / fps) for n, time in enumerate(times)) <= Fraction(1, 1000)
    for start, stop in ((0, 19), (3, 9), (18, 19)):
        one, other = (read_guide(tmp_path / name, start, stop) for name in ("whole", "joined"))
        assert np.array_equal(one.rgb, other.rgb)
        assert np.array_equal(one.depth, other.depth)
        assert np.array_equal(one.anchor, other.anchor)


def test_the_same_bytes_on_any_number_of_threads(tmp_path):
    files = []
    for threads in (1, 2, 5):
        folder = tmp_path / str(threads)
        folder.mkdir()
        render_guide(
            orbit(9), SCENE, PLACEMENT, size_px=SIZE, fps=Fraction(16), into=folder, advance=nothing,
            rasteriser=Cpu(threads),
        )  # fmt: skip
        files.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert files[0] == files[1] == files[2]


def test_colours_come_back_as_they_were_drawn(tmp_path):
    """No conversion on the way shifts them, not by one level."""
    shot = orbit(3)
    render_guide(shot, SCENE, PLACEMENT, size_px=SIZE, fps=Fraction(16), into=tmp_path, advance=nothing)
    guide = read_guide(tmp_path, 0, 3)
    for frame, drawn in enumerate(
        Cpu(1).frames(
            range(3),
            lambda at: _views(shot, at),
            lambda at, picture: picture,
            SIZE,
            near=PLACEMENT.near_m,
        )
    ):
        assert np.abs(guide.rgb[frame] / 255 - drawn.rgb).max() <= 0.5 / 255 + 1e-6
        assert np.ptp(drawn.rgb) > 0.4


def _views(shot, at):
    from anix_cli.splat.choose import Views
    from anix_cli.splat.exposure import expose

    return Views(expose(shot.world_from_camera, shot.intrinsics, at, None, SIZE), [[SCENE]])


def test_optics_blur_the_guide(tmp_path):
    """A wide open lens focused near blurs the far wall; a shutter blurs the orbit along the horizon."""
    sharp = orbit(3)
    detail = {}
    for name, optics in {
        "sharp": None,
        "lens": Optics(f_stop=0.05, focus_m=(0.5,), samples=24),
        "shutter": Optics(shutter_deg=360, samples=24),
    }.items():
        shot = replace(sharp, optics=optics)
        (frame, *_) = guide_frames(
            shot, SCENE, PLACEMENT, range(1, 2), size_px=SIZE, scale_m=0.001, rasteriser=Cpu(1)
        )
        light = frame.rgb.astype(float)
        detail[name] = (np.abs(np.diff(light, axis=1)).mean(), np.abs(np.diff(light, axis=0)).mean())
    assert detail["lens"][0] < 0.6 * detail["sharp"][0] and detail["lens"][1] < 0.8 * detail["sharp"][1]
    assert detail["shutter"][0] < 0.5 * detail["sharp"][0]
    assert detail["shutter"][1] > detail["lens"][1]


def test_a_damaged_segment_is_damage(tmp_path):
    shot = orbit(4)
    write_segment(
        shot, SCENE, PLACEMENT, range(4), size_px=SIZE, fps=Fraction(16), scale_m=0.001,
        rasteriser=Cpu(1), into=tmp_path, advance=nothing,
    )  # fmt: skip
    segment = read_segment(tmp_path)
    (tmp_path / "joined").mkdir()
    with pytest.raises(AnixError) as error:
        join_segments([segment, replace(segment, frames=5)], Fraction(16), tmp_path / "joined")
    assert error.value.diagnostics[0].code == "E541"
    (tmp_path / "checks.npy").write_bytes(b"x")
    with pytest.raises(AnixError):
        join_segments([segment], Fraction(16), tmp_path / "joined")
    (tmp_path / "segment.json").write_text("{}")
    with pytest.raises(AnixError) as error:
        read_segment(tmp_path)
    assert error.value.diagnostics[0].code == "E541"


def test_a_picture_that_is_not_what_was_written_is_damage(tmp_path):
    """The codec has no checksums: a flipped bit decodes to other pixels without a word."""
    render_guide(orbit(3), SCENE, PLACEMENT, size_px=SIZE, fps=Fraction(16), into=tmp_path, advance=nothing)
    read_guide(tmp_path, 0, 3)
    checks = np.load(tmp_path / "checks.npy")
    for column in range(3):
        other = checks.copy()
        other[1, column] ^= 1
        np.save(tmp_path / "checks.npy", other)
        read_guide(tmp_path, 2, 3)
        with pytest.raises(AnixError) as error:
            read_guide(tmp_path, 0, 2)
        assert error.value.diagnostics[0].code == "E541"
    (tmp_path / "checks.npy").unlink()
    with pytest.raises(AnixError):
        read_guide(tmp_path, 0, 1)
