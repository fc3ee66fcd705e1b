"""Backend ``deepverse``: a first frame and steps of eight frames each, by the user's own checkout.

The code of DeepVerse (arXiv 2506.01103) carries no licence, so that nothing of it comes with anix: the user
names a checkout, an environment for it and the folder of its weights.
"""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from anix_cli.core.capabilities import Capabilities, Option
from anix_cli.core.errors import fail

from .actions import Residual, Steps, keys_of, step_of
from .backend import NEVER, USES, World

if TYPE_CHECKING:
    from anix_cli.core.clip import ClipRequest
    from anix_cli.model.places import Placed

    from .child import Child

PYTHON, CHECKOUT = "ANIX_DEEPVERSE_PYTHON", "ANIX_DEEPVERSE_DIR"
_HINT = (
    f"clone github.com/SOTAMak1r/DeepVerse, install its requirements into an environment of its own, and set "
    f"{CHECKOUT} to the clone and {PYTHON} to that environment's python"
)
_UNIT = 8
"""Frames of one action."""
_MOVES = {
    (1, 0): "F", (1, 1): "fR", (1, -1): "fL", (0, 0): "S", (0, 1): "R", (0, -1): "L",
    (-1, 0): "B", (-1, 1): "rR", (-1, -1): "rL",
}  # fmt: skip
_TURNS = {0: "N", 1: "R", -1: "L"}


class DeepVerseBackend(World):
    """DeepVerse1.1: moves in eight directions, and turns to both sides."""

    name = "deepverse"
    weights = "deepverse"
    capabilities: ClassVar[Any] = Capabilities(
        uses=USES,
        version="1",
        max_frames=81,
        tail=1,
        frame_step=4,
        sizes=((512, 384),),
        fps=Fraction(20),
        licence="none is given: ask its authors",
        weights="SOTAMak1r/DeepVerse1.1 as the user has it",
        options={
            "turn_deg": Option(
                "number", 8.0, "Degrees that one of its steps (8 frames) turns; not published.",
                minimum=0.1, maximum=90,
            ),
        },
        cannot=(*NEVER, "words", "the camera but as steps of eight frames", "tilts"),
    )  # fmt: skip

    def _asked(self, request: ClipRequest, poses: Any) -> tuple[dict[str, Any], int, Residual]:
        count = -(-max(len(poses) - 1, 1) // _UNIT)
        at = np.minimum(np.arange(count + 1) * _UNIT, len(poses) - 1)
        steps = Steps(step_of(poses[at]), float(request.options.get("turn_deg", 8.0)))
        keys = keys_of(poses[at], steps)
        actions = "".join(
            f"({_MOVES[int(go), int(side)]}{_TURNS[int(turn)]})"
            for go, side, turn in zip(keys.forward, keys.right, keys.yaw, strict=True)
        )
        return {"actions": actions}, count * _UNIT + 1, keys.residual

    def place(self) -> Placed:
        """The folder of the weights, as the user put it there.

        Raises:
            AnixError: E474, it is not there.
        """
        from anix_cli.model.places import Placed, weights_root
        from anix_cli.model.registry import Weights

        folder = weights_root() / self.weights
        row = Weights(
            self.weights, "SOTAMak1r/DeepVerse1.1", "DeepVerse", (), "none given", "ask its authors"
        )
        if not folder.is_dir():
            raise fail(
                "E474",
                f"the weights of DeepVerse are not in {folder}",
                hint="fetch SOTAMak1r/DeepVerse1.1 from the hub into that folder",
            )
        return Placed(row, folder, None, local=True)

    def start(self) -> Child:
        """The program in the checkout's environment. Raises AnixError: E482."""
        from .child import Child, missing, other_python

        folder = Path(os.environ.get(CHECKOUT, "")).expanduser().absolute()
        if not os.environ.get(CHECKOUT) or not (folder / "run.py").is_file():
            raise missing(f"{CHECKOUT} names no checkout of DeepVerse", _HINT)
        return Child(other_python(PYTHON, _HINT), folder)
