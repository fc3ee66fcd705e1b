"""Actions for which the draft has no gesture are told, at their words."""

from __future__ import annotations

import pytest

from anix_cli.run.prepare import prepare
from anix_cli.screenplay import load
from anix_cli.store.store import Store


def _notes(project, command: str):
    text = (project / "film.yaml").read_text("utf-8").replace("he stops and waves", command)
    (project / "film.yaml").write_text(text, "utf-8")
    plan = prepare(load(project / "film.yaml"), backend="animatic", store=Store(project / ".anix")).plan
    return [note for note in plan.notes if note.code == "W233"]


@pytest.mark.parametrize(
    ("command", "word", "shown"),
    [
        ("he stops and juggles", "juggle", "hands are at work"),
        ("he lies down", "lie down", "the body stands"),
    ],
)
def test_what_has_no_gesture_is_told(project, command, word, shown):
    (note,) = _notes(project, command)
    assert word in note.message and shown in note.message
    assert note.span.line == 17 and note.span.length > 0


@pytest.mark.parametrize(
    "command", ["he stops and waves", "he scolds", "he smiles", "he waits", "he turns left"]
)
def test_what_shows_or_cannot_be_seen_is_not(project, command):
    assert _notes(project, command) == []


def test_a_generated_film_has_the_words(project):
    text = (project / "film.yaml").read_text("utf-8").replace("he stops and waves", "he juggles")
    (project / "film.yaml").write_text(text.replace("fps: 8", "fps: 16"), "utf-8")
    plan = prepare(load(project / "film.yaml"), backend="wan-vace", store=Store(project / ".anix")).plan
    assert "W233" not in {note.code for note in plan.notes}
