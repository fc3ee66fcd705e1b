"""Moves of the camera that a command says one after the other, and commands that repeat the shot before."""

from __future__ import annotations

from plan_films import planned, screenplay, shot

from anix_cli.core.plan import Amount
from anix_cli.plan.commands import read_command, reading_of
from anix_cli.plan.said import said_of


def test_moves_of_a_command_follow_each_other() -> None:
    def moves(command: str) -> list[tuple[str, str | None, str, float | None]]:
        cameras = read_command(screenplay(shot("a", command, 6)), 0)[1]
        return [(one.move, one.direction, str(one.length or ""), one.handheld) for one in cameras]

    assert moves("Dolly in, then tilt down to her shoes") == [
        ("dolly", "in", "", None), ("tilt", "down", "", None)
    ]  # fmt: skip
    assert moves("pan left, then pan right for two seconds") == [
        ("pan", "left", "", None), ("pan", "right", "2 s", None)
    ]  # fmt: skip
    assert moves("she walks while the handheld camera follows her") == [("follow", None, "", 1.0)]
    assert moves("a handheld shot") == [("handheld", None, "", 1.0)]
    assert moves("she waves, the camera orbits, she bows and the camera orbits") == [
        ("orbit", None, "", None)
    ]
    made = planned(shot("a", "she waves. The camera cranes up and then pans left.", 6))
    assert made[0].camera == "crane, pan"


def test_do_that_again_repeats_the_shot_before() -> None:
    def told(*commands: str) -> tuple[list[tuple[str, str | None]], list[str]]:
        film = screenplay(*(shot(f"s{index}", command) for index, command in enumerate(commands)))
        beats, _, problems = read_command(film, len(commands) - 1)
        return [(beat.action, beat.speed) for beat in beats], [found.code for found in problems]

    assert told("Do that again, only faster.")[1] == ["E208"]
    assert told("she walks to the door and waves", "Do that again, only faster.") == (
        [("walk", "fast"), ("wave", "fast")], []
    )  # fmt: skip
    assert told("she jumps", "do that again", "do that again slowly") == ([("jump", "slow")], [])
    assert told("the camera pans left", "do that again")[1] == ["E208"]
    assert told("she bows", "she jumps, then does it again") == ([("jump", None), ("jump", None)], [])
    again = read_command(screenplay(shot("a", "she bows twice"), shot("b", "do that again")), 1)[0]
    assert again[0].amount == Amount(2, "times")


def test_a_backend_is_told_what_is_done_again() -> None:
    film = screenplay(shot("a", "she walks to the door"), shot("b", "Do that again, only faster."))
    assert said_of(film.shots[1], reading_of(film, 1)) == "walk to the door fast"
