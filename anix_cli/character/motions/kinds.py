"""What a motion is for, by its name: a way of standing or of going, or a gesture."""

from __future__ import annotations

from ..models.repertoire import kind_of
from ..models.roles import words

GAIT = "gait"


def kind_of_motion(name: str) -> str:
    """ "walk", "run", "idle", "gait" for any other way of going (sneak, limp …), "" for a gesture."""
    from anix_cli.words.lexicon import speed_of

    return kind_of(name) or (GAIT if speed_of("_".join(words(name))) > 0 else "")
