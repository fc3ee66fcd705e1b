"""What a screenplay says of the film's file arrives in the plan; keys change only where pixels do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from plan_films import plan, screenplay, shot

from anix_cli.core.errors import AnixError
from anix_cli.core.plan import FilmOutput, Plan, Sound, Take
from anix_cli.core.schemas import schema
from anix_cli.core.screenplay import FilmSpec
from anix_cli.plan.planfile import read_plan, write_plan

PLAY = screenplay(
    shot("a", "Mira walks forward", anchor="door", caption="Good\nmorning"), shot("b", "she waves")
)


def keys(made: Plan) -> list[str]:
    return [clip.recipe_key for each in made.shots() for clip in each.clips]


def guides(made: Plan) -> list[str]:
    return [each.guide_key for each in made.shots()]


def test_codec_quality_and_caption_are_in_the_plan_and_in_no_key() -> None:
    made = plan(PLAY)
    middle = made.frames // 2
    assert made.output == FilmOutput("h264", "good", poster_frame=middle)
    assert [each.caption for each in made.shots()] == ["Good\nmorning", ""]
    other = plan(replace(PLAY, film=replace(PLAY.film, codec="prores", quality="best")))
    assert other.output == FilmOutput("prores", "best", poster_frame=middle)
    silent = plan(screenplay(shot("a", "Mira walks forward", anchor="door"), shot("b", "she waves")))
    for each in (other, silent):
        assert keys(each) == keys(made) and guides(each) == guides(made)


def with_background(rgb: tuple[int, int, int]) -> Plan:
    return plan(replace(PLAY, film=replace(PLAY.film, background_rgb=rgb)))


def test_a_background_is_part_of_every_guide_and_clip() -> None:
    dark, light = with_background((0, 0, 0)), with_background((255, 255, 254))
    assert not set(keys(dark)) & set(keys(light))
    assert not set(guides(dark)) & set(guides(light))
    changed = {
        name
        for one, other in zip(dark.shots(), light.shots(), strict=True)
        for a, b in zip(one.clips, other.clips, strict=True)
        for name in a.parts
        if a.parts[name] != b.parts[name]
    }
    assert changed == {"guide", "background", "before"}


def test_all_of_it_comes_back_from_the_file(tmp_path: Path) -> None:
    film = FilmSpec(seed=7, codec="h265", quality="draft", background_rgb=(1, 2, 3))
    made = plan(replace(PLAY, film=film), folder=tmp_path)
    first, second = made.takes[0].shots
    sound = Sound(tmp_path / "sound" / "it's.wav", "e" * 64)
    made = replace(made, takes=(Take((first, replace(second, sound=sound))),))
    write_plan(made, tmp_path / "plan.json")
    document = json.loads((tmp_path / "plan.json").read_text())
    jsonschema.validate(document, schema("plan-v1"))
    assert document["takes"][0]["shots"][1]["sound"]["file"] == "sound/it's.wav"
    back = read_plan(tmp_path / "plan.json")
    assert back.output == FilmOutput("h265", "draft", poster_frame=made.frames // 2)
    assert [each.caption for each in back.shots()] == ["Good\nmorning", ""]
    assert [each.sound for each in back.shots()] == [None, sound]
    assert back.scene.background_rgb == (1, 2, 3)


def test_a_background_that_was_changed_in_the_file_breaks_its_keys(tmp_path: Path) -> None:
    write_plan(plan(PLAY, folder=tmp_path), tmp_path / "plan.json")
    text = (tmp_path / "plan.json").read_text()
    document = json.loads(text)
    document["scene"]["background"] = [9, 9, 9]
    (tmp_path / "plan.json").write_text(json.dumps(document))
    with pytest.raises(AnixError) as caught:
        read_plan(tmp_path / "plan.json")
    assert caught.value.diagnostics[0].code == "E245"
    for wrong in ({"codec": "av1", "quality": "good"}, {"codec": "h264"}):
        document = json.loads(text) | {"output": wrong}
        (tmp_path / "plan.json").write_text(json.dumps(document))
        with pytest.raises(AnixError) as caught:
            read_plan(tmp_path / "plan.json")
        assert caught.value.diagnostics[0].code == "E242"
