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
from .faults import check_count, check_packing, damaged, parse_json, unsupported
from .image_header import HEAD, PictureSize, picture_size

META_LIMIT = 4 << 20
SH_COEFFICIENTS = {0: 0, 1: 3, 2: 8, 3: 15}
PALETTE_ROW = 64
_PALETTE_LIMIT = 1 << 16
_SLACK_PIXELS = 1 << 20
_LARGEST = 1e30
_PIXELS = 15
"""Bytes a Gaussian that matter: two pictures of positions, and of sizes, rotations, colours."""
_LARGEST_WHOLE = 2.0**53
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
    metas = sorted(filter(is_meta, bundle.names), key=len)
    if not metas:
        bundle.close()
        raise fail("E304", f"{path.name} is a zip archive without a scene (no meta.json)", file=path)
    bundle.prefix = metas[0].removesuffix("meta.json")
    return bundle


def is_meta(name: str) -> bool:
    """Whether a file of an archive is a meta.json, and not the Finder's shadow of one."""
    *folders, last = name.split("/")
    return last == "meta.json" and "__MACOSX" not in folders


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
    sizes = (archive.size(file) or 0 for file in meta.files.values())
    packed = path.stat().st_size if isinstance(archive, Bundle) else sum(sizes)
    check_packing(path, meta.count, packed, meta.count * _PIXELS)
    return info, meta


def picture(path: Path, archive: Archive, file: str) -> PictureSize:
    """The size of a picture, whole as far as its header tells."""
    actual = archive.size(file)
    if actual is None:
        raise damaged(path, f"its picture “{file[:80]}” is missing")
    size = picture_size(archive.read(file, HEAD))
    if size is None:
        raise damaged(path, f"“{file[:80]}” is no WebP picture")
    if actual < size.bytes_needed:
        counts = f"{actual:,} of {size.bytes_needed:,} bytes"
        text = f"{path.name} is truncated: its picture “{file[:80]}” has {counts}"
        raise fail("E306", text, file=path, hint="Fetch the file again.")
    if actual > 8 * size.pixels + _SLACK_PIXELS:
        raise damaged(path, f"“{file[:80]}” has {actual:,} bytes for {size.pixels:,} pixels")
    if not size.rgb:
        raise damaged(path, f"“{file[:80]}” has other pixels than three or four bytes each")
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
    tree = parse_json(path, data, "its meta.json")
    if not is_sog(tree):
        raise fail("E304", f"{path.name} is no SOG scene: its meta.json names no Gaussians", file=path)
    try:
        return _meta(path, tree, archive)
    except _MetaError as error:
        raise damaged(path, f"its meta.json cannot be used: {error}") from error


class _MetaError(ValueError):
    """Says what is wrong."""


class _Section:
    """A part of a meta.json that knows its name, so that what is wrong can be told."""

    def __init__(self, name: str, tree: Any) -> None:
        if not isinstance(tree, dict):
            raise _MetaError(f"“{name}” is no section")
        self.name, self.tree = name, tree
        self._above = f"{name}." if name else ""

    def __getitem__(self, key: str) -> Any:
        if key not in self.tree:
            raise _MetaError(f"“{self._above}{key}” is missing")
        return self.tree[key]

    def whole(self, key: str, expected: str) -> int:
        value = self[key]
        if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_WHOLE:
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise _MetaError(f"“{self._above}{key}” is {_shown(value)}; expected {expected}")
        return value

    def files(self, count: int) -> list[str]:
        names = self["files"]
        fine = isinstance(names, list) and len(names) >= count
        if not fine or not all(isinstance(name, str) and name for name in names[:count]):
            what = "the name of a picture" if count == 1 else f"the names of {count} pictures"
            raise _MetaError(f"“{self._above}files” is {_shown(names)}; expected a list of {what}")
        return list(names[:count])

    def numbers(self, key: str, count: int) -> Numbers:
        values = self[key]
        values = values if isinstance(values, list) else [values]
        if len(values) != count:
            raise _MetaError(f"“{self._above}{key}” has {len(values)} numbers, expected {count}")
        for value in values:
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not abs(value) < _LARGEST:  # NaN is not less either
                raise _MetaError(f"“{self._above}{key}” has {_shown(value)} where a number is expected")
        return tuple(float(value) for value in values)

    def bounds(self, count: int) -> Coding:
        return Coding(None, self.numbers("mins", count), self.numbers("maxs", count))

    def codebook(self) -> Coding:
        values = self["codebook"]
        if isinstance(values, list) and len(values) == 256 and values[0] is None:
            # Some writers leave the first entry out; it lies one step before the second.
            rest = _Section(self.name, {"codebook": values[1:]}).numbers("codebook", 255)
            return Coding((rest[0] + (rest[0] - rest[254]) / 255, *rest))
        return Coding(self.numbers("codebook", 256))


