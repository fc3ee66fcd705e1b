"""Rewrites screenplay files in canonical form, or shows what would change."""

from __future__ import annotations

import difflib
import gc
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import fail
from ..screenplay.fmt import formatted
from ..screenplay.text import read_bytes
from ..store.atomic import destination, unwritable, writing

_LINE = re.compile(rb"[^\n]*\n|[^\n]+\Z")
_NO_LINE_END = b"\n\\ No newline at end of file\n"


@dataclass(frozen=True)
class Formatting:
    """A screenplay as it is and as it would be."""

    path: Path
    before: bytes
    after: bytes

    @property
    def changed(self) -> bool:
        return self.before != self.after

    def diff(self) -> bytes:
        """The change as a unified diff that ``patch`` takes; nothing if there is none."""
        if not self.changed:
            return b""
        name = os.fsencode(self.path)
        lines = difflib.diff_bytes(
            difflib.unified_diff, _LINE.findall(self.before), _LINE.findall(self.after), name, name
        )
        return b"".join(line if line.endswith(b"\n") else line + _NO_LINE_END for line in lines)


def formatting(path: Path, *, text: bytes | None = None) -> Formatting:
    """Formats a screenplay file, or ``text`` if that is given, and writes nothing.

    Raises:
        AnixError: E101 … E114, E134 it cannot be read; E118 it cannot be formatted without changing it.
    """
    before = read_bytes(path) if text is None else text
    with _uncollected():
        return Formatting(path, before, formatted(path, before))


@contextmanager
def _uncollected() -> Iterator[None]:
    """No search for cyclic garbage: all that a text is read into lives to the end, and looking through it
    again and again takes a quarter of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def rewrite(change: Formatting) -> None:
    """Writes the canonical text to the file in one step, if it differs; mode and links stay.

    Raises:
        AnixError: E411, E412 the file cannot be written, or was changed by someone else meanwhile.
    """
    if not change.changed:
        return
    place = destination(change.path)
    with unwritable(change.path):
        was = place.stat()
    if not os.access(place, os.W_OK):
        raise fail("E412", f"{change.path} cannot be written: it is read-only", file=change.path)
    with writing(change.path) as partial:
        with unwritable(change.path):
            partial.write_bytes(change.after)
            with suppress(OSError, AttributeError):  # only root may give files away
                os.chown(partial, was.st_uid, was.st_gid)
            partial.chmod(stat.S_IMODE(was.st_mode))
            now = place.read_bytes()
        if now != change.before:
            raise fail(
                "E412",
                f"{change.path} was changed while it was being formatted",
                file=change.path,
                hint="run the command again; the file is left as it is",
            )
