"""Clips of grey frames, each of which tells its number by its brightness."""

from __future__ import annotations

import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np

from anix_cli.film.join import Segment
from anix_cli.media.ffmpeg import find_ffmpeg
from anix_cli.media.video import VideoWriter

SIZE = (64, 48)
FPS = Fraction(16)
LENGTHS = (24, 1, 2, 30, 7)


def picture(number: int) -> np.ndarray:
    """A grey frame that tells its number by brightness, steps of 3 levels."""
    return np.full((SIZE[1], SIZE[0], 3), 20 + 3 * number, dtype=np.uint8)


def clips(folder: Path, lengths=LENGTHS, fps: Fraction = FPS, name: str = "c") -> list[Segment]:
    segments, at = [], 0
    for number, length in enumerate(lengths):
        frames = np.stack([picture(at + i) for i in range(length)])
        at += length
        master, delivery = folder / f"{name}{number}.mkv", folder / f"{name}{number}.mp4"
        with VideoWriter(master, SIZE, fps, "master") as a, VideoWriter(delivery, SIZE, fps, "delivery") as b:
            a.write(frames)
            b.write(frames)
        segments.append(Segment(master, delivery, length, f"shot s{number}, clip 0"))
    return segments


def picture_bytes(film: Path) -> bytes:
    """A film's coded pictures as ffmpeg hands them on: size and checksum of every packet."""
    command = [str(find_ffmpeg()), "-loglevel", "error", "-i", str(film), "-map", "0:v:0", "-c", "copy"]
    return subprocess.run([*command, "-f", "framemd5", "-"], check=True, capture_output=True).stdout
