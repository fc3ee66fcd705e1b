"""The draft backend: characters as Gaussians, drawn into the scene. A draft, never a generated film.

Every frame is a function of its own camera, guide and blocking alone, so clips join without a seam however
a shot is cut into them.
"""

from __future__ import annotations

from contextlib import closing
from threading import Lock
from typing import TYPE_CHECKING

from anix_cli.core.capabilities import Capabilities, Option

if TYPE_CHECKING:
    from anix_cli.character.body import Body, Course
    from anix_cli.character.gestures import Act
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
        version="7",
        max_frames=49,
        tail=5,
        options={"shadow": Option("boolean", True, "Whether feet darken the ground that they touch.")},
    )

    def __init__(self) -> None:
        self._bodies: dict[tuple[str, int], Body] = {}
        self._courses: dict[tuple[int, str], Course | None] = {}
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
        self._courses.clear()  # those of the request before
        for subject in request.blocking:
            self._body(request, subject.character)
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
        self._bodies.clear()

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
        from anix_cli.character.body import Moment

        from .between import state_at
        from .composite import Actor

        state = state_at(subject, at)
        now = Moment(
            state.root,
            state.yaw_rad,
            speed_mps=state.speed_mps,
            gait_phase=state.gait_phase,
            lift_m=state.lift_m,
            acts=_acts(subject, at, float(request.fps)),
            time_s=(request.start + at) / float(request.fps),
            ahead=_ahead(subject, min(max(round(at), 0), len(subject.root) - 1)),
            course=self._course(request, subject.character),
        )
        with self._posing:
            return Actor(self._body(request, subject.character).at(now), state.root)

    def _course(self, request: ClipRequest, character: str) -> Course | None:
        """The way that a subject has come, made once for each request."""
        from anix_cli.character.body import Course

        key = (id(request), character)
        if key not in self._courses:
            found = next((each for each in request.course if each.character == character), None)
            self._courses[key] = None if found is None else Course(
                found.root, found.yaw_rad, found.speed_mps, found.gait_phase, found.lift_m, float(request.fps)
            )  # fmt: skip
        return self._courses[key]

    def _body(self, request: ClipRequest, character: str) -> Body:
        from anix_cli.character.body import body_of

        cast, rows = request.cast[character], request.size_px[1]
        if (cast.key, rows) not in self._bodies:
            self._bodies[cast.key, rows] = body_of(cast, rows)
        return self._bodies[cast.key, rows]


def _ahead(subject: Subject, at: int) -> bool:
    """Whether a subject goes the way that it faces at a frame; so does one who stands."""
    import numpy as np

    before, after = max(at - 1, 0), min(max(at, 1), len(subject.root) - 1)
    way = subject.root[after] - subject.root[before]
    yaw = float(subject.yaw_rad[at])
    return float(way[0] * np.sin(yaw) + way[2] * np.cos(yaw)) >= -0.3 * float(np.hypot(way[0], way[2]))


def _acts(subject: Subject, at: float, fps: float) -> tuple[Act, ...]:
    """What a subject's gestures have come to at a frame, those that began last at the end."""
    from anix_cli.character.gestures import Act

    return tuple(
        Act(gesture.action, (at - gesture.start) / fps, gesture.frames / fps, gesture.side)
        for gesture in sorted(subject.gestures, key=lambda gesture: gesture.start)
        if gesture.start <= at < gesture.start + gesture.frames
    )
