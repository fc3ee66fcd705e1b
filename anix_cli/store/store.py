"""The store: immutable entries, addressed by the fingerprint of what they were made from.

An entry is a folder ``v1/<kind>/<first two digits>/<key>``. ``entry.json`` lists its files with sizes and
digests and holds the maker's record; it is written last, and the folder gets its final name by one rename,
so that whoever finds an entry finds it whole. Two runs may make the same entry at once: the first to finish
wins, the other takes its result. Locks only tell which temporary folders are still being written.
"""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import AnixError, Diagnostic, fail
from ..core.keys import file_digest
from . import atomic
from .locks import Lock, kernel, sweep
from .remote import KINDS, remote

VERSION = 1
ENTRY = "entry.json"
USED_S = 600.0
"""An entry's last use is known to so many seconds: marking it each time would wear a disk."""
_NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
_KEY = re.compile(r"[0-9a-f]{8,64}")


@dataclass(frozen=True)
class StoredFile:
    """Size and SHA-256 of one file of an entry."""

    bytes: int
    sha256: str


@dataclass(frozen=True)
class Entry:
    """A committed entry. ``files`` by their names in the entry's folder, with "/" between folders."""

    kind: str
    key: str
    path: Path
    record: Mapping[str, Any]
    files: Mapping[str, StoredFile]

    def file(self, name: str) -> Path:
        """The path of one of the entry's files; KeyError for one that it does not hold."""
        if name not in self.files:
            raise KeyError(f"{self.kind}/{self.key} holds no {name}")
        return self.path / name


class Partial:
    """An entry that is being made: write files into ``path``, then :meth:`commit`."""

    def __init__(self, store: Store, kind: str, key: str, path: Path) -> None:
        self.path = path
        self.entry: Entry | None = None
        self.shared = True
        self._store, self._kind, self._key = store, kind, key

    def commit(self, record: Mapping[str, Any]) -> Entry:
        """Makes the entry final and returns it, or the equal one that another run committed meanwhile.

        Raises:
            AnixError: E411 the disk is full, E413 the store cannot be written.
        """
        if self.entry is not None:
            raise ValueError("an entry is committed once")
        with self._store.refusals():
            self.entry = self._commit(record)
        if self.shared:
            self._store.share(self.entry)
        return self.entry

    def _commit(self, record: Mapping[str, Any]) -> Entry:
        files: dict[str, dict[str, Any]] = {}
        folders = {self.path}
        for file in sorted(self.path.rglob("*")):
            if file.is_symlink():
                raise ValueError(f"a store entry holds files, not links: {file.name}")
            if file.is_dir():
                folders.add(file)
                continue
            atomic.sync_file(file)
            name = file.relative_to(self.path).as_posix()
            files[name] = {"bytes": file.stat().st_size, "sha256": file_digest(file)}
        if not files or ENTRY in files:
            raise ValueError("a store entry holds at least one file, and none named entry.json")
        content = {
            "version": VERSION,
            "kind": self._kind,
            "key": self._key,
            "record": dict(record),
            "files": files,
        }
        last = self.path / ENTRY
        last.write_text(atomic.json_text(content), encoding="utf-8")
        atomic.sync_file(last)
        for folder in folders:
            atomic.sync_folder(folder)
        return self._store.adopt(self._kind, self._key, self.path)


