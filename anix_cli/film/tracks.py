"""Makes the files from which a film's sound and captions go into it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from pathlib import Path

from ..media.beside import Beside, track_samples
from ..store import atomic
from .captions import Caption, subrip
from .soundtrack import Cue, samples_at, write_soundtrack


@contextmanager
def tracks_beside(
    output: Path,
    captions: Sequence[Caption],
    cues: Sequence[Cue],
    frames: int,
    fps: Fraction,
    *,
    container: str,
    lossless: bool,
) -> Iterator[Beside]:
    """Sound and captions of a film of so many frames, for as long as the block lasts.

    The sound lies on the disk of ``output``, where there must be room for it anyway.

    Raises:
        AnixError: as :func:`~anix_cli.film.soundtrack.write_soundtrack`; E411, E412.
    """
    text = subrip(captions, fps)
    sound: Path | None = None
    written: Path | None = None
    with ExitStack() as held:
        if cues:
            sound = held.enter_context(atomic.scratch(output, ".raw"))
            with atomic.unwritable(output):
                samples = track_samples(samples_at(frames, fps), container, lossless=lossless)
                write_soundtrack(sound, cues, samples, fps)
        if text:
            folder = held.enter_context(tempfile.TemporaryDirectory(prefix="anix-captions-"))
            written = Path(folder) / "captions.srt"
            with atomic.unwritable(written):
                written.write_text(text, encoding="utf-8")
        yield Beside(sound, written, lossless=lossless)
