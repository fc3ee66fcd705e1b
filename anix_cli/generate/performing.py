"""Characters as bodies that do at each frame what the blocking says. Importing this is light."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anix_cli.character.body import Body, Course, Moment
    from anix_cli.character.gestures import Act
    from anix_cli.core.clip import ClipRequest
    from anix_cli.core.plan import Subject


class Troupe:
    """Bodies of a cast, each made once."""

    def __init__(self) -> None:
        self._bodies: dict[tuple[str, int], Body] = {}
        self._courses: tuple[ClipRequest | None, dict[str, Course | None]] = (None, {})

    def body(self, request: ClipRequest, character: str) -> Body:
        """A character's body, as fine as the request's pictures show it.

        Raises:
            AnixError: its views cannot be made into a body (E345), or its model not be read.
        """
        from anix_cli.character.body import body_of

        cast, rows = request.cast[character], request.size_px[1]
        if (cast.key, rows) not in self._bodies:
            self._bodies[cast.key, rows] = body_of(cast, rows)
        return self._bodies[cast.key, rows]

    def moment(self, request: ClipRequest, subject: Subject, at: float) -> Moment:
        """What a subject is at a time of the request, in frames."""
        from anix_cli.character.body import Moment

        from .between import state_at

        state = state_at(subject, at)
        return Moment(
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

    def dismiss(self) -> None:
        """Forgets all bodies."""
        self._bodies.clear()
        self._courses = (None, {})

    def _course(self, request: ClipRequest, character: str) -> Course | None:
        """The way that a subject has come, made once for each request."""
        from anix_cli.character.body import Course

        if self._courses[0] is not request:
            self._courses = (request, {})
        known = self._courses[1]
        if character not in known:
            found = next((each for each in request.course if each.character == character), None)
            known[character] = None if found is None else Course(
                found.root, found.yaw_rad, found.speed_mps, found.gait_phase, found.lift_m, float(request.fps)
            )  # fmt: skip
        return known[character]


def _ahead(subject: Subject, at: int) -> bool:
    """Whether a subject goes the way that it faces at a frame; so does one who stands."""
    from anix_cli.character.course import goes_ahead

    before, after = max(at - 1, 0), min(max(at, 1), len(subject.root) - 1)
    way = subject.root[after] - subject.root[before]
    return goes_ahead(way[[0, 2]], float(subject.yaw_rad[at]))


def _acts(subject: Subject, at: float, fps: float) -> tuple[Act, ...]:
    """What a subject's gestures have come to at a frame, those that began last at the end."""
    from anix_cli.character.gestures import Act

    return tuple(
        Act(gesture.action, (at - gesture.start) / fps, gesture.frames / fps, gesture.side)
        for gesture in sorted(subject.gestures, key=lambda gesture: gesture.start)
        if gesture.start <= at < gesture.start + gesture.frames
    )
