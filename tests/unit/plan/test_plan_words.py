"""Commands read as beats."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from plan_films import ANCHORS, codes, plan, planned, screenplay, shot

from anix_cli.core.errors import AnixError
from anix_cli.core.plan import Amount, Beat
from anix_cli.core.screenplay import CameraSpec, FilmSpec
from anix_cli.core.time import Duration
from anix_cli.plan.commands import read_commands
from anix_cli.words import understand
from anix_cli.words.meaning import Meaning


def read(command: str) -> tuple[Beat, ...]:
    reading = understand(command, characters=["mira"], places=["door", "frame_left"])
    assert not reading.problems
    return reading.beats


@pytest.mark.parametrize(
    ("command", "actions"),
    [
        ("Mira runs forward", ["run"]),
        ("she stops and waves", ["stop", "wave"]),
        ("Walk five metres, turn, wave", ["walk", "turn", "wave"]),
        ("After bowing she picks up the lamp", ["bow", "pick_up"]),
        ("She nods after sitting down", ["sit", "nod"]),
        ("Before leaving, she waves", ["wave", "walk"]),
        ("he picked the old lamp up and drank a glass of water", ["pick_up", "drink"]),
        ("she begins running, then stops running", ["run", "stop"]),
        ("Mira's hands clap", ["clap"]),
        ("takes three quick steps back", ["step"]),
        ("turns off the tap", ["turn_off"]),
        ("strides down the runway", ["walk"]),
        ("picks up the frying pan and the lamp", ["pick_up"]),
        ("the sentry marches past and salutes", ["march", "salute"]),
        ("rolls the barrel", ["roll"]),
        ("the microwave pings and she opens it", ["open"]),
        ("", []),
        ("   ", []),
    ],
)
def test_actions_in_order(command: str, actions: list[str]) -> None:
    assert [beat.action for beat in read(command)] == actions


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        ("walks to the old door", {"direction": "toward", "target": "door"}),
        ("runs to frame left", {"direction": "toward", "target": "frame_left"}),
        ("jogs to her left", {"direction": "left"}),
        ("exits stage right", {"direction": "stage_right"}),
        ("marches in place", {"direction": "in_place"}),
        ("walks 12 feet slowly", {"amount": Amount(3.6576, "m"), "speed": "slow"}),
        ("turns 90° to the right", {"amount": Amount(90, "deg"), "direction": "right"}),
        ("takes a couple of steps", {"amount": Amount(2, "steps")}),
        ("jumps twice", {"amount": Amount(2, "times")}),
        ("waits for 2.5 seconds", {"amount": Amount(2.5, "s")}),
        ("raises her left hand", {"side": "left", "direction": None}),
        ("points at the tower", {"target": "tower", "category": "gesture"}),
        ("kicks the red football", {"object": "red football", "category": "object"}),
        ("turns 1,000 degrees", {"amount": Amount(1000, "deg")}),
        ("walks 12,345.5 metres", {"amount": Amount(12345.5, "m")}),
        ("walks .5 m", {"amount": Amount(0.5, "m")}),
        ("walks 5m", {"amount": Amount(5, "m")}),
        ("walks 3, then waves", {"amount": None}),
        ("turns a ½ turn", {"amount": Amount(0.5, "turns")}),
        ("shakes her head", {"action": "shake_head", "object": None}),
        ("shakes the bottle", {"action": "shake", "object": "bottle"}),
        ("raises both arms", {"action": "raise_arms", "side": "both"}),
        ("lifts her hands", {"action": "lift"}),
        ("raises her arms", {"action": "raise_arms"}),
        ("quickly walks away", {"speed": "fast", "direction": "away"}),
    ],
)
def test_details(command: str, fields: dict[str, object]) -> None:
    beat = read(command)[0]
    assert {name: getattr(beat, name) for name in fields} == fields


@pytest.mark.parametrize(
    ("command", "move", "direction"),
    [
        ("the camera orbits left 90 degrees", "orbit", "left"), ("Orbit to the right", "orbit", "right"),
        ("follow her", "follow", None), ("pan left", "pan", "left"), ("push in slowly", "dolly", "in"),
        ("the camera pulls back", "dolly", "out"), ("Roll the camera clockwise", "roll", "clockwise"),
        ("crane up", "crane", "up"), ("zoom out", "zoom", "out"),
        ("The camera stays still", "stationary", None),
    ],
)  # fmt: skip
def test_camera_moves(command: str, move: str, direction: str | None) -> None:
    (beat,) = read(command)
    assert (beat.category, beat.action, beat.direction) == ("camera", move, direction)


def test_while_joins_and_spans_point_into_the_text() -> None:
    command = "Mira walks forward while waving"
    walk, wave = read(command)
    assert (walk.sync, wave.sync) == (None, "with_previous")
    assert command[slice(*walk.span)] == "walks forward" and command[slice(*wave.span)] == "waving"
    assert [beat.sync for beat in read("While walking, she waves")] == [None, "with_previous"]


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("she waks to the door", "E201"), ("asdfqwer", "E201"), ("Corre hacia adelante y saluda.", "E219"),
        ("she doesn’t run", "E202"), ("never runs", "E202"), ("the camera flies over her", "E203"),
        ("waves or bows", "E220"),
        ("the camera zooms left", "E203"), ("the camera orbits while the camera cranes up", "E204"),
        ("向左转，然后挥手。", "E219"), ("!!!", "E207"), ("quickly", "E207"), ("do that again", "E208"),
        ("picks it up", "E208"),
    ],
)  # fmt: skip
def test_refuses_rather_than_guesses(command: str, code: str) -> None:
    assert code in [found.code for found in read_commands(screenplay(shot("a", command)))]
    with pytest.raises(AnixError) as caught:
        plan(screenplay(shot("a", command)))
    assert code in codes(caught.value)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("walks to the fountian", "fountain"), ("walks to the dor", "door"),
        ("walks to the tower", "(door, fountain, step)"),

    ],
)  # fmt: skip
def test_places_that_are_none_are_found_without_a_scene(command: str, words: str) -> None:
    play = screenplay(shot("a", command, 6), shot("b", command, 6, cut=True))
    found = read_commands(play)
    assert [one.code for one in found] == ["E205", "E205"]
    assert all(words == one.nearest or (not one.nearest and words in (one.hint or "")) for one in found)
    with pytest.raises(AnixError) as caught:
        plan(play)
    assert caught.value.diagnostics == found


@pytest.mark.parametrize(("fps", "seconds"), [(None, 0.03), (Fraction(100), 0.004), (Fraction(1), 0.49)])
def test_a_shot_of_no_frames_is_found_without_a_scene(fps: Fraction | None, seconds: float) -> None:
    play = screenplay(shot("a", "waves", seconds), film=FilmSpec(fps=fps))
    (found,) = read_commands(play)
    assert found.code == "E210"
    with pytest.raises(AnixError) as caught:
        plan(play)
    assert caught.value.diagnostics == (found,)
    assert not read_commands(screenplay(shot("a", "waves", 2 * seconds), film=FilmSpec(fps=fps)))


def test_reading_commands_imports_no_mathematics() -> None:
    code = "import sys, anix_cli.plan.commands; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_suggests_only_what_is_near() -> None:
    play = screenplay(shot("a", "she wlaks"), shot("b", "wak"), shot("c", "asdfqwer"))
    near, tied, far = read_commands(play)
    assert (near.code, near.found, near.nearest, near.hint) == ("W231", "wlaks", "walks", None)
    assert (tied.code, tied.nearest, tied.hint) == ("E201", None, "Did you mean “wag” or “wake” or “walk”?")
    assert far.nearest is None and far.hint is not None and "mean" not in far.hint


def test_words_left_over_are_said() -> None:
    (note,) = plan(screenplay(shot("a", "walks, unicornly"))).notes
    assert note.code == "W201" and note.found == "unicornly"


@pytest.mark.parametrize(
    ("command", "lost"),
    [
        ("stands on her hands", "on her hands"), ("walks with a limp", "with a limp"),
        ("stops beside the wall", "beside the wall"), ("runs between the trees, slowly", "between the trees"),
        ("waves with gusto", "with gusto"), ("waves in the rain", "in the rain"), ("waves at him", "at him"),
        ("walks to him", "to him"), ("moonwalks across the floor", "across the floor"),
        ("runs. With gusto.", "with gusto"), ("runs, with gusto", "with gusto"),
    ],
)  # fmt: skip
def test_phrases_that_lead_nowhere_are_said(command: str, lost: str) -> None:
    (note,) = plan(screenplay(shot("a", command, 4))).notes
    assert note.code == "W201" and note.found == lost
    (said,) = understand(command).not_understood
    assert command[slice(*said.span)].lower() == lost


@pytest.mark.parametrize(
    "command",
    [
        "walks to the door", "points at the tower", "waves with both hands", "waves with her left hand",
        "drinks a glass of water", "looks at herself", "bows to the crowd", "runs on", "follow her around",
        "waits for two seconds", "walks up to the door", "walks away from the door", "walks in place",
    ],
)  # fmt: skip
def test_phrases_that_lead_somewhere_are_not_lost(command: str) -> None:
    assert understand(command, characters=["mira"], places=["door"]).not_understood == ()


def test_hands_and_places_behind_prepositions() -> None:
    assert [read(f"waves with {hands}")[0].side for hands in ("both hands", "her right hand")] == [
        "both", "right",
    ]  # fmt: skip
    assert (read("walks up to the door")[0].direction, read("walks up to the door")[0].target) == (
        "toward", "door",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("turns and waves", "a quarter turn to the character's own left"),
        ("turns 45 degrees", "which way to turn: to the character's own left"),
        ("sidesteps", "to which side to step"),
    ],
)
def test_an_assumed_direction_is_said(command: str, words: str) -> None:
    made = plan(screenplay(shot("a", command, 4)))
    (note,) = made.notes
    assert note.code == "W205" and words in note.message and note.hint


@pytest.mark.parametrize("command", ["turns left", "turns around", "faces the door", "spins", "steps right"])
def test_a_said_direction_is_not_assumed(command: str) -> None:
    assert not plan(screenplay(shot("a", command, 4))).notes


def test_a_move_in_the_command_meets_the_one_in_camera() -> None:
    said = planned(shot("a", "waves, the camera orbits 30 degrees to the right", camera=CameraSpec("orbit")))
    assert said[0].camera == "orbit"
    with pytest.raises(AnixError) as caught:
        planned(shot("a", "waves while the camera orbits", camera=CameraSpec("crane")))
    assert codes(caught.value) == ["E204"]


def test_all_problems_at_once() -> None:
    with pytest.raises(AnixError) as caught:
        planned(
            shot("a", "gloats"), shot("b", "the camera flies"), shot("c", "runs to the moon"),
            shot("d", "waves", 0.001), shot("e", "walks 50 metres"),
        )  # fmt: skip
    assert codes(caught.value) == ["E201", "E203", "E205", "E210", "E212"]


WORDS = """she runs and then the camera orbits left 3 metres , to door while waving slowly up box after before
twice her hand picks down stage 90 degrees . of Mira's with"""
SALAD = st.lists(st.sampled_from(WORDS.split()), max_size=12).map(" ".join)


