"""Adapters on this machine: ``<weights>/adapters/NAME.safetensors``. Light: reads headers, loads nothing."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from ..core.errors import fail
from ..core.keys import file_digest
from .places import weights_root

_END = ".safetensors"
_MOST_HEADER = 100_000_000


def folder() -> Path:
    """Where adapters are put by hand."""
    return weights_root() / "adapters"


def place(name: str) -> Path:
    """The file of an adapter.

    Raises:
        AnixError: E483, none has that name here.
    """
    path = folder() / f"{name}{_END}"
    if not name or path.parent != folder() or not path.is_file():
        known = ", ".join(Shelf()) or "none"
        raise fail(
            "E483",
            f"the adapter {name!r} is not on this machine; here: {known}" if name else "no adapter is named",
            hint=f"put NAME{_END} into {folder()}, and name it: options: {{anix: {{adapter: NAME}}}}",
        )
    return path


def digest(path: Path) -> str:
    """Of what an adapter holds: as its own header tells, else of the whole file."""
    stat = path.stat()
    return _digest(path, stat.st_size, stat.st_mtime_ns)


class Shelf(Mapping[str, str]):
    """Names of the adapters here → digests, each read when it is asked for."""

    def __getitem__(self, name: str) -> str:
        path = folder() / f"{name}{_END}"
        if path.parent != folder() or not path.is_file():
            raise KeyError(name)
        return digest(path)

    def __iter__(self) -> Iterator[str]:
        try:
            found = sorted(path.stem for path in folder().glob(f"*{_END}"))
        except OSError:
            found = []
        return iter(found)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@lru_cache(maxsize=64)
def _digest(path: Path, size: int, mtime_ns: int) -> str:
    with path.open("rb") as file:
        start = file.read(8)
        (length,) = struct.unpack("<Q", start) if len(start) == 8 else (0,)
        if 0 < length <= min(_MOST_HEADER, size - 8):
            try:
                told = json.loads(file.read(length))["__metadata__"]["digest"]
            except (ValueError, KeyError, TypeError):
                told = None
            if isinstance(told, str) and told:
                return told
    return file_digest(path)
