"""The sound of a film: a shot's file from its first frame to its last at most, silence elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ..core.errors import fail
from ..core.keys import file_digest
from ..core.plan import Plan, Sound
from ..media.audio import check_sound, iter_samples
from ..media.beside import CHANNELS, RATE, SAMPLE_BYTES

FADE_S = 0.005
"""A sound that goes on where its shot ends is faded out over this, since a hard cut clicks."""


@dataclass(frozen=True)
class Cue:
    """A sound over frames start … stop − 1 of the film."""

    sound: Sound
    start: int
    stop: int


def cues_of(plan: Plan) -> list[Cue]:
    """The sounds of a film, in order."""
    return [
        Cue(shot.sound, shot.start, shot.start + shot.frames)
        for shot in plan.shots()
        if shot.sound is not None
    ]


def samples_at(frame: int, fps: Fraction) -> int:
    """Samples before a frame: the nearest whole number."""
    return int(frame / fps * RATE + Fraction(1, 2))


def check_sounds(plan: Plan) -> None:
    """Makes sure, before long work, that all sounds are those that were planned and can be decoded.

    Raises:
        AnixError: E454, a sound has changed; E381, E382, one can't be used.
    """
    longest: dict[Sound, int] = {}
    for cue in cues_of(plan):
        count = samples_at(cue.stop, plan.fps) - samples_at(cue.start, plan.fps)
        longest[cue.sound] = max(longest.get(cue.sound, 0), count)
    for sound, count in longest.items():
        _check_unchanged(sound)
        check_sound(sound.file, count)


def write_soundtrack(path: Path, cues: Sequence[Cue], samples: int, fps: Fraction) -> None:
    """Writes a film's sound as so many raw samples; silence takes no disk space.

    Raises:
        AnixError: as :func:`check_sounds`.
        OSError: the file cannot be written.
    """
    with path.open("w+b") as track:
        track.truncate(samples * SAMPLE_BYTES)
        for cue in cues:
            _check_unchanged(cue.sound)
            _lay(track, cue.sound.file, samples_at(cue.start, fps), min(samples_at(cue.stop, fps), samples))


def _lay(track: BinaryIO, file: Path, start: int, stop: int) -> None:
    """Writes a sound from sample ``start`` up to ``stop``."""
    if stop <= start:
        return
    at = start
    for piece in iter_samples(file, stop - start + 1):
        track.seek(at * SAMPLE_BYTES)
        track.write(piece[: stop - at].astype("<f4").tobytes())
        at += len(piece)
    if at > stop:
        _fade_out(track, max(start, stop - round(FADE_S * RATE)), stop)


def _fade_out(track: BinaryIO, start: int, stop: int) -> None:
    """Lowers samples start … stop − 1 to nothing, evenly."""
    count = stop - start
    track.seek(start * SAMPLE_BYTES)
    samples = np.frombuffer(track.read(count * SAMPLE_BYTES), "<f4").reshape(count, CHANNELS)
    gains = ((count - np.arange(count) - 0.5) / count).astype(np.float32)
    track.seek(start * SAMPLE_BYTES)
    track.write((samples * gains[:, None]).astype("<f4").tobytes())


def _check_unchanged(sound: Sound) -> None:
    if sound.file.is_file() and file_digest(sound.file) != sound.digest:
        raise fail(
            "E454",
            f"{sound.file.name} has changed since the plan was made",
            file=sound.file,
            hint="run `anix plan` again",
        )