class Store:
    """Entries under one root folder. Making a ``Store`` touches no disk."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def _base(self) -> Path:
        return self.root / f"v{VERSION}"

    @property
    def _temporary(self) -> Path:
        return self._base / "tmp"

    def location(self, kind: str, key: str) -> Path:
        """Where an entry lies, or would."""
        if not _NAME.fullmatch(kind) or kind in ("tmp", "notes") or not _KEY.fullmatch(key):
            raise ValueError(f"not a store address: {kind}/{key}")
        return self._base / kind / key[:2] / key

    def get(self, kind: str, key: str) -> Entry | None:
        """A committed entry whose files all have their sizes; None for anything else. Marks it as used."""
        entry = self._seen(kind, key) or self._fetched(kind, key)
        if entry is not None:
            with suppress(OSError):  # a store that is only read need not know
                marked = (entry.path / ENTRY).stat()
                if time.time() - marked.st_mtime > USED_S:
                    os.utime(entry.path / ENTRY)
        return entry

    def _fetched(self, kind: str, key: str) -> Entry | None:
        """An entry of the store behind this one, brought here; None where there is none."""
        behind = remote() if kind in KINDS else None
        if behind is None:
            return None
        try:
            with self.writing(kind, key) as partial:
                record = behind.fetch(f"{kind}/{key[:2]}/{key}", partial.path)
                if record is None:
                    return None
                partial.shared = False
                return partial.commit(record)
        except AnixError:  # a store that is only read, or full: what makes entries tells of it
            return None

    def share(self, entry: Entry) -> None:
        """Sends a committed entry to the store behind this one, if there is one."""
        behind = remote() if entry.kind in KINDS else None
        if behind is not None:
            behind.send(f"{entry.kind}/{entry.key[:2]}/{entry.key}", entry.path, entry.files, ENTRY)

    @staticmethod
    def trouble() -> Diagnostic | None:
        """What went wrong with the store behind this one (W415), once."""
        behind = remote()
        return None if behind is None else behind.trouble()

    def _seen(self, kind: str, key: str) -> Entry | None:
        return _read(kind, key, self.location(kind, key))

    def entries(self, kind: str) -> Iterator[Entry]:
        """All committed entries of a kind, in the order of their keys; looking at them is no use of them."""
        for folder in sorted((self._base / kind).glob("??/*")):
            if _KEY.fullmatch(folder.name) and (entry := self._seen(kind, folder.name)) is not None:
                yield entry

    @contextmanager
    def writing(self, kind: str, key: str) -> Iterator[Partial]:
        """A private folder in which to make an entry; gone at the end of the block unless committed.

        Raises:
            AnixError: E411 the disk is full, E413 the store cannot be written.
        """
        self.location(kind, key)
        with self.refusals():
            self._temporary.mkdir(parents=True, exist_ok=True)
            sweep(self._temporary)
            name = f"{kind}-{key[:12]}-{os.getpid()}-{kernel()}-{secrets.token_hex(4)}"
            lock = Lock(self._temporary / f"{name}.lock")
        folder = self._temporary / name
        try:
            with self.refusals():
                folder.mkdir()
            yield Partial(self, kind, key, folder)
        except OSError as error:
            if atomic.is_full(error):
                raise atomic.refused(folder, error) from error
            raise
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            lock.release()

    def check_writable(self) -> None:
        """Makes sure, before long work, that entries can be made. Raises E411, E413."""
        with self.refusals():
            self._temporary.mkdir(parents=True, exist_ok=True)
            probe = self._temporary / f"{os.getpid()}-{secrets.token_hex(4)}.probe"
            try:
                probe.write_bytes(b"anix")
            finally:
                with suppress(OSError):
                    probe.unlink()

    def read_note(self, name: str) -> dict[str, Any]:
        """A small remark kept beside the entries; {} if there is none. Nothing depends on one."""
        try:
            found = json.loads(self._note(name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def write_note(self, name: str, content: Mapping[str, Any]) -> None:
        """Replaces a remark in one step. Raises E411, E413."""
        try:
            atomic.write_json(self._note(name), content)
        except AnixError as error:
            if error.diagnostics[0].code == "E412":
                raise self._closed("its notes cannot be written") from error
            raise

    def _note(self, name: str) -> Path:
        if not re.fullmatch(r"[a-z0-9-]{1,64}", name):
            raise ValueError(f"not a note's name: {name}")
        return self._base / "notes" / f"{name}.json"

    def adopt(self, kind: str, key: str, made: Path) -> Entry:
        """Moves a finished folder to its final place, unless a whole entry is there already."""
        place = self.location(kind, key)
        place.parent.mkdir(parents=True, exist_ok=True)
        for attempt in range(8):
            theirs = _read(kind, key, place)
            if theirs is not None:
                return theirs
            try:
                made.rename(place)
                atomic.sync_folder(place.parent)
            except FileNotFoundError:  # ours has its place, and another run is just looking at it
                time.sleep(0.01 * attempt)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                    raise
                if _read(kind, key, place) is None:
                    self._set_aside(kind, key, place)
        raise OSError(errno.EIO, "another program keeps changing its entries", str(place))

    def discard(self, entry: Entry) -> None:
        """Removes an entry that was found damaged, in one step for whoever looks for it."""
        aside = self._temporary / f"broken-{entry.key[:12]}-{secrets.token_hex(4)}"
        with self.refusals(), suppress(FileNotFoundError):
            self._temporary.mkdir(parents=True, exist_ok=True)
            entry.path.rename(aside)
            shutil.rmtree(aside, ignore_errors=True)

    def _set_aside(self, kind: str, key: str, place: Path) -> None:
        """Removes what lies in an entry's place and is not whole."""
        aside = self._temporary / f"broken-{place.name[:12]}-{secrets.token_hex(4)}"
        with suppress(FileNotFoundError):
            place.rename(aside)
            if _read(kind, key, aside) is not None:  # another run put a whole one there just now
                with suppress(OSError):
                    aside.rename(place)
            shutil.rmtree(aside, ignore_errors=True)

    @contextmanager
    def refusals(self) -> Iterator[None]:
        """Turns the operating system's refusals into E411 or E413 about this store."""
        try:
            yield
        except OSError as error:
            if atomic.is_full(error):
                raise atomic.refused(self.root, error) from error
            raise self._closed(error.strerror or str(error)) from error

    def _closed(self, reason: str) -> AnixError:
        return fail(
            "E413",
            f"The store {self.root} cannot be written: {reason.lower()}.",
            file=self.root,
            hint="Set ANIX_CACHE_DIR to a folder that can be written.",
        )


def verify(entry: Entry, *, deep: bool = False) -> list[str]:
    """What is wrong with an entry's files, in words; empty if nothing is.

    Args:
        deep: compare the SHA-256 of every file, not only its size.
    """
    problems = []
    for name, stored in entry.files.items():
        path = entry.path / name
        if not path.is_file():
            problems.append(f"{name} is missing")
        elif (size := path.stat().st_size) != stored.bytes:
            problems.append(f"{name} has {size} bytes instead of {stored.bytes}")
        elif deep and file_digest(path) != stored.sha256:
            problems.append(f"{name} has other content than was stored")
    return problems


def _read(kind: str, key: str, place: Path) -> Entry | None:
    try:
        content = json.loads((place / ENTRY).read_text(encoding="utf-8"))
        if (content["version"], content["kind"], content["key"]) != (VERSION, kind, key):
            return None
        files = {
            name: StoredFile(int(stored["bytes"]), str(stored["sha256"]))
            for name, stored in content["files"].items()
        }
        entry = Entry(kind, key, place, dict(content["record"]), files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return None if verify(entry) else entry
