"""Refuses, before work, to write a plan over something that is not one."""

from __future__ import annotations

import json
from pathlib import Path

from ..core.errors import AnixError, fail
from ..plan.arrays import is_of_a_plan
from ..plan.documents import MOST_BYTES
from ..store.atomic import check_writable


def check_plan_output(path: Path, *, overwrite: bool) -> None:
    """Makes sure that ``path`` and the npz beside it may and can be written.

    Raises:
        AnixError: E433, not a .json file, or something else lies there; E412, it can't be written.
    """
    if path.suffix.lower() != ".json":
        raise fail("E433", f"{path} is not the name of a plan: it must end in .json", file=path)
    arrays = path.with_suffix(".npz")
    for place in (path, arrays):
        check_writable(place)
    if not overwrite:
        if path.exists() and not _is_plan(path):
            raise _taken(path, "is not a plan")
        if arrays.exists() and not (path.exists() and is_of_a_plan(arrays)):
            raise _taken(arrays, f"does not belong to a plan {path.name}")


def _is_plan(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            found = json.loads(stream.read(MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "plan" in found and "takes" in found


def _taken(path: Path, why: str) -> AnixError:
    return fail(
        "E433",
        f"{path} exists already and {why}",
        file=path,
        hint="name another output with -o, or pass --overwrite to replace it",
    )
