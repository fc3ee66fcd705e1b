"""The draft backend: characters as Gaussians, drawn into the scene. A draft, never a generated film.

Every frame is a function of its own camera, guide and blocking alone, so clips join without a seam however
a shot is cut into them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anix_cli.core.capabilities import Capabilities, Option

if TYPE_CHECKING:
    from anix_cli.character.gestures import Act
    from anix_cli.character.rig import Rig
    from anix_cli.core.clip import ClipRequest, Frames, Progress
    from anix_cli.core.plan import Subject


class AnimaticBackend:
    """Backend ``animatic``: no weights, no GPU, any size, any rate."""

    name = "animatic"
    capabilities = Capabilities(
        uses=frozenset({"guide", "views", "blocking", "scene"}),
        version="4",
        max_frames=49,
        tail=5,
        options={"shadow": Option("boolean", True, "Whether feet darken the ground that they touch.")},
    )

    def __init__(self) -> None:
        self._bodies: dict[str, Rig] = {}

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        """The new frames, [F, H, W, 3] uint8 sRGB: the guide with every subject posed and drawn into it.

        Raises:
            ValueError: arrays of the request do not fit together, or a subject is not in the cast.
            AnixError: a character's views cannot be made into a body (E345).
        """
        import numpy as np

        from .check import check_request

        check_request(request)
        tail = len(request.tail)
        width, height = request.size_px
        frames = np.empty((request.frames, height, width, 3), dtype=np.uint8)
        for index in range(request.frames):
            frames[index] = self._frame(request, tail + index)
            progress(index + 1, request.frames)
        return frames

    def close(self) -> None:
        """Forgets the bodies it has made."""
        self._bodies.clear()

    def _frame(self, request: ClipRequest, at: int) -> Frames:
        import numpy as np

        from anix_cli.character.pose import place

        from .composite import Actor, composite

        actors = []
        for subject in request.blocking:
            root = np.asarray(subject.root[at], dtype=np.float64)
            posed = place(
                self._body(request, subject.character),
                root,
                float(subject.yaw_rad[at]),
                speed_mps=float(subject.speed_mps[at]),
                gait_phase=float(subject.gait_phase[at]),
                lift_m=float(subject.lift_m[at]),
                gestures=_acts(subject, at, float(request.fps)),
            )
            actors.append(Actor(posed, root))
        return composite(
            request.guide[at],
            request.scene(),
            actors,
            request.world_from_camera[at],
            request.intrinsics[at],
            near=request.near_m,
            background_rgb=request.background_rgb,
            shadow=bool(request.options.get("shadow", True)),
        )

    def _body(self, request: ClipRequest, character: str) -> Rig:
        from anix_cli.character import hull
        from anix_cli.character.pose import rig

        cast = request.cast[character]
        if cast.key not in self._bodies:
            self._bodies[cast.key] = rig(hull(cast.views, cast.height_m))
        return self._bodies[cast.key]


def _acts(subject: Subject, at: int, fps: float) -> list[Act]:
    """What a subject's gestures have come to at a frame, those that began last at the end."""
    from anix_cli.character.gestures import Act

    return [
        Act(gesture.action, (at - gesture.start) / fps, gesture.frames / fps, gesture.side)
        for gesture in sorted(subject.gestures, key=lambda gesture: gesture.start)
        if gesture.start <= at < gesture.start + gesture.frames
    ]
