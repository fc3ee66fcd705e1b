"""The published JSON Schemas: at the root of a checkout, inside the package in an installed wheel."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parent.parent
_FOLDERS = (_PACKAGE / "schemas", _PACKAGE.parent / "schemas")


def schema_names() -> list[str]:
    """The names of all published schemas, sorted, later versions of one after earlier ones."""
    found = (sorted(file.stem for file in folder.glob("*-v*.json")) for folder in _FOLDERS)
    return next((names for names in found if names), [])


def schema_text(name: str) -> str:
    """The text of ``schemas/<name>.json``. Raises FileNotFoundError where there is none."""
    for folder in _FOLDERS:
        file = folder / f"{name}.json"
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise FileNotFoundError(f"no schema {name!r} in {' or '.join(map(str, _FOLDERS))}")


@cache
def schema(name: str) -> dict[str, Any]:
    """A schema by name ("screenplay-v1"), parsed once; callers do not change it."""
    parsed: dict[str, Any] = json.loads(schema_text(name))
    return parsed
