# ruff: noqa: E501
"""What a backend is told of compound, negated and corrected commands: nothing cancelled, nothing lost, and whose
left it is."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from plan_films import ANIMATIC, plan, screenplay, shot

ALONE = replace(ANIMATIC, beats_per_clip=1)

TOLD = {
    "After bowing she picks up the lamp and walks to the door": "After bowing she picks up the lamp and walks to "
    "the door",
    "Before sitting down, she takes off her hat": "Before sitting down, she takes off her hat",
    "She walks forward, waving her left hand": "She walks forward, waving her left hand (the character's own left "
    "is on the left of the picture)",
    "She nods after sitting down": "She nods after sitting down",
    "While walking forward, she waves": "While walking forward, she waves",
    "Run forward, jump, land in a crouch, look back over your shoulder": "Run forward, jump, land in a crouch, "
    "look back over your shoulder",
    "She doesn’t wave but bows deeply to the crowd": "bows deeply to the crowd",
    "Don't run, walk to the door": "walk to the door",
    "Walk, don't run, to the door": "Walk to the door",
    "She never smiles, she only nods": "she only nods",
    "She walks past without looking back": "She walks past",
    "He almost falls, then walks on": "walks on",
    "He nearly drops the vase but catches it": "catches the vase",
    "Instead of running, she walks to the fountain": "she walks to the fountain",
    "She waves instead of bowing": "She waves",
    "She neither waves nor bows, she simply nods": "she simply nods",
    "She stops dancing and bows": "She stops dancing and bows",
    "Turn left, not right": "Turn left (the character's own left is on the left of the picture)",
    "Turn not left but right": "Turn right (the character's own right is on the left of the picture)",
    "Run forward — no, walk": "walk forward",
    "Turn left, I mean right": "Turn right (the character's own right is on the left of the picture)",
    "Raise your left hand, I mean your right hand": "Raise your right hand (the character's own right is on the "
    "left of the picture)",
    "Walk five steps, sorry, six steps back": "six steps back",
    "Wave, then bow, scratch that, nod": "Wave, then nod",
    "Pick up the red book, no, the blue one": "pick up the blue book",
    "Sit down. Scratch that, stand up": "stand up",
    "She steps to her left, then points to the right": "She steps to her left, then points to the right (the "
    "character's own left is on the left of the picture, then the character's own right is on the right of the "
    "picture)",
    "wlak fowards, then turn left": "walk forwards, then turn left (the character's own left is on the left of the "
    "picture)",
    "Stand still and don't move": "Stand still",
    "She refuses to sit and walks away": "walks away",
    "He kneels, picks up the ring, and, smiling, bows": "He kneels, picks up the ring, and, smiling, bows",
    "He tries not to laugh and bows": "bows",
    "She would have waved, but nods": "nods",
    "Don’t just stand there, dance": "dance",
    "Once she has bowed, she exits stage left": "Once she has bowed, she exits stage left (stage left is the "
    "right of the picture)",
    "Walk to screen left, no, screen right": "walk to the right of the picture (screen right is the right of the "
    "picture)",
    "She pretends to sleep, then sits up": "She pretends to sleep, then sits up",
    "He all but drops the vase, then puts it on the table": "puts the vase on the table",
    "Pick up the lamp, then let it go": "Pick up the lamp, then let it go",
    "Raise your left arm, then your right": "Raise your left arm, then your right (the character's own left is on "
    "the right of the picture, then the character's own right is on the left of the picture)",
    "She walks towards the camera without smiling": "She walks towards the camera",
    "No nodding! Shake your head instead": "Shake your head instead",
    "He was going to kneel but salutes instead": "salutes instead",
    "She takes off running, laughing": "She takes off running, laughing",
    "Wave, then, after two seconds, turn around": "Wave, then, after two seconds, turn around",
}


def prompts(command: str, **more: object) -> list[str]:
    (planned,) = plan(screenplay(shot("a", command, 30)), **more).shots()
    return [clip.prompt for clip in planned.clips]


@pytest.mark.parametrize("command", TOLD)
def test_what_a_backend_is_told(command: str) -> None:
    (told,) = set(prompts(command))
    action, camera, who = told.rsplit("; ", 2)
    assert action == TOLD[command]
    assert camera in ("the camera follows", "the camera stands still") and who == "a courier in a red jacket"


def test_left_is_on_the_right_for_one_who_faces_the_camera() -> None:
    """The default camera of a gesture looks at the face; of a walk, at the back."""
    (gesture,) = set(prompts("raises her left hand"))
    (walk,) = set(prompts("walks forward while raising her left hand"))
    assert re.search(r"own left is on the right", gesture)
    assert re.search(r"own left is on the left", walk)


def test_sides_of_the_stage_are_told_in_the_picture() -> None:
    (told,) = set(prompts("looks to stage left"))
    assert "(stage left is the right of the picture); the camera" in told


def test_a_backend_of_one_action_a_clip_is_told_that_action_alone() -> None:
    made = plan(screenplay(shot("a", "walks forward, waves her left hand and bows", 9)), capabilities=ALONE)
    told = [clip.prompt.partition("; ")[0] for clip in next(iter(made.shots())).clips]
    assert [text.partition(" (")[0] for text in dict.fromkeys(told)] == [
        "walks forward", "waves her left hand", "bows",
    ]  # fmt: skip
