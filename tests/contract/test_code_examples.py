"""What `anix errors` shows as wrong has that problem, and what it shows as right has none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from anix_cli.core.codes import CODES
from anix_cli.core.codes.examples import EXAMPLES
from anix_cli.core.errors import AnixError
from anix_cli.plan.commands import read_commands
from anix_cli.scene import write_ply
from anix_cli.screenplay import load
from tests.conftest import draw_views, yard

SECTIONS = {
    "anix": "anix: 1",
    "title": "title: Example",
    "film": "film: {size: 128x96}",
    "scene": "scene: {file: sets/plaza.ply, up: +y, scale: 1}",
    "characters": "characters: {mira: {views: {front: front.png, left: left.png, right: right.png, "
    "back: back.png}}}",
    "anchors": "anchors: {door: {at: [0, 3]}}",
    "shots": "shots: [{id: a, command: Mira waves, duration: 4}]",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("examples")
    (made / "sets").mkdir()
    write_ply(made / "sets" / "plaza.ply", yard())
    draw_views(made)
    return made


def screenplay_with(lines: str) -> bytes:
    """A whole screenplay in which an example stands in the place of what it is an example of."""
    key = "shots" if lines.startswith("- ") else re.match(r"[a-z]+", lines).group()
    return "\n".join({**SECTIONS, key: f"shots:\n{lines}" if key == "shots" else lines}.values()).encode()


def codes_of(lines: str, folder: Path) -> set[str]:
    try:
        screenplay = load(folder / "film.yaml", text=screenplay_with(lines))
    except AnixError as error:
        return {problem.code for problem in error.diagnostics}
    return {problem.code for problem in (*screenplay.notes, *read_commands(screenplay))}


@pytest.mark.parametrize("code", sorted(EXAMPLES))
def test_wrong_is_wrong_and_right_is_right(code, folder):
    assert code in CODES
    assert code in codes_of(EXAMPLES[code].wrong, folder)
    assert codes_of(EXAMPLES[code].right, folder) == set()


def test_the_frame_of_the_examples_is_sound(folder):
    assert codes_of(SECTIONS["title"], folder) == set()