@given(st.one_of(st.text(max_size=80), SALAD))
@example("before she runs after she waves")
@settings(max_examples=150, deadline=None)
def test_any_text_gives_beats_or_a_refusal(command: str) -> None:
    reading = understand(command, characters=["mira"], places=["door"])
    assert reading.beats or reading.problems or not command.strip()
    assert all(0 <= beat.span[0] <= beat.span[1] <= len(command) for beat in reading.beats)


@pytest.mark.parametrize(
    ("command", "found", "words"),
    [
        ("walks 1e9 metres", "1e9", "all its digits"), ("walks -5 metres", "-5", "backward"),
        ("walks +3 m", "+3", "no sign"), ("walks 1,5 m", "1,5", "1.5"), ("turns 9/2 turns", "9/2", "4.5"),
        ("walks 10-20 metres", "10-20", "range"), ("walks 1.000,5 m", "1.000,5", "like 3"),
        ("walks 1 000 m", "1 000", "space"), ("walks 3 1/2 m", "3 1/2", "space"),
        ("walks 0x10 m", "0x10", ""),
        ("walks " + "9" * 400 + " m", "9" * 400, "smaller"), ("walks 007 m", "007", ""),
        ("walks 1.2.3 m", "1.2.3", ""), ("walks 12,34 m", "12,34", "12.34"),
    ],
)  # fmt: skip
def test_numbers_that_can_be_misread_are_refused(command: str, found: str, words: str) -> None:
    (problem,) = read_commands(screenplay(shot("a", command)))
    assert (problem.code, problem.found) == ("E209", found)
    assert problem.hint is not None and words in problem.hint


