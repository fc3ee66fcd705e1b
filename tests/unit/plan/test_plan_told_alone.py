"""Shots of several characters: what each is told of alone, for backends that draw one at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from plan_films import ANIMATIC, plan, screenplay, shot

from anix_cli.core.plan import Plan
from anix_cli.core.screenplay import AnchorSpec, CharacterSpec, ShotSpec

CAST = {
    "mira": CharacterSpec({}, 1.72, description="a courier in red"),
    "ben": CharacterSpec({}, 1.8, aliases=("watchman",), description="a tall guard"),
    "tom": CharacterSpec({}, 1.6),
}
PLACES = {
    "here": AnchorSpec((0.0, 0.0), face=0.0), "side": AnchorSpec((3.0, 3.0), face=-90.0),
    "far": AnchorSpec((-3.0, 4.0)), "door": AnchorSpec((0.0, 8.0)),
}  # fmt: skip


def film(*shots: ShotSpec, **more: Any) -> Plan:
    return plan(replace(screenplay(*shots), characters=CAST, anchors=PLACES), **more)


BEN = shot("b", "Ben nods", 1, character="ben", anchor="side")
TOM = shot("t", "Tom nods", 1, character="tom", anchor="far")


def told(made: Plan, number: int = -1) -> dict[str, str]:
    """The action alone: what stands before the first description."""
    (clip, *_) = list(made.shots())[number].clips
    return {name: prompt.partition(";")[0] for name, prompt in clip.prompts.items()}


STILL = "stands still"
SHOTS = {
    "Mira walks to the door while the watchman waves": ("Mira walks to the door", "watchman waves", STILL),
    "Mira claps, then Ben bows": ("Mira claps", "Ben bows", STILL),
    "Ben sits down and Mira points at the sky": ("Mira points at the sky", "Ben sits down", STILL),
    "Mira and Ben walk to the door": ("mira walk to the door", "ben walk to the door", STILL),
    "they all wave, then Mira bows": ("mira wave, then Mira bows", "ben wave", "tom wave"),
    "Mira, Ben and Tom dance": ("mira dance", "ben dance", "tom dance"),
    "Mira runs forward, then waves, while Tom kneels": ("Mira runs forward, then waves", STILL, "Tom kneels"),
    "Tom jumps twice while Mira nods and Ben claps": ("Mira nods", "Ben claps", "Tom jumps twice"),
    "Mira bows": ("Mira bows", STILL, STILL),
    "Mira doesn't wave, she nods while Ben shrugs": ("she nods", "Ben shrugs", STILL),
}


@pytest.mark.parametrize("command", SHOTS)
def test_each_is_told_of_what_it_does_itself(command: str) -> None:
    made = film(BEN, TOM, shot("a", command, 6))
    found = told(made)
    assert tuple(found.get(name, STILL) for name in CAST) == SHOTS[command]


def test_the_rest_of_the_words_is_the_shots_own_and_who_is_each_ones() -> None:
    (clip,) = list(film(BEN, shot("a", "Mira waves while Ben bows", 2, prompt="rain")).shots())[-1].clips
    mira, ben = clip.prompts["mira"].split("; "), clip.prompts["ben"].split("; ")
    assert mira[0] == "Mira waves" and ben[0] == "Ben bows" and mira[-1] == ben[-1] == "rain"
    assert "a courier in red" in mira and "a tall guard" not in mira
    assert "a tall guard" in ben and "a courier in red" not in ben
    assert clip.prompt.startswith("Mira waves while Ben bows")  # for backends that draw all at once


def test_sides_are_each_ones_own() -> None:
    """Ben looks to the side of the stage to which Mira's back is."""
    made = film(BEN, shot("a", "Mira waves with her left hand while Ben waves with his left hand", 3))
    found = told(made)
    assert found["mira"].startswith("Mira waves with her left hand (the character's own left is on the")
    assert found["ben"].startswith("Ben waves with his left hand")


def test_one_action_a_clip_is_told_to_whom_it_belongs() -> None:
    made = film(
        BEN, shot("a", "Mira claps, then Ben bows", 4), capabilities=replace(ANIMATIC, beats_per_clip=1)
    )
    clips = list(made.shots())[-1].clips
    first, last = (
        {name: text.partition(";")[0] for name, text in clip.prompts.items()}
        for clip in (clips[0], clips[-1])
    )
    assert first == {"mira": "Mira claps", "ben": STILL}
    assert last == {"mira": STILL, "ben": "Ben bows"}


def test_who_sits_stays_so() -> None:
    made = film(BEN, shot("c", "Ben sits down", 2, character="ben"), shot("a", "Mira waves", 2))
    assert told(made) == {"mira": "Mira waves", "ben": "sits still"}


def test_alone_there_is_one_prompt_and_its_key_is_as_it_was() -> None:
    (clip,) = next(film(shot("a", "Mira waves", 2)).shots()).clips
    assert clip.prompts == {}


def test_what_one_is_told_is_part_of_the_key() -> None:
    one = film(BEN, shot("a", "Mira waves while Ben bows", 2))
    other = plan(
        replace(
            screenplay(BEN, shot("a", "Mira waves while Ben bows", 2)),
            characters={**CAST, "ben": replace(CAST["ben"], description="a small guard")}, anchors=PLACES,
        )
    )  # fmt: skip
    keys = [list(made.shots())[-1].clips[0].parts["prompt"] for made in (one, other)]
    assert keys[0] != keys[1]
