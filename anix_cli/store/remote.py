"""A store behind the local one, wherever fsspec reaches: ``s3://``, ``gs://``, ``file://``, ``memory://`` …

An entry there has the same names below the URL as in a local store. Its files are written first and its
``entry.json`` last, so that what was sent by half is no entry; what comes back is held against the digests in
it. Nothing depends on it: what cannot be fetched is made, what cannot be sent stays here, and that is told
once.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any

from ..core.errors import Diagnostic
from ..core.keys import file_digest

VARIABLE = "ANIX_REMOTE_STORE"
KINDS = frozenset({"clips", "guides"})
"""What is worth the way: what takes long to make."""
MISSED_S = 30.0
"""So long it is not asked again for what was not there."""
DOWN_S = 300.0
"""So long it is left alone after it failed."""
_MOST_FILES = 10_000


def remote() -> Remote | None:
    """The one that the environment names, None where it names none."""
    url = os.environ.get(VARIABLE, "").strip()
    return _at(url) if url else None


@cache
def _at(url: str) -> Remote:
    return Remote(url)


class Remote:
    """Entries below a URL.

    Args:
        url: of a folder or bucket; it need not be there yet.
    """

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self._missed: dict[str, float] = {}
        self._down_until = 0.0
        self._trouble: Diagnostic | None = None
        self._told = False

    def trouble(self) -> Diagnostic | None:
        """What went wrong (W415), once."""
        if self._trouble is None or self._told:
            return None
        self._told = True
        return self._trouble

    def fetch(self, name: str, place: Path) -> Mapping[str, Any] | None:
        """Brings an entry's files into an empty folder; its record, or None where it is not there, whole.

        Args:
            name: "clips/ab/abcd…", below the URL.
        """
        now = time.monotonic()
        if now < self._down_until or self._missed.get(name, 0.0) > now:
            return None
        try:
            return self._fetch(name, place)
        except FileNotFoundError:
            self._missed[name] = now + MISSED_S
        except Exception as error:  # each kind of storage fails in its own ways
            self._failed("cannot be read", error)
        return None

    def send(self, name: str, place: Path, files: Mapping[str, Any], entry: str) -> None:
        """Copies a committed entry there, unless it is there already.

        Args:
            place: its folder; files: their names; entry: the name of the file that is written last.
        """
        if time.monotonic() < self._down_until:
            return
        try:
            storage, root = self._open()
            folder = f"{root}/{name}"
            if storage.exists(f"{folder}/{entry}"):
                return
            storage.makedirs(folder, exist_ok=True)
            for each in [*sorted(files), entry]:
                parent = f"{folder}/{each}".rpartition("/")[0]
                storage.makedirs(parent, exist_ok=True)
                storage.put_file(str(place / each), f"{folder}/{each}")
            self._missed.pop(name, None)
        except Exception as error:
            self._failed("cannot be written", error)

    def _fetch(self, name: str, place: Path) -> Mapping[str, Any] | None:
        storage, root = self._open()
        last = f"{root}/{name}/entry.json"
        text = storage.cat_file(last)
        try:
            files, record = _read(text)
            for each, (size, digest) in files.items():
                target = place / each
                target.parent.mkdir(parents=True, exist_ok=True)
                storage.get_file(f"{root}/{name}/{each}", str(target))
                if target.stat().st_size != size or file_digest(target) != digest:
                    raise DamagedError(each)
        except (DamagedError, FileNotFoundError):
            storage.rm_file(last)  # no entry any more: made anew, it is sent again
            return None
        return record

    def _open(self) -> tuple[Any, str]:
        if find_spec("fsspec") is None:
            raise ModuleNotFoundError("fsspec is not installed: pip install 'anix[cluster]'")
        import fsspec

        storage, root = fsspec.core.url_to_fs(f"{self.url}/v1")
        if not hasattr(storage, "local_file"):
            storage.invalidate_cache()
        return storage, root

    def _failed(self, what: str, error: Exception) -> None:
        self._down_until = time.monotonic() + DOWN_S
        said = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        self._trouble = self._trouble or Diagnostic(
            "W415",
            f"the store {self.url} {what}: {said}",
            hint="what is made stays in the local store; the next run asks again",
        )


class DamagedError(ValueError):
    """An entry that is not what was sent."""


def _read(text: bytes) -> tuple[dict[str, tuple[int, str]], Mapping[str, Any]]:
    """Files with sizes and digests, and the record. Raises DamagedError: the text is no entry's."""
    try:
        content = json.loads(text)
        files = {name: (int(one["bytes"]), str(one["sha256"])) for name, one in content["files"].items()}
        record = dict(content["record"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedError("entry.json") from error
    if not files or len(files) > _MOST_FILES or not all(_is_below(name) for name in files):
        raise DamagedError("entry.json")
    return files, record


def _is_below(name: str) -> bool:
    """Whether a file's name leads nowhere but below its entry."""
    path = PurePosixPath(name)
    return bool(name) and not path.is_absolute() and ".." not in path.parts and "\\" not in name
