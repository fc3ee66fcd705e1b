"""Names of films: what may be one, and templates of names."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from ..core.errors import fail
from ..media.delivery import CODEC_NAMES, CONTAINERS, PICTURES, SUFFIXES
from ..store import atomic

MAX_NAME_BYTES = 255 - len(".json")
"""File systems take names of 255 bytes; the manifest's is the film's and ".json"."""


PICTURE = "frame.%06d."
SOUND, CAPTIONS = "sound.wav", "captions.srt"
_IN_FOLDER = re.compile(r"frame\.\d{6,}\.(png|exr)|sound\.wav|captions\.srt")

FIELDS = ("name", "title", "backend", "codec", "quality", "size", "fps", "seed", "date")
"""What a template may hold in braces."""

_FIELD = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')


def has_fields(template: Path) -> bool:
    """Whether there is a brace in a name."""
    return "{" in str(template) or "}" in str(template)


def named(template: Path, fields: Mapping[str, str]) -> Path:
    """A name with its fields filled in: ``{name}-{seed}.mp4`` → ``courier-7.mp4``. ``{{`` is a brace.

    What a field holds cannot lead to another folder: signs that paths have, or that Windows lacks, become
    hyphens.

    Raises:
        AnixError: E442, an unknown field, or a brace alone.
    """
    wrong: list[str] = []

    def filled(found: re.Match[str]) -> str:
        if found[0] in ("{{", "}}"):
            return found[0][0]
        if found[1] not in fields:
            wrong.append(found[0])
            return ""
        return _UNSAFE.sub("-", fields[found[1]]).strip(" .-") or "untitled"

    text = _FIELD.sub(filled, str(template))
    if wrong:
        raise fail(
            "E442",
            f"{template} cannot be a name: there is no {wrong[0]}.",
            hint=f"Fields are {', '.join(f'{{{one}}}' for one in FIELDS)}; a brace itself is written twice.",
        )
    return Path(text)


def usual_suffix(codec: str) -> str:
    """What a film's name ends in where nothing else was asked for: ``.mp4``, or ``_png`` of a folder."""
    return f"_{codec}" if codec in PICTURES else SUFFIXES[codec][0]


def check_name(output: Path, codec: str = "h264") -> str:
    """The container that a film's name asks for; for a folder of pictures the codec. Nothing is opened.

    Raises:
        AnixError: E432, not a film's name; E434, not one of this codec; E412, what lies there is no file, or
            cannot be looked at.
    """
    if codec in PICTURES:
        return _check_folder_name(output, codec)
    container = CONTAINERS.get(output.suffix.lower())
    if container is None:
        known = ", ".join(CONTAINERS)
        raise fail("E432", f"{output} is not the name of a film: it must end in one of {known}.", file=output)
    if output.suffix.lower() not in SUFFIXES[codec]:
        usual = output.with_suffix(SUFFIXES[codec][0])
        raise fail(
            "E434",
            f"{CODEC_NAMES[codec]} does not go into a {output.suffix} file; "
            f"it needs {' or '.join(SUFFIXES[codec])}.",
            file=output,
            hint=f"Name the film {usual.name}, or choose another film.codec.",
        )
    _check_length(output)
    with atomic.unwritable(output):
        if output.is_dir():
            raise fail("E432", f"{output} is a folder; the name of a film is expected.", file=output)
    atomic.destination(output)
    return container


def _check_folder_name(output: Path, codec: str) -> str:
    if output.suffix.lower() in (*CONTAINERS, ".png", ".exr"):
        raise fail(
            "E434",
            f"{CODEC_NAMES[codec]} makes a folder of pictures, and {output} is the name of a file.",
            file=output,
            hint=f"Name the film {output.stem}_{codec}, or choose another film.codec.",
        )
    if not output.name:
        raise fail("E432", f"{output} is not the name of a film's folder.", file=output)
    _check_length(output)
    atomic.check_folder(output, is_picture)
    return codec


def _check_length(output: Path) -> None:
    length = len(os.fsencode(output.name))
    if length > MAX_NAME_BYTES:
        raise fail(
            "E432",
            f"The film's name is too long: {length} bytes; at most {MAX_NAME_BYTES} fit.",
            file=output,
            hint="Name a shorter output with -o.",
        )


def is_picture(name: str) -> bool:
    """Whether a film that is a folder may hold a file of this name."""
    return _IN_FOLDER.fullmatch(name) is not None
