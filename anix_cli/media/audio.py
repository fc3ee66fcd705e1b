"""Decodes sound files: 48 kHz, left and right, whatever is in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .beside import CHANNELS, RATE, SAMPLE_BYTES
from .process import as_input, launch, running
from .sound import probe_sound, silent, unusable

F32 = NDArray[np.float32]

_CHUNK = RATE
_TO_STEREO = f"aformat=sample_rates={RATE}:channel_layouts=mono|stereo,pan=stereo|FL=FL+FC|FR=FR+FC"
_MISSING_S = 0.25
"""A file that says that it is longer than what comes out of it by more than this is damaged; headers of
compressed sound are not exact."""


def iter_samples(path: Path, count: int) -> Iterator[F32]:
    """The first ``count`` samples of a sound file, in pieces [n, 2] float32; fewer where it is shorter.

    One channel is heard from both sides as loud as it is; more than two are mixed as ffmpeg does it. Other
    rates are resampled.

    Raises:
        AnixError: E381, it is no sound, damaged or cut off; E382, there is none in it.
    """
    info = probe_sound(path)
    # The format is named: no content can pass for a list that opens other files.
    source = as_input(path, format=info.demuxer, vn=None)
    stream = source.output(
        "pipe:1",
        map="0:a:0",
        format="f32le",
        acodec="pcm_f32le",
        af=_TO_STEREO,
        t=f"{count / RATE + 0.1:.6f}",
    )
    got = 0
    reader = launch(stream, "reading", path, stdout=True)
    with running(reader):
        while got < count:
            data = reader.read(min(_CHUNK, count - got) * SAMPLE_BYTES)
            whole = len(data) // SAMPLE_BYTES
            if whole:
                yield data[: whole * SAMPLE_BYTES].view("<f4").astype(np.float32).reshape(whole, CHANNELS)
            got += whole
            if whole < _CHUNK and got < count:
                break
        while len(reader.read(_CHUNK)):
            pass
        ended = reader.finish()
    if ended.code != 0:
        raise unusable(path, f"cannot be decoded: {ended.said or f'ffmpeg ended with code {ended.code}'}")
    if got == 0:
        raise silent(path)
    wanted = min(count / RATE, info.seconds if info.seconds is not None else 0.0)
    if got / RATE < wanted - _MISSING_S:
        raise unusable(path, f"is damaged: after {got / RATE:.2f} of {wanted:.2f} seconds nothing follows")


def check_sound(path: Path, count: int) -> None:
    """Makes sure that the first ``count`` samples can be decoded. Raises E381, E382."""
    for _ in iter_samples(path, count):
        pass
