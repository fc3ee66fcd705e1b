"""Whether weights on disk are whole: seen from sizes and headers, before anything is loaded.

A download that was cut is told by the file's own header (https://huggingface.co/docs/safetensors: eight bytes
of length, JSON, data): the last tensor's end must be the file's. A clone without Git LFS leaves pointers of
some hundred bytes in place of files. Pickles can run code when loaded, and are never loaded.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import fail
from ..core.keys import file_digest
from .places import Placed
from .registry import Weights

_MOST_HEADER = 100_000_000
_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
_SETTINGS = ("scheduler", "tokenizer", "tokenizer_2", "image_processor", "feature_extractor")
"""Parts of a pipeline without tensors."""
_POINTER = b"version https://git-lfs"
_A_POINTER = "is a Git LFS pointer, not the file itself: run `git lfs pull` there"
_MOST_SETTINGS = 4_000_000
"""Bytes of JSON that are read; tokenizers may have more."""


@dataclass(frozen=True)
class Problem:
    """One file and what is wrong with it, a clause."""

    file: str
    what: str


def problems(placed: Placed, *, deep: bool = False) -> list[Problem]:
    """What is wrong with weights; [] where nothing is.

    Args:
        deep: compare SHA-256 where the registry knows it: reads every byte of those files.
    """
    folder, weights = placed.folder, placed.weights
    found = _of_file(folder, weights.file) if weights.file else _of_pipeline(folder)
    if deep and not found:
        found = _digests(folder, weights)
    return found


def check(placed: Placed) -> None:
    """Raises AnixError E475 where the weights are not whole."""
    found = problems(placed)
    if found:
        first = found[0]
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        raise fail(
            "E475",
            f"the weights {placed.weights.name} are not whole: {first.file} {first.what}{more}",
            file=placed.folder / first.file,
            hint="replace the file"
            if placed.local
            else f"run `anix models pull {placed.weights.name}` again: only what is missing is fetched",
        )


def header(path: Path) -> dict[str, Any]:
    """The header of a safetensors file: dtype, shape and place of every tensor by name.

    Raises:
        ValueError: what the file is instead, as a clause.
    """
    size = path.stat().st_size
    with path.open("rb") as stream:
        start = stream.read(8)
        if len(start) < 8:
            raise ValueError(f"is cut short: it has {size} bytes")
        if (start + stream.read(len(_POINTER) - 8)).startswith(_POINTER):
            raise ValueError(_A_POINTER)
        (length,) = struct.unpack("<Q", start)
        if start[:1] == b"<" or length > _MOST_HEADER:
            raise ValueError("is no safetensors file")
        if length > size - 8:
            raise ValueError(f"is cut short: it has {size} bytes, and its header alone {length}")
        stream.seek(8)
        raw = stream.read(length)
    try:
        content = json.loads(raw)
        ends = [int(v["data_offsets"][1]) for k, v in content.items() if k != "__metadata__"]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise ValueError("is no safetensors file: its header cannot be read") from error
    whole = 8 + length + max(ends, default=0)
    if size < whole:
        raise ValueError(f"is cut short: it has {size} bytes of {whole}")
    if size > whole:
        raise ValueError(f"is not the file that its header describes: {size} bytes instead of {whole}")
    return {name: value for name, value in content.items() if name != "__metadata__"}


def _of_file(folder: Path, name: str) -> list[Problem]:
    path = folder / name
    if Path(name).suffix in _PICKLES:
        return [Problem(name, "is a pickle, which can run code when loaded; safetensors is wanted")]
    if not path.is_file():
        pickles = sorted(p.name for p in folder.glob("*") if p.suffix in _PICKLES)
        if pickles:
            return [Problem(pickles[0], "is a pickle, which can run code when loaded; safetensors is wanted")]
        return [Problem(name, "is missing")]
    return _of_tensors(folder, path)


def _of_pipeline(folder: Path) -> list[Problem]:
    # Pipelines of diffusers' modular kind have an index of another name.
    modular = folder / "modular_model_index.json"
    file = folder / "model_index.json"
    file = modular if modular.is_file() and not file.exists() else file
    try:
        index = json.loads(file.read_text(encoding="utf-8"))
        parts = {name: value for name, value in index.items() if isinstance(value, list) and value[0]}
    except FileNotFoundError:
        return [Problem("model_index.json", "is missing")]
    except (OSError, ValueError, AttributeError, IndexError, RecursionError):
        return [Problem(file.name, "cannot be read")]
    if any(Path(name).name != name for name in parts):  # "../elsewhere"
        return [Problem(file.name, "names places outside of its folder")]
    found: list[Problem] = []
    for left in sorted([*folder.rglob("*.incomplete"), *folder.rglob("*.part")]):
        found.append(Problem(left.relative_to(folder).as_posix(), "is a download that did not end"))
    found += _small_files(folder)
    for name in parts:
        found += _of_part(folder, folder / name)
    return found


def _small_files(folder: Path) -> list[Problem]:
    """Settings and tokenizers that are pointers, or no JSON."""
    found: list[Problem] = []
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".safetensors", *_PICKLES) or not path.is_file():
            continue
        name = path.relative_to(folder).as_posix()
        try:
            with path.open("rb") as stream:
                if stream.read(len(_POINTER)) == _POINTER:
                    found.append(Problem(name, _A_POINTER))
                    continue
            if path.suffix == ".json" and path.stat().st_size <= _MOST_SETTINGS:
                json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            found.append(Problem(name, "cannot be read"))
    return found


def _of_part(folder: Path, part: Path) -> list[Problem]:
    """One component of a pipeline: a folder with tensors, or with a tokenizer's or scheduler's settings."""
    name = part.relative_to(folder).as_posix()
    if not part.is_dir():
        return [Problem(name, "is missing")]
    if part.name in _SETTINGS:
        return [] if any(part.glob("*.json")) else [Problem(name, "has no settings")]
    if not (part / "config.json").is_file():
        return [Problem(f"{name}/config.json", "is missing")]
    found: list[Problem] = []
    tensors = sorted(part.glob("*.safetensors"))
    for listed in sorted(part.glob("*.safetensors.index.json")):
        try:
            wanted = set(json.loads(listed.read_text(encoding="utf-8"))["weight_map"].values())
        except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError):
            found.append(Problem(listed.relative_to(folder).as_posix(), "cannot be read"))
            continue
        found += [
            Problem(f"{name}/{each}", "is missing") for each in sorted(wanted - {t.name for t in tensors})
        ]
    if not tensors and not found:
        pickles = sorted(p.name for p in part.iterdir() if p.suffix in _PICKLES)
        what = "is a pickle, which can run code when loaded; safetensors is wanted"
        found.append(Problem(f"{name}/{pickles[0]}", what) if pickles else Problem(name, "has no tensors"))
    for path in tensors:
        found += _of_tensors(folder, path)
    return found


def _of_tensors(folder: Path, path: Path) -> list[Problem]:
    try:
        header(path)
    except ValueError as error:
        return [Problem(path.relative_to(folder).as_posix(), str(error))]
    except OSError as error:  # a link into a cache whose file was removed
        return [Problem(path.relative_to(folder).as_posix(), f"cannot be read ({error.strerror})")]
    return []


def _digests(folder: Path, weights: Weights) -> list[Problem]:
    return [
        Problem(name, "has another SHA-256 than was published")
        for name, digest in weights.sha256.items()
        if (folder / name).is_file() and file_digest(folder / name) != digest
    ]
