"""Time rounds once; ground height is bilinear and constant beyond its border."""

from fractions import Fraction

import numpy as np
import pytest

from anix_cli.core.stage import HeightMap
from anix_cli.core.time import frames_from_seconds, timecode


@pytest.mark.parametrize(
    ("seconds", "fps", "frames"),
    [("3", "16", 48), ("2.5", "24", 60), ("1/32", "16", 1), ("0.01", "16", 0), ("4", "24000/1001", 96)],
)
def test_frames_from_seconds(seconds, fps, frames):
    assert frames_from_seconds(Fraction(seconds), Fraction(fps)) == frames


def test_timecode_counts_frames_within_the_second():
    assert timecode(0, Fraction(16)) == "00:00:00:00"
    assert timecode(16 * 61 + 5, Fraction(16)) == "00:01:01:05"
    assert timecode(24, Fraction(24000, 1001)) == "00:00:01:00"


def test_height_map():
    ground = HeightMap((10.0, 20.0), 2.0, np.array([[0.0, 2.0], [4.0, 6.0]]))
    assert ground.at([10, 20]) == pytest.approx(0)
    assert ground.at([11, 20]) == pytest.approx(1)
    assert ground.at([11, 21]) == pytest.approx(3)
    assert ground.at([[-99, -99], [99, 99]]) == pytest.approx([0, 6])
    assert HeightMap.level(1.5).at([[3, 4]]) == pytest.approx([1.5])