@pytest.mark.parametrize(
    "name", ["a", "in", "the", "an_old_door", "door2", "gate-2", "2nd", "b-1-2", "to", "her"]
)
@pytest.mark.parametrize("rest", ["", ", waves", " and waves", " slowly"])
def test_any_name_of_an_anchor_is_a_place_to_go_to(name: str, rest: str) -> None:
    said = name.replace("_", " ")
    walk, *_ = understand(f"walks to {said}{rest}", places=[name, "door"]).beats
    assert (walk.target, walk.direction) == (name, "toward")


def test_an_article_before_another_name_is_one() -> None:
    for command, target in (("walks to a door", "door"), ("walks to a tower", "tower")):
        assert understand(command, places=["a", "door"]).beats[0].target == target


@pytest.mark.parametrize("name", ["then", "and", "not", "again", "here and there"])
def test_names_that_mean_something_else_are_refused_by_name(name: str) -> None:
    play = screenplay(shot("a", f"walks to {name}"), anchors={name: ANCHORS["door"]})
    (problem,) = read_commands(play)
    assert problem.code == "E205" and name in problem.message and "another name" in (problem.hint or "")


@pytest.mark.parametrize(
    ("command", "name", "near"),
    [
        ("Mria walks to the door", "mria", "mira"),
        ("Mira and Teo wait", "teo", None),
        ("Couriir waves", "couriir", "courier"),
    ],
)
def test_a_name_that_nobody_has_is_no_action(command: str, name: str, near: str | None) -> None:
    mira = replace(screenplay().characters["mira"], aliases=("courier",))
    (found,) = read_commands(replace(screenplay(shot("a", command, 9)), characters={"mira": mira}))
    assert (found.code, found.found, found.nearest) == ("E217", name, near)


