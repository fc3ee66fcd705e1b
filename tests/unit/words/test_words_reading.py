# ruff: noqa: E501
"""What readings say beside their beats: places in the text, what was left out, what could not be read."""

from __future__ import annotations

import pytest

from anix_cli.core.plan import Amount
from anix_cli.words import Reading, complaint, spoken, understand


def read(command: str, **more: object) -> Reading:
    return understand(command, **{"characters": ["mira"], "places": ["door"], **more})  # type: ignore[arg-type]


def told(command: str, **more: object) -> list[str]:
    reading = read(command, **more)
    assert not reading.problems, reading.problems
    return [beat.action for beat in reading.beats]


def trouble(command: str, **more: object) -> list[tuple[str, str]]:
    return [(problem.kind, problem.text) for problem in read(command, **more).problems]


@pytest.mark.parametrize(
    ("command", "parts"),
    [
        ("She turns left, then waves.", ["turns left", "waves"]),
        ("After bowing she picks up the lamp", ["bowing", "picks up the lamp"]),
        ("Before leaving, she waves", ["waves", "leaving"]),
        ("she walks past without looking back", ["walks past"]),
    ],
)
def test_spans_point_at_the_words_of_each_beat(command: str, parts: list[str]) -> None:
    assert [command[slice(*beat.span)] for beat in read(command).beats] == parts


@pytest.mark.parametrize(
    ("command", "cancelled"),
    [
        ("She doesn’t run but walks", ["doesn’t run"]), ("walk, don't run", ["don't run"]),
        ("she waves instead of bowing", ["instead of bowing"]), ("Follow her, no zoom", ["no zoom"]),
        ("He almost falls, then walks on", ["almost falls"]), ("run — no, walk", ["run"]),
        ("she neither waves nor bows, she nods", ["neither waves", "nor bows"]),
        ("she refuses to sit and walks away", ["refuses to sit"]),
        ("walk to the door but stop before reaching it", ["reaching it"]),
    ],
)  # fmt: skip
def test_what_is_cancelled_is_said_and_not_told_to_a_backend(command: str, cancelled: list[str]) -> None:
    reading = read(command)
    assert [part.text for part in reading.cancelled if part.text] == cancelled
    assert reading.beats and not any(part.split()[-1] in spoken(command, reading) for part in cancelled)


@pytest.mark.parametrize(
    ("command", "objects"),
    [
        ("she takes the cup and drinks it", ["cup", "cup"]),
        ("the kettle whistles and she lifts it", ["kettle"]),
        ("walk to the door, then open it", [None, "door"]),
        ("nearly drops the vase but catches it", ["vase"]),
        ("picks up the pan and the lamp", ["pan and lamp"]),
        ("hands the guard the key", ["key"]),
        ("pick up the red book, no, the blue one", ["blue book"]),
    ],
)
def test_objects_and_what_pronouns_stand_for(command: str, objects: list[str | None]) -> None:
    assert [beat.object for beat in read(command).beats] == objects


def test_a_pronoun_with_two_things_to_stand_for_is_refused_by_name() -> None:
    (problem,) = read("she takes the key, opens the box and throws it").problems
    assert (problem.kind, problem.text, problem.nearest) == ("unresolved_reference", "it", ("key", "box"))
    assert complaint(problem).suggestions == ["It may be key or box: say which."]


@pytest.mark.parametrize(
    "command",
    ["pick it up", "do the same", "she repeats that", "do that again, only faster", "Again.", "and once more",
     "again, only slower"],
)  # fmt: skip
def test_references_to_nothing_are_refused(command: str) -> None:
    assert {kind for kind, _ in trouble(command)} == {"unresolved_reference"}


def test_again_repeats_what_the_same_command_says() -> None:
    assert told("jump, then do it again") == ["jump", "jump"]
    assert told("she waves, nods, and waves again") == ["wave", "nod", "wave"]
    assert told("she waves, then again") == ["wave", "wave"]
    assert told("she waves. And once more.") == ["wave", "wave"]


@pytest.mark.parametrize(
    ("command", "steps"),
    [
        ("take three steps forward, two back, and turn", [("forward", 3), ("backward", 2), (None, None)]),
        ("two steps forward, one back, two to the left", [("forward", 2), ("backward", 1), ("left", 2)]),
        ("turn 90 degrees left and 45 right", [("left", 90), ("right", 45)]),
        ("take two steps left and one step right", [("left", 2), ("right", 1)]),
        ("walk ten metres forward, and 5 back", [("forward", 10), ("backward", 5)]),
    ],
)  # fmt: skip
def test_a_verb_and_a_unit_said_once_serve_several_amounts(
    command: str, steps: list[tuple[str, int]]
) -> None:
    found = [(beat.direction, beat.amount.value if beat.amount else None) for beat in read(command).beats]
    assert found == steps


