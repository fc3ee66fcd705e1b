"""Writes into a screenplay which candidate of a shot is in the film, and changes nothing else of its text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from pathlib import Path

from anix_cli.core.errors import AnixError, Diagnostic, fail

from .syntax import parse
from .text import Source, decode
from .tree import Entry, Scalar
from .tree import Mapping as Node
from .tree import Sequence as List

KEY = "pick"


def with_picks(path: Path, text: bytes, picks: Mapping[str, int]) -> bytes:
    """The bytes of a screenplay with ``pick:`` written into shots, by their ids.

    Raises:
        AnixError: E101 … E134, it cannot be read; E161, it has no shot of that id; E162, the shot is not
            written so that a key can be added.
    """
    source = decode(path, text)
    shots = _shots(source)
    unknown = [name for name in picks if name not in shots]
    if unknown:
        raise AnixError(_no_shot(path, name, list(shots)) for name in unknown)
    changed = source.text
    edits = [_edit(source, name, shots[name], number) for name, number in picks.items()]
    for start, end, written in sorted(edits, reverse=True):
        changed = changed[:start] + written + changed[end:]
    after = _encoded(text, changed)
    _check(path, after, picks)
    return after


def _shots(source: Source) -> dict[str, Node]:
    """The shots that are mappings, by id."""
    root = parse(source)
    written = root.items.get("shots") if isinstance(root, Node) else None
    listed = written.value.items if written is not None and isinstance(written.value, List) else []
    return {
        entry.value.text: shot
        for shot in listed
        if isinstance(shot, Node)
        and (entry := shot.items.get("id")) is not None
        and isinstance(entry.value, Scalar)
    }


def _edit(source: Source, name: str, shot: Node, number: int) -> tuple[int, int, str]:
    """Which characters give way to what."""
    there = _own(shot, KEY)
    if there is not None:
        return there.value.start, there.value.end, str(number)
    name_entry = _own(shot, "id")
    if name_entry is None or name_entry.value.source is not source:
        raise _not_so(source.path, name)
    if source.text[shot.start : shot.start + 1] == "{":
        return name_entry.value.end, name_entry.value.end, f", {KEY}: {number}"
    key = source.span(name_entry.key.start, name_entry.key.end)
    line_end = re.compile(r"[^\r\n]*").match(source.text, name_entry.value.end)
    stop = line_end.end() if line_end else len(source.text)
    newline = "\r\n" if "\r\n" in source.text else "\n"
    return stop, stop, f"{newline}{' ' * (key.column - 1)}{KEY}: {number}"


def _own(shot: Node, key: str) -> Entry | None:
    """A key that is written in the shot itself: not one that is merged into it."""
    entry = shot.items.get(key)
    return entry if entry is not None and shot.start <= entry.key.start < shot.end else None


def _check(path: Path, after: bytes, picks: Mapping[str, int]) -> None:
    """An edit that cannot be read back is none."""
    try:
        shots = _shots(decode(path, after))
    except AnixError as error:
        raise _not_so(path, next(iter(picks))) from error
    for name, number in picks.items():
        entry = shots[name].items.get(KEY) if name in shots else None
        if entry is None or not isinstance(entry.value, Scalar) or entry.value.text != str(number):
            raise _not_so(path, name)


def _encoded(before: bytes, text: str) -> bytes:
    mark = b"\xef\xbb\xbf"
    return (mark if before.startswith(mark) and not text.startswith("\ufeff") else b"") + text.encode()


def _no_shot(path: Path, name: str, known: list[str]) -> Diagnostic:
    near = difflib.get_close_matches(name, known, 1, 0.7)
    return Diagnostic(
        "E161",
        f"there is no shot {name!r} in {path.name}",
        file=path,
        found=name,
        expected=f"one of {', '.join(known[:20])}" if known else None,
        nearest=near[0] if near else None,
        hint=f"did you mean {near[0]}?" if near else "`anix shots` lists them",
    )


def _not_so(path: Path, name: str) -> AnixError:
    return fail(
        "E162",
        f"pick: cannot be written into shot {name} as its lines stand",
        file=path,
        hint="write it there yourself, as a key beside id",
    )
