"""Sound and captions as tracks of a film's file, beside its picture.

Sound comes in as raw samples, so that its length is exact to the sample; captions as SubRip. Lossy sound is
AAC in MPEG-4 files and Opus in Matroska's, which as ffmpeg writes it can't say where in a packet AAC ends.
Both are the same, byte for byte, on one kind of processor; on another their floats may round otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .process import as_input

RATE = 48_000
CHANNELS = 2
SAMPLE_BYTES = 4 * CHANNELS
"""A moment of a film's sound: 32-bit floats, left and right."""

SOUND_BITS = 192_000
"""Bits a second of lossy sound."""
_MATROSKA = ("matroska", "webm")
_CAPTIONS = {"matroska": "subrip", "webm": "webvtt"}


def sound_encoder(container: str, *, lossless: bool) -> str:
    """ffmpeg's name of it."""
    if lossless:
        return "pcm_s24le"
    return "libopus" if container in _MATROSKA else "aac"


def caption_encoder(container: str) -> str:
    """ffmpeg's name of it."""
    return _CAPTIONS.get(container, "mov_text")


def sound_bytes_a_second(*, lossless: bool) -> float:
    """What the sound takes in the film's file."""
    return 3 * CHANNELS * RATE if lossless else SOUND_BITS / 8


@dataclass(frozen=True)
class Beside:
    """What goes into a film's file with the picture.

    Attributes:
        sound: file of raw little-endian float32 samples, left and right in turn, 48 kHz.
        captions: file in SubRip's format.
        lossless: whether the sound stays as it is (PCM, 24 bits), else 192 kbit/s.
    """

    sound: Path | None = None
    captions: Path | None = None
    lossless: bool = False

    def inputs(self) -> list[Any]:
        """ffmpeg-python streams to map after the picture."""
        streams = []
        if self.sound:
            streams.append(as_input(self.sound, format="f32le", ar=RATE, ac=CHANNELS)["a:0"])
        if self.captions:
            streams.append(as_input(self.captions, format="srt", sub_charenc="UTF-8")["s:0"])
        return streams

    def options(self, container: str) -> dict[str, Any]:
        """ffmpeg's output options for these streams."""
        options: dict[str, Any] = {}
        if self.sound:
            options["acodec"] = sound_encoder(container, lossless=self.lossless)
            if not self.lossless:
                options["b:a"] = SOUND_BITS
            options |= {"flags:a": "+bitexact", "metadata:s:a:0": "language=und"}
        if self.captions:
            options["scodec"] = caption_encoder(container)
            options |= {"metadata:s:s:0": "language=und", "disposition:s:0": "default"}
        return options
