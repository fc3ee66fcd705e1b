"""The sound of a film: shots' own sounds from their first frames to their last at most, music under all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..core.errors import fail
from ..core.keys import file_digest
from ..core.plan import Music, NamedFile, Plan, Sound
from ..media.audio import check_sound, iter_samples
from ..media.beside import CHANNELS, RATE, SAMPLE_BYTES
from ..media.loudness import Loudness
from .mastering import master

F32 = NDArray[np.float32]

FADE_S = 0.005
"""A sound that goes on where its shot ends is faded out over this, since a hard cut clicks."""
DUCK_S = 0.3
"""Music takes this long to make way for a shot's sound, before it begins, and to come back."""


@dataclass(frozen=True)
class Cue:
    """A sound over frames start … stop − 1 of the film.

    ``fade_in`` and ``fade_out`` are the frames over which its shot dissolves from and into others.
    """

    sound: Sound
    start: int
    stop: int
    fade_in: int = 0
    fade_out: int = 0


@dataclass(frozen=True)
class Soundtrack:
    """What is heard: cues in order, music under them, and how loud it all is (None: as it comes)."""

    cues: Sequence[Cue] = ()
    music: Music | None = None
    loudness_lufs: float | None = None

    def __bool__(self) -> bool:
        return bool(self.cues) or self.music is not None

    @property
    def mastered(self) -> bool:
        """Whether the sounds are no more what they were: one alone stays as it is, sample by sample."""
        louder = any(cue.sound.volume_db > 0 for cue in self.cues)
        return bool(self) and (self.loudness_lufs is not None or self.music is not None or louder)


SILENT = Soundtrack()


def soundtrack_of(plan: Plan) -> Soundtrack:
    """The sounds of a film."""
    shots, blended = list(plan.shots()), plan.overlaps
    after = [blended.get(shot.id, 0) for shot in shots[1:]] + [0]
    cues = [
        Cue(shot.sound, shot.start, shot.start + shot.frames, blended.get(shot.id, 0), out)
        for shot, out in zip(shots, after, strict=True)
        if shot.sound is not None
    ]
    return Soundtrack(cues, plan.output.music, plan.output.loudness_lufs)


def samples_at(frame: int, fps: Fraction) -> int:
    """Samples before a frame: the nearest whole number."""
    return int(frame / fps * RATE + Fraction(1, 2))


def check_sounds(plan: Plan) -> None:
    """Makes sure, before long work, that all sounds are those that were planned and can be decoded.

    Raises:
        AnixError: E454, a sound has changed; E381, E382, one can't be used.
    """
    longest: dict[Sound, int] = {}
    track = soundtrack_of(plan)
    for cue in track.cues:
        count = samples_at(cue.stop, plan.fps) - samples_at(cue.start, plan.fps)
        sound = replace(cue.sound, volume_db=0.0)
        longest[sound] = max(longest.get(sound, 0), count)
    if track.music:
        sound = replace(track.music.sound, volume_db=0.0)
        longest[sound] = max(longest.get(sound, 0), samples_at(plan.frames, plan.fps))
    for sound, count in longest.items():
        check_unchanged(sound)
        check_sound(sound.file, count)


def write_soundtrack(path: Path, track: Soundtrack, samples: int, fps: Fraction) -> Loudness | None:
    """Writes a film's sound as so many raw samples; silence takes no disk space.

    Returns:
        How loud it became, where that was asked for or sounds were mixed.

    Raises:
        AnixError: as :func:`check_sounds`.
        OSError: the file cannot be written.
    """
    heard = []
    with path.open("w+b") as raw:
        raw.truncate(samples * SAMPLE_BYTES)
        for cue in track.cues:
            check_unchanged(cue.sound)
            heard.append(_lay(raw, cue, samples, fps))
        if track.music:
            check_unchanged(track.music.sound)
            _lay_music(raw, track.music, heard, samples)
    return master(path, track.loudness_lufs) if track.mastered else None


def check_unchanged(named: NamedFile) -> None:
    """Raises E454 where a file is another than when the plan was made."""
    if named.file.is_file() and file_digest(named.file) != named.digest:
        raise fail(
            "E454",
            f"{named.file.name} has changed since the plan was made",
            file=named.file,
            hint="run `anix plan` again",
        )


