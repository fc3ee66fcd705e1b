"""What the backend is asked for in the clips of a shot: words, seed and options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..core.plan import Beat, PlannedShot, Subject
from ..core.screenplay import ShotSpec
from ..words import Reading
from .clips import Asked, with_digests
from .commands import reading_of_shot
from .postures import held_throughout
from .prompt import prompt_of
from .roles import owners_of, roles_of
from .said import said_at, said_for, said_of, sides_of
from .shooting import Film


def asked_of(
    whole: Film, name: str, shot: ShotSpec, planned: PlannedShot, starts: Sequence[int], seen: str
) -> Asked:
    """What is asked for in all clips of a shot, beside its pictures.

    Args:
        name: who acts first. starts: first frames of the clips. seen: what is told of the camera.
    """
    told = _Told(whole, name, shot, planned, seen)
    alone = whole.recipe.capabilities.beats_per_clip == 1
    at_once = {at: said_at(told.reading, planned.beats, at) for at in starts} if alone else {}
    several = len(planned.subjects) > 1
    return Asked(
        prompt=told.prompt(said_of(shot, told.reading), planned.beats),
        prompts={
            at: told.prompt(said, [beat for beat in planned.beats if _covers(beat, at)])
            for at, said in at_once.items()
            if said
        },
        alone={at: told.alone(at if at_once.get(at) else None) for at in starts} if several else {},
        negative=shot.negative,
        seed=whole.screenplay.film.seed if shot.seed is None else shot.seed,
        options=with_digests(shot.options.get(whole.recipe.backend, {}), whole.recipe.capabilities),
        pick=shot.pick,
        memory=_memory(whole, shot),
    )


def _memory(whole: Film, shot: ShotSpec) -> int:
    """Parts of earlier clips that a clip is shown; none where the backend takes none."""
    wanted = whole.screenplay.film.memory if shot.memory is None else shot.memory
    return wanted if "memory" in whole.recipe.capabilities.uses else 0


class _Told:
    """The words for one shot."""

    def __init__(self, whole: Film, name: str, shot: ShotSpec, planned: PlannedShot, seen: str) -> None:
        self.screenplay, self.name, self.shot, self.planned = whole.screenplay, name, shot, planned
        self.seen = seen
        self.reading: Reading = reading_of_shot(whole.screenplay, shot)

    def prompt(self, said: str, shown: Sequence[Beat]) -> str:
        """Of all that happens, with the one who acts first."""
        return self._prompt(self.planned.subjects[0], said, shown, self.planned.beats)

    def alone(self, at: int | None) -> Mapping[str, str]:
        """Of each character by itself: in the whole shot, or in what begins at a frame."""
        beats, found = self.planned.beats, {}
        roles = roles_of(self.screenplay, self.shot, self.reading, self.name) if beats else ()
        called = owners_of(self.screenplay.characters)
        for subject in self.planned.subjects:
            said, own = said_for(subject.character, self.reading, beats, roles, called, at)
            found[subject.character] = self._prompt(subject, said, own, own)
        return found

    def _prompt(self, subject: Subject, said: str, shown: Sequence[Beat], beats: Sequence[Beat]) -> str:
        sides = sides_of(shown, subject.yaw_rad, self.planned.world_from_camera)
        return prompt_of(
            self.shot,
            subject.character,
            self.screenplay.characters[subject.character],
            beats,
            f"{said} ({sides})" if sides else said,
            camera=self.seen,
            scene=self.screenplay.scene.description,
            posture=held_throughout(subject.gestures, self.planned.frames),
        )


def _covers(beat: Beat, frame: int) -> bool:
    return beat.start <= frame < beat.start + beat.frames
