"""Looks after a store: what lies in it, whether it is whole, and what can go.

An entry's ``entry.json`` is touched when a run uses the entry, so that its age tells how long nobody has.
What goes is only ever something that can be made again, and goes in one step for whoever looks for it.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import AnixError
from .locks import sweep
from .store import ENTRY, VERSION, Entry, Store, verify

IN_USE_S = 3600.0
"""What was used so lately may belong to a run that goes on, and stays."""
UNFINISHED_S = 24 * 3600.0
"""So long a clip that was begun is kept for a run that goes on with it."""


@dataclass(frozen=True)
class Kept:
    """An entry of a store with its size in bytes and the time since its last use, seconds."""

    entry: Entry
    bytes: int
    unused_s: float


def kinds(store: Store) -> list[str]:
    """The kinds of entries that a store holds, sorted."""
    base = store.root / f"v{VERSION}"
    with suppress(OSError):
        return sorted(
            folder.name
            for folder in base.iterdir()
            if folder.is_dir() and folder.name not in ("tmp", "notes")
        )
    return []


def kept(store: Store) -> Iterator[Kept]:
    """Everything that is whole, kind by kind."""
    now = time.time()
    for kind in kinds(store):
        for entry in store.entries(kind):
            with suppress(OSError):
                unused = now - (entry.path / ENTRY).stat().st_mtime
                size = sum(stored.bytes for stored in entry.files.values())
                yield Kept(entry, size, max(unused, 0.0))


def damaged(store: Store) -> Iterator[tuple[Entry, list[str]]]:
    """Entries of which some file is not what was stored, read to the last byte, with what is wrong.

    An entry without all its files is none any more: see :func:`remains`.
    """
    for one in kept(store):
        problems = verify(one.entry, deep=True)
        if problems:
            yield one.entry, problems


def remains(store: Store) -> list[Path]:
    """Folders in the place of entries that are not whole: nothing uses them."""
    base = store.root / f"v{VERSION}"
    return [
        folder
        for kind in kinds(store)
        for folder in sorted((base / kind).glob("??/*"))
        if folder.is_dir() and store.get(kind, folder.name) is None
    ]


def too_old(found: Iterable[Kept], *, unused_s: float | None, most_bytes: int | None) -> list[Kept]:
    """What can go: all that nobody has used for ``unused_s``, and of the rest, the longest unused first, as
    much as is over ``most_bytes``. What may be in use stays."""
    left = sorted(found, key=lambda one: (-one.unused_s, one.entry.key))
    gone = [one for one in left if unused_s is not None and one.unused_s > max(unused_s, IN_USE_S)]
    rest = left[len(gone) :]
    over = sum(one.bytes for one in rest) - most_bytes if most_bytes is not None else 0
    for one in rest:
        if over <= 0 or one.unused_s <= IN_USE_S:
            break
        gone.append(one)
        over -= one.bytes
    return gone


def remove(store: Store, gone: Iterable[Kept], told: Callable[[Kept], None]) -> None:
    """Removes entries, and tells of each.

    Raises:
        AnixError: E413, the store cannot be written.
    """
    for one in gone:
        store.discard(one.entry)
        told(one)


def sweep_all(store: Store) -> int:
    """Removes what dead writers left, and clips that were begun and not gone on with; how many things."""
    count = 0
    with suppress(OSError, AnixError):
        count += sweep(store.root / f"v{VERSION}" / "tmp")
    with suppress(OSError):
        for folder in list((store.root / "unfinished").iterdir()):
            if time.time() - _last_change(folder) > UNFINISHED_S:
                shutil.rmtree(folder, ignore_errors=True)
                count += 1
    return count


def _last_change(folder: Path) -> float:
    times = [folder.stat().st_mtime]
    for path in folder.rglob("*"):
        with suppress(OSError):
            times.append(path.lstat().st_mtime)
    return max(times)
