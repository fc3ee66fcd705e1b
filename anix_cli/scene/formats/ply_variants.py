"""What programs do to the PLY of Gaussians beyond its usual columns.

- CloudCompare writes the columns that it does not know with a prefix (``scalar_f_dc_0``), and converters
  for it do so as well.
- Mip-Splatting (Yu et al. 2024) keeps the size of its 3D smoothing filter beside each Gaussian, as
  ``filter_3D``, instead of in its sizes and opacity.
- SpacetimeGaussians (Li et al. 2024) and others that move keep ``trbf_…``, ``motion_…`` and ``omega_…``.
- Apple's SHARP says in an element ``color_space`` whether colours are sRGB (0) or linear light (1).
- A header may promise another byte order than the rows have.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from anix_cli.core.errors import AnixError, Diagnostic

from .faults import damaged, unsupported
from .ply_header import Element, PlyHeader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .ply_rows import Rows

    F32 = NDArray[np.float32]

FILTER = "filter_3D"
_PREFIXES = ("scalar_scal_", "scalar_", "scal_")
_MOVING = {"trbf_center", "motion_0", "omega_0"}
_JUDGED = 1000
_LEAST, _USUAL = 1e-20, 1e6
"""Between which logarithms, logits and harmonics lie, unless they are 0."""
_MOST, _HARDLY = 0.9, 0.5


def plainly_named(header: PlyHeader, index: int) -> PlyHeader:
    """The header with the usual names, if the element has those of Gaussians with a prefix."""
    element = header.elements[index]
    prefix = next((found for found in _PREFIXES if f"{found}f_dc_0" in element.names), None)
    if prefix is None or "f_dc_0" in element.names:
        return header
    columns = tuple(replace(column, name=column.name.removeprefix(prefix)) for column in element.properties)
    elements = list(header.elements)
    elements[index] = Element(element.name, element.count, columns)
    return replace(header, elements=tuple(elements))


def refuse_moving(element: Element, path: Path) -> None:
    """Raises E305 for Gaussians that move: one moment of theirs is not what the columns hold."""
    moving = sorted(_MOVING & set(element.names))
    if moving:
        raise unsupported(path, f"holds Gaussians that move ({moving[0]})", "Export one moment of it.")


def linear_note(stream: BinaryIO, header: PlyHeader, path: Path) -> tuple[Diagnostic, ...]:
    """W313 where the file says that its colours are linear light."""
    index = header.find("color_space")
    if index is None or header.encoding == "ascii":
        return ()
    element = header.elements[index]
    before = header.elements[:index]
    if element.has_lists or element.stride != 1 or any(each.has_lists for each in before):
        return ()
    stream.seek(header.size + sum(each.count * each.stride for each in before))
    if stream.read(1) in {b"\0", b""}:
        return ()
    text = f"{path.name} says that its colours are linear light; they are drawn as they are, so too dark"
    return (Diagnostic("W313", text, file=path),)


def smoothed(scales: F32, opacities: F32, filters: F32) -> tuple[F32, F32]:
    """(sizes, opacities) with Mip-Splatting's 3D filter in them: s² + f², and as much mass as before.

    Args:
        scales: [N, 3], activated, as are ``opacities`` [N, 1].
        filters: [N, 1] standard deviations.
    """
    import numpy as np

    with np.errstate(all="ignore"):
        wide = np.sqrt(np.square(scales) + np.square(filters))
        share = np.prod(scales / wide, axis=1, keepdims=True)
        return wide, np.where(wide.min(axis=1, keepdims=True) > 0, opacities * share, opacities)


def check_order(path: Path, header: PlyHeader, rows: Rows, names: tuple[str, ...]) -> None:
    """Refuses rows that make no sense in the byte order that the header says, but do in the other one (E307).

    Args:
        names: columns of the rows that are small numbers in any scene.
    """
    if header.encoding == "ascii":
        return
    columns = [rows.column(name)[:_JUDGED] for name in names]
    if _sound(columns) > _HARDLY or _sound([column.byteswap() for column in columns]) < _MOST:
        return
    raise _other_order(path, header)


def _sound(columns: list[NDArray[Any]]) -> float:
    """The share of rows whose numbers are all usual ones."""
    import numpy as np

    with np.errstate(all="ignore"):
        sizes = [np.abs(column.astype(np.float64)) for column in columns]
    fine = [(size == 0) | ((size > _LEAST) & (size < _USUAL)) for size in sizes]
    return float(np.all(fine, axis=0).mean())


def _other_order(path: Path, header: PlyHeader) -> AnixError:
    told, other = ("little", "big") if header.order == "<" else ("big", "little")
    return damaged(path, f"its header says {told}-endian, but its numbers make sense as {other}-endian only")
