"""Time: frame counts are integers, rates are fractions, seconds round to frames once."""

from __future__ import annotations

from fractions import Fraction


def frames_from_seconds(duration_s: Fraction, fps: Fraction) -> int:
    """The number of frames nearest to a duration; halves round up."""
    return int(duration_s * fps + Fraction(1, 2))


def timecode(frame: int, fps: Fraction) -> str:
    """``HH:MM:SS:FF`` of a frame counted from 0, on the nearest whole-number rate (non-drop)."""
    base = max(1, round(fps))
    seconds, rest = divmod(frame, base)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}:{rest:02d}"
