"""What a backend is told of a shot in words."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.plan import Beat
from ..core.screenplay import CharacterSpec, ShotSpec

_STILL = {"sit": "sits still", "kneel": "kneels", "crouch": "crouches", "lie_down": "lies still"}


def prompt_of(
    shot: ShotSpec,
    name: str,
    character: CharacterSpec,
    beats: Sequence[Beat],
    said: str | None = None,
    *,
    camera: str = "",
    scene: str = "",
    posture: str | None = None,
) -> str:
    """What happens, what the camera does, who and where, what the screenplay adds, and the look: the order in
    which an encoder that cuts off keeps what matters most.

    Args:
        name: of the character who acts.
        beats: as read from the command; none is a hold.
        said: what is told of the command; None tells it as it is written.
        camera, scene: what is told of them, "" for nothing.
        posture: in which it stays where nothing happens.
    """
    told = shot.command if said is None else said
    action = told.strip().rstrip(".") if beats else _STILL.get(posture or "", "stands still")
    who = character.description or name
    return "; ".join(part for part in (action, camera, who, scene, shot.prompt, shot.look) if part)


def tokens_estimate(prompt: str) -> int:
    """About how many tokens a text encoder makes of a prompt, on the high side, without its tokenizer.

    Subword vocabularies seldom cut English words oftener than every four letters; digits, marks and other
    scripts count one by one, and one token ends the text.
    """
    count, letters = 1, 0
    for sign in prompt:
        if sign.isascii() and sign.isalpha():
            letters += 1
            continue
        count += -(-letters // 4) + (not sign.isspace())
        letters = 0
    return count + -(-letters // 4)
