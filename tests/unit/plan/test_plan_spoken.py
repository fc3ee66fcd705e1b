"""What a command says about the camera becomes its move."""

from __future__ import annotations

from typing import Any

import pytest
from plan_films import codes, plan, screenplay, shot

from anix_cli.core.errors import AnixError
from anix_cli.core.screenplay import CameraSpec
from anix_cli.plan.commands import read_command

SAID: dict[str, dict[str, Any]] = {
    "pan left": {"move": "pan", "direction": "left"},
    "pan up": {"move": "tilt", "direction": "up"},
    "the camera pans to the fountain": {"move": "pan", "look_at": "fountain"},
    "the camera pans 30 degrees to the right": {"move": "pan", "direction": "right", "degrees": 30},
    "tilt down 10 degrees": {"move": "tilt", "direction": "down", "degrees": 10},
    "roll the camera 15 degrees clockwise": {"move": "roll", "direction": "clockwise", "degrees": 15},
    "whip pan to the door": {"move": "whip", "look_at": "door"},
    "zoom in on her face": {"move": "zoom", "direction": "in"},
    "zoom in 3 times": {"move": "zoom", "direction": "in", "times": 3},
    "zoom out": {"move": "zoom", "direction": "out"},
    "push in slowly": {"move": "dolly", "direction": "in"},
    "pull back 3 metres": {"move": "dolly", "direction": "out", "metres": 3},
    "truck right 2 metres": {"move": "truck", "direction": "right", "metres": 2},
    "dolly zoom": {"move": "dolly_zoom"},
    "crane down 2 m": {"move": "crane", "direction": "down", "up_m": 2},
    "boom up": {"move": "pedestal", "direction": "up"},
    "the camera orbits the fountain": {"move": "orbit", "look_at": "fountain"},
    "orbit around her twice": {"move": "orbit", "degrees": 720},
    "she waves while the camera orbits left 90 degrees": {
        "move": "orbit",
        "direction": "left",
        "degrees": 90,
    },
    "rack focus to the fountain": {"move": "rack_focus", "focus": "fountain"},
    "the camera holds on the fountain": {"move": "stationary", "look_at": "fountain"},
    "the camera shakes": {"move": "handheld", "handheld": 1.0},
    "the camera follows her over the shoulder": {"move": "follow", "side": "over_the_shoulder"},
}


def cameras(command: str, camera: CameraSpec | None = None) -> tuple[CameraSpec, ...]:
    return read_command(screenplay(shot("a", command, camera=camera)), 0)[1]


@pytest.mark.parametrize("command", SAID)
def test_words_become_a_move(command: str) -> None:
    assert cameras(command) == (CameraSpec(**SAID[command]),)


def test_what_is_written_wins_over_what_is_said() -> None:
    written = CameraSpec("auto", degrees=20, ease="linear")
    assert cameras("pan left 60 degrees", written) == (
        CameraSpec("pan", degrees=20, direction="left", ease="linear"),
    )


@pytest.mark.parametrize("command", SAID)
def test_what_is_said_is_filmed(command: str) -> None:
    made = next(plan(screenplay(shot("a", command, 4))).shots())
    wanted = SAID[command]["move"]
    assert made.camera == ("stationary" if wanted == "handheld" else wanted)


@pytest.mark.parametrize(
    "command", ["the camera flies over her", "the camera zooms left", "the camera rolls up"]
)
def test_a_way_that_no_camera_goes_is_told(command: str) -> None:
    with pytest.raises(AnixError) as caught:
        plan(screenplay(shot("a", command)))
    assert codes(caught.value) == ["E203"]