@pytest.mark.parametrize(
    ("command", "way"),
    [
        ("walks along the wall to the gate", ("walk", "toward", "gate")),
        ("walks up the stairs to the door", ("walk", "up", "stairs")),
        ("trudges up the hill through the snow", ("walk", "up", "hill")),
        ("climbs over the wall into the garden", ("climb", "over", "wall")),
        ("he follows her with his eyes", ("look", None, None)), ("nods off", ("sleep", None, None)),
    ],
)  # fmt: skip
def test_where_a_way_of_two_phrases_leads(command: str, way: tuple[str, str | None, str | None]) -> None:
    (beat,) = read(command).beats
    assert (beat.action, beat.direction, beat.target) == way


@pytest.mark.parametrize(
    ("command", "way"),
    [
        ("points at the tower and walks to it", ("walk", "toward", "tower")),
        ("looks at the bench and walks around it", ("walk", "around", "bench")),
        ("don't run to the door, walk to it", ("walk", "toward", "door")),
        ("picks up the box and walks away from it", ("walk", "away", None)),
    ],
)  # fmt: skip
def test_it_may_be_a_place_that_was_named(command: str, way: tuple[str, str, str | None]) -> None:
    reading = read(command)
    beat = reading.beats[-1]
    assert (beat.action, beat.direction, beat.target) == way
    assert [lost.text for lost in reading.not_understood] == ([] if beat.target else ["it"])


@pytest.mark.parametrize(
    ("command", "pace"),
    [("walk five metres at 2 m/s", "at 2 m s"), ("he drives at 30 mph", "at 30 mph"),
     ("he walks to the door at three miles an hour", "at three miles an hour")],
)  # fmt: skip
def test_a_pace_in_numbers_is_told_and_no_place(command: str, pace: str) -> None:
    reading = read(command)
    assert [lost.text for lost in reading.not_understood] == [pace]
    assert reading.beats[0].target in {None, "door"}


@pytest.mark.parametrize(
    ("command", "text", "meant"),
    [
        ("she wlaks", "wlaks", "walks"), ("run fowards", "fowards", "forwards"), ("clpa", "clpa", "clap"),
        ("the camra pans left", "camra", "camera"), ("cam orbt 90deg cw", "orbt", "orbit"),
    ],
)  # fmt: skip
def test_near_and_unique_slips_are_read_and_said(command: str, text: str, meant: str) -> None:
    reading = read(command)
    assert [(one.text, one.meant) for one in reading.corrected] == [(text, meant)]
    assert reading.beats and meant in spoken(command, reading)


@pytest.mark.parametrize(
    ("command", "near"),
    [
        ("wak", ("wag", "wake", "walk")), ("bx", ()), ("asdfqwer", ()), ("she bakes", ("bake",)), ("she gloats", ()),
        ("fly unicornly", ("fly",)),
    ],
)  # fmt: skip
def test_ties_short_words_and_right_words_are_not_corrected(command: str, near: tuple[str, ...]) -> None:
    reading = read(command)
    if near == ("bake",):
        assert [beat.action for beat in reading.beats] == [
            "cook"
        ]  # a word of its own, not "takes" or "makes"
        return
    (problem,) = reading.problems
    assert (problem.kind, problem.nearest) == ("unknown_verb", near)


@pytest.mark.parametrize(
    ("command", "language"),
    [
        ("Corre hacia la puerta", "Spanish"), ("Marche vers la porte", "French"), ("lauf forward", "German"),
        ("Salta in avanti", "Italian"), ("走って。", "Chinese or Japanese"), ("Беги вперёд.", "Russian"),
        ("Mira corre", "Spanish"), ("Danse lentement", "French"),
    ],
)  # fmt: skip
def test_other_languages_are_refused_by_name(command: str, language: str) -> None:
    (problem,) = read(command).problems
    assert problem.kind == "language" and problem.nearest[0].startswith(language)
    assert "only English" in complaint(problem).message


def test_names_may_be_in_any_language() -> None:
    assert told("走 walks to the Straße", characters=["走"], places=["Straße"]) == ["walk"]
    assert told("she reads in the café") == ["read"]


