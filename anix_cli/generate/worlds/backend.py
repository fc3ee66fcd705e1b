"""Backends ``matrix-game-2`` and ``hunyuan-gamecraft``: a first frame and the camera as keys."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from anix_cli.core.capabilities import Capabilities, Option

from .actions import Residual, Steps, keys_of, line_of, step_of

if TYPE_CHECKING:
    from anix_cli.core.clip import ClipRequest, Frames, Progress
    from anix_cli.model.places import Placed

    from .child import Child

NEVER = ("the guide after the first frame", "blocking and views after it", "depth", "anchors")
_MOUSE = 0.1
"""What the model was trained with for a turn: [pitch, yaw]."""
_BLOCK, _FIRST_BLOCK = 12, 9
"""Its calls have 12n + 9 frames: three latents at a time."""
_GAMECRAFT_FRAMES = 33
USES = frozenset({"seed", "guide", "tail", "views", "blocking", "scene"})


class _Declared:
    """Capabilities with the pin of the weights on this machine."""

    def __init__(self, weights: str, **limits: Any) -> None:
        self.weights, self._limits = weights, limits

    def __get__(self, instance: Any, owner: type) -> Capabilities:
        from anix_cli.model.places import signature

        return Capabilities(
            version="1", tail=1, frame_step=4, weights=signature(self.weights), **self._limits
        )


class World:
    """What both share: the child, the first frame, files."""

    name: ClassVar[str]
    weights: ClassVar[str]
    capabilities: ClassVar[Any]

    def __init__(self) -> None:
        self._child: Child | None = None

    @property
    def world(self) -> str:
        """As the other program, and notes, call it."""
        return self.name

    def prepare(self, options: Sequence[Mapping[str, Any]]) -> None:
        """Raises AnixError: E482, the other environment is missing or lacks ``fastvideo``; E474 … E478, the
        weights."""
        self._running()
        self.place()

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        """The new frames, [F, H, W, 3] uint8 sRGB.

        Raises:
            AnixError: as :meth:`prepare`. RuntimeError: what runs in the other environment failed.
        """
        from PIL import Image

        from ..check import check_request
        from ..firstframe.first import first_frame

        check_request(request)
        child, placed = self._running(), self.place()
        given = min(1, len(request.tail))
        poses = request.world_from_camera[len(request.tail) - given :]
        asked, frames, residual = self._asked(request, poses)
        with tempfile.TemporaryDirectory(prefix="anix-world-") as folder:
            first, out = Path(folder) / "first.png", Path(folder) / "frames.npy"
            Image.fromarray(first_frame(request)).save(first)
            try:
                child.ask({
                    "do": "make", "world": self.world, "model": str(placed.path),
                    "first": str(first), "out": str(out), "frames": frames, "size": list(request.size_px),
                    "seed": request.seed, "negative": request.negative, **asked,
                })  # fmt: skip
            except RuntimeError:
                self.close()  # what failed is not asked again: the next clip begins with another
                raise
            made = _read(out, (frames, request.size_px[1], request.size_px[0], 3))
        progress(1, 1)
        request.note(
            self.world.replace("-", "_"),
            {
                "first_frame": "of the clip before" if given else "of the animatic",
                "cannot_take": list(self.capabilities.cannot),
                "residual": {name: round(value, 4) for name, value in asdict(residual).items()},
                "made_by": child.version,
                "weights": {self.weights: placed.revision or "local folder"},
            },
        )
        return made[given : given + request.frames].copy()

    def close(self) -> None:
        """Ends the other program."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def _asked(self, request: ClipRequest, poses: Any) -> tuple[dict[str, Any], int, Residual]:
        """What is asked beside pictures, how many frames the call makes, and what is lost of the camera."""
        raise NotImplementedError

    def place(self) -> Placed:
        """Where the weights are. Raises AnixError: E474 … E478."""
        from anix_cli.model.fetch import resolve
        from anix_cli.model.registry import weights_called

        return resolve(weights_called(self.weights))

    def start(self) -> Child:
        """The program in the other environment. Raises AnixError: E482."""
        from .child import Child, other_python

        return Child(other_python())

    def _running(self) -> Child:
        if self._child is None:
            self._child = self.start()
        return self._child


