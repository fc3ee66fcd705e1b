"""What is told of the camera in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from plan_films import plan, screenplay, shot

from anix_cli.core.plan import Beat
from anix_cli.core.screenplay import CameraSpec
from anix_cli.plan.camerawords import camera_words
from anix_cli.plan.spoken import WAYS


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (CameraSpec("follow"), "the camera follows"),
        (CameraSpec("follow", side="behind", frame="wide"), "a wide shot, the camera follows from behind"),
        (CameraSpec("stationary", frame="close"), "a close-up, the camera stands still"),
        (CameraSpec("orbit", direction="left"), "the camera circles around to the left"),
        (CameraSpec("orbit", direction="clockwise"), "the camera circles around clockwise"),
        (
            CameraSpec("pan", direction="right", handheld=1.0),
            "the camera pans to the right, held in the hand",
        ),
        (CameraSpec("tilt", direction="down"), "the camera tilts down"),
        (CameraSpec("crane", up_m=3), "the camera rises"),
        (CameraSpec("pedestal", up_m=-1), "the camera sinks"),
        (CameraSpec("dolly", metres=-2), "the camera moves away"),
        (CameraSpec("dolly", direction="in"), "the camera moves closer"),
        (CameraSpec("zoom", times=0.5), "the lens zooms out"),
        (CameraSpec("keys"), "the camera moves"),
    ],
)
def test_moves(spec, told):
    assert camera_words([spec], []) == told


@pytest.mark.parametrize(
    ("move", "way"), [(move, way) for move in WAYS for way in (None, *sorted(WAYS[move]))]
)
def test_every_move_has_words_of_its_own(move, way):
    told = camera_words([CameraSpec(move, direction=way)], [])
    assert told != "the camera moves" and "_" not in told


def test_moves_after_each_other():
    orbit, rise = CameraSpec("orbit"), CameraSpec("crane", up_m=1)
    assert camera_words([orbit, orbit, rise], []) == "the camera circles around, then the camera rises"


def test_a_command_that_speaks_of_the_camera_says_it_itself():
    assert camera_words([CameraSpec("orbit")], [Beat("camera", "orbit")]) == ""
    (planned,) = plan(screenplay(shot("a", "Mira waves while the camera orbits", 4))).shots()
    assert planned.clips[0].prompt.count("camera") == 1


def test_action_camera_who_where_and_how_in_this_order():
    made = screenplay(replace(shot("a", "Mira waves", 4), prompt="at dusk", look="real"))
    made = replace(made, scene=replace(made.scene, description="a paved plaza"))
    (planned,) = plan(made).shots()
    assert planned.clips[0].prompt == (
        "Mira waves; the camera stands still; a courier in a red jacket; a paved plaza; at dusk; real"
    )
