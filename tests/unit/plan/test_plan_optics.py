"""Depth of field and motion blur in a plan: kept in its file, and part of what a guide is known by."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from plan_films import codes, plan, screenplay, shot

from anix_cli.core.errors import AnixError
from anix_cli.core.optics import Optics
from anix_cli.core.plan import Plan, Take
from anix_cli.plan.clips import guide_key, parts_of
from anix_cli.plan.planfile import read_plan, write_plan

FILM = screenplay(shot("run", "Mira runs", 2, anchor="door"))
OPTICS = Optics(f_stop=2.8, focus_m=(3.0, 3.5), shutter_deg=180, samples=16)


def with_optics(made: Plan, optics: Optics | None) -> Plan:
    """The plan as one that sets optics would make it: its keys follow from them."""
    from anix_cli.core.keys import fingerprint
    from anix_cli.plan.clips import Shared

    (take,) = made.takes
    (first,) = take.shots
    first = replace(first, optics=optics)
    first = replace(first, guide_key=guide_key(first, made.scene, made.size_px, made.fps))
    shared = Shared.of(made.size_px, made.fps, made.scene.background_rgb)
    clips, before = [], None
    for clip in first.clips:
        parts = parts_of(clip, first, made.cast, shared) | {"backend": clip.parts["backend"]}
        parts |= {} if before is None else {"before": before}
        before = fingerprint(parts)
        clips.append(replace(clip, parts=parts, recipe_key=before))
    return replace(made, takes=(Take((replace(first, clips=tuple(clips)),)),))


@pytest.mark.parametrize("optics", [OPTICS, Optics(shutter_deg=90.0), None])
def test_optics_are_kept_in_the_file(tmp_path: Path, optics: Optics | None) -> None:
    made = with_optics(plan(FILM, folder=tmp_path), optics)
    write_plan(made, tmp_path / "plan.json")
    (again,) = read_plan(tmp_path / "plan.json").shots()
    assert again.optics == optics


def test_what_blurs_makes_another_guide_and_what_does_not_the_same(tmp_path: Path) -> None:
    made = plan(FILM, folder=tmp_path)
    (sharp,) = made.shots()
    keys = {
        name: next(with_optics(made, optics).shots()).guide_key
        for name, optics in {
            "none": None,
            "closed": Optics(samples=8),
            "open": OPTICS,
            "wider": replace(OPTICS, f_stop=1.4),
            "focus": replace(OPTICS, focus_m=(3.0, 3.6)),
        }.items()
    }
    assert keys["none"] == keys["closed"] == sharp.guide_key
    assert len({keys[name] for name in ("none", "open", "wider", "focus")}) == 4


@pytest.mark.parametrize(
    "wrong", [{"f_stop": -1}, {"f_stop": 2, "focus_m": []}, {"shutter_deg": 720}, {"samples": 0}, {"lens": 1}]
)
def test_optics_that_no_camera_has_are_refused(tmp_path: Path, wrong: dict[str, object]) -> None:
    made = with_optics(plan(FILM, folder=tmp_path), OPTICS)
    write_plan(made, tmp_path / "plan.json")
    document = json.loads((tmp_path / "plan.json").read_text())
    document["takes"][0]["shots"][0]["optics"] |= wrong
    (tmp_path / "plan.json").write_text(json.dumps(document))
    with pytest.raises(AnixError) as error:
        read_plan(tmp_path / "plan.json")
    assert set(codes(error.value)) == {"E242"}
