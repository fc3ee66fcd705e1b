"""Which kind of file is it, and is it whole: the first look at a scene file."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from anix_cli.core.errors import AnixError, fail

from .info import READ_NOW, SplatInfo
from .ply_structure import probe_ply
from .spz_structure import probe_spz

_BY_SUFFIX = {
    ".splat": "a .splat file",
    ".ksplat": "a .ksplat file",
    ".sog": "a SOG file",
    ".glb": "a glTF file",
}


def probe(path: Path) -> SplatInfo:
    """Walks a splat file's structure without decoding it.

    Raises:
        AnixError: E301 missing, E302 not a file or not readable, E303 empty, E304 no splat file, E305 a kind
            that is not read yet, E306 truncated, E307 damaged, E308 no Gaussians in a PLY, E309 zero
            Gaussians, E310 a wrong count of SH columns, E311 corrupt compressed data, E312 too many.
    """
    path = Path(path)
    kind, size = kind_of(path)
    with path.open("rb") as stream:
        if kind == "ply":
            return probe_ply(stream, path, size)
        return probe_spz(stream, path, size)


def kind_of(path: Path) -> tuple[str, int]:
    """("ply" or "spz", size in bytes), from the first bytes: content decides, not the name."""
    try:
        if not path.exists():
            raise fail("E301", f"there is no scene file {path}", file=path)
        if path.is_dir():
            raise _directory(path)
        if not path.is_file():
            raise fail("E302", f"{path} is not a file", file=path)
        size = path.stat().st_size
        with path.open("rb") as stream:
            start = stream.read(512)
            if start[:3] == b"ply" and start[3:4] in {b"\n", b"\r", b" ", b"\t", b""}:
                return "ply", size
            if start[:3] == b"\x1f\x8b\x08":
                return "spz", size
            raise _unknown(path, start, size, stream)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise fail("E302", f"{path} cannot be read: {reason}", file=path) from error


def _directory(path: Path) -> AnixError:
    found = sorted(path.glob("point_cloud/iteration_*/point_cloud.ply"), key=lambda p: (len(str(p)), p))
    hint = f"Name the file in it: {found[-1]}" if found else "Name a splat file in it."
    return fail("E302", f"{path} is a folder; expected a splat file", file=path, hint=hint)


def _unknown(path: Path, start: bytes, size: int, stream: BinaryIO) -> AnixError:
    """The error for a file that is neither PLY nor gzip: says what it is, where that can be told."""
    text = start.lstrip().lower()
    if size == 0:
        return fail("E303", f"{path.name} is empty (0 bytes)", file=path, hint="Fetch or export it again.")
    if text.startswith(b"version https://git-lfs"):
        hint = "Run “git lfs pull” where it lies, or download the file itself."
        return fail("E304", f"{path.name} is only a pointer of Git LFS, not the scene", file=path, hint=hint)
    if text.startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
        hint = "Open the link in a browser and save the splat file itself."
        return fail("E304", f"{path.name} is a web page, not a splat file", file=path, hint=hint)
    name = _BY_SUFFIX.get(path.suffix.lower())
    if start[:4] == b"NGSP":
        version = int.from_bytes(start[4:8], "little")
        if version < 4:
            text_ = f"{path.name} is damaged: SPZ version {version} without its compression"
            return fail("E307", text_, file=path, hint="Export or download it again.")
        name = f"SPZ version {version}"
    elif start[:2] == b"PK":
        name = name or "a zip archive"
    elif start[:4] == b"glTF":
        name = "a glTF file"
    if name:
        return fail(
            "E305",
            f"{path.name} is {name}, which is not supported yet; anix reads {READ_NOW}",
            file=path,
            hint="Convert it to PLY, for example with SuperSplat.",
        )
    return fail("E304", f"{path.name} is not a splat file; anix reads {READ_NOW}", file=path)
