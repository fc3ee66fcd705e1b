"""The tests' variants of the game worlds: the whole chain with a tiny random model. Their films are noise.

The other program is started and asked as ever; in it, :mod:`.noise_worker` stands in for the libraries. They
exist only where the environment variable ``ANIX_TEST_NOISE`` is 1.
"""

from __future__ import annotations

import json
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ..noise import NoiseOf
from .backend import GameCraftBackend, MatrixGame2Backend, World
from .child import Child
from .deepverse import DeepVerseBackend

if TYPE_CHECKING:
    from anix_cli.core.clip import ClipRequest, Frames, Progress
    from anix_cli.model.places import Placed

PROGRAM = Path(__file__).parent / "noise_worker.py"
_SIZE_PX = (96, 64)
_MOST = 21
"""Frames of a call, so that a film of a second has two."""


class _NoiseWorld(World):
    """Another program with random weights, on the CPU."""

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        frames = super().generate(request, progress)
        request.note("noise", True)
        return frames

    @property
    def world(self) -> str:
        """Whose requests are made."""
        return self.name.removesuffix("-noise")

    def start(self) -> Child:
        """This interpreter, with the stand-ins. Raises AnixError: E482."""
        checkout = PROGRAM.parent if self.world == "deepverse" else None
        return Child(Path(sys.executable), checkout, program=PROGRAM)

    def place(self) -> Placed:
        """Random weights, looked at as any others."""
        from anix_cli.model.places import Placed
        from anix_cli.model.registry import WEIGHTS
        from anix_cli.model.whole import check

        placed = Placed(WEIGHTS["matrix-game-2"], tiny_weights(), None, local=True)
        check(placed)
        return placed


class MatrixGame2Noise(_NoiseWorld, MatrixGame2Backend):
    """As ``matrix-game-2``, with nothing learnt."""

    name = "matrix-game-2-noise"
    capabilities: ClassVar[Any] = NoiseOf(MatrixGame2Backend, _MOST, sizes=(_SIZE_PX,))


class GameCraftNoise(_NoiseWorld, GameCraftBackend):
    """As ``hunyuan-gamecraft``, with nothing learnt."""

    name = "hunyuan-gamecraft-noise"
    capabilities: ClassVar[Any] = NoiseOf(GameCraftBackend, _MOST, sizes=(_SIZE_PX,))


class DeepVerseNoise(_NoiseWorld, DeepVerseBackend):
    """As ``deepverse``, with nothing learnt."""

    name = "deepverse-noise"
    capabilities: ClassVar[Any] = NoiseOf(DeepVerseBackend, _MOST, sizes=(_SIZE_PX,))


_KEEPERS: list[Any] = []


@cache
def tiny_weights() -> Path:
    """A folder with the stand-in's random weights, the same on every machine."""
    import numpy as np
    from safetensors.numpy import save_file

    keeper = tempfile.TemporaryDirectory(prefix="anix-noise-")
    _KEEPERS.append(keeper)
    folder = Path(keeper.name)
    drawn = np.random.default_rng(0)
    shapes = {
        "into.weight": (8, 12, 3, 3, 3),
        "into.bias": (8,),
        "out.weight": (3, 8, 3, 3, 3),
        "out.bias": (3,),
    }
    part = folder / "transformer"
    part.mkdir()
    save_file(
        {name: drawn.normal(0, 0.2, shape).astype(np.float32) for name, shape in shapes.items()},
        part / "diffusion_pytorch_model.safetensors",
    )
    (part / "config.json").write_text("{}", encoding="utf-8")
    index = {"transformer": ["noise", "Network"]}
    (folder / "model_index.json").write_text(json.dumps(index), encoding="utf-8")
    return folder
