"""Bars on a terminal: one for all, and one for each thing that is being made. Lines come above them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any

from .diagnostics import encoding_of
from .terminal import columns, escaped

REDRAWN_S = 1.0
"""So often the clock goes on where nothing happens."""
_FORMAT = "{desc} {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt}{postfix}"


@dataclass(frozen=True)
class Row:
    """A bar: what it is about, how much is done of how much, and what is said after it."""

    text: str
    done: int
    total: int
    after: str = ""


class Bars:
    """As many bars as rows are shown; tqdm fits them to the terminal, also when its size changes.

    Rows may be shown from several threads.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._lock = threading.RLock()
        self._bars: list[Any] = []

    def show(self, rows: Sequence[Row]) -> None:
        """Draws these in place of those before."""
        with self._lock:
            while len(self._bars) > len(rows):
                self._bars.pop().close()
            while len(self._bars) < len(rows):
                self._bars.append(self._bar(len(self._bars)))
            for bar, row in zip(self._bars, rows, strict=True):
                bar.total, bar.n = max(row.total, 1), min(row.done, max(row.total, 1))
                bar.set_description_str(self._fitting(row.text), refresh=False)
                bar.set_postfix_str(row.after, refresh=False)
                bar.refresh()

    def line(self, text: str) -> None:
        """A line above the bars."""
        with self._lock:
            if self._bars:
                self._bars[0].write(text, file=self._stream)
            else:
                self._stream.write(text + "\n")
            self._stream.flush()

    def close(self) -> None:
        """Takes them away."""
        with self._lock:
            while self._bars:
                self._bars.pop().close()

    def _bar(self, place: int) -> Any:
        from tqdm import tqdm

        return tqdm(
            total=1,
            position=place,
            file=self._stream,
            dynamic_ncols=True,
            leave=False,
            delay=1e-9,  # not drawn before it shows anything
            bar_format=_FORMAT,
        )

    def _fitting(self, text: str) -> str:
        """The text in half of the width: the bar says more than the end of a name."""
        text = escaped(text, encoding_of(self._stream))
        width = (self._bars[0].ncols or 80) // 2
        while text and columns(text) > width:
            text = text[:-1]
        return text
