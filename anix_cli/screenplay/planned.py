"""What the language will have but does not do yet: refused by name, never accepted and ignored.

One place for all of it. A path is the keys of a value, with ``*`` for any name or index.
"""

from __future__ import annotations

from anix_cli.core.screenplay import PathInFile

KEYS: dict[str, str] = {
    "film.memory": "leave it out",
    "shots.*.memory": "leave it out",
}

IN_PLACE_OF: dict[str, str] = {}
"""Keys that will stand for another one, which is not called missing beside them."""


def pattern(path: PathInFile) -> str:
    """A path as this module writes it: ``("shots", 2, "seed")`` → ``shots.*.seed``."""
    parts = ["*" if isinstance(part, int) else part for part in path]
    if len(parts) >= 2 and parts[0] in ("characters", "anchors", "cameras"):
        parts[1] = "*"
    return ".".join(parts)