def test_the_longest_name_of_a_place_wins() -> None:
    for places in (("red", "red door"), ("red door", "red"), ("door", "door two"), ("gate", "gate2")):
        for place in places:
            (beat,) = understand(f"walks to the {place}", places=places).beats
            assert beat.target == place, places


@pytest.mark.parametrize(
    ("name", "said"),
    [("Café", "the cafe\u0301"), ("Cafe\u0301", "the Café"), ("मीरा", "मीरा"), ("ตลาด", "ตลาด")],
)
def test_accents_and_vowel_signs_are_parts_of_words(name: str, said: str) -> None:
    reading = understand(f"she walks to {said}", places=[name, "Cafe"])
    assert [beat.target for beat in reading.beats] == [name]
    assert not reading.not_understood


@pytest.mark.parametrize(
    ("command", "lost"), [("waves 👋🏽", ["👋🏽"]), ("walks to the ★", ["★"]), ("waves (slowly)", [])]
)
def test_signs_are_said_to_mean_nothing(command: str, lost: list[str]) -> None:
    assert [one.text for one in understand(command).not_understood] == lost


def test_a_command_that_names_somebody_else_than_the_one_who_acts() -> None:
    play = screenplay(shot("a", "Bob waves", character="mira"), shot("b", "the runner bows", character="bob"))
    cast = {"mira": play.characters["mira"], "bob": replace(play.characters["mira"], aliases=("runner",))}
    (found,) = read_commands(replace(play, characters=cast))
    assert (found.code, found.hint) == ("W230", "Write character: bob, or say she or he.")


def test_a_shot_of_more_than_an_hour() -> None:
    long = replace(shot("a", "waves"), duration=Duration(Fraction(57601), "frames"))
    assert [one.code for one in read_commands(screenplay(long))] == ["E218"]
    assert not read_commands(screenplay(replace(long, duration=Duration(Fraction(57600), "frames"))))


def test_a_verb_outside_the_lexicon_that_is_taken_as_another_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = Meaning("eat", 0.81, ("eat",))
    monkeypatch.setattr("anix_cli.plan.commands.guess", lambda: lambda verb: answer)
    made = plan(screenplay(shot("a", "ingurgitates the cake", 4)))
    (note,) = made.notes
    assert (note.code, note.found) == ("W232", "ingurgitates") and "0.81 alike" in note.message
    (planned_shot,) = made.shots()
    assert [beat.action for beat in planned_shot.beats] == ["eat"]
    assert "ingurgitates the cake" in planned_shot.clips[0].prompt
