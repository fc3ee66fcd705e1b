"""The draft backend: characters as Gaussians, drawn into the scene. A draft, never a generated film.

Every frame is a function of its own camera, guide and blocking alone, so clips join without a seam however
a shot is cut into them.
"""

from __future__ import annotations

from contextlib import closing
from threading import Lock
from typing import TYPE_CHECKING

from anix_cli.core.capabilities import Capabilities, Option

from .performing import Troupe

if TYPE_CHECKING:
    from anix_cli.core.clip import ClipRequest, Frames, Progress
    from anix_cli.core.plan import Subject
    from anix_cli.splat.choose import Part, Views
    from anix_cli.splat.render import Rendered

    from .composite import Actor, Staged


class AnimaticBackend:
    """Backend ``animatic``: no weights, no GPU, any size, any rate."""

    name = "animatic"
    capabilities = Capabilities(
        uses=frozenset({"guide", "views", "blocking", "scene"}),
        version="10",
        max_frames=49,
        tail=5,
        options={"shadow": Option("boolean", True, "Whether feet darken the ground that they touch.")},
    )

    def __init__(self) -> None:
        self._troupe = Troupe()
        self._posing = Lock()  # frames are drawn by several threads; a body's own code need not know

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        """The new frames, [F, H, W, 3] uint8 sRGB: the guide with every subject posed and drawn into it.

        Raises:
            ValueError: arrays of the request do not fit together, or a subject is not in the cast.
            AnixError: a character's views cannot be made into a body (E345), or its model not be read.
        """
        import numpy as np

        from anix_cli.core.colour import unit_rgb
        from anix_cli.splat.choose import rasteriser

        from .check import check_request

        check_request(request)
        for subject in request.blocking:
            self._troupe.body(request, subject.character)
        tail = len(request.tail)
        width, height = request.size_px
        frames = np.empty((request.frames, height, width, 3), dtype=np.uint8)
        scene = request.scene() if request.drawn_scene is None else request.drawn_scene()
        staged: dict[int, Staged] = {}

        def views(at: int) -> Views | None:
            found = self._staged(request, scene, at)
            if found is None:
                return None
            staged[at] = found
            return found.views

        def finish(at: int, picture: Rendered | None) -> Frames:
            from .composite import set_in

            if picture is None:
                return np.asarray(request.guide[at])
            return set_in(request.guide[at], picture, staged.pop(at).window)

        made = rasteriser().frames(
            range(tail, tail + request.frames), views, finish, request.size_px,
            near=request.near_m, background=unit_rgb(request.background_rgb),
        )  # fmt: skip
        with closing(made):
            for index, frame in enumerate(made):
                frames[index] = frame
                progress(index + 1, request.frames)
        return frames

    def close(self) -> None:
        """Forgets the bodies it has made."""
        self._troupe.dismiss()

    def _staged(self, request: ClipRequest, scene: Part, at: int) -> Staged | None:
        import numpy as np

        from anix_cli.core.optics import Exposure

        from .composite import stage

        pose, lens = request.world_from_camera[at], request.intrinsics[at]
        instant = Exposure(pose[None], lens[None], np.zeros(1))
        return stage(
            scene,
            lambda time: [self._actor(request, subject, at + time) for subject in request.blocking],
            instant if request.exposures is None else request.exposures[at],
            request.size_px,
            near=request.near_m,
            shadow=bool(request.options.get("shadow", True)),
        )

    def _actor(self, request: ClipRequest, subject: Subject, at: float) -> Actor:
        """A subject at a time of the request, in frames."""
        import numpy as np

        from .composite import Actor

        now = self._troupe.moment(request, subject, at)
        with self._posing:
            return Actor(
                self._troupe.body(request, subject.character).at(now), np.asarray(now.root, np.float64)
            )
