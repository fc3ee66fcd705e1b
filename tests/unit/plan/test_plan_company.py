"""Several characters in one shot: they act, go to each other, follow, and keep clear of each other."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from plan_films import codes, plan, screenplay, shot

from anix_cli.core.errors import AnixError
from anix_cli.core.plan import Plan, Subject
from anix_cli.core.screenplay import AnchorSpec, CharacterSpec, ShotSpec
from anix_cli.plan.commands import read_commands
from anix_cli.plan.company import TOUCH_M

CAST = {
    "mira": CharacterSpec({}, 1.72), "ben": CharacterSpec({}, 1.8, aliases=("guard",)),
    "tom": CharacterSpec({}, 1.6),
}  # fmt: skip
PLACES = {
    "here": AnchorSpec((0.0, 0.0), face=0.0), "door": AnchorSpec((0.0, 6.0)),
    "side": AnchorSpec((3.0, 3.0), face=-90.0),
    "far": AnchorSpec((-20.0, 12.0)),
    "tree": AnchorSpec((-4.0, 6.0)), "end": AnchorSpec((0.0, 9.0), face=180.0),
}  # fmt: skip
BEN = shot("b", "Ben nods", 1, character="ben", anchor="side")


def film(*shots: ShotSpec, **more: Any) -> Plan:
    return plan(replace(screenplay(*shots), characters=CAST, anchors=PLACES), **more)


def who(made: Plan, number: int = -1) -> dict[str, Subject]:
    return {one.character: one for one in list(made.shots())[number].subjects}


def xz(subject: Subject) -> Any:
    return subject.root[:, [0, 2]]


def faces(one: Any, yaw: float, other: Any) -> float:
    """How many degrees one looks past another."""
    off = yaw - math.atan2(other[0] - one[0], other[1] - one[1])
    return abs(math.degrees((off + math.pi) % math.tau - math.pi))


def apart(made: Plan) -> float:
    one, *rest = who(made).values()
    return min(float(np.linalg.norm(xz(one) - xz(other), axis=1).min()) for other in rest)


def test_two_act_at_once() -> None:
    made = film(BEN, shot("a", "Mira walks to the door while Ben waves", 6))
    assert not [note for note in made.notes if note.code == "W230"]
    cast = who(made)
    assert list(cast) == ["mira", "ben"]
    assert np.allclose(xz(cast["mira"])[-1], (0, 6), atol=0.02)
    assert [gesture.action for gesture in cast["ben"].gestures] == ["wave"]
    assert not cast["mira"].gestures
    assert np.ptp(xz(cast["ben"])) == pytest.approx(np.ptp(np.array([3.0, 3.0])), abs=1e-9)
    assert [beat.action for beat in next(iter([*made.shots()][-1:])).beats] == ["walk", "wave"]


def test_one_after_the_other() -> None:
    cast = who(film(BEN, shot("a", "Mira walks 2 metres, then Ben walks to the door", 9)))
    moving = {name: np.flatnonzero(one.speed_mps > 0.05) for name, one in cast.items()}
    assert moving["mira"].max() < moving["ben"].min()
    assert np.allclose(xz(cast["ben"])[-1], (0, 6), atol=0.02)


@pytest.mark.parametrize("command", ["Mira and Ben walk to the door", "Mira, Ben and Tom walk to the door"])
def test_they_walk_side_by_side(command: str) -> None:
    made = film(shot("a", command, 7, anchor="here"))
    cast = who(made)
    assert len(cast) == command.count(",") + 2
    assert apart(made) > 0.6
    ends = [xz(one)[-1] for one in cast.values()]
    assert np.allclose(ends[0], (0, 6), atol=0.02)
    assert all(0.5 < np.linalg.norm(end - ends[0]) < 2.1 for end in ends[1:])
    assert all(abs(end[1] - 6) < 0.3 for end in ends)


def test_they_are_those_who_were_named() -> None:
    made = film(shot("a", "Mira and Ben wave, then they walk to the door", 9, anchor="here"))
    cast = who(made)
    assert set(cast) == {"mira", "ben"}
    assert all(xz(one)[-1, 1] == pytest.approx(6, abs=0.3) for one in cast.values())
    assert all([gesture.action for gesture in one.gestures] == ["wave"] for one in cast.values())


@pytest.mark.parametrize("verb", ["approaches Ben", "walks to the guard", "walks up to Ben"])
def test_goes_up_to_another_and_faces_them(verb: str) -> None:
    cast = who(film(BEN, shot("a", f"Mira {verb}", 6)))
    end, other = xz(cast["mira"])[-1], xz(cast["ben"])[-1]
    assert np.linalg.norm(end - other) == pytest.approx(1.2, abs=0.05)
    assert faces(end, float(cast["mira"].yaw_rad[-1]), other) < 2
    assert cast["mira"].speed_mps[-1] < 1e-6


def test_who_is_there_only_turns() -> None:
    shots = (
        BEN,
        shot("a", "Mira walks to Ben", 6),
        shot("c", "Mira turns around", 2),
        shot("d", "Mira walks to Ben", 2),
    )
    cast = who(film(*shots))
    assert np.ptp(xz(cast["mira"])[:, 0]) < 1e-6
    assert faces(xz(cast["mira"])[-1], float(cast["mira"].yaw_rad[-1]), (3, 3)) < 2


@pytest.mark.parametrize("command", ["Mira turns to Ben", "Mira faces Ben", "Mira looks at Ben"])
def test_faces_another(command: str) -> None:
    cast = who(film(BEN, shot("a", command, 2)))
    assert faces((0, 0), float(cast["mira"].yaw_rad[-1]), (3, 3)) < 1


def test_goes_round_who_stands_in_the_way() -> None:
    in_way = shot("b", "Ben nods", 1, character="ben", anchor="here")
    made = film(
        in_way,
        shot("a", "Mira walks to the door", 8, anchor="end", cut=True),
        shot("c", "Ben waves", 1, character="ben"),
        shot("d", "Mira walks to the here", 9),
    )
    assert "W226" not in [note.code for note in made.notes]
    assert apart(made) > TOUCH_M


def test_follows_who_moves() -> None:
    made = film(BEN, shot("a", "Ben walks to the tree while Mira follows Ben", 9))
    cast = who(made)
    mira, ben = xz(cast["mira"]), xz(cast["ben"])
    assert np.linalg.norm(mira[-1] - ben[-1]) == pytest.approx(1.5, abs=0.15)
    assert apart(made) > 0.8
    assert faces(mira[-1], float(cast["mira"].yaw_rad[-1]), ben[-1]) < 5
    steps = np.linalg.norm(np.diff(mira, axis=0), axis=1) * 16
    assert steps[0] < 0.2
    assert steps.max() < 2.4
    late = [np.linalg.norm(ben - point, axis=1).min() for point in mira[-40:]]
    assert max(late) < 0.2


def test_follows_a_run_without_running_into_it() -> None:
    made = film(BEN, shot("a", "Ben runs to the far while Mira follows Ben", 10))
    cast = who(made)
    mira, ben = xz(cast["mira"]), xz(cast["ben"])
    assert apart(made) > 0.95
    assert np.linalg.norm(mira[-1] - ben[-1]) == pytest.approx(1.5, abs=0.15)
    speed = np.linalg.norm(np.diff(mira, axis=0), axis=1) * 16
    assert speed.max() < 1.2 * np.linalg.norm(np.diff(ben, axis=0), axis=1).max() * 16
    assert np.abs(np.diff(speed)).max() * 16 < 10
    assert made.notes == ()


def test_walks_to_where_another_goes() -> None:
    cast = who(film(BEN, shot("a", "Ben walks to the tree, then Mira walks to Ben", 16)))
    assert np.linalg.norm(xz(cast["mira"])[-1] - (-4, 6)) == pytest.approx(1.2, abs=0.06)


def test_who_would_run_into_another_waits() -> None:
    """Their ways cross at (0, 3) at the same time."""
    cross = replace(PLACES["side"])
    made = plan(
        replace(
            screenplay(
                replace(BEN), shot("a", "Mira walks to the door while Ben walks to the left", 10, anchor=None)
            ),
            characters=CAST, anchors={**PLACES, "left": AnchorSpec((-3.0, 3.0)), "side": cross},
        )
    )  # fmt: skip
    assert "W226" not in [note.code for note in made.notes]
    assert apart(made) > TOUCH_M
    ends = {name: xz(one)[-1] for name, one in who(made).items()}
    assert np.allclose(ends["mira"], (0, 6), atol=0.05)
    assert np.allclose(ends["ben"], (-3, 3), atol=0.05)


def test_two_who_come_towards_each_other_pass() -> None:
    made = film(
        shot("b", "Ben nods", 1, character="ben", anchor="end"),
        shot("a", "Mira walks to the end while Ben walks to the here", 12),
    )
    assert "W226" not in [note.code for note in made.notes]
    assert apart(made) > TOUCH_M
    ends = {name: xz(one)[-1] for name, one in who(made).items()}
    assert np.allclose(ends["mira"], (0, 9), atol=0.05)
    assert np.allclose(ends["ben"], (0, 0), atol=0.05)


def test_who_cannot_be_avoided_is_told_of() -> None:
    made = film(
        shot("b", "Ben nods", 1, character="ben", anchor="end"),
        shot("a", "Mira walks forward 8 seconds while Ben walks forward 8 seconds", 8),
    )
    assert [note.code for note in made.notes] == ["W226"]
    assert "ben" in made.notes[0].message and "mira" in made.notes[0].message


def test_nobody_is_gone_to_who_is_nowhere() -> None:
    with pytest.raises(AnixError) as caught:
        film(shot("a", "Mira walks to Ben", 5))
    assert codes(caught.value) == ["E223"]


def test_who_is_not_in_the_take_yet_is_brought_in() -> None:
    made = film(BEN, shot("a", "Mira walks to Ben", 6, cut=True, anchor="here"))
    assert set(who(made)) == {"mira", "ben"}


def test_validate_knows_people_as_places() -> None:
    play = replace(screenplay(shot("a", "Mira walks to the guard")), characters=CAST)
    assert not read_commands(play)
    play = replace(screenplay(shot("a", "Mira walks to the queen")), characters=CAST)
    assert [found.code for found in read_commands(play)] == ["E205"]


@pytest.mark.parametrize(
    ("command", "apart_m", "ahead_m"),
    [
        ("Ben walks forward while Mira walks beside him", 0.8, 0.0),
        ("Ben walks forward while Mira walks next to Ben", 0.8, 0.0),
        ("Ben walks forward while Mira stays two metres behind Ben", 2.0, -2.0),
        ("Ben walks forward while Mira follows him at a distance of three metres", 3.0, -3.0),
        ("Ben walks forward while Mira walks two metres in front of Ben", 2.0, 2.0),
    ],
)
def test_who_keeps_to_a_place_beside_somebody_is_there_in_the_end(
    command: str, apart_m: float, ahead_m: float
) -> None:
    made = film(BEN, shot("a", command, 10))
    cast = who(made)
    ben, mira = cast["ben"], cast["mira"]
    between = xz(mira)[-16:] - xz(ben)[-16:]
    assert np.linalg.norm(between, axis=1) == pytest.approx(apart_m, rel=0.05)
    goes = np.array([math.sin(ben.yaw_rad[-1]), math.cos(ben.yaw_rad[-1])])
    assert between[-1] @ goes == pytest.approx(ahead_m, abs=0.1)
    assert math.degrees(abs(mira.yaw_rad[-1] - ben.yaw_rad[-1]) % math.tau) == pytest.approx(0, abs=5)
    assert apart(made) > 0.5
    assert float(np.abs(np.diff(xz(mira), axis=0)).max()) < 0.4


def test_who_walks_beside_somebody_turns_as_they_turn() -> None:
    made = film(BEN, shot("a", "Ben walks to the tree while Mira walks beside him", 10))
    ben, mira = who(made)["ben"], who(made)["mira"]
    moving = np.flatnonzero(ben.speed_mps > 1.0)[40:]
    between = xz(mira)[moving] - xz(ben)[moving]
    assert np.linalg.norm(between, axis=1) == pytest.approx(0.8, abs=0.1)


def test_a_pronoun_is_the_other_one_who_was_named() -> None:
    from anix_cli.words import understand

    (_, follow) = understand("Ben walks on while Mira follows him", characters=["ben", "mira"]).beats
    assert (follow.action, follow.target) == ("follow", "ben")
    (alone,) = understand("Mira follows him", characters=["ben", "mira"]).beats
    assert alone.target is None
