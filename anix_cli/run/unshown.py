"""What the draft does not show of the actions that a command names."""

from __future__ import annotations

from collections.abc import Iterator

from ..character.families import AT_REST, NOT_DRAWN
from ..character.gestures import ACTIONS
from ..character.models.repertoire import motion_for
from ..core.errors import Diagnostic
from ..core.plan import Plan
from ..core.screenplay import Screenplay


def unshown(screenplay: Screenplay, plan: Plan) -> Iterator[Diagnostic]:
    """W233, once for each action of a shot for which characters made from pictures have no gesture.

    A 3D model may have a clip of that name; whether it has is seen when it is opened.
    """
    drawn = {name for name, spec in screenplay.characters.items() if spec.model is None}
    at = {shot.id: index for index, shot in enumerate(screenplay.shots)}
    for take in plan.takes:
        for shot in take.shots:
            said = {
                gesture.action
                for subject in shot.subjects
                if subject.character in drawn
                for gesture in subject.gestures
                if gesture.start >= 0
                and motion_for(gesture.action, screenplay.characters[subject.character].motions) is None
            }
            for action in sorted(said - ACTIONS - AT_REST):
                words = action.replace("_", " ")
                shown = "the body stands" if action in NOT_DRAWN else "hands are at work in its place"
                yield screenplay.diagnostic(
                    ("shots", at[shot.id], "command"), "W233",
                    f"The draft has no gesture for “{words}”: {shown}.", found=words,
                    hint="A backend that generates has the words. For the draft, say what hands do: reaches, "
                    "points, picks up; or take a 3D model with a clip of that name.",
                )  # fmt: skip
