"""Tells a temporary folder that is being written from one whose writer is dead.

Each folder has a lock file beside it, held (``flock``) as long as its writer lives. The kernel lets go of it
whatever ends the writer, which a process number could not tell: those are used again, and differ between
containers that share a disk.
"""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # a system without flock: folders are then kept for a day, see sweep
    fcntl = None  # type: ignore[assignment]

ABANDONED_S = 24 * 3600.0
"""After this long, what has no lock to ask is taken to be left over."""


class Lock:
    """An exclusive lock on a new file, held until :meth:`release`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        if fcntl is not None:
            with suppress(OSError):  # a file system without locks: as without flock
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def release(self) -> None:
        """Removes the lock file and lets go."""
        with suppress(OSError):
            self._path.unlink()
        os.close(self._handle)


def sweep(folder: Path) -> int:
    """Removes what dead writers left in a store's temporary folder; how many things that were."""
    removed = 0
    for item in sorted(folder.iterdir()):
        if item.suffix == ".lock":
            if not item.with_suffix("").exists() and _age_s(item) > ABANDONED_S and not _held(item):
                item.unlink(missing_ok=True)
            continue
        lock = item.with_name(item.name + ".lock")
        if _age_s(item) > ABANDONED_S if not lock.exists() else _dead(lock):
            removed += 1
            if item.is_dir():
                shutil.rmtree(item, ignore_errors=True)
            else:
                item.unlink(missing_ok=True)
            lock.unlink(missing_ok=True)
    return removed


def _dead(lock: Path) -> bool:
    """Whether nobody holds a lock. Where that cannot be asked, whether it is old."""
    return _age_s(lock) > ABANDONED_S if fcntl is None else not _held(lock)


def _held(lock: Path) -> bool:
    if fcntl is None:
        return False
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return True  # gone meanwhile, or not ours to judge
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def _age_s(path: Path) -> float:
    try:
        return time.time() - path.lstat().st_mtime
    except OSError:
        return 0.0
