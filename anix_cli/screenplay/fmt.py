"""``anix fmt``: a screenplay in canonical order and layout, with all its comments and the same meaning.

The text is cut into parts, the parts are put in order and written again. What comes of it is then read and
compared with the original, so that a fault here, or something that was not thought of, ends in a refusal and
never in another screenplay.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from anix_cli.core.errors import AnixError, Diagnostic
from anix_cli.core.schemas import schema

from .fmt_order import arrange
from .fmt_parts import CannotFormatError, Document, Event, event_of
from .fmt_read import read
from .fmt_write import write
from .syntax import parse
from .text import Source, decode
from .tree import Composer, Mapping, Node, Scalar, Sequence, TooMuchError

_SCHEMA = "screenplay-v1"
_OTHER_BREAK = re.compile(r"\r\n?")


@dataclass(frozen=True)
class _Reading:
    events: list[Event]
    tree: Node | None


def formatted(path: Path, data: bytes) -> bytes:
    """The canonical text of a screenplay, as UTF-8; equal to ``data`` if that is canonical already.

    The screenplay need not be valid, only YAML that anix can read.

    Args:
        path: named in problems; nothing is read from it.
        data: the screenplay.

    Raises:
        AnixError: E103 … E114, E134 it cannot be read; E118 it cannot be formatted without changing it.
    """
    source = decode(path, data)
    return format_source(source).encode("utf-8")


def format_source(source: Source) -> str:
    """The canonical text of a screenplay. Raises as :func:`formatted`."""
    before = _compose(source)
    text = _OTHER_BREAK.sub("\n", source.text)
    try:
        same_breaks = text == source.text
        events = before.events if same_breaks else _compose(Source(source.path, text)).events
        document = read(text, events)
        comments = document.comments
        result = _laid_out(document)
        if result != text:
            _check(source, before.tree, comments, result)
    except CannotFormatError as error:
        at = _original_offset(source.text, error.at)
        source.problem(
            "E118",
            f"the screenplay cannot be formatted: {error.reason}",
            source.span(at, at + 1),
            hint="write this in a simpler way; the file is left as it is",
        )
        source.raise_errors()
    return result


def _laid_out(document: Document) -> str:
    arrange(document, schema(_SCHEMA))
    return write(document)


def _compose(source: Source) -> _Reading:
    """The events and the tree of a text. Raises AnixError with what is wrong with it."""
    from ruamel.yaml import YAML  # 40 ms that `anix --help` need not pay
    from ruamel.yaml.error import YAMLError

    events: list[Event] = []
    composer = Composer(source)
    try:
        for event in YAML(typ="safe", pure=True).parse(source.text):
            events.append(event_of(event))
            composer.take(event)
    except TooMuchError:
        pass
    except (YAMLError, ValueError, OverflowError, IndexError, AssertionError):
        parse(Source(source.path, source.text))  # says what is wrong, in a director's words
        raise
    tree = composer.finish()
    source.raise_errors()
    return _Reading(events, tree)


def _check(source: Source, tree: Node | None, comments: list[str], result: str) -> None:
    """Makes sure that a formatted text says what the original says, and stays as it is when formatted again.

    Raises:
        AnixError: E118.
    """
    reason = ""
    try:
        after = _compose(Source(source.path, result))
        document = read(result, after.events)
        if not same(tree, after.tree):
            reason = "a value or key would change"
        elif document.comments != comments:
            reason = "a comment would change"
        elif _laid_out(document) != result:
            reason = "the result would not stay as it is when formatted again"
    except AnixError as error:
        reason = f"the result could not be read ({error.diagnostics[0].message})"
    except CannotFormatError as error:
        reason = f"the result could not be formatted again ({error.reason})"
    if reason:
        raise AnixError(
            Diagnostic(
                "E118",
                f"the screenplay cannot be formatted without changing what it says: {reason}",
                file=source.path,
                hint="the file is left as it is; please report it",
            )
        )


def same(one: Node | None, other: Node | None) -> bool:
    """Whether two trees say the same: the same keys, in whatever order, and the same values as written."""
    pending = [(one, other)]
    seen: set[tuple[int, int]] = set()  # an alias shows one node many times
    while pending:
        a, b = pending.pop()
        if (id(a), id(b)) in seen:
            continue
        seen.add((id(a), id(b)))
        if isinstance(a, Scalar) and isinstance(b, Scalar):
            if (a.text, a.kind, a.plain, a.label) != (b.text, b.kind, b.plain, b.label):
                return False
        elif isinstance(a, Sequence) and isinstance(b, Sequence):
            if len(a.items) != len(b.items):
                return False
            pending += zip(a.items, b.items, strict=True)
        elif isinstance(a, Mapping) and isinstance(b, Mapping):
            if a.items.keys() != b.items.keys():
                return False
            for name, entry in a.items.items():
                pending += [(entry.key, b.items[name].key), (entry.value, b.items[name].value)]
        elif a is not None or b is not None:
            return False
    return True


def _original_offset(text: str, at: int) -> int:
    """The offset in a text of a character that is at ``at`` once its line ends are LF."""
    for found in re.finditer("\r\n", text):
        if found.start() >= at:
            break
        at += 1
    return at
