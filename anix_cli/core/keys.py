"""Fingerprints and seeds: SHA-256 over content, never over paths, hosts, devices or key order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

_CHUNK = 1 << 20


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes, hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def array_digest(array: np.ndarray[Any, Any]) -> str:
    """SHA-256 of an array's dtype, shape and values; floats are rounded to 1e-9 so that −0 and 0 agree."""
    if array.dtype.kind == "f":
        array = array.astype(np.float64, copy=False).round(9) + 0.0
    digest = hashlib.sha256(f"{array.dtype.str}{array.shape}".encode())
    digest.update(array.tobytes())
    return digest.hexdigest()


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, int, float)):  # bool is an int
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return {"array": array_digest(value)}
    if is_dataclass(value) and not isinstance(value, type):
        return {name: _plain(getattr(value, name)) for name in _names(type(value))}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, Path):
        raise TypeError("a path is not content: pass file_digest(path)")
    raise TypeError(f"cannot fingerprint a {type(value).__name__}")


_encoded = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False, check_circular=False
).encode


def fingerprint(value: Any) -> str:
    """SHA-256 of a tree of mappings, sequences, dataclasses, numbers, text and arrays."""
    return hashlib.sha256(_encoded(_plain(value)).encode()).hexdigest()


def clip_seed(film_seed: int, shot_id: str, clip_index: int, candidate: int = 0) -> int:
    """The seed of one clip: 32 bits, a function of these four alone, never of what ran before."""
    text = f"anix-seed/1\0{film_seed}\0{shot_id}\0{clip_index}\0{candidate}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
