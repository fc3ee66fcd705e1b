"""Clips, seeds and keys: what a change touches and what it does not."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plan_films import ANIMATIC, codes, plan, screenplay, shot

from anix_cli.core.clip import Capabilities
from anix_cli.core.errors import AnixError
from anix_cli.core.keys import clip_seed
from anix_cli.core.plan import Gesture, Plan, PlannedCharacter, PlannedClip
from anix_cli.core.screenplay import (
    AnchorSpec,
    CameraSpec,
    CharacterSpec,
    FilmSpec,
    Screenplay,
    TransitionSpec,
)
from anix_cli.core.time import Duration
from anix_cli.plan.clips import Asked, Recipe, backend_digest, guide_key, plan_clips, spans_of

WAN = replace(ANIMATIC, frame_step=4, max_frames=81, tail=5, fps=Fraction(16))
FILM = screenplay(
    shot("run", "Mira runs forward", 4, anchor="door"),
    shot("wave", "she stops and waves", 3, camera=CameraSpec("orbit", degrees=90, direction="left")),
    shot("walk", "walks forward", 4),
    shot("bow", "stops and bows", 3),
    shot("wide", "", 2, cut=True, camera=CameraSpec("crane", up_m=3, lens_mm=24)),
)


def clips(made: Plan) -> list[PlannedClip]:
    return [clip for item in made.shots() for clip in item.clips]


def changed(before: Plan, after: Plan) -> set[str]:
    """Ids of the shots that have a clip with another key."""
    keys = {(clip.shot_id, clip.index): clip.recipe_key for clip in clips(before)}
    return {clip.shot_id for clip in clips(after) if keys.get((clip.shot_id, clip.index)) != clip.recipe_key}


def edited(index: int, **fields: Any) -> Screenplay:
    shots = list(FILM.shots)
    shots[index] = replace(shots[index], **fields)
    return replace(FILM, shots=tuple(shots))


@given(
    frames=st.integers(1, 400), step=st.sampled_from([1, 4, 8]), longest=st.integers(17, 129),
    tail=st.integers(0, 9), before=st.one_of(st.none(), st.integers(1, 50)),
)  # fmt: skip
def test_calls_add_up_and_keep_to_the_grid(
    frames: int, step: int, longest: int, tail: int, before: int | None
) -> None:
    able = Capabilities(uses=frozenset(), version="1", max_frames=longest, tail=tail, frame_step=step)
    spans = spans_of(frames, (), able, before)
    assert sum(span.frames for span in spans) == frames
    assert max(span.frames for span in spans) - min(span.frames for span in spans) <= 1
    position, previous = 0, before
    for span in spans:
        assert span.start == position and 0 < span.frames <= span.generated
        assert span.tail == (0 if previous is None else min(tail, previous))
        total = span.tail + span.generated
        assert (total - 1) % step == 0 and total <= longest and span.generated - span.frames < step
        position, previous = position + span.frames, span.frames


def test_a_most_of_new_frames_gives_the_lengths_of_the_paper() -> None:
    """93 first, then 33 to go on from and 96 new: 24 latents each."""
    able = Capabilities(uses=frozenset(), version="1", max_frames=129, tail=33, frame_step=4, max_new=96)
    spans = spans_of(93 + 96 + 96, (), able, None)
    assert [(span.tail, span.generated) for span in spans] == [(0, 97), (33, 96), (33, 96)] or all(
        span.generated <= 96 for span in spans
    )
    assert spans_of(93, (), able, None)[0].generated == 93
    assert [span.frames for span in spans_of(94, (), able, None)] == [47, 47]
    assert [span.generated for span in spans_of(96, (), able, 40)] == [96]


def test_what_is_in_a_file_that_an_option_names_is_part_of_the_key() -> None:
    from anix_cli.plan.clips import with_digests

    able = replace(WAN, digests={"adapter": {"mine": "abc", "other": "def"}})
    assert with_digests({"adapter": "mine", "steps": 4}, able) == {
        "adapter": "mine", "steps": 4, "adapter_digest": "abc",
    }  # fmt: skip
    assert with_digests({"adapter": "gone"}, able) == {"adapter": "gone"}
    assert with_digests({}, able) == {}


def test_one_beat_a_clip() -> None:
    made = plan(
        screenplay(shot("a", "walks, turns around and waves", 6)), capabilities=replace(WAN, beats_per_clip=1)
    )
    (item,) = made.shots()
    assert [clip.start for clip in item.clips] == [beat.start for beat in item.beats]
    assert [clip.tail for clip in item.clips] == [0, 5, 5]


def test_a_backend_without_room_is_a_bug() -> None:
    with pytest.raises(ValueError, match="max_frames"):
        spans_of(10, (), replace(WAN, max_frames=5), None)


def test_a_film_of_exact_frames() -> None:
    made = plan(FILM, capabilities=WAN)
    assert [item.frames for item in made.shots()] == [64, 48, 64, 48, 32]
    assert [item.start for item in made.shots()] == [0, 64, 112, 176, 224]
    assert made.frames == 256 and made.estimate.frames == 256
    assert [clip.tail for clip in clips(made)] == [0, 5, 5, 5, 0]
    assert [len(take.shots) for take in made.takes] == [4, 1]
    third = plan(replace(FILM, film=FilmSpec(fps=Fraction(24000, 1001))))
    assert [item.frames for item in third.shots()] == [96, 72, 96, 72, 48]


def test_seeds_and_prompts() -> None:
    made = clips(plan(FILM))
    assert [clip.seed for clip in made] == [clip_seed(7, clip.shot_id, clip.index) for clip in made]
    assert made[0].prompt == "Mira runs forward; the camera follows; a courier in a red jacket"
    assert made[-1].prompt == "stands still; the camera rises; a courier in a red jacket"


@pytest.mark.parametrize(
    "same",
    [
        replace(FILM, title="Another title"),
        replace(FILM, path=Path("/elsewhere/x.yaml"), files=(Path("/elsewhere/y.yaml"),)),
        replace(FILM, anchors={**FILM.anchors, "unused": AnchorSpec((9, 9))}),
        edited(1, transition=TransitionSpec("fade", Duration(Fraction(1, 2)))),
    ],
)
def test_what_changes_no_pixels_changes_no_key(same: Screenplay) -> None:
    assert changed(plan(FILM), plan(same, folder=Path("/other/place"))) == set()


@pytest.mark.parametrize(
    ("edit", "shots"),
    [
        ({"command": "stops and nods"}, {"wave", "walk", "bow"}),
        ({"duration": Duration(Fraction(4))}, {"wave", "walk", "bow"}),
        ({"cameras": (CameraSpec("orbit", degrees=60),)}, {"wave", "walk", "bow"}),
        ({"cut": True}, {"wave", "walk", "bow", "wide"}),
    ],
)
def test_an_edit_redoes_its_shot_and_what_continues_from_it(edit: dict[str, Any], shots: set[str]) -> None:
    found = changed(plan(FILM), plan(edited(1, **edit)))
    assert found - {"wide"} == shots - {"wide"}


def test_takes_are_independent_of_each_other() -> None:
    alone = replace(FILM, shots=(replace(FILM.shots[0], cut=True),))
    more = replace(FILM, shots=(shot("new", "bows", 2), replace(FILM.shots[0], cut=True)))
    assert changed(plan(alone), plan(more)) == {"new"}


@pytest.mark.parametrize(
    "change",
    [
        {"cast_key": "e" * 64}, {"scene_key": "e" * 64},
        {"capabilities": replace(ANIMATIC, version="2")}, {"capabilities": replace(ANIMATIC, weights="a@b")},
    ],
)  # fmt: skip
def test_what_changes_pixels_changes_every_key(change: dict[str, Any]) -> None:
    assert changed(plan(FILM), plan(FILM, **change)) == {"run", "wave", "walk", "bow", "wide"}


def test_guides_depend_on_scene_and_cameras_only() -> None:
    def keys(made: Plan) -> list[str]:
        return [item.guide_key for item in made.shots()]

    whole = plan(FILM)
    assert keys(plan(FILM, cast_key="e" * 64)) == keys(whole)
    assert keys(plan(replace(FILM, film=FilmSpec(seed=8)))) == keys(whole)
    other = keys(plan(edited(1, cameras=(CameraSpec("orbit", degrees=60),))))
    same = [a == b for a, b in zip(other, keys(whole), strict=True)]
    assert same[:3] == [True, False, False] and same[4]  # by the fourth shot the follow is where it would be
    assert not set(keys(plan(FILM, scene_key="e" * 64))) & set(keys(whole))


def test_says_which_part_changed() -> None:
    before, after = clips(plan(FILM))[1], clips(plan(edited(1, command="stops and nods")))[1]
    assert {name for name in after.parts if after.parts[name] != before.parts[name]} == {
        "prompt", "blocking", "guide",  # the gesture, and the box that holds it
    }  # fmt: skip
    assert after.parts["before"] == clips(plan(FILM))[0].recipe_key


def test_guides_depend_on_how_the_scene_is_placed() -> None:
    def keys(**changes: Any) -> list[str]:
        scene = replace(plan(FILM).scene, **changes)
        return [guide_key(item, scene, (832, 480), Fraction(16)) for item in plan(FILM).shots()]

    assert keys() == [item.guide_key for item in plan(FILM).shots()]
    for change in ({"extent_m": 51.0}, {"stage_from_file": np.diag([2.0, 2, 2, 1])}, {"key": "e" * 64}):
        assert not set(keys(**change)) & set(keys())
    assert keys(file=Path("elsewhere.ply")) == keys()


def test_a_gesture_changes_the_blocking_of_the_clips_that_show_it() -> None:
    (item,) = plan(screenplay(shot("a", "waves", 8))).shots()
    recipe = Recipe("animatic", WAN, (832, 480), Fraction(16), plan(FILM).cast)
    spans = spans_of(128, (), WAN, None)

    def blocking(*gestures: Gesture) -> list[str]:
        (subject,) = item.subjects
        one = replace(item, subjects=(replace(subject, gestures=gestures),))
        return [clip.parts["blocking"] for clip in plan_clips(one, spans, recipe, Asked("", "", 7, {}), None)]

    first, second = blocking(Gesture("wave", 0, 32))
    assert blocking(Gesture("wave", 0, 40)) == [blocking(Gesture("wave", 0, 40))[0], second]
    assert blocking(Gesture("wave", 0, 32), Gesture("bow", 100, 20))[0] == first
    assert blocking(Gesture("wave", 0, 32), Gesture("bow", 100, 20))[1] != second
    assert blocking(Gesture("point", 0, 32))[0] != first
    assert blocking(Gesture("wave", 0, 32, "left"))[0] != first


def test_a_plan_knows_the_backend_that_it_was_made_for() -> None:
    parts = clips(plan(FILM))[0].parts
    assert parts["backend"] == backend_digest("animatic", ANIMATIC)
    assert parts["backend"] != backend_digest("animatic", replace(ANIMATIC, version="2"))
    assert parts["backend"] != backend_digest("wan", ANIMATIC)


def test_two_characters_share_a_take() -> None:
    both = replace(
        screenplay(
            shot("a", "walks", anchor="door"), shot("b", "waves", character="tom"), shot("c", "nods"),
            shot("d", "bows", cut=True, character="tom"),
        ),
        characters={"mira": CharacterSpec({}, 1.72), "tom": CharacterSpec({}, 1.8)},
    )  # fmt: skip
    made = list(plan(both).shots())
    assert [[subject.character for subject in item.subjects] for item in made] == [
        ["mira"], ["tom", "mira"], ["mira", "tom"], ["tom"],
    ]  # fmt: skip
    assert isinstance(plan(both).cast[1], PlannedCharacter)


def test_asks_which_character() -> None:
    two = {"mira": CharacterSpec({}, 1.72), "tom": CharacterSpec({}, 1.8)}
    with pytest.raises(AnixError, match="mira, tom") as caught:
        plan(replace(screenplay(shot("a", "waves", character=None)), characters=two))
    assert codes(caught.value) == ["E215"]
