"""Gathers the films of a folder, by their manifests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..core.errors import AnixError, fail
from ..core.filmreport import FilmIndex, IndexedFilm
from ..film import manifest
from ..film.naming import PICTURE
from ..media.delivery import CONTAINERS, PICTURES
from .filmreport import report_path
from .reportfile import SUFFIXES, stamp_of

_WIDTH_PX = 416
_MOST_BYTES = 64 << 20


def index_of(folder: Path) -> FilmIndex:
    """All films with a manifest in a folder and below it, in the order of their paths; hidden folders apart.

    Raises:
        AnixError: E441, there is none.
    """
    films = tuple(one for place in _manifests(folder) if (one := _indexed(place, folder)) is not None)
    if not films:
        raise fail(
            "E441",
            f"there is no film with a manifest in {folder}",
            file=folder,
            hint="`anix render film.yaml -o film.mp4` writes film.mp4.json beside the film",
        )
    return FilmIndex(folder.absolute().name or str(folder), films)


def _manifests(folder: Path) -> Iterator[Path]:
    """Films that have, or had, a manifest."""
    found = [
        path.with_suffix("")
        for path in folder.rglob("*.json")
        if (path.with_suffix("").suffix.lower() in CONTAINERS or path.with_suffix("").is_dir())
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and path.is_file()
    ]
    yield from sorted(found, key=lambda path: path.relative_to(folder).as_posix())


def _indexed(film: Path, folder: Path) -> IndexedFilm | None:
    """What a film's manifest says; None if it is another program's."""
    name = film.relative_to(folder).as_posix()
    found = _read(film)
    if found is None:
        return IndexedFilm(name, "damaged")
    if "manifest" not in found:
        return None
    fps = Fraction(found["fps"])
    clips = [clip for shot in found["shots"] for clip in shot["clips"]]
    width, height = found["size"]
    there = film.exists()
    size = manifest.content_bytes(film) if there else found["output"]["bytes"]
    same = there and size == found["output"]["bytes"]
    picture, size_px = _thumbnail(film, found) if there else (None, (0, 0))
    return IndexedFilm(
        name=name,
        state="missing" if not there else "damaged" if picture is None else "current" if same else "changed",
        title=found["title"],
        screenplay=found["screenplay"] or "",
        backend=found["backend"],
        size_px=(width, height),
        fps=f"{float(fps):g}",
        frames=found["frames"],
        duration_s=round(float(found["frames"] / fps), 3),
        shots=len(found["shots"]),
        clips=len(clips),
        seconds=round(sum(float(clip["seconds"]) for clip in clips), 3),
        size_bytes=size,
        report=_report(film, folder),
        thumbnail=picture,
        thumbnail_px=size_px,
    )


def _read(film: Path) -> dict[str, Any] | None:
    """A manifest that holds to its schema; {} for JSON that claims to be none, None for anything else."""
    path = manifest.manifest_path(film)
    try:
        if path.stat().st_size > _MOST_BYTES:
            return None
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict) or "manifest" not in found:
            return {}
        manifest.validate(found)
    except (OSError, ValueError, RecursionError):
        return None
    return found


def _report(film: Path, folder: Path) -> str:
    places = (report_path(film).with_suffix(suffix) for suffix in SUFFIXES)
    there = next((place for place in places if stamp_of(place) == "film"), None)
    return there.relative_to(folder).as_posix() if there else ""


def _thumbnail(film: Path, found: Mapping[str, Any]) -> tuple[bytes | None, tuple[int, int]]:
    from ..media.stills import read_stills, webp

    (whole, tall), codec, middle = found["size"], found["encoding"]["codec"], found["frames"] // 2
    width = min(_WIDTH_PX, whole)
    small = width, max(1, round(width * tall / whole))
    place = (film / f"{PICTURE % middle}{codec}", 0) if codec in PICTURES else (film, middle)
    try:
        delivery = codec not in (*PICTURES, "ffv1")
        return webp(read_stills([place], Fraction(found["fps"]), small, delivery=delivery)[0]), small
    except AnixError:
        return None, (0, 0)
