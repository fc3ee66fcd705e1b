"""What ``validate --deep`` asks the scene: does anyone stand inside something, and what do cameras see?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anix_cli.core.errors import Diagnostic
from anix_cli.core.gaussians import Gaussians, concatenate
from anix_cli.run.check import check, check_deeply
from anix_cli.scene import write_ply
from anix_cli.screenplay import load
from tests.conftest import yard

HEAD = """\
anix: 1
film: {size: 128x96, fps: 8}
scene: {file: yard.ply, up: +y, scale: 1}
characters:
  mo: {views: {front: front.png, left: left.png, right: right.png, back: back.png}}
"""


def block(low: tuple[float, float, float], high: tuple[float, float, float], size: float = 0.12) -> Gaussians:
    """A box full of round Gaussians."""
    axes = np.meshgrid(*(np.arange(a, b, 1.5 * size) for a, b in zip(low, high, strict=True)))
    means = np.stack([axis.ravel() for axis in axes], axis=1).astype(np.float32)
    count = len(means)
    quats = np.tile(np.float32([1, 0, 0, 0]), (count, 1))
    return Gaussians(
        means,
        quats,
        np.full((count, 3), size, np.float32),
        np.full(count, 0.95, np.float32),
        np.zeros((count, 1, 3), np.float32),
    )


def fine_yard() -> Gaussians:
    """The yard that all tests share, of finer Gaussians: four for each of them."""
    coarse = yard()
    flat = np.sort(coarse.scales, axis=1)[:, :1]
    parts = []
    for first, second in ((-0.1, -0.1), (-0.1, 0.1), (0.1, -0.1), (0.1, 0.1)):
        shift = np.zeros_like(coarse.means)
        thin = np.argmin(coarse.scales, axis=1)
        shift[np.arange(len(thin)), (thin + 1) % 3] = first
        shift[np.arange(len(thin)), (thin + 2) % 3] = second
        scales = np.where(coarse.scales == flat, coarse.scales, np.float32(0.11))
        parts.append(replace(coarse, means=coarse.means + shift, scales=scales))
    return concatenate(parts)


@pytest.fixture
def place(project: Path) -> Path:
    write_ply(project / "yard.ply", fine_yard())
    return project


def told(project: Path, rest: str, *more: Gaussians) -> dict[str, Diagnostic]:
    if more:
        write_ply(project / "yard.ply", concatenate([fine_yard(), *more]))
    found = check_deeply(load(project / "film.yaml", text=(HEAD + rest).encode()), backend="animatic")
    assert all(problem.span is not None for problem in found)
    return {problem.code: problem for problem in found}


def test_an_ordinary_film_has_nothing_to_be_told(place: Path) -> None:
    found = check_deeply(load(place / "film.yaml"), backend="animatic")
    assert [problem.code for problem in found] == ["W203"], "a hurried wave, which the plan tells as well"


SHOT = 'shots: [{id: a, command: "", anchor: mark, duration: 1, camera: there}]\n'
CAMERA = "cameras: {there: {at: [0, 1.6, -8], look_at: [0, 1, 0]}}\n"


def test_a_character_inside_something_is_told_the_nearest_free_place(place: Path) -> None:
    found = told(place, "anchors: {mark: {at: [5, 2]}}\n" + CAMERA + SHOT, block((4, 0, 1), (6, 2, 4)))
    assert set(found) == {"W216"}
    problem = found["W216"]
    assert (problem.span.line, problem.span.column) == (6, 18)
    assert problem.hint.startswith("The nearest free place is [3.") or "[6." in problem.hint


def test_specks_are_nothing_that_one_stands_in(place: Path) -> None:
    mark = "anchors: {mark: {at: [5, 2]}}\n"
    one = replace(block((5, 0.8, 2), (5.1, 0.9, 2.1), 0.09), opacities=np.full(1, 0.95, np.float32))
    two = block((5, 0.6, 2), (5.1, 0.9, 2.1), 0.1)
    assert (len(one), len(two)) == (1, 2)
    for specks in (one, two):
        assert told(place, mark + CAMERA + SHOT, specks) == {}
    assert "W216" in told(place, mark + CAMERA + SHOT, block((4.8, 0, 1.8), (5.2, 1.2, 2.2), 0.06))


def test_a_crop_changes_nothing_about_who_stands_free(place: Path) -> None:
    """A body's width beside a block: a grid that began at the crop's corner would shift."""
    mark = "anchors: {mark: {at: [3.5, 2]}}\n"
    things = block((4, 0, 1), (6, 2, 4), 0.08)
    uncropped = told(place, mark + CAMERA + SHOT, things)
    for limit in (-9.97, -9.9, -9.83, -9.71):
        text = HEAD.replace("scale: 1", f"scale: 1, crop: {{x: [{limit}, 12], z: [{limit}, 12]}}")
        found = check_deeply(
            load(place / "film.yaml", text=(text + mark + CAMERA + SHOT).encode()), backend="animatic"
        )
        assert {problem.code for problem in found} == set(uncropped) == set()


def test_nobody_minds_what_is_low_high_or_only_looked_at(place: Path) -> None:
    kerb, beam = block((4, 0, 1), (6, 0.1, 4), 0.05), block((-3, 2, -3), (-1, 2.4, -1))
    found = told(
        place,
        "anchors: {mark: {at: [5, 2], face: well}, under: {at: [-2, -2]}, well: {at: [-5, 4]}}\n"
        + CAMERA
        + SHOT.replace("]", ', {id: b, command: "", cut: true, anchor: under, camera: there, duration: 1}]'),
        kerb, beam, block((-6, 0, 3), (-4, 2, 5)),
    )  # fmt: skip
    assert found == {}


def test_ground_that_nobody_filmed(place: Path) -> None:
    whole = fine_yard()
    x, y, z = whole.means.T
    hole = (np.abs(x - 5) < 3) & (np.abs(z - 2) < 3) & (y < 0.1)
    write_ply(place / "yard.ply", whole.take(~hole))
    found = told(place, "anchors: {mark: {at: [5, 2]}}\n" + CAMERA + SHOT)
    assert "W218" in found and "nearest free place" in found["W218"].hint


@pytest.mark.parametrize("at", ["[5, 1.2, 2.5]", "[5, 2.5]"])
def test_a_camera_inside_something(place: Path, at: str) -> None:
    cameras = f"cameras: {{there: {{at: [0, 1.6, -8], look_at: [0, 1, 0]}}, inside: {{at: {at}}}}}\n"
    found = told(place, "anchors: {mark: {at: [0, 2]}}\n" + cameras + SHOT, block((4, 0, 1), (6, 2.2, 4)))
    assert set(found) == {"W217"}
    assert "“inside”" in found["W217"].message and "the air is free" in found["W217"].hint


def test_a_camera_that_looks_into_nothing(place: Path) -> None:
    cameras = "cameras: {there: {at: [0, 5, -8], look_at: [0, 9, -2]}}\n"
    found = told(place, "anchors: {mark: {at: [0, 2]}}\n" + cameras + SHOT)
    assert "W219" in found and "100%" in found["W219"].message


def test_a_blurred_view(place: Path) -> None:
    """The yard is made of blobs as large as a hand: near a wall nothing else is seen."""
    cameras = "cameras: {there: {at: [0, 1.6, 10.5], look_at: [0, 1.6, 12]}}\n"
    found = told(place, "anchors: {mark: {at: [0, 11]}}\n" + cameras + SHOT)
    assert "W220" in found and "blobs about" in found["W220"].message


def test_floaters_before_the_lens(place: Path) -> None:
    floaters = block((-0.1, 1.5, -7.75), (0.1, 1.7, -7.6), 0.04)
    found = told(place, "anchors: {mark: {at: [0, 2]}}\n" + CAMERA + SHOT, floaters)
    assert "W221" in found and "“a”" in found["W221"].message


def test_a_collider_that_is_no_mesh_is_found_without_looking_deep(place: Path) -> None:
    (place / "walls.glb").write_bytes(b"ply\n")
    text = (
        HEAD.replace("scale: 1", "scale: 1, collider: walls.glb") + "anchors: {mark: {at: [0, 2]}}\n" + CAMERA
    )
    (problem,) = check(load(place / "film.yaml", text=(text + SHOT).encode()), backend="animatic")
    assert problem.code == "E304" and problem.span.line == 3


@pytest.mark.parametrize(("scale", "more"), [("", ["W302"]), (", scale: 1", [])])
def test_a_place_outside_of_the_scene_is_told_with_what_was_assumed(
    place: Path, scale: str, more: list[str]
) -> None:
    text = HEAD.replace(", scale: 1", scale) + "anchors: {mark: {at: [90, 2]}}\n" + CAMERA + SHOT
    found = check_deeply(load(place / "film.yaml", text=text.encode()), backend="animatic")
    codes = [problem.code for problem in found]
    assert codes[0] == "E214" and [code for code in codes if code.startswith("W3")] == more
    assert all(problem.span.line == 3 for problem in found if problem.code in more)
