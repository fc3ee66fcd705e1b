"""Tells a temporary file or folder that is being written from one whose writer is dead.

A temporary file is itself held (``flock``) as long as its writer lives, a folder has a lock file beside it.
The kernel lets go of a lock whatever ends its holder, which a process number could not tell: those are used
again, and differ between containers that share a disk.
"""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

try:
    import fcntl
except ImportError:  # a system without flock: folders are then kept for a day, see sweep
    fcntl = None  # type: ignore[assignment]

ABANDONED_S = 24 * 3600.0
"""After this long, what has no lock to ask is taken to be left over."""

ALONE_S = 60.0
"""A lock without its folder is a writer that is just beginning, or one that was stopped at its very end."""


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


class LockedFile:
    """A new, empty file with a lock on it, held until :meth:`remove` or until this process ends.

    Its name tells the kernel that it was made under: a shared file system need not show the locks of other
    hosts, so that only there a free lock proves that the writer is dead.
    """

    def __init__(self, folder: Path, prefix: str, ending: str) -> None:
        while True:
            name = f"{prefix}{os.getpid()}-{kernel()}-{secrets.token_hex(4)}{ending}"
            self.path = folder / name
            self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
            if self._locked():
                return
            os.close(self._handle)

    def _locked(self) -> bool:
        """Takes the lock; False if a sweep, which came between, has the file now."""
        if fcntl is None:
            return True
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks: as without flock
            return True
        try:
            return os.path.samestat(self.path.stat(), os.fstat(self._handle))
        except FileNotFoundError:
            return False

    def remove(self) -> None:
        """Removes the file if it still has this name, and lets go."""
        with suppress(OSError):
            self.path.unlink()
        os.close(self._handle)


@lru_cache(maxsize=1)
def kernel() -> str:
    """Names the running kernel: containers on one share it, two machines and two boots never do."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
    except (OSError, ValueError):
        boot = f"{platform.node()} {uuid.getnode()}"
    return hashlib.sha256(boot.encode()).hexdigest()[:8]


def sweep_files(folder: Path, prefix: str, ending: str) -> None:
    """Removes what dead writers left as a :class:`LockedFile` of such a name; others' after a day."""
    with suppress(OSError):
        for item in folder.iterdir():
            if not (item.name.startswith(prefix) and item.name.endswith(ending)):
                continue
            ours = item.name.removeprefix(prefix).split("-")[1:2] == [kernel()]
            with _asked(item) as free, suppress(OSError):
                if (free and ours) or (free is not False and _age_s(item) > ABANDONED_S):
                    item.unlink()


def sweep(folder: Path) -> int:
    """Removes what dead writers left in a store's temporary folder; how many things that were."""
    removed = 0
    for item in sorted(folder.iterdir()):
        if item.suffix == ".lock":
            if not item.with_suffix("").exists() and _age_s(item) > ALONE_S and not _held(item):
                item.unlink(missing_ok=True)
            continue
        lock = item.with_name(item.name + ".lock")
        if (
            _age_s(item) > ABANDONED_S
            if not lock.exists()
            else _dead(lock, ours=kernel() in item.name.split("-"))
        ):
            removed += 1
            if item.is_dir():
                shutil.rmtree(item, ignore_errors=True)
            else:
                item.unlink(missing_ok=True)
            lock.unlink(missing_ok=True)
    return removed


def _dead(lock: Path, *, ours: bool) -> bool:
    """Whether nobody holds a lock. Where that cannot be asked, and of another machine, whose locks a shared
    file system need not show, also whether it is old."""
    old = _age_s(lock) > ABANDONED_S
    if fcntl is None:
        return old
    return (ours or old) and not _held(lock)


def _held(lock: Path) -> bool:
    if fcntl is None:
        return False
    with _asked(lock) as free:
        return not free  # where it cannot be asked: gone meanwhile, or not ours to judge


@contextmanager
def _asked(path: Path) -> Iterator[bool | None]:
    """Whether nobody holds a lock on a file, None where that cannot be told. For the block we hold it."""
    handle = None
    free = None
    try:
        with suppress(OSError):
            handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
        if handle is not None and fcntl is not None:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                free = True
            except BlockingIOError:
                free = False
            except OSError:  # a file system without locks
                free = None
        yield free
    finally:
        if handle is not None:
            os.close(handle)


def _age_s(path: Path) -> float:
    try:
        return time.time() - path.lstat().st_mtime
    except OSError:
        return 0.0
