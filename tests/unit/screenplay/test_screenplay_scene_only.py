"""The scene of a screenplay, read before the rest of it is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from anix_cli.core.errors import AnixError
from anix_cli.core.screenplay import ScaleReference
from anix_cli.screenplay.scene_only import load_scene


def test_a_whole_screenplay_is_read_whole(project: Path) -> None:
    film = load_scene(project / "film.yaml")
    assert [shot.id for shot in film.shots] == ["run", "wave", "orbit", "end"]
    assert film.notes == ()


def test_the_scene_is_enough(project: Path) -> None:
    """No characters, no shots yet; and of a character whose height is the scale, its height only."""
    ends = ((0, 0, 0), (0, 1, 0))
    by_mo = ", scale: {reference: [[0, 0, 0], [0, 1, 0]], character: mo}"
    for more, scale in (("", None), (by_mo, ScaleReference(ends, 2.4))):
        text = f"scene: {{file: yard.ply, up: +y{more}}}\nanchors: {{well: {{at: [0, 4]}}}}\n"
        text += "characters: {mo: {height: 1.2, scale: 2}}\nshots: nothing yet\n"
        film = load_scene(project / "film.yaml", text=text.encode())
        assert (film.scene.file, film.scene.up, film.scene.scale) == (project / "yard.ply", "+y", scale)
        assert film.anchors["well"].at == (0, 4)
        [note] = film.notes
        assert (note.code, "its scene and its anchors" in note.message) == ("W103", True)
        assert film.diagnostic(("scene", "up"), "W301", "").span is not None


def test_wrong_anchors_do_not_hide_the_scene(project: Path) -> None:
    text = b"anix: 1\nscene: {file: yard.ply}\nanchors: {well: {at: [here]}}\n"
    film = load_scene(project / "film.yaml", text=text)
    assert (film.scene.file.name, dict(film.anchors)) == ("yard.ply", {})
    assert film.notes[-1].message.endswith("only its scene is read")


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("scene: {file: none.ply, up: y}\nshots: [oops]\n", ["E131", "E104"]),
        ("anix: 1\nshots: []\n", ["E113"]),
        ("- scene\n", ["E113"]),
        ("scene: {file: yard.ply, scale: {reference: [[0, 0, 0], [0, 1, 0]], character: jo}}\n", ["E122"]),
        ("scene: {file: 'yard.ply\n", ["E107"]),
        ("", ["E113"]),
    ],
)
def test_what_is_wrong_with_the_scene_is_told_alone(project: Path, text: str, codes: list[str]) -> None:
    with pytest.raises(AnixError) as caught:
        load_scene(project / "film.yaml", text=text.encode())
    assert [problem.code for problem in caught.value.diagnostics] == codes


def test_what_is_extended_counts(project: Path) -> None:
    (project / "base.yaml").write_text("anix: 1\nscene: {up: -z}\n", encoding="utf-8")
    film = load_scene(project / "film.yaml", text=b"extends: base.yaml\nscene: {file: yard.ply}\n")
    assert film.scene.up == "-z"
