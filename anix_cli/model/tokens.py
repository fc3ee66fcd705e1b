"""Counting tokens with a model's own tokenizer, where its file lies on this machine. Asks no network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from .places import find
from .registry import WEIGHTS

_FILE = Path("tokenizer") / "tokenizer.json"
_MOST_BYTES = 128 * 1024 * 1024


def counter(names: Sequence[str]) -> Callable[[str], int] | None:
    """What counts the tokens of a text, its end included; None where no tokenizer is at hand.

    Args:
        names: weights with that tokenizer, any of which may be on this machine.
    """
    for name in names:
        placed = find(WEIGHTS[name])
        if placed is not None and (count := _counter(placed.folder / _FILE)) is not None:
            return count
    return None


def _counter(file: Path) -> Callable[[str], int] | None:
    try:
        if file.stat().st_size > _MOST_BYTES:
            return None
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(file))
    except Exception:  # the library raises just that for what is no tokenizer, a pointer of Git LFS, say
        return None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(" ".join(text.split())).ids)
