"""Makes the files from which a film's sound and captions go into it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ..media.beside import Beside
from ..media.loudness import Loudness
from ..store import atomic
from .captions import Caption, subrip
from .soundtrack import Soundtrack, samples_at, write_soundtrack


@dataclass(frozen=True)
class Tracks:
    """What lies beside the picture, and how loud it is (None where sounds are as they come)."""

    beside: Beside
    loudness: Loudness | None = None


@contextmanager
def tracks_beside(
    output: Path,
    captions: Sequence[Caption],
    sound: Soundtrack,
    frames: int,
    fps: Fraction,
    *,
    lossless: bool,
) -> Iterator[Tracks]:
    """Sound and captions of a film of so many frames, for as long as the block lasts.

    The sound lies on the disk of ``output``, where there must be room for it anyway.

    Raises:
        AnixError: as :func:`~anix_cli.film.soundtrack.write_soundtrack`; E411, E412.
    """
    text = subrip(captions, fps)
    raw: Path | None = None
    written: Path | None = None
    loudness: Loudness | None = None
    with ExitStack() as held:
        if sound:
            raw = held.enter_context(atomic.scratch(output, ".raw"))
            with atomic.unwritable(output):
                loudness = write_soundtrack(raw, sound, samples_at(frames, fps), fps)
        if text:
            folder = held.enter_context(tempfile.TemporaryDirectory(prefix="anix-captions-"))
            written = Path(folder) / "captions.srt"
            with atomic.unwritable(written):
                written.write_text(text, encoding="utf-8")
        yield Tracks(Beside(raw, written, lossless=lossless), loudness)
