"""Fonts, and text set into lines: for what is drawn on the picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..core.errors import fail

SAMPLE_PX = 32


def load_font(path: Path | None, size_px: int) -> Any:
    """A font of Pillow; without a path the one that it brings along.

    Raises:
        AnixError: E384, the file is no font that can be read.
    """
    from PIL import ImageFont

    if path is None:
        return ImageFont.load_default(size_px)
    try:
        return ImageFont.truetype(str(path), size_px)
    except (OSError, ValueError) as error:
        raise fail(
            "E384",
            f"The font {path.name} cannot be read.",
            file=path,
            hint="Name a TrueType or OpenType file (.ttf, .otf, .ttc) as film.font.",
        ) from error


def check_letters(path: Path | None, texts: list[str]) -> None:
    """Makes sure, before long work, that a font has what texts are written with.

    Raises:
        AnixError: E384, it cannot be read, or lacks letters, which would be drawn as empty boxes.
    """
    font = load_font(path, SAMPLE_PX)
    nothing = _drawn(font, "\U0010ffff")
    wanted = sorted({letter for text in texts for letter in text if letter.isprintable() and letter != " "})
    lacking = [letter for letter in wanted if _drawn(font, letter) == nothing]
    if lacking:
        name = f"The font {path.name}" if path else "The plain font"
        more = f" and {len(lacking) - 8} more" if len(lacking) > 8 else ""
        raise fail(
            "E384",
            f"{name} has no letters for {' '.join(lacking[:8])}{more}, which would be drawn on the picture.",
            file=path,
            hint="Name a font file that has them as film.font, or show captions as a track.",
        )


def _drawn(font: Any, letter: str) -> tuple[Any, bytes]:
    mask = font.getmask(letter)
    return mask.size, bytes(mask)


def plain(text: str) -> str:
    """Text without what cannot be drawn: line breaks and control characters become spaces."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def shortened(font: Any, text: str, room_px: float) -> str:
    """The text, or as much of its beginning as fits before an ellipsis."""
    if font.getlength(text) <= room_px:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if font.getlength(text[:middle].rstrip() + "…") <= room_px:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + "…"


def wrapped(font: Any, text: str, room_px: float, most_lines: int) -> list[str]:
    """The text on so many lines at most; what does not fit ends in an ellipsis."""
    words, lines = text.split(), [""]
    for number, word in enumerate(words):
        longer = f"{lines[-1]} {word}".strip()
        if not lines[-1] or font.getlength(longer) <= room_px:
            lines[-1] = longer
        elif len(lines) < most_lines:
            lines.append(word)
        else:
            lines[-1] = " ".join([lines[-1], *words[number:]])
            break
    return [shortened(font, line, room_px) for line in lines]
