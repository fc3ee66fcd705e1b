"""Which kind of file is it, and is it whole: the first look at a scene file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from anix_cli.core.errors import AnixError, fail

from .formats.archive import Bundle
from .formats.dot_splat import ROW, looks_like_splat, probe_splat
from .formats.faults import parse_json
from .formats.folder import scene_of_folder
from .formats.gltf_structure import buffer_files, probe_gltf
from .formats.ksplat_structure import looks_like_ksplat, probe_ksplat
from .formats.nerfstudio import NAME as NERFSTUDIO
from .formats.nerfstudio import capture_unit
from .formats.npz import probe_npz
from .formats.ply_structure import probe_ply
from .formats.sog_structure import META_LIMIT, is_meta, is_sog, picture_files, probe_sog
from .formats.spz_structure import probe_spz
from .formats.usd import probe_usd
from .info import READ_NOW, SplatInfo

_START = 512
_PACKED_SCENES = (".ply", ".spz", ".splat", ".ksplat", ".sog", ".glb")
_OTHERS = {
    b"LASF": "a LAS point cloud",
    b"# .PCD": "a PCD point cloud",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"Rar!": "a RAR archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"\x80\x02": "a Python pickle",
    b"\x80\x04": "a Python pickle",
    b"\x89HDF": "an HDF5 file",
    b"Kaydara FBX": "an FBX model",
    b"BLENDER": "a Blender file",
}
"""Files that are taken for scenes, by their first bytes."""
_MARKS = {"spz": (b"\x1f\x8b\x08", b"NGSP"), "gltf": (b"glTF",), "usd": (b"#usda ", b"PXR-USDC")}


def probe(path: Path) -> SplatInfo:
    """Walks the structure of a splat file, or of a folder that holds one, without decoding it.

    Raises:
        AnixError: E301 missing, E302 no single file or not readable, E303 empty, E304 no splat file, E305 a
            kind that is not read, E306 truncated, E307 damaged, E308 no Gaussians in a PLY, E309 zero
            Gaussians, E310 a wrong count of SH columns, E311 corrupt compressed data, E312 too many,
            E316 a package for its format is missing.
    """
    kind, file, size = kind_of(Path(path))
    try:
        with file.open("rb") as stream:
            return with_unit(_PROBES[kind](stream, file, size))
    except OSError as error:
        raise _unreadable(file, error) from error


_PROBES: dict[str, Callable[[BinaryIO, Path, int], SplatInfo]] = {
    "ply": probe_ply,
    "spz": probe_spz,
    "sog": lambda _stream, path, _size: probe_sog(path),
    "npz": lambda _stream, path, _size: probe_npz(path),
    "gltf": lambda _stream, path, size: probe_gltf(path, size),
    "ksplat": probe_ksplat,
    "usd": lambda _stream, path, _size: probe_usd(path),
    "splat": lambda _stream, path, size: probe_splat(path, size),
}


def with_unit(info: SplatInfo) -> SplatInfo:
    """The same with the unit of its capture, if nerfstudio left a note of it beside a PLY of Gaussians."""
    if "PLY" not in info.format or info.points:
        return info
    unit, notes = capture_unit(info.path)
    return replace(info, unit=unit, notes=(*info.notes, *notes))


def scene_files(path: Path) -> tuple[Path, ...]:
    """All files that a scene consists of, sorted: what a digest of its content has to cover.

    Raises:
        AnixError: as ``kind_of``.
    """
    kind, file, _ = kind_of(Path(path))
    found = {file}
    if kind == "gltf":
        found.update(buffer_files(file))
    if kind == "sog" and file.suffix.lower() == ".json":
        found.update(picture_files(file))
    beside = file.parent / NERFSTUDIO
    if kind == "ply" and beside.is_file():
        found.add(beside)
    return tuple(sorted(found))


def _broken_link(path: Path) -> str:
    return f": it is a link to {path.readlink()}, which leads nowhere" if path.is_symlink() else ""


def kind_of(path: Path) -> tuple[str, Path, int]:
    """(kind, the file itself, its size in bytes), from the first bytes: content decides, not the name.

    Kinds are "ply", "spz", "sog", "npz", "gltf", "usd", "ksplat" and "splat".
    """
    try:
        if not path.exists():
            raise fail("E301", f"there is no scene file {path}{_broken_link(path)}", file=path)
        file = scene_of_folder(path) if path.is_dir() else path
        if not file.is_file():
            raise fail("E302", f"{file} is not a file", file=file)
        size = file.stat().st_size
        with file.open("rb") as stream:
            start = stream.read(_START)
            kind = _kind(file, start, size, stream)
            if kind is None:
                raise _unknown(file, start, size)
            return kind, file, size
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> AnixError:
    reason = getattr(error, "strerror", None) or str(error)
    return fail("E302", f"{path} cannot be read: {reason}", file=path)


def _kind(path: Path, start: bytes, size: int, stream: BinaryIO) -> str | None:
    if start[:3] == b"ply" and start[3:4] in {b"\n", b"\r", b" ", b"\t", b""}:
        return "ply"
    if start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _kind_of_archive(path)
    for kind, marks in _MARKS.items():
        if start.startswith(marks):
            return kind
    if start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return _kind_of_json(path, size, stream)
    return _kind_without_mark(path, start, size, stream)


def _kind_without_mark(path: Path, start: bytes, size: int, stream: BinaryIO) -> str | None:
    if looks_like_ksplat(start, size):
        return "ksplat"
    named = path.suffix.lower() == ".splat"
    if (named or size % ROW.size == 0) and not _is_text(start) and looks_like_splat(stream, size):
        return "splat"
    return None


def _kind_of_archive(path: Path) -> str | None:
    bundle = Bundle(path)
    try:
        names = bundle.names
    finally:
        bundle.close()
    if names and names[0].lower().endswith((".usd", ".usda", ".usdc")):
        return "usd"  # the first file of a .usdz is its root
    if any(map(is_meta, names)):
        return "sog"
    if names and all(name.endswith(".npy") for name in names):
        return "npz"
    if any(name.endswith("data.pkl") for name in names):
        hint = "Export the scene from the program that trained it, as PLY."
        raise fail("E304", f"{path.name} is a checkpoint of PyTorch, not a splat file", file=path, hint=hint)
    inside = [name for name in names if name.lower().endswith(_PACKED_SCENES)]
    found = f"Unpack it and name the scene in it: {inside[0][:80]}." if inside else None
    text = f"{path.name} is a zip archive without a scene (no meta.json)"
    raise fail("E304", text, file=path, hint=found)


def _kind_of_json(path: Path, size: int, stream: BinaryIO) -> str:
    if size > META_LIMIT:
        return "gltf"
    stream.seek(0)
    tree = parse_json(path, stream.read(), "it begins like JSON, but")
    return "sog" if is_sog(tree) else "gltf"


def _is_text(start: bytes) -> bool:
    try:
        text = start.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(start) - 4:  # the last letter may be cut
            return False
        text = start[: error.start].decode("utf-8")
    return all(letter.isprintable() or letter in "\t\r\n" for letter in text)


def _unknown(path: Path, start: bytes, size: int) -> AnixError:
    """The error for a file of no known kind: says what it is, where that can be told."""
    text = start.lstrip().lower()
    if size == 0:
        return fail("E303", f"{path.name} is empty (0 bytes)", file=path, hint="Fetch or export it again.")
    if text.startswith(b"version https://git-lfs"):
        hint = "Run “git lfs pull” where it lies, or download the file itself."
        return fail("E304", f"{path.name} is only a pointer of Git LFS, not the scene", file=path, hint=hint)
    if text.startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
        hint = "Open the link in a browser and save the splat file itself."
        return fail("E304", f"{path.name} is a web page, not a splat file", file=path, hint=hint)
    other = next((kind for mark, kind in _OTHERS.items() if start.startswith(mark)), None)
    what = "not a splat file" if other is None else f"{other}, not a splat file"
    return fail("E304", f"{path.name} is {what}; anix reads {READ_NOW}", file=path)
