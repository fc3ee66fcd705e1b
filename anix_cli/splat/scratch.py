"""Memory that pictures use again: fresh pages cost a third of the time of a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_LINE = 64


class Scratch:
    """Arrays to work in, kept from one picture to the next. For one thread at a time."""

    def __init__(self) -> None:
        self._buffers: dict[str, NDArray[np.uint8]] = {}
        self._children: list[Scratch] = []
        self._chunks = 0

    def take(self, name: str, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """An array on a cache line, with whatever was left in it. Replaces that of the same name."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        buffer = self._buffers.get(name)
        if buffer is None or buffer.size < size + _LINE:
            buffer = self._buffers[name] = np.empty(size + size // 8 + _LINE, np.uint8)
        start = -buffer.ctypes.data % _LINE
        return buffer[start : start + size].view(dtype).reshape(shape)

    def child(self, number: int) -> Scratch:
        """Another, for a part of the work that is done in a thread of its own."""
        while len(self._children) <= number:
            self._children.append(Scratch())
        return self._children[number]

    def chunks(self, tiles: int, splats: int) -> int:
        """How many chunks to begin with: as many as the last picture took, or two entries a splat."""
        self._chunks = max(self._chunks, 3 * tiles + splats // 16)
        return self._chunks

    def more_chunks(self, chunks: int) -> int:
        self._chunks = 2 * chunks
        return self._chunks
