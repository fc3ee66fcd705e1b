"""A backend for tests, with defects on demand: it hands back its guide, unless it is told to break.

It exists only where the environment variable ``ANIX_TEST_NOISE`` is 1.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

from anix_cli.core.capabilities import Capabilities, Option

if TYPE_CHECKING:
    from anix_cli.core.clip import ClipRequest, Frames, Progress

FAULTS = "ANIX_TEST_FAULTS"
"""Names a folder in which each defect leaves a file, so that it is counted through all processes."""


class FaultyBackend:
    """Backend ``faulty``."""

    name = "faulty"
    capabilities = Capabilities(
        uses=frozenset({"guide"}),
        version="1",
        max_frames=49,
        tail=5,
        options={
            "defect": Option("string", "", "What goes wrong.", choices=("", "die", "hang", "fail", "memory")),
            "times": Option("integer", 1, "How often, in all.", minimum=0),
        },
    )

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        """The guide's new frames, [F, H, W, 3] uint8 sRGB, where nothing goes wrong."""
        defect = str(request.options.get("defect", ""))
        if defect and self._once_more(f"{defect}-{request.seed}", int(request.options.get("times", 1))):
            self._break(defect)
        frames = request.guide[len(request.tail) :]
        progress(len(frames), len(frames))
        return frames

    def close(self) -> None:
        """Holds nothing."""

    @staticmethod
    def _break(defect: str) -> None:
        if defect == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if defect == "hang":
            time.sleep(3600)
        if defect == "memory":
            raise MemoryError("out of memory, as asked for")
        raise RuntimeError("failed, as asked for")

    @staticmethod
    def _once_more(name: str, times: int) -> bool:
        """Whether it has to break now; counts."""
        folder = Path(os.environ[FAULTS])
        before = len(list(folder.glob(f"{name}-*")))
        if before >= times:
            return False
        (folder / f"{name}-{before}").write_text(str(os.getpid()))
        return True