class MatrixGame2Backend(World):
    """Matrix-Game-2.0 (arXiv 2508.13009): keys W, S, A, D and a mouse that turns or does not. No words."""

    name = weights = "matrix-game-2"
    capabilities = _Declared(
        "matrix-game-2",
        uses=USES,
        max_frames=57,
        sizes=((640, 352),),
        fps=Fraction(25),
        licence="MIT",
        options={
            "turn_deg": Option(
                "number", 1.0, "Degrees that one frame of its mouse turns; not published.", minimum=0.01,
                maximum=45,
            ),
            "steps": Option("integer", 3, "Denoising steps.", minimum=1, maximum=100),
        },
        cannot=(*NEVER, "words", "the camera but as keys"),
    )  # fmt: skip

    def _asked(self, request: ClipRequest, poses: Any) -> tuple[dict[str, Any], int, Residual]:
        turn = float(request.options.get("turn_deg", 1.0))
        keys = keys_of(poses, Steps(step_of(poses), turn))
        frames = -(-max(len(poses) - _FIRST_BLOCK, 0) // _BLOCK) * _BLOCK + _FIRST_BLOCK
        board, mouse = np.zeros((frames, 4)), np.zeros((frames, 2))
        moved = slice(1, len(poses))  # a frame's keys lead to it
        for column, pressed in enumerate(
            (keys.forward > 0, keys.forward < 0, keys.right < 0, keys.right > 0)
        ):
            board[moved, column] = pressed
        mouse[moved, 0], mouse[moved, 1] = _MOUSE * keys.pitch, _MOUSE * keys.yaw
        told = {"keyboard": board.tolist(), "mouse": mouse.tolist(), "prompt": ""}
        return {**told, "steps": int(request.options.get("steps", 3))}, frames, keys.residual


class GameCraftBackend(World):
    """Hunyuan-GameCraft (arXiv 2506.17201): words, and one action for each 33 frames."""

    name = weights = "hunyuan-gamecraft"
    capabilities = _Declared(
        "hunyuan-gamecraft",
        uses=USES | {"prompt", "negative", "depth"},
        max_frames=_GAMECRAFT_FRAMES,
        sizes=((1280, 704),),
        fps=Fraction(24),
        licence="Tencent Hunyuan community licence; see `anix models list`",
        options={
            "steps": Option("integer", 50, "Denoising steps.", minimum=1, maximum=200),
            "guidance": Option("number", 6.0, "How closely it follows the words.", minimum=1, maximum=20),
        },
        cannot=(*(each for each in NEVER if each != "depth"), "the camera but as one action a clip"),
    )

    def _asked(self, request: ClipRequest, poses: Any) -> tuple[dict[str, Any], int, Residual]:
        seen = request.depth[np.isfinite(request.depth)]
        line = line_of(poses, float(np.median(seen)) if len(seen) else 10.0)
        told = {
            "action": line.action,
            # fastvideo spreads it over all frames of the call, of which the clip may keep a few.
            "amount": line.amount / max(len(poses) - 1, 1) * _GAMECRAFT_FRAMES,
            "prompt": request.prompt,
            "steps": int(request.options.get("steps", 50)),
            "guidance": float(request.options.get("guidance", 6.0)),
        }
        return told, _GAMECRAFT_FRAMES, line.residual


def _read(path: Path, shape: tuple[int, ...]) -> Frames:
    """Frames that the other program wrote; never a pickle."""
    try:
        frames = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise RuntimeError(f"its frames cannot be read ({error})") from error
    if frames.dtype != np.uint8 or frames.shape[1:] != shape[1:] or len(frames) < shape[0]:
        raise RuntimeError(f"it gave {frames.dtype} frames of shape {frames.shape}, asked for {shape}")
    made: Frames = frames
    return made