def _lay(track: BinaryIO, cue: Cue, samples: int, fps: Fraction) -> tuple[int, int]:
    """Adds a shot's sound to the track; from and up to which sample it is heard."""
    start, stop = samples_at(cue.start, fps), min(samples_at(cue.stop, fps), samples)
    if stop <= start:
        return start, start
    comes = start, samples_at(cue.start + cue.fade_in, fps)
    goes = samples_at(cue.stop - cue.fade_out, fps), stop
    gain = np.float32(10 ** (cue.sound.volume_db / 20))
    at = start
    dies_s = 0.0 if cue.fade_out else FADE_S
    for piece in _ending(iter_samples(cue.sound.file, stop - start + 1), stop - start, dies_s):
        times = np.arange(at, at + len(piece)) + 0.5
        _add(track, at, piece * (gain * _rise(times, *comes) * _rise(-times, -goes[1], -goes[0])))
        at += len(piece)
    return start, at


def _ending(pieces: Iterator[F32], count: int, dies_s: float = FADE_S) -> Iterator[F32]:
    """The first ``count`` samples; where there would be more, the last ``dies_s`` of them die away."""
    held = np.zeros((0, CHANNELS), np.float32)
    keep = min(count, round(dies_s * RATE))
    left = count
    for piece in pieces:
        held = np.concatenate([held, piece])
        if len(held) > left:
            ending = held[:left].copy()
            if keep:
                ending[-keep:] *= ((keep - np.arange(keep) - 0.5) / keep).astype(np.float32)[:, None]
            yield ending
            return
        ready = max(0, len(held) - keep)
        if ready:
            yield held[:ready]
        held, left = held[ready:], left - ready
    if len(held):
        yield held


def _lay_music(track: BinaryIO, music: Music, heard: Sequence[tuple[int, int]], samples: int) -> None:
    """Adds the music to the whole track: faded at both ends, lower where shots are heard."""
    fade = min(round(music.fade_s * RATE), samples // 2)
    gain = np.float32(10 ** (music.sound.volume_db / 20))
    at = 0
    for piece in _ending(_played(music, samples + 1), samples):
        times = np.arange(at, at + len(piece)) + 0.5
        shape = _rise(times, 0, fade) * _rise(-times, -samples, fade - samples)
        _add(track, at, piece * (gain * shape * _ducked(times, heard, music.duck_db)))
        at += len(piece)


def _played(music: Music, samples: int) -> Iterator[F32]:
    """The music from its start, again and again if it loops, at least so many samples where it does."""
    left = samples
    while left > 0:
        for piece in iter_samples(music.sound.file, left):
            left -= len(piece)
            yield piece
        if not music.loop:
            return


def _ducked(times: NDArray[Any], heard: Sequence[tuple[int, int]], duck_db: float) -> F32:
    """Gains [n, 1] of the music: all of it far from sounds, lower by ``duck_db`` while one is heard."""
    if duck_db == 0 or not heard:
        return np.ones((1, 1), np.float32)
    away = np.full(len(times), np.inf)
    for start, stop in heard:
        if stop > start:
            np.minimum(away, np.maximum(start - times, times - stop), out=away)
    down = 1.0 - np.clip(away / (DUCK_S * RATE), 0.0, 1.0)
    return (10 ** (-duck_db * down / 20)).astype(np.float32)[:, None]


def _rise(times: NDArray[Any], start: int, stop: int) -> F32:
    """Gains [n, 1] that go from 0 at ``start`` evenly to 1 at ``stop``; 1 where the two are one."""
    if stop <= start:
        return np.ones((1, 1), np.float32)
    return np.clip((times - start) / (stop - start), 0.0, 1.0).astype(np.float32)[:, None]


def _add(track: BinaryIO, at: int, samples: F32) -> None:
    """Mixes samples into the track."""
    track.seek(at * SAMPLE_BYTES)
    there = np.frombuffer(track.read(len(samples) * SAMPLE_BYTES), "<f4").reshape(-1, CHANNELS)
    track.seek(at * SAMPLE_BYTES)
    track.write((there + samples[: len(there)]).astype("<f4").tobytes())