@pytest.mark.parametrize(
    ("command", "kind", "text"),
    [
        ("she waves and bob bows", "unknown_name", "bob"), ("Teo waves", "unknown_name", "teo"),
        ("Mria walks", "unknown_name", "mria"), ("mira pans left", "unknown_verb", "pans"),
        ("the camera nods", "unknown_verb", "nods"), ("she waves or bows", "choice", "or"),
        ("walks 1e9 metres", "number", "1e9"), ("quickly", "no_words", "quickly"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_and_never_taken_for_something_else(
    command: str, kind: str, text: str
) -> None:
    assert (kind, text) in trouble(command)


def test_names_with_dots_and_of_several_words() -> None:
    cast = ["Dr. Who", "old Tom", "will"]
    for command, actor in (("Dr. Who waves. He bows.", "Dr. Who"), ("Old Tom runs to the door", "old Tom")):
        reading = read(command, characters=cast)
        assert not reading.problems and reading.actors[0] == actor and not reading.not_understood
    assert told("she will wave", characters=cast) == ["wave"]
    assert read("Will waves", characters=cast).actors == ("will",)


def test_any_name_will_do_where_the_cast_is_not_known() -> None:
    assert told("Bob bows", characters=None) == ["bow"]
    assert told("she waves and bob bows", characters=None) == ["wave", "bow"]


@pytest.mark.parametrize(
    ("command", "actions"),
    [
        ('She says "run!"', ["talk"]), ("he shouts ‘jump’ and bows", ["shout", "bow"]),
        ("she tells him to sit down", ["talk"]), ("she watches the dog run", ["look"]),
        ('"Run forward"', ["run"]), ("the man who waves sits", ["sit"]),
        ("she bends down to pick up the coin", ["bend", "pick_up"]), ("she reads a sign that says stop", ["read"]),
        ("her shoes are untied, so she ties them", ["tie"]),
    ],
)  # fmt: skip
def test_what_others_do_or_say_is_not_done(command: str, actions: list[str]) -> None:
    assert told(command, characters=None) == actions


@pytest.mark.parametrize(
    ("command", "direction", "side"),
    [
        ("exits camera left", "camera_left", None), ("walks to the audience's left", "screen_left", None),
        ("enters from stage right", "stage_right", None), ("raises her left hand", None, "left"),
        ("waves with her right hand to the left", "left", "right"), ("walks right up to the door", "toward", None),
        ("looks over her left shoulder", "back", None), ("turns her back to the wall", "away", None),
        ("takes the cup from the left shelf", None, None), ("she left the room", None, None),
    ],
)  # fmt: skip
def test_whose_left(command: str, direction: str | None, side: str | None) -> None:
    (beat,) = read(command).beats
    if "room" not in command:
        assert beat.direction == direction
    assert beat.side == side


@pytest.mark.parametrize(
    ("command", "amounts"),
    [
        ("looks left and right", [None, None]), ("jump three times, then twice more", [3.0, 2.0]),
        ("turns a hundred and eighty degrees", [180.0]), ("walks twenty-five metres", [25.0]),
        ("spins one and a half turns", [1.5]), ("waits half a minute", [30.0]), ("walks a few steps", [None]),
        ("stands on two feet", [None]), ("a 180-degree turn", [180.0]),
    ],
)  # fmt: skip
def test_amounts(command: str, amounts: list[float | None]) -> None:
    assert [beat.amount and beat.amount.value for beat in read(command).beats] == amounts


@pytest.mark.parametrize(
    ("command", "amount"),
    [
        ("walks once around the door", Amount(1, "turns")), ("turns once around herself", Amount(1, "turns")),
        ("spins twice", Amount(2, "turns")), ("turns left twice", Amount(2, "times")), ("once seated, she waves", None),
    ],
)  # fmt: skip
def test_once_is_a_round_behind_what_goes_round(command: str, amount: Amount | None) -> None:
    assert read(command).beats[0].amount == amount


def test_time_that_passes_is_a_wait() -> None:
    for command in ("she bows, then, after two seconds, nods", "she bows. After two seconds she nods"):
        bow, wait, nod = read(command).beats
        assert (bow.action, wait.action, nod.action) == ("bow", "wait", "nod")
        assert wait.amount == Amount(2, "s")


def test_words_that_mean_nothing_are_said() -> None:
    for command, lost in (
        ("walks, unicornly", "unicornly"),
        ("the door opens and she walks in", "door opens"),
    ):
        assert [part.text for part in read(command).not_understood] == [lost]
