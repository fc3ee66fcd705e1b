"""The shot list as a table for a terminal, as Markdown, CSV, and data."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from anix_cli.plan.shotlist import ListedShot

from .terminal import cells, columns, escaped

HEADS = ("shot", "who", "action", "camera", "place", "from", "to", "frames")
_NUMBERS = frozenset({7})
_FLEXIBLE = range(5)
_LEAST = 12
_GAP = "  "


def as_table(
    rows: Sequence[ListedShot], title: str, *, width: int | None = None, encoding: str = "utf-8"
) -> str:
    """A table with a rule before each take and the film's figures below.

    Args:
        width: columns of the terminal, within which cells are wrapped; None for lines as long as they get.
    """
    body = [[escaped(cell, encoding) for cell in _cells(row)] for row in rows]
    widths = [max(columns(line[k]) for line in (HEADS, *body)) for k in range(len(HEADS))]
    if width is not None:
        widths = _fitted(
            widths, [_longest_word(line[k] for line in (HEADS, *body)) for k in _FLEXIBLE], width
        )
    whole = sum(widths) + len(_GAP) * (len(widths) - 1)
    lines = list(_lines(HEADS, widths))
    take = 0
    for row, texts in zip(rows, body, strict=True):
        if row.take != take:
            lines.append(f"-- take {row.take} ".ljust(whole, "-"))
        take = row.take
        lines += _lines(texts, widths)
    return "\n".join([*lines, "", escaped(_figures(rows, title), encoding)])


def as_markdown(rows: Sequence[ListedShot]) -> str:
    """A table for a document (GitHub's Markdown)."""

    def line(texts: Sequence[str]) -> str:
        return "| " + " | ".join(texts) + " |"

    marks = ["---:", *("---:" if k in _NUMBERS else "---" for k in range(len(HEADS)))]
    body = [[str(row.take), *(_plain(cell) for cell in _cells(row))] for row in rows]
    return "\n".join([line(("take", *HEADS)), line(marks), *map(line, body)])


def as_csv(rows: Sequence[ListedShot]) -> str:
    """Comma-separated values (RFC 4180) with the keys of :func:`as_data` as heads."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, fieldnames=list(as_data(rows)[0]) if rows else HEADS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(as_data(rows))
    return stream.getvalue().rstrip("\n")


def as_data(rows: Sequence[ListedShot]) -> list[dict[str, Any]]:
    """One record for each shot: JSON types only, every key always there; times count from the film's start.

    ``end_frame`` and ``end_s`` are where the next shot begins.
    """
    return [
        {
            "take": row.take,
            "id": row.id,
            "character": row.character,
            "command": row.command,
            "understood": row.understood,
            "camera": row.camera,
            "place": row.place,
            "start_frame": row.start,
            "end_frame": row.stop,
            "frames": row.frames,
            "start_s": _seconds(row, row.start),
            "end_s": _seconds(row, row.stop),
            "duration_s": _seconds(row, row.frames),
            "fade_s": _seconds(row, row.fade_frames),
            "dissolve_s": _seconds(row, row.dissolve_frames),
        }
        for row in rows
    ]


def _seconds(row: ListedShot, frames: int) -> float:
    return round(float(frames / row.fps), 6)


def _cells(row: ListedShot) -> tuple[str, ...]:
    start, end = row.timecodes
    ways = (("fade", row.fade_frames), ("dissolve", row.dissolve_frames))
    begins = "".join(f"{way} {float(frames / row.fps):.3g} s, " for way, frames in ways if frames)
    return (
        row.id,
        row.character,
        row.understood,
        begins + row.camera,
        row.place,
        start,
        end,
        str(row.frames),
    )


def _plain(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    text = escaped(text)
    for mark in "\\|*_`<[":
        text = text.replace(mark, f"\\{mark}")
    return text


def _figures(rows: Sequence[ListedShot], title: str) -> str:
    last = rows[-1]
    shots = f"{len(rows)} {'shot' if len(rows) == 1 else 'shots'}"
    takes = f"{last.take} {'take' if last.take == 1 else 'takes'}"
    return (
        f"{title}: {shots} in {takes}, "
        f"{last.stop} frames = {float(last.stop / last.fps):.2f} s at {float(last.fps):g} fps"
    )


def _fitted(widths: Sequence[int], least: Sequence[int], width: int) -> list[int]:
    """Column widths that fit: the widest of those that hold words give way first, down to a word's length."""
    fitted = list(widths)
    room = width - len(_GAP) * (len(widths) - 1)
    while sum(fitted) > room:
        widest = max(_FLEXIBLE, key=lambda k: fitted[k] - least[k])
        if fitted[widest] <= least[widest]:
            break
        fitted[widest] -= 1
    return fitted


def _longest_word(texts: Iterable[str]) -> int:
    return min(max(columns(word) for text in texts for word in text.split(" ")), _LEAST)


def _lines(texts: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """One row, on as many lines as its longest cell needs."""
    wrapped = [_wrap(text, wide) for text, wide in zip(texts, widths, strict=True)]
    for number in range(max(map(len, wrapped))):
        row = [lines[number] if number < len(lines) else "" for lines in wrapped]
        padded = [
            _padded(cell, wide, right=k in _NUMBERS)
            for k, (cell, wide) in enumerate(zip(row, widths, strict=True))
        ]
        yield _GAP.join(padded).rstrip()


def _padded(text: str, width: int, *, right: bool) -> str:
    space = " " * (width - columns(text))
    return space + text if right else text + space


def _wrap(text: str, width: int) -> list[str]:
    """A text in lines of at most so many columns, broken between words, and within one that is too long."""
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if columns(joined) <= width:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for piece in cells(word):
            if lines[-1] and columns(lines[-1] + piece) > width:
                lines.append("")
            lines[-1] += piece
    return lines
