"""Backends for tests of the chain: their frames carry a number, so that a gap or a repeat shows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from anix_cli.core.clip import Capabilities, ClipRequest, Frames, Progress


def number_of(frame: Frames) -> int:
    """The number that a frame carries."""
    return int(frame[0, 0, 0]) + 256 * int(frame[0, 0, 1])


class Numbered:
    """Continues the number of the tail's last frame; wants 4n + 1 frames a call, 13 at most, tail 3."""

    name = "numbered"
    capabilities = Capabilities(
        uses=frozenset({"guide", "tail"}), version="1", max_frames=13, tail=3, frame_step=4, size_multiple=16
    )
    requests: ClassVar[list[ClipRequest]] = []

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        self.requests.append(request)
        first = number_of(request.tail[-1]) + 1 if len(request.tail) else 1
        frames = request.guide[len(request.tail) :].copy()
        for offset, frame in enumerate(frames):
            frame[0, 0, :2] = divmod(first + offset, 256)[::-1]
            progress(offset + 1, len(frames))
        return frames

    def close(self) -> None:
        self.requests.append(None)  # type: ignore[arg-type]


class Slow(Numbered):
    """Knows one rate only."""

    capabilities = replace(Numbered.capabilities, fps=Fraction(16))


class Short(Numbered):
    """Gives one frame too few."""

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        return super().generate(request, progress)[:-1]


class Drifting(Numbered):
    """Other pixels on every run of the same request, as on a GPU."""

    salt: ClassVar[list[int]] = [0]

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        frames = super().generate(request, progress)
        frames[:, 1, 1] = np.uint8(self.salt[0])
        return frames


class Tailless(Numbered):
    """Continues nothing: every clip stands for itself."""

    capabilities = replace(Numbered.capabilities, tail=0)


class Failing(Numbered):
    """Runs out of memory at its second clip."""

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        if len(request.tail):
            raise RuntimeError("CUDA out of memory")
        return super().generate(request, progress)