def _first(shape: object) -> int:
    """Of version 1, which gives the shape of the positions."""
    rows = shape[0] if isinstance(shape, list) and shape else shape
    return _Section("means", {"shape": rows}).whole("shape", "a number of Gaussians")


def _shown(value: object) -> str:
    return f"{json.dumps(value)[:20]}"


def _meta(path: Path, tree: dict[str, Any], archive: Archive) -> SogMeta:
    top = _Section("", tree)
    version = top.whole("version", "the number 1 or 2") if "version" in tree else 1
    if version not in (1, 2):
        raise unsupported(path, f"is SOG version {version}")
    means, scales, quats, sh0 = (_Section(name, top[name]) for name in ("means", "scales", "quats", "sh0"))
    count = top.whole("count", "a number of Gaussians") if version == 2 else _first(means["shape"])
    check_count(SplatInfo(path, f"SOG v{version}", count, 0, False, "-y", "PLY convention"))
    files = dict(zip(("means_l", "means_u"), means.files(2), strict=True))
    files |= {each.name: each.files(1)[0] for each in (scales, quats, sh0)}
    degree, palette, rest = 0, 0, None
    if tree.get("shN"):
        shn = _Section("shN", tree["shN"])
        files["centroids"], files["labels"] = shn.files(2)
        if version == 2:
            degree, palette = shn.whole("bands", "1, 2 or 3"), shn.whole("count", "a number of harmonics")
            rest = shn.codebook()
        else:
            size = picture(path, archive, files["centroids"])
            degree = {PALETTE_ROW * n: d for d, n in SH_COEFFICIENTS.items()}.get(size.width, 0)
            palette, rest = PALETTE_ROW * size.height, shn.bounds(1)
        if degree not in (1, 2, 3):
            text = f"{path.name} has spherical harmonics of degree {degree}; SOG has 0 to 3"
            raise fail("E310", text, file=path)
        if not 0 < palette <= _PALETTE_LIMIT:
            raise _MetaError(f"a palette of {palette:,} harmonics; expected up to {_PALETTE_LIMIT:,}")
    antialiased = tree.get("antialias")
    if antialiased is None:
        antialiased = tree.get("model") == "antialiased"
    if not isinstance(antialiased, bool):
        raise _MetaError(f"“antialias” is {_shown(antialiased)}; expected true or false")
    return SogMeta(
        version,
        count,
        degree,
        antialiased,
        files,
        means.bounds(3),
        scales.codebook() if version == 2 else scales.bounds(3),
        sh0.codebook() if version == 2 else sh0.bounds(4),
        rest,
        palette,
    )


def picture_files(path: Path) -> tuple[Path, ...]:
    """The pictures that a meta.json names and that lie beside it."""
    folder = Folder(path)
    try:
        meta = parse_meta(path, folder.read(path.name, META_LIMIT), folder)
    except AnixError:
        return ()
    found = [folder.file(name) for name in meta.files.values()]
    return tuple(file for file in found if file is not None)
