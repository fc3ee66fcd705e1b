"""Sound and captions as tracks of a film's file, beside its picture.

Sound comes in as raw samples, so that its length is exact to the sample; captions as SubRip. ffmpeg's AAC is
the same, byte for byte, on one kind of processor; on another its floats may round otherwise.
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

AAC_BITS = 192_000
"""Bits a second."""
_AAC_PACKET = 1024


def sound_encoder(*, lossless: bool) -> str:
    """ffmpeg's name of it."""
    return "pcm_s24le" if lossless else "aac"


def caption_encoder(container: str) -> str:
    """ffmpeg's name of it."""
    return "subrip" if container == "matroska" else "mov_text"


def sound_bytes_a_second(*, lossless: bool) -> float:
    """What the sound takes in the film's file."""
    return 3 * CHANNELS * RATE if lossless else AAC_BITS / 8


def track_samples(samples: int, container: str, *, lossless: bool) -> int:
    """How many samples a track holds that should be so long.

    Matroska as ffmpeg writes it cannot say where in its last packet AAC ends: the nearest whole number of
    packets, at most 11 ms longer or shorter. All else is exact.
    """
    if lossless or container != "matroska":
        return samples
    return max(1, (samples + _AAC_PACKET // 2) // _AAC_PACKET) * _AAC_PACKET


@dataclass(frozen=True)
class Beside:
    """What goes into a film's file with the picture.

    Attributes:
        sound: file of raw little-endian float32 samples, left and right in turn, 48 kHz.
        captions: file in SubRip's format.
        lossless: whether the sound stays as it is (PCM, 24 bits), else AAC at 192 kbit/s.
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
            options["acodec"] = sound_encoder(lossless=self.lossless)
            if not self.lossless:
                options["b:a"] = AAC_BITS
            options |= {"flags:a": "+bitexact", "metadata:s:a:0": "language=und"}
        if self.captions:
            options["scodec"] = caption_encoder(container)
            options |= {"metadata:s:s:0": "language=und", "disposition:s:0": "default"}
        return options
