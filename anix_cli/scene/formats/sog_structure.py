"""SOG (PlayCanvas, "The SOG Format"): pictures whose pixels are Gaussians, and a meta.json that says how.

A folder, or the same in a zip archive. Version 2: positions are 16 bits, low and high bytes in two pictures,
between the bounds of ``sign(x)·ln(1 + |x|)``; scales and colours are indices into codebooks of 256 numbers
(log-scales, f_dc); opacity is a byte; rotations are bytes of ±√½ of the three smaller of wxyz, alpha is
252 + the index of the largest; harmonics are 16-bit labels of a palette, whose 64 entries a row are indices
into a codebook. Version 1 has bounds in the place of codebooks, and logits as opacities.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anix_cli.core.errors import AnixError, fail

from ..info import SplatInfo
from .archive import Archive, Bundle, Folder
from .faults import check_count, damaged, unsupported
from .image_header import HEAD, PictureSize, picture_size

META_LIMIT = 4 << 20
SH_COEFFICIENTS = {0: 0, 1: 3, 2: 8, 3: 15}
PALETTE_ROW = 64
_PALETTE_LIMIT = 1 << 16
_SLACK_PIXELS = 1 << 20
_LARGEST = 1e30
_RATIO = 1000
"""Positions are never compressed by more."""

Numbers = tuple[float, ...]


@dataclass(frozen=True)
class Coding:
    """How bytes become numbers: by a codebook of 256, or between bounds of each channel."""

    codebook: Numbers | None = None
    mins: Numbers = ()
    maxs: Numbers = ()


@dataclass(frozen=True)
class SogMeta:
    """A meta.json, checked.

    Attributes:
        files: names of the pictures: "means_l", "means_u", "scales", "quats", "sh0", and for harmonics
            "centroids" and "labels".
        palette: entries that labels may name.
    """

    version: int
    count: int
    sh_degree: int
    antialiased: bool
    files: dict[str, str]
    means: Coding
    scales: Coding
    sh0: Coding
    rest: Coding | None
    palette: int


def probe_sog(path: Path) -> SplatInfo:
    """The structure of a SOG scene: its meta.json and the sizes of all its pictures.

    Args:
        path: a zip archive or a meta.json.

    Raises:
        AnixError: E304–E307, E309–E312: see ``probe``.
    """
    archive = open_sog(path)
    try:
        return walk_sog(path, archive)[0]
    finally:
        if isinstance(archive, Bundle):
            archive.close()


def open_sog(path: Path) -> Bundle | Folder:
    """The files of a SOG scene; ``meta.json`` is one of them."""
    with path.open("rb") as stream:
        if stream.read(2) != b"PK":
            return Folder(path)
    bundle = Bundle(path)
    metas = sorted((name for name in bundle.names if name.split("/")[-1] == "meta.json"), key=len)
    if not metas:
        bundle.close()
        raise fail("E304", f"{path.name} is a zip archive without a scene (no meta.json)", file=path)
    bundle.prefix = metas[0].removesuffix("meta.json")
    return bundle


def walk_sog(path: Path, archive: Archive) -> tuple[SplatInfo, SogMeta]:
    """Reads meta.json and the headers of all pictures."""
    name = "meta.json" if isinstance(archive, Bundle) else path.name
    size = archive.size(name) or 0
    if size > META_LIMIT:
        raise damaged(path, f"its meta.json has {size:,} bytes")
    meta = parse_meta(path, archive.read(name), archive)
    info = SplatInfo(
        path, f"SOG v{meta.version}", meta.count, meta.sh_degree, meta.antialiased, "-y", "PLY convention"
    )
    for role, file in meta.files.items():
        _check_picture(path, meta, role, picture(path, archive, file))
    places = sum(archive.size(meta.files[role]) or 0 for role in ("means_l", "means_u"))
    if places * _RATIO < meta.count * 6:
        raise damaged(path, f"{places:,} bytes do not hold the positions of {meta.count:,} Gaussians")
    return info, meta


def picture(path: Path, archive: Archive, file: str) -> PictureSize:
    """The size of a picture, whole as far as its header tells."""
    actual = archive.size(file)
    if actual is None:
        raise damaged(path, f"its picture “{file[:80]}” lacks")
    size = picture_size(archive.read(file, HEAD))
    if size is None:
        raise damaged(path, f"“{file[:80]}” is no WebP picture")
    if actual < size.bytes_needed:
        counts = f"{actual:,} of {size.bytes_needed:,} bytes"
        text = f"{path.name} is truncated: its picture “{file[:80]}” has {counts}"
        raise fail("E306", text, file=path, hint="Fetch the file again.")
    if actual > 8 * size.pixels + _SLACK_PIXELS:
        raise damaged(path, f"“{file[:80]}” has {actual:,} bytes for {size.pixels:,} pixels")
    if not size.lossless:
        raise damaged(path, f"“{file[:80]}” was compressed with loss, which garbles what it holds")
    return size


def _check_picture(path: Path, meta: SogMeta, role: str, size: PictureSize) -> None:
    shown = f"{size.width} × {size.height}"
    if role == "centroids":
        width = PALETTE_ROW * SH_COEFFICIENTS[meta.sh_degree]
        rows = -(-meta.palette // PALETTE_ROW)
        if size.width != width or not rows <= size.height <= max(rows, _PALETTE_LIMIT // PALETTE_ROW):
            text = f"its palette of {meta.palette:,} harmonics takes {width} × {rows} pixels, not {shown}"
            raise damaged(path, text)
    elif size.pixels < meta.count:
        text = f"its picture “{meta.files[role][:80]}” of {shown} pixels is too small"
        raise damaged(path, f"{text} for {meta.count:,} Gaussians")
    elif size.pixels > 4 * meta.count + _SLACK_PIXELS:
        raise damaged(path, f"its picture “{meta.files[role][:80]}” of {shown} is far too large for it")


def is_sog(tree: Any) -> bool:
    """Whether a JSON document could be a meta.json."""
    return isinstance(tree, dict) and all(
        isinstance(tree.get(key), dict) for key in ("means", "quats", "sh0")
    )


def parse_meta(path: Path, data: bytes, archive: Archive) -> SogMeta:
    """The meta.json, checked; of version 1 also the header of the palette's picture, for the degree.

    Raises:
        AnixError: E304, E305, E307, E309, E310, E312.
    """
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise damaged(path, "its meta.json is no JSON") from error
    if not is_sog(tree):
        raise fail("E304", f"{path.name} is no SOG scene: its meta.json names no Gaussians", file=path)
    try:
        return _meta(path, tree, archive)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        what = str(error) if isinstance(error, _MetaError) else "it lacks entries of a SOG scene"
        raise damaged(path, f"its meta.json cannot be used: {what}") from error


class _MetaError(ValueError):
    """Says what is wrong."""


def _meta(path: Path, tree: dict[str, Any], archive: Archive) -> SogMeta:
    version = tree.get("version", 1)
    if version not in (1, 2):
        raise unsupported(path, f"is SOG version {str(version)[:20]}")
    count = tree["count"] if version == 2 else tree["means"]["shape"][0]
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise _MetaError(f"{str(count)[:20]} is no count of Gaussians")
    check_count(SplatInfo(path, f"SOG v{version}", count, 0, False, "-y", "PLY convention"))
    files = {
        "means_l": tree["means"]["files"][0],
        "means_u": tree["means"]["files"][1],
        **{role: tree[role]["files"][0] for role in ("scales", "quats", "sh0")},
    }
    means = _bounds(tree["means"], 3)
    degree, palette, rest = 0, 0, None
    harmonics = tree.get("shN")
    if harmonics:
        files["centroids"], files["labels"] = harmonics["files"][:2]
    if not all(isinstance(name, str) and name for name in files.values()):
        raise _MetaError("a name of a picture is no text")
    if harmonics and version == 2:
        degree, palette, rest = harmonics["bands"], harmonics["count"], _codebook(harmonics)
    elif harmonics:
        size = picture(path, archive, files["centroids"])
        degree = {PALETTE_ROW * n: d for d, n in SH_COEFFICIENTS.items()}.get(size.width, 0)
        palette, rest = PALETTE_ROW * size.height, _bounds(harmonics, 1)
    if harmonics and (degree not in (1, 2, 3) or isinstance(degree, bool)):
        raise _degree(path, degree)
    if not isinstance(palette, int) or not 0 <= palette <= _PALETTE_LIMIT or (harmonics and palette < 1):
        raise _MetaError(f"{str(palette)[:20]} is no count of harmonics; it can be up to {_PALETTE_LIMIT:,}")
    return SogMeta(
        version,
        count,
        degree,
        tree.get("antialias") is True or tree.get("model") == "antialiased",
        files,
        means,
        _codebook(tree["scales"]) if version == 2 else _bounds(tree["scales"], 3),
        _codebook(tree["sh0"]) if version == 2 else _bounds(tree["sh0"], 4),
        rest,
        palette,
    )


def _degree(path: Path, degree: object) -> AnixError:
    text = f"{path.name} has spherical harmonics of degree {str(degree)[:20]}; SOG has 0 to 3"
    return fail("E310", text, file=path)


def _numbers(values: Any, count: int) -> Numbers:
    found = tuple(float(value) for value in (values if isinstance(values, list) else [values]))
    if len(found) != count:
        raise _MetaError(f"expected {count} numbers, found {len(found)}")
    if not all(abs(value) < _LARGEST for value in found):  # NaN is not less either
        raise _MetaError(f"a number of it is none below {_LARGEST:g}")
    return found


def _bounds(section: dict[str, Any], count: int) -> Coding:
    return Coding(None, _numbers(section["mins"], count), _numbers(section["maxs"], count))


def _codebook(section: dict[str, Any]) -> Coding:
    values = list(section["codebook"])
    if len(values) == 256 and values[0] is None:
        # Some writers leave the first entry out; it lies one step before the second.
        values[0] = values[1] + (values[1] - values[255]) / 255
    return Coding(_numbers(values, 256))


def picture_files(path: Path) -> tuple[Path, ...]:
    """The pictures that a meta.json names and that lie beside it."""
    folder = Folder(path)
    try:
        meta = parse_meta(path, folder.read(path.name, META_LIMIT), folder)
    except AnixError:
        return ()
    found = [folder.file(name) for name in meta.files.values()]
    return tuple(file for file in found if file is not None)
