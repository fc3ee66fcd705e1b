"""Files that are whole or not there: written under another name, synced, renamed."""

from __future__ import annotations

import errno
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..core.errors import AnixError, fail
from .locks import ABANDONED_S

_FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """The name of a new file beside ``path`` to write to; it becomes ``path`` when the block ends well.

    Missing parent folders are made. If the block raises, ``path`` stays as it was and nothing is left over.
    The temporary name keeps the suffix, since some programs choose a format by it.

    Raises:
        AnixError: E411 the disk is full, E412 the place cannot be written.
    """
    prefix, ending = f".{_short(path.stem)}.", f".partial{path.suffix}"
    partial = path.with_name(f"{prefix}{os.getpid()}-{secrets.token_hex(4)}{ending}")
    try:
        make_folder(path.parent)
        _sweep(path.parent, prefix, ending)
        yield partial
        with unwritable(path):
            sync_file(partial)
            partial.replace(path)
            sync_folder(path.parent)
    except OSError as error:
        if error.errno in _FULL:
            raise refused(path, error) from error
        raise
    finally:
        with suppress(OSError):
            partial.unlink()


def _short(stem: str) -> str:
    """The beginning of a name, by bytes: with what is added it still is a name."""
    return os.fsencode(stem)[:64].decode(errors="ignore")


def _sweep(folder: Path, prefix: str, ending: str) -> None:
    """Removes what a killed run left under a temporary name a day ago or longer."""
    past = time.time() - ABANDONED_S
    with suppress(OSError):
        for item in folder.iterdir():
            if item.name.startswith(prefix) and item.name.endswith(ending) and item.lstat().st_mtime < past:
                item.unlink()


def write_text(path: Path, text: str) -> None:
    """Writes a UTF-8 file in one step. Raises E411, E412."""
    with writing(path) as partial, unwritable(path):
        partial.write_text(text, encoding="utf-8")


def check_writable(path: Path) -> None:
    """Makes sure, before long work, that a file can be written at ``path``; leaves nothing behind.

    Raises:
        AnixError: E411 the disk is full, E412 the place cannot be written or is a folder.
    """
    if path.is_dir():
        raise fail("E412", f"{path} is a folder; a file's name is expected.", file=path)
    make_folder(path.parent)
    probe = path.with_name(f".{os.getpid()}-{secrets.token_hex(4)}.probe")
    with unwritable(path):
        try:
            probe.write_bytes(b"anix")
        finally:
            with suppress(OSError):
                probe.unlink()


def make_folder(folder: Path) -> None:
    """Makes a folder and its parents if they are missing. Raises E411, E412."""
    with unwritable(folder):
        folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def unwritable(path: Path) -> Iterator[None]:
    """Turns the operating system's refusals into E411 or E412 about ``path``."""
    try:
        yield
    except OSError as error:
        raise refused(path, error) from error


def refused(path: Path, error: OSError) -> AnixError:
    """What the operating system's refusal to write ``path`` means to the user."""
    if error.errno in _FULL:
        return fail(
            "E411",
            f"The disk is full: {path} could not be written.",
            file=path,
            hint="Free some space and run the same command again; what was finished is kept.",
        )
    reason = (error.strerror or str(error)).lower()
    return fail(
        "E412",
        f"{path} cannot be written: {reason}.",
        file=path,
        hint="Choose another place, or change the permissions of the folder.",
    )


def sync_file(path: Path) -> None:
    """Waits until a file's bytes are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Waits until a folder's names are on the disk, where the file system can do that."""
    with suppress(OSError):
        sync_file(folder)
