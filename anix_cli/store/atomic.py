"""Files that are whole or not there: written under another name, synced, renamed."""

from __future__ import annotations

import errno
import glob
import json
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..core.errors import AnixError, fail
from .locks import LockedFile, sweep_files

_FULL = (errno.ENOSPC, errno.EDQUOT)
_FULL_TOLD = ("Not enough free space to write", " requested and ")
_SUFFIX_BYTES, _STEM_BYTES = 32, 64
_STEM_CHARACTERS = 40
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """A new, empty file beside ``path`` to write to; it becomes ``path`` when the block ends well.

    Missing parent folders are made. If the block raises, ``path`` stays as it was and nothing is left over.
    The temporary name keeps the suffix, since some programs choose a format by it; write into the file
    itself, for a lock on it tells other runs that its writer lives. Of a link the file that it leads to is
    replaced, and the link stays.

    Raises:
        AnixError: E411 the disk is full, E412 the place cannot be written or is no regular file.
    """
    place = destination(path)
    with unwritable(path):
        place.parent.mkdir(parents=True, exist_ok=True)
        prefix, ending = _around(path)
        sweep_files(place.parent, prefix, ending)
        held = LockedFile(place.parent, prefix, ending)
    try:
        yield held.path
        with unwritable(path):
            sync_file(held.path)
            destination(path)  # it may have changed meanwhile
            held.path.replace(place)
            sync_folder(place.parent)
    except OSError as error:
        if is_full(error):
            raise refused(path, error) from error
        raise
    finally:
        held.remove()


@contextmanager
def scratch(path: Path, suffix: str) -> Iterator[Path]:
    """An empty file on the disk of ``path``, for what is needed while that is written; gone at the end.

    Raises:
        AnixError: E411 the disk is full, E412 the place cannot be written.
    """
    place = destination(path)
    prefix, ending = _around(path)[0], f".scratch{suffix}"
    with unwritable(path):
        place.parent.mkdir(parents=True, exist_ok=True)
        sweep_files(place.parent, prefix, ending)
        held = LockedFile(place.parent, prefix, ending)
    try:
        yield held.path
    finally:
        held.remove()


@contextmanager
def writing_folder(path: Path, ours: Callable[[str], bool]) -> Iterator[Path]:
    """A new, empty folder beside ``path`` to write files to; it becomes ``path`` when the block ends well.

    A folder that lies there is replaced: it has its name until the new one is whole and on the disk, and is
    removed then. If the block raises, it stays as it was and nothing is left over.

    Args:
        ours: whether a folder may hold a file of this name; one that holds others is not replaced.

    Raises:
        AnixError: E411 the disk is full, E412 the place cannot be written, or is no folder, or holds others.
    """
    place = Path(os.path.realpath(path)) if path.is_symlink() else path
    prefix, ending = f".{place.name[:_STEM_CHARACTERS]}.", ".partial.lock"
    with unwritable(path):
        place.parent.mkdir(parents=True, exist_ok=True)
        check_folder(path, ours)
        sweep_files(place.parent, prefix, ending)
        _sweep_folders(place, prefix, ending)
        held = LockedFile(place.parent, prefix, ending)
    partial = held.path.with_suffix(".folder")
    try:
        with unwritable(path):
            partial.mkdir()
        yield partial
        with unwritable(path):
            for file in partial.iterdir():
                sync_file(file)
            sync_folder(partial)
            check_folder(path, ours)  # it may have changed meanwhile
            old = held.path.with_suffix(".old.folder")
            if place.exists():
                place.rename(old)
            partial.rename(place)
            sync_folder(place.parent)
            shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        if is_full(error):
            raise refused(path, error) from error
        raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        held.remove()


def check_folder(path: Path, ours: Callable[[str], bool]) -> None:
    """Makes sure that what lies at ``path`` may be replaced by a folder. Raises E412."""
    with unwritable(path):
        if not path.exists():
            return
        if not path.is_dir():
            raise fail("E412", f"{path} is a file; a folder's name is expected.", file=path,
                       hint="Name another output.")  # fmt: skip
        other = next((item.name for item in path.iterdir() if not (item.is_file() and ours(item.name))), None)
    if other is not None:
        raise fail("E412", f"{path} holds {other}, which is none of a film's pictures.", file=path,
                   hint="Name a folder of its own for the film.")  # fmt: skip


def _sweep_folders(place: Path, prefix: str, ending: str) -> None:
    """Removes folders whose writers are dead: the lock file beside each is gone. One that was stopped just
    between taking the old folder away and bringing the new one gets the old one back."""
    for folder in place.parent.glob(f"{glob.escape(prefix)}*.folder"):
        if folder.with_name(folder.name.split(".partial.")[0] + ending).exists():
            continue
        if folder.name.endswith(".old.folder") and not place.exists():
            folder.rename(place)
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _around(path: Path) -> tuple[str, str]:
    """Beginning and end of temporary names: with what comes between them they still are names."""
    stem = path.stem
    while len(os.fsencode(stem)) > _STEM_BYTES:
        stem = stem[:-1]
    suffix = path.suffix if len(os.fsencode(path.suffix)) <= _SUFFIX_BYTES else ""
    return f".{stem}.", f".partial{suffix}"


def destination(path: Path) -> Path:
    """The regular file, there or not yet, that writing ``path`` would replace: links are followed.

    Nothing is opened: a look at a pipe or a device could wait for ever.

    Raises:
        AnixError: E412, it is a folder, a device, a pipe or a socket, or its name is too long, or it cannot
            be looked at.
    """
    with unwritable(path), suppress(FileNotFoundError):
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            kind = next((words for test, words in _KINDS if test(mode)), "no regular file")
            raise fail(
                "E412",
                f"{path} is {kind}; a file's name is expected.",
                file=path,
                hint="Name another output.",
            )
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def write_text(path: Path, text: str) -> None:
    """Writes a UTF-8 file in one step. Raises E411, E412."""
    with writing(path) as partial, unwritable(path):
        partial.write_text(text, encoding="utf-8")


def write_json(path: Path, content: Mapping[str, Any], *, indent: int = 1) -> None:
    """Writes a JSON file in one step. Raises E411, E412."""
    write_text(path, json_text(content, indent=indent))


def json_text(content: Mapping[str, Any], *, indent: int = 1) -> str:
    """JSON that can be written as UTF-8 and read back to equal content, whatever names are in it.

    A file's name need not be UTF-8: Python holds such bytes as lone surrogates (PEP 383), which only an
    escape can carry.
    """
    text = json.dumps(dict(content), indent=indent, ensure_ascii=False) + "\n"
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found.group()):04x}", text)


def check_writable(path: Path) -> None:
    """Makes sure, before long work, that a file can be written at ``path``; leaves nothing behind.

    Raises:
        AnixError: E411 the disk is full, E412 the place cannot be written or is no regular file.
    """
    place = destination(path)
    make_folder(place.parent)
    with unwritable(path):
        held = LockedFile(place.parent, *_around(path))
        try:
            held.path.write_bytes(b"anix")
        finally:
            held.remove()


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


def is_full(error: OSError) -> bool:
    """Whether the disk is full. What NumPy raises then has no number (``numpy.ndarray.tofile``)."""
    if error.errno is not None:
        return error.errno in _FULL
    return any(sign in str(error) for sign in _FULL_TOLD)


def refused(path: Path, error: OSError) -> AnixError:
    """What the operating system's refusal to write ``path`` means to the user."""
    if is_full(error):
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
