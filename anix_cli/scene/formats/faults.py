"""What is wrong with a scene file, in words that all formats share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from anix_cli.core.errors import AnixError, Diagnostic, fail

from ..info import MAX_GAUSSIANS, READ_NOW, EmptySceneError, SplatInfo

_AGAIN = "The download or copy was probably cut off: fetch the file again."


def damaged(path: Path, what: str) -> AnixError:
    """E307."""
    return fail("E307", f"{path.name} is damaged: {what}", file=path, hint="Export or download it again.")


def truncated(path: Path, count: int, expected: int, actual: int, about: str = "") -> AnixError:
    """E306, with both sizes in bytes."""
    return fail(
        "E306",
        f"{path.name} is truncated: its header promises {count:,} Gaussians = {about}{expected:,} bytes, "
        f"the file has {actual:,}",
        file=path,
        hint=_AGAIN,
    )


def cut_off(path: Path, size: int, where: str = "within its own header") -> AnixError:
    """E306, for a file too short to say what it promises."""
    return fail("E306", f"{path.name} ends {where}, after {size:,} bytes", file=path, hint=_AGAIN)


def corrupt(path: Path, what: str = "its compressed data fail their own check") -> AnixError:
    """E311."""
    return fail("E311", f"{path.name} is corrupt: {what}", file=path, hint="Copy or download the file again.")


def unsupported(path: Path, what: str, hint: str | None = None) -> AnixError:
    """E305."""
    return fail(
        "E305",
        f"{path.name} {what}, which is not supported; anix reads {READ_NOW}",
        file=path,
        hint=hint or "Convert it to PLY, for example with SuperSplat.",
    )


def check_count(info: SplatInfo) -> None:
    """Refuses no Gaussians (E309) and more than anything could draw (E312).

    Args:
        info: what is known before the rest of the file is looked at.
    """
    path, count = info.path, info.count
    if count == 0:
        raise EmptySceneError(info)
    if count > MAX_GAUSSIANS:
        raise too_many(path, count)


def too_many(path: Path, count: int) -> AnixError:
    """E312."""
    text = f"{path.name} promises {count:,} Gaussians; anix reads at most {MAX_GAUSSIANS:,}"
    return fail("E312", text, file=path)


_ENTRIES_LIMIT = 2_000_000
"""Of a JSON document: more are more than the sizes of scenes and models need, and take long to read."""


def parse_json(path: Path, data: bytes, what: str = "its description") -> Any:
    """A JSON document of a scene file.

    Raises:
        AnixError: E307, it is none, or nested too deeply, or has too many entries.
    """
    if sum(map(data.count, (b",", b"[", b"{"))) > _ENTRIES_LIMIT:
        raise damaged(path, f"{what} has more than {_ENTRIES_LIMIT:,} entries")
    try:
        return json.loads(data)
    except RecursionError as error:
        raise damaged(path, f"{what} is nested too deeply") from error
    except ValueError as error:
        raise damaged(path, f"{what} is no JSON ({str(error)[:80]})") from error


_MUCH, _TIGHTEST = 64 << 20, 100
"""Bytes of columns, and how much smaller they can be packed: real scenes come to a tenth, regular ones that
programs make to a thirtieth. What is larger and packed more tightly is made to fill the memory."""


def check_packing(path: Path, count: int, packed: int, full: int) -> None:
    """Refuses ``packed`` bytes that are said to hold ``full`` bytes of Gaussians, if none could (E307)."""
    if full > _MUCH and packed * _TIGHTEST < full:
        text = f"{packed:,} bytes cannot hold {count:,} Gaussians ({full:,} bytes when unpacked)"
        raise damaged(path, text)


def left_over(path: Path, count: int) -> tuple[Diagnostic, ...]:
    """W305 for ``count`` bytes after the end, if there are any."""
    if count <= 0:
        return ()
    return (
        Diagnostic(
            "W305", f"{path.name} has {count:,} bytes after its end, which are left unread", file=path
        ),
    )


def degree_cut(path: Path, degree: int) -> tuple[Diagnostic, ...]:
    """W311 for a degree above 3, of which the coefficients up to 3 are used."""
    if degree <= 3:
        return ()
    text = f"{path.name} has spherical harmonics of degree {degree}; those above degree 3 are left out"
    return (Diagnostic("W311", text, file=path),)
