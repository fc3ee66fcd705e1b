"""plan.json and plan.npz: round trips and refusals. And the table for people."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from plan_films import codes, plan, screenplay, shot

from anix_cli.core.errors import AnixError
from anix_cli.core.plan import Gesture, Plan, PlannedShot, Take
from anix_cli.core.screenplay import CameraSpec
from anix_cli.plan.planfile import plan_document, read_plan, write_plan
from anix_cli.plan.summary import summary, summary_text

FILM = screenplay(
    shot("run", "Mira runs 12 metres forward", 5, anchor="door", fade_s=0.5),
    shot("wave", "she stops and waves, unicornly", 3, camera=CameraSpec("orbit", degrees=90)),
    shot("wide", "jumps", 2, cut=True),
)


def alike(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if is_dataclass(a):
        return type(a) is type(b) and all(alike(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(alike, a, b))
    return bool(a == b)


@pytest.fixture
def made(tmp_path: Path) -> Plan:
    return plan(FILM, folder=tmp_path)


def test_round_trip(made: Plan, tmp_path: Path) -> None:
    write_plan(made, tmp_path / "out" / "night.json")
    again = read_plan(tmp_path / "out" / "night.json")
    assert alike(again, made)
    assert sorted(item.name for item in (tmp_path / "out").iterdir()) == ["night.json", "night.npz"]
    document = json.loads((tmp_path / "out" / "night.json").read_text())
    wave = document["takes"][0]["shots"][1]["subjects"]
    assert wave == [{"character": "mira", "gestures": [{"action": "wave", "start": 16, "frames": 32}]}]
    assert document["scene"]["file"] == "../s.ply" and document["arrays"] == "night.npz"


def test_moves_with_its_folder(made: Plan, tmp_path: Path) -> None:
    write_plan(made, tmp_path / "a" / "plan.json")
    (tmp_path / "a").rename(tmp_path / "b")
    assert read_plan(tmp_path / "b" / "plan.json").scene.file == tmp_path / "s.ply"


def test_round_trip_through_a_pipe(made: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = json.dumps(plan_document(made, base=tmp_path, embed=True)).encode()
    assert alike(read_plan(Path("-"), text=text), made)


def refusal(path: Path, text: bytes | None = None) -> str:
    with pytest.raises(AnixError) as caught:
        read_plan(path, text=text)
    assert all(found.message and found.hint for found in caught.value.diagnostics)
    return codes(caught.value)[0]


def test_refuses_what_is_not_a_plan(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    assert refusal(file) == "E240"
    assert refusal(tmp_path) == "E240"
    for text in (b"", b"{", b"[]", b"{}", b"\xff\xfe", b'{"plan": true}', b"[" * 100_000):
        file.write_bytes(text)
        assert refusal(file) == "E240"
    file.write_text('{"plan": 2}')
    assert refusal(file) == "E241"
    file.write_text('{"plan": 1}')
    assert refusal(file) == "E242"


def test_refuses_a_truncated_or_edited_plan(made: Plan, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    write_plan(made, file)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    assert refusal(file) == "E240"
    document = json.loads(whole)
    document["takes"][0]["shots"][0]["frames"] = "many"
    file.write_text(json.dumps(document))
    assert refusal(file) == "E242"


def test_refuses_arrays_that_do_not_fit(made: Plan, tmp_path: Path) -> None:
    file, arrays = tmp_path / "plan.json", tmp_path / "plan.npz"
    write_plan(made, file)
    whole = arrays.read_bytes()
    for damage in (whole[: len(whole) // 2], b"", b"not an npz"):
        arrays.write_bytes(damage)
        assert refusal(file) == "E244"
    arrays.unlink()
    assert refusal(file) == "E243"
    other = plan(screenplay(shot("x", "waves")), folder=tmp_path)
    write_plan(other, tmp_path / "other.json")
    (tmp_path / "other.npz").rename(arrays)
    assert refusal(file) == "E244"
    same_shape = plan(
        screenplay(*(shot(s.id, "waves", float(s.duration_s), cut=s.cut) for s in FILM.shots)),
        folder=tmp_path,
    )
    write_plan(same_shape, tmp_path / "same.json")
    (tmp_path / "same.npz").replace(arrays)
    assert refusal(file) == "E244"


def first_shot(made: Plan, **changes: Any) -> Plan:
    """The plan with its first shot edited."""
    take, *others = made.takes
    return replace(
        made, takes=(replace(take, shots=(replace(take.shots[0], **changes), *take.shots[1:])), *others)
    )


def with_clip(made: Plan, **changes: Any) -> Plan:
    clip, *others = made.takes[0].shots[0].clips
    return first_shot(made, clips=(replace(clip, **changes), *others))


def with_subject(made: Plan, **changes: Any) -> Plan:
    return first_shot(made, subjects=(replace(made.takes[0].shots[0].subjects[0], **changes),))


EDITS: dict[str, Callable[[Plan, PlannedShot], Plan]] = {
    "extent": lambda made, _: replace(made, scene=replace(made.scene, extent_m=49.0)),
    "placement": lambda made, _: replace(made, scene=replace(made.scene, stage_from_file=2 * np.eye(4))),
    "size": lambda made, _: replace(made, size_px=(640, 480)),
    "options": lambda made, _: replace(made, options={"steps": 9}),
    "cast": lambda made, _: replace(made, cast=(replace(made.cast[0], description="a thief"),)),
    "absent character": lambda made, _: replace(made, cast=(replace(made.cast[0], name="tom"),)),
    "poses": lambda made, shot: first_shot(made, world_from_camera=shot.world_from_camera + 0.01),
    "lens": lambda made, shot: first_shot(made, intrinsics=1.01 * shot.intrinsics),
    "boxes": lambda made, shot: with_subject(made, box_px=shot.subjects[0].box_px + 1),
    "path": lambda made, shot: with_subject(made, root=shot.subjects[0].root + 1),
    "lift": lambda made, shot: with_subject(made, lift_m=shot.subjects[0].lift_m + 1),
    "gestures": lambda made, _: with_subject(made, gestures=(Gesture("bow", 0, 9),)),
    "prompt": lambda made, _: with_clip(made, prompt="another"),
    "seed": lambda made, _: with_clip(made, seed=1),
    "frames": lambda made, _: with_clip(made, generated=99),
    "key": lambda made, _: with_clip(made, recipe_key="0" * 64),
    "order": lambda made, _: replace(made, takes=(Take(made.takes[0].shots[::-1]), *made.takes[1:])),
}


@pytest.mark.parametrize("edit", EDITS)
def test_refuses_what_was_edited_after_planning(made: Plan, tmp_path: Path, edit: str) -> None:
    write_plan(EDITS[edit](made, made.takes[0].shots[0]), tmp_path / "plan.json")
    assert refusal(tmp_path / "plan.json") == "E245"


def test_what_changes_no_pixels_may_be_edited(made: Plan, tmp_path: Path) -> None:
    edited = replace(made, title="Another", store=tmp_path / "elsewhere")
    write_plan(
        first_shot(edited, fade_s=0.25, guide_stale_because="not rendered yet"), tmp_path / "plan.json"
    )
    assert read_plan(tmp_path / "plan.json").title == "Another"


def test_refuses_a_document_without_arrays(made: Plan, tmp_path: Path) -> None:
    shown = json.dumps(plan_document(made, base=tmp_path)).encode()
    assert refusal(Path("-"), shown) == "E243"
    broken = plan_document(made, base=tmp_path, embed=True) | {"arrays": {"base64": "@@@"}}
    assert refusal(Path("-"), json.dumps(broken).encode()) == "E244"


def test_holds_no_pickles(made: Plan, tmp_path: Path) -> None:
    write_plan(made, tmp_path / "plan.json")
    np.savez(tmp_path / "plan.npz", world_from_camera=np.array([{}], dtype=object))
    assert refusal(tmp_path / "plan.json") == "E244"


def test_the_same_plan_is_the_same_document(made: Plan, tmp_path: Path) -> None:
    again = plan(FILM, folder=tmp_path)
    assert plan_document(made, base=tmp_path) == plan_document(again, base=tmp_path)


def test_the_table(made: Plan) -> None:
    run, wave, wide = summary(made)
    assert (run.reading, run.camera, run.start, run.end) == (
        "run forward 12 m",
        "follow",
        "00:00:00:00",
        "00:00:05:00",
    )
    assert (wave.reading, wide.reading) == ("stop, then wave", "jump")
    assert "160 frames = 10.00 s at 16 fps" in summary_text(made)


def test_planning_imports_nothing_heavy() -> None:
    heavy = {"numba", "torch", "scipy", "PIL", "jsonschema"}
    code = f"import sys, anix_cli.plan; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
