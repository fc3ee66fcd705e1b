# ruff: noqa: E501
"""``anix explain``"""

from __future__ import annotations

import json

import pytest


def explained(anix, *arguments: str) -> tuple[int, dict]:
    code, out, _ = anix("explain", "--json", *arguments)
    return code, json.loads(out)


def test_beats_as_data(anix):
    command = "After picking up the lantern she runs 3 metres to the right while the camera pans."
    assert explained(anix, command) == (0, {
        "beats": [
            {"category": "object", "action": "pick_up", "object": "lantern", "span": [6, 28]},
            {"category": "locomotion", "action": "run", "amount": {"value": 3.0, "unit": "m"},
             "direction": "right", "span": [33, 59]},
            {"category": "camera", "move": "pan", "sync": "with_previous", "span": [77, 81]},
        ],
        "not_understood": [],
    })  # fmt: skip


def test_what_is_left_out_corrected_or_not_understood(anix):
    code, told = explained(anix, "she wlaks, doesn’t wave, and bows blithely 👋")
    assert code == 0 and [beat["action"] for beat in told["beats"]] == ["walk", "bow"]
    assert told["cancelled"] == [{"text": "doesn’t wave", "span": [11, 23]}]
    assert told["corrected"] == [{"text": "wlaks", "meant": "walks", "span": [4, 9]}]
    assert [part["text"] for part in told["not_understood"]] == ["blithely", "👋"]


@pytest.mark.parametrize(
    ("command", "code", "suggest"),
    [
        ("Do that again, only faster.", "E208", "Say the action or the thing itself."),
        ("wak", "E201", "Did you mean “wag” or “wake” or “walk”?"),
        ("向左转，然后挥手。", "E219", "Write the command in English; names of characters and places may be in any language."),
        ("don't run", "E202", 'Say what is done instead, or "" for a hold.'),
    ],
)  # fmt: skip
def test_refusals_end_with_3(anix, command, code, suggest):
    ended, told = explained(anix, command)
    assert ended == 3 and told["error"] == code and told["suggest"] == [suggest] and told["message"]
    assert "beats" not in told
    ended, _, err = anix("explain", command)
    assert ended == 3 and code in err


def test_for_people(anix):
    code, out, _ = anix("explain", "She turns left 90 degrees, no wait, bows to the crowd")
    assert code == 0 and out.splitlines() == [
        "1. gesture: bow at the crowd    “bows to the crowd”",
        "not done: She turns left 90 degrees",
    ]
    assert anix("explain", "")[:2] == (0, "a hold: nothing is done\n")
    assert anix("explain", "-", stdin=b"she waves\n")[1] == "1. gesture: wave    “waves”\n"


def test_names_of_a_film(anix, project):
    film = str(project / "film.yaml")
    assert explained(anix, "Mo waves", "--film", film)[0] == 0
    assert explained(anix, "Zed waves", "--film", film)[1]["error"] == "E217"
