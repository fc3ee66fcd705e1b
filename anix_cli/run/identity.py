"""Who a character is, from its views; kept in the store, so that known pictures are not decoded to plan."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..character import Extent, aligned, identity_key, measure, read_views, view_warnings
from ..character.model import key_with_motions, measure_model, measure_motions, model_key
from ..core.errors import AnixError, Diagnostic
from ..core.gait import Steps
from ..core.keys import file_digest, fingerprint
from ..core.screenplay import CharacterSpec
from ..media.image import picture_notes
from ..store.store import Store

KIND = "identities"
_FILE = "identity.json"
IDENTITY_VERSION = 5
"""Of what is kept; the pictures' reading and measuring count as well."""
_NOTE = ("code", "message", "found", "expected", "nearest", "hint")


@dataclass(frozen=True)
class Identity:
    """What plans go by: ``key`` stands for the views' pixels and the height. ``remarks`` name their files."""

    key: str
    extent: Extent
    remarks: tuple[Diagnostic, ...]

    @property
    def rigged(self) -> bool:
        """Whether its body has limbs that are known. Measuring a model that has none remarks on it."""
        return all(remark.code != "W353" for remark in self.remarks)


def identity_of(spec: CharacterSpec, store: Store) -> Identity:
    """Reads a character's views or its 3D model, unless these files are known.

    Raises:
        AnixError: E391, E392, E341 … E345, a picture that cannot be used; E351 … E356, a model.
    """
    files = spec.views if spec.model is None else {"model": spec.model}
    known_by = {name: file_digest(path) for name, path in files.items() if path.is_file()}
    if spec.model is not None:
        known_by = {"model": model_key(spec.model, spec.height_m)}
    known_by = {**known_by, "motions": key_with_motions("", spec.motions)}
    files = {**files, **{f"motion {name}": motion.file for name, motion in spec.motions.items()}}
    key = fingerprint({
        "version": IDENTITY_VERSION, "views": known_by, "height": spec.height_m,
        "sheet": spec.sheet is not None,
        "names": {name: path.name for name, path in files.items()},
    })  # fmt: skip
    known = _load(store, key, files)
    if known is not None:
        return known
    made = _of_views(spec) if spec.model is None else _of_model(spec, spec.model)
    _keep(store, key, made, files)
    return made


def _of_views(spec: CharacterSpec) -> Identity:
    read = read_views(spec.views, sheet=spec.sheet is not None, align=False)
    views = aligned(read)
    remarks = [note for path in dict.fromkeys(spec.views.values()) for note in picture_notes(path)]
    extent, notes = measure(views, spec.height_m), tuple[Diagnostic, ...]()
    if spec.motions:
        moved = measure_motions(views, spec.height_m, spec.motions)
        extent, notes = moved.extent, moved.notes
    key = key_with_motions(identity_key(views, spec.height_m), spec.motions)
    return Identity(key, extent, (*remarks, *view_warnings(read, spec.views), *notes))


def _of_model(spec: CharacterSpec, model: Path) -> Identity:
    found = measure_model(model, spec.height_m, spec.motions)
    key = key_with_motions(model_key(model, spec.height_m), spec.motions)
    return Identity(key, found.extent, found.notes)


def _load(store: Store, key: str, files: Mapping[str, Path]) -> Identity | None:
    entry = store.get(KIND, key)
    if entry is None:
        return None
    try:
        record = json.loads(entry.file(_FILE).read_text(encoding="utf-8"))
        width, depth, height = (float(record["extent_m"][side]) for side in ("width", "depth", "height"))
        remarks = tuple(
            Diagnostic(**note["said"], file=files[note["view"]] if note["view"] else None)
            for note in record["remarks"]
        )
        steps = record["steps_m"] and Steps(*(float(length) for length in record["steps_m"]))
        return Identity(str(record["key"]), Extent(width, depth, height, steps), remarks)
    except (OSError, KeyError, TypeError, ValueError):
        with suppress(AnixError, OSError):
            store.discard(entry)
        return None


def _keep(store: Store, key: str, made: Identity, files: Mapping[str, Path]) -> None:
    """Keeps it where the store can be written; it is only time that is lost where it can't."""
    view_of = {path: name for name, path in files.items()}
    extent = made.extent
    record: dict[str, Any] = {
        "key": made.key,
        "extent_m": {"width": extent.width_m, "depth": extent.depth_m, "height": extent.height_m},
        "steps_m": extent.steps and [extent.steps.walk_m, extent.steps.run_m, extent.steps.leg_m],
        "remarks": [
            {
                "view": view_of.get(note.file) if note.file else None,
                "said": {name: getattr(note, name) for name in _NOTE},
            }
            for note in made.remarks
        ],
    }
    try:
        with store.writing(KIND, key) as partial:
            (partial.path / _FILE).write_text(json.dumps(record), encoding="utf-8")
            partial.commit({})
    except (AnixError, OSError):
        return
