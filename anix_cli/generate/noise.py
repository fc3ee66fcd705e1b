"""What the tests' variants of backends say that they can do. They exist only where the environment variable
``ANIX_TEST_NOISE`` is 1; their films are noise, and their names, which end in ``-noise``, stand in the plan,
in every clip's record and in the film's manifest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anix_cli.core.capabilities import Capabilities


class NoiseOf:
    """Capabilities as the real one's, for random weights and a few frames.

    Args:
        real: the backend. changed: what else differs.
    """

    def __init__(self, real: Any, max_frames: int, **changed: Any) -> None:
        self._real, self._max_frames, self._changed = real, max_frames, changed

    def __get__(self, instance: Any, owner: type) -> Capabilities:
        real: Capabilities = self._real.capabilities
        return replace(
            real,
            version=f"{real.version}-noise",
            max_frames=self._max_frames,
            licence="none: noise",
            weights="random",
            **self._changed,
        )
