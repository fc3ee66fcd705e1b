"""The cast of a screenplay at a glance: a contact sheet of all views, and what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..character import aligned, identity_key, read_views
from ..character.model import ModelViews, key_with_motions, measure_model, measure_motions, model_key
from ..character.oddities import view_warnings
from ..core.errors import AnixError, Diagnostic
from ..core.screenplay import VIEW_NAMES, CharacterSpec, Screenplay
from ..media.image import picture_notes
from ..store.atomic import check_writable
from .characterviews import refuse_other, save
from .places import placed, placing

if TYPE_CHECKING:
    from PIL import Image

_CELL_PX, _GAP_PX, _HEAD_PX = 300, 12, 30
_GROUND, _GRID, _INK, _LINE = (236, 236, 232), (222, 222, 218), (30, 30, 34), (196, 60, 40)
_HIGH = 0.9


@dataclass(frozen=True)
class Checked:
    """The sheet, each character in numbers, and what was noticed, at its place in the screenplay."""

    sheet: Path | None
    facts: tuple[dict[str, Any], ...]
    notes: tuple[Diagnostic, ...]


def check_cast(screenplay: Screenplay, sheet: Path | None, *, overwrite: bool = False) -> Checked:
    """Looks at every character, and draws the sheet where one is asked for.

    Raises:
        AnixError: E341 … E345, E351 … E356, E391, E392: all characters that cannot be used; E357, another
            picture lies at ``sheet``; E412, it cannot be written.
    """
    if sheet is not None:
        refuse_other(sheet, overwrite=overwrite)
        check_writable(sheet)
    problems: list[Diagnostic] = []
    notes: list[Diagnostic] = []
    rows: list[tuple[str, dict[str, NDArray[np.uint8]]]] = []
    facts = []
    for name, spec in screenplay.characters.items():
        where = ("characters", name, "model" if spec.model else "sheet" if spec.sheet else "views")
        with placing(screenplay, where, problems):
            views, found, remarks = _looked_at(spec)
            rows.append((f"{name}, {spec.height_m:g} m", views))
            facts.append({"name": name, **found, "warnings": [remark.code for remark in remarks]})
            notes += [placed(screenplay, where, remark) for remark in remarks]
    if problems:
        raise AnixError(problems)
    if sheet is not None:
        save(_sheet(rows), sheet)
    return Checked(sheet, tuple(facts), tuple(notes))


def _looked_at(
    spec: CharacterSpec,
) -> tuple[dict[str, NDArray[np.uint8]], dict[str, Any], tuple[Diagnostic, ...]]:
    """(views, facts, remarks) of one character."""
    from ..character import measure

    if spec.model is not None:
        made = measure_model(spec.model, spec.height_m, spec.motions)
        views = dict(ModelViews(spec.model, spec.height_m, size_px=2 * _CELL_PX))
        key, extent, remarks = model_key(spec.model, spec.height_m), made.extent, made.notes
        motions = made.motions
    else:
        read = read_views(spec.views, sheet=spec.sheet is not None, align=False)
        views = aligned(read)
        key, extent = identity_key(views, spec.height_m), measure(views, spec.height_m)
        remarks = (
            *(note for path in dict.fromkeys(spec.views.values()) for note in picture_notes(path)),
            *view_warnings(read, spec.views),
        )
        moved = measure_motions(views, spec.height_m, spec.motions)
        remarks, motions = (*remarks, *moved.notes), moved.motions
    facts = {
        "given_by": "model" if spec.model else "sheet" if spec.sheet else "views",
        "key": key_with_motions(key, spec.motions),
        "height_m": spec.height_m,
        "width_m": round(extent.width_m, 3),
        "depth_m": round(extent.depth_m, 3),
        "motions": {name: dict(told) for name, told in motions.items()},
    }
    return views, facts, remarks


def _sheet(rows: Sequence[tuple[str, dict[str, NDArray[np.uint8]]]]) -> Image.Image:
    """Views in a row for each character, all feet on one line and all heads on one."""
    from PIL import Image, ImageDraw, ImageFont

    step, high = _CELL_PX + _GAP_PX, _HEAD_PX + _CELL_PX + _GAP_PX
    width, height = _GAP_PX + step * len(VIEW_NAMES), _GAP_PX + high * max(len(rows), 1)
    sheet = Image.new("RGB", (width, height), _GROUND)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=18)
    for row, (title, views) in enumerate(rows):
        top = _GAP_PX + row * high
        draw.text((_GAP_PX, top), title, _INK, font)
        for column, name in enumerate(VIEW_NAMES):
            left = _GAP_PX + column * step
            cell = Image.new("RGB", (_CELL_PX, _CELL_PX), _GRID)
            body, foot = _fitted(views[name])
            cell.paste(body, ((_CELL_PX - body.width) // 2, foot - body.height), body)
            sheet.paste(cell, (left, top + _HEAD_PX))
            line = top + _HEAD_PX + foot
            draw.line([(left, line), (left + _CELL_PX, line)], _LINE, 1)
            head = line - round(_HIGH * _CELL_PX)
            draw.line([(left, head), (left + _CELL_PX, head)], _LINE, 1)
            draw.text((left + 6, top + _HEAD_PX + 4), name, _INK, font)
    return sheet


def _fitted(view: NDArray[np.uint8]) -> tuple[Image.Image, int]:
    """A silhouette cut out and scaled to the cell, and the row of its feet."""
    from PIL import Image

    mask = view[..., 3] >= 128
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    body = view[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    scale = min(_HIGH * _CELL_PX / body.shape[0], (_CELL_PX - 8) / body.shape[1])
    size = max(1, round(body.shape[1] * scale)), max(1, round(body.shape[0] * scale))
    premultiplied = Image.fromarray(np.ascontiguousarray(body), "RGBA").convert("RGBa")
    return premultiplied.resize(size, Image.Resampling.BOX).convert("RGBA"), round(0.97 * _CELL_PX)
