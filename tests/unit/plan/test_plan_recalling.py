"""Clips of the same place that a later one is shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from plan_films import ANIMATIC, plan, screenplay, shot

from anix_cli.core.plan import Plan
from anix_cli.core.screenplay import CameraSpec, PlacementSpec
from anix_cli.plan.clips import changed_since
from anix_cli.plan.planfile import read_plan, write_plan

ABLE = replace(ANIMATIC, uses=ANIMATIC.uses | {"memory"})
CAMERAS = {
    "north": PlacementSpec((0.0, 1.6, 0.0), look_at=(0.0, 1.0, 9.0)),
    "near_north": PlacementSpec((0.5, 1.6, 0.5), look_at=(0.0, 1.0, 9.0)),
    "south": PlacementSpec((0.0, 1.6, 0.0), look_at=(0.0, 1.0, -9.0)),
}


def film(memory: int = 2, able: Any = ABLE) -> Plan:
    """North, away to the south, and back."""
    shots = [
        shot(name, "", 2, camera=CameraSpec("stationary", placement=place), cut=name != "a", anchor="door")
        for name, place in (("a", "north"), ("b", "south"), ("c", "near_north"))
    ]
    play = screenplay(*shots, cameras=CAMERAS)
    return plan(replace(play, film=replace(play.film, memory=memory)), capabilities=able)


def recalled(made: Plan) -> dict[str, list[str]]:
    return {one.id: [part.shot_id for clip in one.clips for part in clip.memory] for one in made.shots()}


def test_who_comes_back_to_a_place_is_shown_it() -> None:
    made = film()
    assert recalled(made) == {"a": [], "b": [], "c": ["a"]}
    (part,) = made.takes[2].shots[0].clips[0].memory
    first = made.takes[0].shots[0].clips[0]
    assert part.key == first.recipe_key and part.index == 0
    assert part.frames <= 33 and (part.frames - 1) % 4 == 0
    assert part.start >= 0 and part.start + part.frames <= first.frames


def test_off_it_changes_nothing_at_all() -> None:
    off, unable = film(0), film(2, ANIMATIC)
    assert recalled(off)["c"] == recalled(unable)["c"] == []
    keys = [clip.recipe_key for one in off.shots() for clip in one.clips]
    assert keys == [clip.recipe_key for one in unable.shots() for clip in one.clips]
    with_it = [clip.recipe_key for one in film().shots() for clip in one.clips]
    assert with_it[:2] == keys[:2] and with_it[2] != keys[2]


def test_the_best_comes_first_and_no_more_than_asked() -> None:
    shots = [
        shot(name, "", 2, camera=CameraSpec("stationary", placement=place), cut=index > 0, anchor="door")
        for index, (name, place) in enumerate(
            (("a", "near_north"), ("b", "north"), ("c", "south"), ("d", "north"))
        )
    ]
    play = screenplay(*shots, cameras=CAMERAS)
    for most, expected in ((1, ["b"]), (2, ["b", "a"]), (4, ["b", "a"])):
        made = plan(replace(play, film=replace(play.film, memory=most)), capabilities=ABLE)
        assert recalled(made)["d"] == expected
    own = [*shots[:3], replace(shots[3], memory=1)]
    made = plan(screenplay(*own, cameras=CAMERAS), capabilities=ABLE)
    assert recalled(made)["d"] == ["b"]


def test_what_is_recalled_is_part_of_the_key_and_survives_the_file(tmp_path: Path) -> None:
    made = film()
    write_plan(made, tmp_path / "film.plan.json")
    again = read_plan(tmp_path / "film.plan.json")
    assert [clip.memory for one in again.shots() for clip in one.clips] == [
        clip.memory for one in made.shots() for clip in one.clips
    ]
    assert changed_since(again) is None
    take = again.takes[2]
    clip = take.shots[0].clips[0]
    for broken in (
        replace(clip, memory=()),
        replace(clip, memory=(replace(clip.memory[0], start=clip.memory[0].start + 1),)),
        replace(clip, memory=(replace(clip.memory[0], key="0" * 64),)),
    ):
        shot_now = replace(take.shots[0], clips=(broken,))
        edited = replace(again, takes=(*again.takes[:2], replace(take, shots=(shot_now,))))
        assert changed_since(edited) == "c"


@pytest.mark.parametrize("running", [True, False])
def test_takes_that_remember_are_made_one_after_the_other(running: bool) -> None:
    from anix_cli.run.batch.tasks import Queue

    queue = Queue([[0, 1, 2], [0, 1]], in_order=[True, False])
    first = queue.start()
    assert (first.film, first.take) == (0, 0)
    second = queue.start()
    assert (second.film, second.take) == (1, 0)  # not film 0's next one
    if not running:
        queue.done(first)
    third = queue.start()
    assert (third.film, third.take) == ((1, 1) if running else (0, 1))
