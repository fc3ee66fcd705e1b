"""Takes Gaussians out of an OpenUSD file; a program of its own, started by :mod:`.usd`.

OpenUSD's parsers are native code, not made for files that mean harm: here they may fail, and use no more
memory than they are given, without the film failing with them. ``argv``: file, folder for the results, bytes
of memory, the most Gaussians that are allowed; then "whole" where columns are wanted. The folder gets
``found.json`` and for each prim ``0.positions.npy`` and so on, as stored: float or half, quaternions xyzw.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

COLUMNS = {
    "positions": 1,
    "orientations": 1,
    "scales": 1,
    "opacities": 1,
    "radiance:sphericalHarmonicsCoefficients": 0,
}
"""Attributes of the splat prim; 1 where each particle has one value. With "h" behind: in half precision."""

_PRIMS_LIMIT = 100_000
_DEGREE_LIMIT = 10


class RefusedError(Exception):
    """(code, what is wrong): the parent says it in full."""


def main(argv: list[str]) -> None:
    """Writes what was found, or what is wrong."""
    file, folder, memory, limit, *whole = argv
    _bound(int(memory))
    target = Path(folder)
    try:
        found = _found(file, target if whole else None, int(limit))
    except RefusedError as error:
        found = {"error": list(error.args)}
    (target / "found.json").write_text(json.dumps(found), "utf-8")


def _bound(memory: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _found(file: str, target: Path | None, limit: int) -> dict[str, Any]:
    from pxr import Sdf, Tf, Usd, UsdGeom

    try:
        _stay_inside(Sdf, file)
        stage = Usd.Stage.Open(file)
    except Tf.ErrorException as error:
        raise RefusedError("E307", "OpenUSD cannot read it") from error
    places = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
    parts: list[dict[str, Any]] = []
    total = seen = 0
    for prim in Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies()):
        seen += 1
        if seen > _PRIMS_LIMIT:
            raise RefusedError("E307", f"it has more than {_PRIMS_LIMIT:,} prims")
        if prim.GetTypeName() not in {"ParticleField", "ParticleField3DGaussianSplat"} or _hidden(prim):
            continue
        part = _part(prim, target, len(parts), (total, limit))
        total += part["count"]
        world = places.GetLocalToWorldTransform(prim)  # of row vectors
        part["world"] = [[world[j][i] for j in range(4)] for i in range(4)]
        parts.append(part)
    unit = UsdGeom.GetStageMetersPerUnit(stage) if stage.HasAuthoredMetadata("metersPerUnit") else None
    told = stage.HasAuthoredMetadata("upAxis")
    return {"parts": parts, "unit": unit, "up": str(UsdGeom.GetStageUpAxis(stage)), "up_told": told}


def _stay_inside(sdf: Any, file: str) -> None:
    """Refuses a file that draws on others: what a scene is must not change behind its digest."""
    waiting, seen = [sdf.Layer.FindOrOpen(file)], set()
    while waiting:
        layer = waiting.pop()
        if layer is None:
            raise RefusedError("E307", "a part of it is missing, or OpenUSD cannot read it")
        if layer.identifier in seen:
            continue
        seen.add(layer.identifier)
        for asset in layer.GetCompositionAssetDependencies():
            inside = sdf.ComputeAssetPathRelativeToLayer(layer, asset)
            if not inside.startswith(f"{file}["):
                raise RefusedError("outside", asset[:80])
            waiting.append(sdf.Layer.FindOrOpen(inside))


def _hidden(prim: Any) -> bool:
    from pxr import UsdGeom

    return bool(UsdGeom.Imageable(prim).ComputeVisibility() == UsdGeom.Tokens.invisible)


def _part(prim: Any, target: Path | None, index: int, room: tuple[int, int]) -> dict[str, Any]:
    """Count and degree of one prim; its columns are written into ``target``.

    Args:
        room: (Gaussians before it, how many there may be).
    """
    if any("Surflet" in schema for schema in prim.GetAppliedSchemas()):
        raise RefusedError("E305", f"has flat particles ({prim.GetPath().name})")
    count = len(_values(prim, "positions"))
    if room[0] + count > room[1]:
        raise RefusedError("E312", room[0] + count)
    degree = _degree(prim)
    columns: list[str] = []
    part = {"count": count, "degree": degree, "columns": columns}
    if count == 0:
        return part
    for name, single in COLUMNS.items():
        wanted = count * (1 if single else (degree + 1) ** 2)
        values = _values(prim, name)
        if len(values) == 0:
            continue
        if len(values) < wanted:
            text = f"{prim.GetPath().name} has {len(values):,} {name} where {wanted:,} are expected"
            raise RefusedError("E307", text)
        short = name.rsplit(":", 1)[-1]
        columns.append(short)
        if target is not None:
            import numpy as np

            np.save(target / f"{index}.{short}.npy", np.array(values)[:wanted])
    if "sphericalHarmonicsCoefficients" not in columns:
        part["degree"] = 0
    return part


def _degree(prim: Any) -> int:
    attribute = prim.GetAttribute("radiance:sphericalHarmonicsDegree")
    degree = attribute.Get() if attribute else None
    degree = 3 if degree is None else int(degree)  # the schema's fallback
    if not 0 <= degree <= _DEGREE_LIMIT:
        raise RefusedError("E307", f"it says that its harmonics are of degree {degree}")
    return degree


def _values(prim: Any, name: str) -> Any:
    """The array of an attribute, or of its half-precision twin where that is the one filled; else ()."""
    from pxr import Usd

    for attribute in (prim.GetAttribute(name), prim.GetAttribute(f"{name}h")):
        values = attribute.Get(Usd.TimeCode.EarliestTime()) if attribute else None
        if values is not None and len(values):
            return values
    return ()


if __name__ == "__main__":
    main(sys.argv[1:])
