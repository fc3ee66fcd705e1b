"""Names that must lead somewhere, and words that may mean one thing only."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from anix_cli.core.screenplay import PathInFile

from .check import Checker
from .lookalikes import twin
from .near import nearest

_MOST_SHOWN = 12
_CURLY = frozenset("“”„‘’«»")
_CODES = {"characters": "E122", "anchors": "E123"}


def mapping(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A section of the data, empty where it is missing or broken."""
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def unknown(
    reading: Checker, where: PathInFile, code: str, message: str, written: str, known: Iterable[str], *,
    hint: str | None = None, more: str = "",
) -> None:  # fmt: skip
    """Notes a name that leads nowhere, with those that would and the one that was probably meant.

    Args:
        hint: what to do where no name is near.
        more: what could stand there besides a name.
    """
    if reading.source.full:  # nobody will see it
        reading.problem(where, code, message)
        return
    names = list(known)
    shown = ", ".join(islice(names, _MOST_SHOWN)) + (", ..." if len(names) > _MOST_SHOWN else "")
    expected = f"one of {shown}{more}" if names else None
    alike, looks = twin(written, names) or (None, None)
    near = alike or nearest(written, names)
    reading.problem(where, code, message, expected=expected, nearest=near, hint=looks if near else hint)


def reference(
    reading: Checker, data: Mapping[str, Any], section: str, written: Any, where: PathInFile,
    also: tuple[str, ...] = (),
) -> None:  # fmt: skip
    """A character or an anchor that is named must be there.

    Args:
        also: words that mean something besides the names of the section.
    """
    known = data.get(section, {})
    if not isinstance(written, str) or not isinstance(known, dict) or written in known or written in also:
        return
    nobody = f'there is no {section.removesuffix("s")} "{written}"'
    hint = _better_name(written, known) if known else f"add it under {section}:"
    unknown(reading, where, _CODES[section], nobody, written, (*known, *also) if known else (), hint=hint)


def _better_name(written: str, known: Mapping[str, Any]) -> str | None:
    """What a name is that is none: an alias, or one in typographic quotes."""
    for name, owner in known.items():
        aliases = owner.get("aliases") if isinstance(owner, dict) else None
        if isinstance(aliases, list) and written in aliases:
            return f"that is an alias of {name}, for commands only: write {name}"
    if written[:1] in _CURLY:
        return 'typographic quotes are part of the name: type straight ones, " or none'
    return None


def spoken(name: str) -> str:
    """A name as commands say it: case, accents' encoding, and _ or - for a space make no difference."""
    return unicodedata.normalize("NFC", name).casefold().replace("_", " ").replace("-", " ")


def check_aliases(reading: Checker, data: Mapping[str, Any]) -> None:
    """A word that commands use means one thing."""
    owners: dict[str, tuple[str, str]] = {}
    for section in ("characters", "anchors"):
        for key in mapping(data, section):
            other = owners.setdefault(spoken(key), (section, key))
            if other[0] == section and other[1] != key:
                alike = f'"{key}" and "{other[1]}" are one name when commands say them'
                reading.problem((section, key), "E147", alike, hint="give one of them another name")
    for section in ("characters", "anchors"):
        for key, owner in mapping(data, section).items():
            aliases = owner.get("aliases") if isinstance(owner, dict) else None
            for index, alias in enumerate(aliases if isinstance(aliases, list) else ()):
                if not isinstance(alias, str):
                    continue
                other = owners.setdefault(spoken(alias), (section, key))
                if other != (section, key):
                    kind = other[0].removesuffix("s")
                    reading.problem(
                        (section, key, "aliases", index),
                        "E147",
                        f'the word "{alias}" already means the {kind} "{other[1]}"',
                        hint="one word can mean one thing only: use another word here",
                    )
