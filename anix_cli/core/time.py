"""Time: frame counts are integers, rates are fractions, seconds round to frames once."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal


def frames_from_seconds(duration_s: Fraction, fps: Fraction) -> int:
    """The nearest whole number of frames, halves rounded up."""
    return int(duration_s * fps + Fraction(1, 2))


@dataclass(frozen=True)
class Duration:
    """A length of time as a director writes it: in seconds, or in frames of whatever rate the film has."""

    amount: Fraction
    unit: Literal["s", "frames"] = "s"

    def frames(self, fps: Fraction) -> int:
        """The nearest whole number of frames, halves rounded up."""
        return int(self.amount) if self.unit == "frames" else frames_from_seconds(self.amount, fps)

    def seconds(self, fps: Fraction) -> Fraction:
        return self.amount / fps if self.unit == "frames" else self.amount

    def __str__(self) -> str:
        unit = "s" if self.unit == "s" else "frame" if self.amount == 1 else "frames"
        return f"{float(self.amount):g} {unit}"


def timecode(frame: int, fps: Fraction) -> str:
    """``HH:MM:SS:FF`` of a frame counted from 0, on the nearest whole-number rate (non-drop)."""
    base = max(1, round(fps))
    seconds, rest = divmod(frame, base)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}:{rest:02d}"
