"""YAML → Screenplay, with positions, suggestions and all problems at once."""

from __future__ import annotations

from pathlib import Path

from anix_cli.core.schemas import schema
from anix_cli.core.screenplay import Screenplay

from . import build, files, rules
from .check import INVALID, Checker
from .syntax import parse
from .text import STDIN, decode, read_bytes

SCHEMA = "screenplay-v1"


def load(path: Path, *, text: bytes | None = None) -> Screenplay:
    """Reads a screenplay and checks it, its references and its files.

    Args:
        path: the file; ``-`` with ``text`` given for standard input.
        text: the bytes, if they are read already. Relative paths in them are resolved from the folder of
            ``path``, from the current folder for ``-``.

    Raises:
        AnixError: E101 … E159 and W101 … W159, every problem that was found, in the order of the file.
    """
    if path != STDIN:
        path = path.absolute()
    source = decode(path, read_bytes(path) if text is None else text)
    root = parse(source)
    reading = Checker(source, schema(SCHEMA))
    if root is None or build.is_blank(root):
        source.problem(
            "E102", "the screenplay is empty", None, hint="begin with anix: 1, scene:, characters: and shots:"
        )
        source.raise_errors()
        raise AssertionError("an empty screenplay has an error")
    content = reading.read(root)
    if content is not INVALID:
        rules.check(reading, content)
        files.check(reading, content)
    source.raise_errors()
    return build.screenplay(reading, content)
