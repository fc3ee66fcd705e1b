"""Who a character is, from its views; kept in the store, so that known pictures are not decoded to plan."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..character import Extent, identity_key, measure, read_views, view_warnings
from ..core.errors import AnixError, Diagnostic
from ..core.keys import file_digest, fingerprint
from ..core.screenplay import CharacterSpec
from ..media.image import picture_notes
from ..store.store import Store

KIND = "identities"
_FILE = "identity.json"
IDENTITY_VERSION = 1
"""Of what is kept; the pictures' reading and measuring count as well."""
_NOTE = ("code", "message", "found", "expected", "nearest", "hint")


@dataclass(frozen=True)
class Identity:
    """What plans go by: ``key`` stands for the views' pixels and the height. ``remarks`` name their files."""

    key: str
    extent: Extent
    remarks: tuple[Diagnostic, ...]


def identity_of(spec: CharacterSpec, store: Store) -> Identity:
    """Reads a character's views, unless these pictures are known.

    Raises:
        AnixError: E391, E392, E341 … E345, a picture that cannot be used.
    """
    digests = {name: file_digest(path) for name, path in spec.views.items() if path.is_file()}
    key = fingerprint({
        "version": IDENTITY_VERSION, "views": digests, "height": spec.height_m,
        "names": {name: path.name for name, path in spec.views.items()},
    })  # fmt: skip
    known = _load(store, key, spec.views)
    if known is not None:
        return known
    views = read_views(spec.views)
    remarks = [note for path in spec.views.values() for note in picture_notes(path)]
    made = Identity(
        identity_key(views, spec.height_m),
        measure(views, spec.height_m),
        (*remarks, *view_warnings(views, spec.views)),
    )
    _keep(store, key, made, spec.views)
    return made


def _load(store: Store, key: str, files: Mapping[str, Path]) -> Identity | None:
    entry = store.get(KIND, key)
    if entry is None:
        return None
    try:
        record = json.loads(entry.file(_FILE).read_text(encoding="utf-8"))
        size = [float(record["extent_m"][side]) for side in ("width", "depth", "height")]
        remarks = tuple(
            Diagnostic(**note["said"], file=files[note["view"]] if note["view"] else None)
            for note in record["remarks"]
        )
        return Identity(str(record["key"]), Extent(*size), remarks)
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
