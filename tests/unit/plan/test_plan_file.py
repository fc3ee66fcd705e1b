"""plan.json and plan.npz: round trips and refusals. And the table for people."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from plan_films import codes, plan, screenplay, shot

from anix_cli.core.errors import AnixError
from anix_cli.core.plan import Gesture, Plan, PlannedShot, Take, Transition
from anix_cli.core.screenplay import CameraSpec, TransitionSpec
from anix_cli.core.time import Duration
from anix_cli.plan.arrays import arrays_of
from anix_cli.plan.planfile import plan_document, read_plan, write_plan
from anix_cli.plan.summary import summary, summary_text, view_of

FILM = screenplay(
    shot(
        "run",
        "Mira runs 12 metres forward",
        5,
        anchor="door",
        transition=TransitionSpec("fade", Duration(Fraction(1, 2))),
    ),
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


def test_every_shot_has_a_line_of_its_own(made: Plan, tmp_path: Path) -> None:
    write_plan(made, tmp_path / "plan.json")
    lines = (tmp_path / "plan.json").read_text().splitlines()
    shots = [json.loads(line.rstrip(",")) for line in lines if '"guide_key"' in line]
    assert [shot["id"] for shot in shots] == ["run", "wave", "wide"]


def test_a_crop_is_read_again(made: Plan, tmp_path: Path) -> None:
    for crop in (((-1.0, 2.5), None, None), None):
        cropped = replace(made, scene=replace(made.scene, crop_m=crop))
        document = plan_document(cropped, base=tmp_path)
        assert document["scene"]["crop"] == (None if crop is None else [[-1.0, 2.5], None, None])
    play = replace(FILM, scene=replace(FILM.scene, crop_m=((-1.0, 2.5), None, None)))
    write_plan(plan(play, folder=tmp_path, crop_m=play.scene.crop_m), tmp_path / "plan.json")
    assert read_plan(tmp_path / "plan.json").scene.crop_m == ((-1.0, 2.5), None, None)


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
        screenplay(*(shot(s.id, "waves", float(s.duration.amount), cut=s.cut) for s in FILM.shots)),
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


def moved(poses: Any, by: float = 0.01) -> Any:
    poses = poses.copy()
    poses[:, 0, 3] += by
    return poses


def placed(made: Plan, stage_from_file: Any) -> Plan:
    return replace(made, scene=replace(made.scene, stage_from_file=np.array(stage_from_file, dtype=float)))


EDITS: dict[str, Callable[[Plan, PlannedShot], Plan]] = {
    "extent": lambda made, _: replace(made, scene=replace(made.scene, extent_m=49.0)),
    "placement": lambda made, _: replace(
        made, scene=replace(made.scene, stage_from_file=np.diag([2.0, 2, 2, 1]))
    ),
    "crop": lambda made, _: replace(made, scene=replace(made.scene, crop_m=(None, (0.0, 1.0), None))),
    "size": lambda made, _: replace(made, size_px=(640, 480)),
    "cast": lambda made, _: replace(made, cast=(replace(made.cast[0], description="a thief"),)),
    "absent character": lambda made, _: replace(made, cast=(replace(made.cast[0], name="tom"),)),
    "poses": lambda made, shot: first_shot(made, world_from_camera=moved(shot.world_from_camera)),
    "lens": lambda made, shot: first_shot(made, intrinsics=shot.intrinsics * np.diag([1.01, 1.01, 1])),
    "boxes": lambda made, shot: with_subject(made, box_px=shot.subjects[0].box_px + 1),
    "path": lambda made, shot: with_subject(made, root=shot.subjects[0].root + 1),
    "lift": lambda made, shot: with_subject(made, lift_m=shot.subjects[0].lift_m + 1),
    "gestures": lambda made, _: with_subject(made, gestures=(Gesture("bow", 0, 9),)),
    "options": lambda made, _: with_clip(made, options={"steps": 9}),
    "prompt": lambda made, _: with_clip(made, prompt="another"),
    "seed": lambda made, _: with_clip(made, seed=1),
    "frames": lambda made, _: with_clip(made, generated=99),
    "key": lambda made, _: with_clip(made, recipe_key="0" * 64),
}


@pytest.mark.parametrize("edit", EDITS)
def test_refuses_what_was_edited_after_planning(made: Plan, tmp_path: Path, edit: str) -> None:
    write_plan(EDITS[edit](made, made.takes[0].shots[0]), tmp_path / "plan.json")
    assert refusal(tmp_path / "plan.json") == "E245"


def test_refuses_shots_and_clips_out_of_order(made: Plan, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    write_plan(replace(made, takes=(Take(made.takes[0].shots[::-1]), *made.takes[1:])), file)
    assert refusal(file) == "E242"
    for change in ({"start": 1}, {"frames": 9}, {"tail": 3}):
        write_plan(with_clip(made, **change), file)
        assert refusal(file) == "E242"


def with_values(values: Any, at: Any, value: float) -> Any:
    values = values.copy()
    values[at] = value
    return values


POSES: dict[str, Any] = {
    "skewed": ((0, 0, 1), 0.3), "mirrored": None, "no number": ((3, 0, 3), np.nan),
    "endless": ((3, 0, 3), np.inf), "immense": ((3, 0, 3), 1e300), "far": ((3, 0, 3), 1e8),
    "flat": ((0, 3, 3), 2.0),
}  # fmt: skip


@pytest.mark.parametrize("name", POSES)
def test_refuses_poses_that_are_none(made: Plan, tmp_path: Path, name: str) -> None:
    poses = made.takes[0].shots[0].world_from_camera
    edit = POSES[name]
    wrong = with_values(poses, *edit) if edit else poses * np.array([-1.0, 1, 1, 1])
    assert unsound(made, first_shot(made, world_from_camera=wrong), tmp_path)


def unsound(made: Plan, edited: Plan, folder: Path) -> bool:
    """Whether the edited plan's arrays are refused for what they hold."""
    write_plan(made, folder / "plan.json")
    np.savez(folder / "plan.npz", **arrays_of(edited))
    with pytest.raises(AnixError, match=r"E244 .* are not those of a film"):
        read_plan(folder / "plan.json")
    return True


@pytest.mark.parametrize("name", ["root", "yaw_rad", "speed_mps", "gait_phase", "box_px", "lift_m"])
@pytest.mark.parametrize("value", [1e300, -1e300])
def test_refuses_immense_values(made: Plan, tmp_path: Path, name: str, value: float) -> None:
    values = getattr(made.takes[0].shots[0].subjects[0], name)
    assert unsound(made, with_subject(made, **{name: with_values(values, 2, value)}), tmp_path)


@pytest.mark.parametrize(("at", "value"), [((0, 0, 0), 0), ((0, 1, 1), -9), ((0, 0, 1), 1), ((0, 2, 2), 2)])
def test_refuses_what_is_no_lens(made: Plan, tmp_path: Path, at: tuple[int, ...], value: float) -> None:
    lens = with_values(made.takes[0].shots[0].intrinsics, at, value)
    assert unsound(made, first_shot(made, intrinsics=lens), tmp_path)


@pytest.mark.parametrize(
    "matrix",
    [
        np.diag([1, 1, -1, 1]), np.diag([1, 2, 1, 1]), np.diag([1, 1, 1, 2]), np.diag([0, 0, 0, 1]),
        np.eye(4) + np.eye(4, k=1), np.diag([1e-9, 1e-9, 1e-9, 1]),
    ],
)  # fmt: skip
def test_refuses_placements_that_deform_the_scene(made: Plan, tmp_path: Path, matrix: Any) -> None:
    write_plan(placed(made, matrix), tmp_path / "plan.json")
    assert refusal(tmp_path / "plan.json") == "E242"


def at_path(document: Any, keys: tuple[str | int, ...], value: Any) -> None:
    for key in keys[:-1]:
        document = document[key]
    document[keys[-1]] = value


SHOT = ("takes", 0, "shots", 0)
CLIP = (*SHOT, "clips", 0)
DEEP: Any = {}
for _ in range(60):
    DEEP = {"a": DEEP}


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("size",), [833, 480]), (("size",), [832.0, 480]), (("size",), [10**9, 480]), (("size",), [2, 2]),
        (("fps",), "9" * 5000 + "/1"), (("fps",), "1000/1"), (("fps",), "1/2"),
        (("store",), "a\0b"), (("store",), "\ud800"), (("scene", "file"), "\0"), (("title",), "\udc80"),
        ((*CLIP, "options"), {"a\0": 1}), ((*CLIP, "options"), DEEP), ((*CLIP, "options"), {"a": 10**400}),
        (("scene", "extent_m"), 1e300), (("cast", 0, "height_m"), 1e9), (("seed",), -1), (("takes",), []),
        ((*SHOT, "frames"), 48.0), ((*SHOT, "frames"), True), ((*SHOT, "frames"), 10**9),
        ((*SHOT, "clips"), []), ((*SHOT, "transition"), {"kind": "fade", "seconds": 1e9, "colour": [0] * 3}),
    ],
)  # fmt: skip
def test_refuses_documents_that_no_plan_is(made: Plan, tmp_path: Path, keys: Any, value: Any) -> None:
    write_plan(made, tmp_path / "plan.json")
    document = json.loads((tmp_path / "plan.json").read_text())
    at_path(document, keys, value)
    (tmp_path / "plan.json").write_text(json.dumps(document))
    assert refusal(tmp_path / "plan.json") == "E242"


def test_refuses_numbers_that_are_none(made: Plan, tmp_path: Path) -> None:
    text = json.dumps(plan_document(made, base=tmp_path, embed=True))
    assert refusal(Path("-"), text.replace('"extent_m": 50.0', '"extent_m": NaN').encode()) == "E240"
    assert refusal(Path("-"), text.replace('"extent_m": 50.0', '"extent_m": 1e999').encode()) == "E242"


def test_never_reads_without_end(made: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if Path("/dev/zero").exists():
        assert refusal(Path("/dev/zero")) == "E240"
    file, arrays = tmp_path / "plan.json", tmp_path / "plan.npz"
    write_plan(made, file)
    if Path("/dev/zero").exists():
        arrays.unlink()
        arrays.symlink_to("/dev/zero")
        assert refusal(file) == "E244"
        arrays.unlink()
    held = arrays_of(made) | {"root": np.zeros((1 << 20, 3))}  # a bomb: packed small, and not as planned
    np.savez_compressed(arrays, **held)
    read: list[object] = []
    monkeypatch.setattr(np.lib.format, "read_array", lambda *_, **__: read.append(1))
    assert refusal(file) == "E244" and not read
    monkeypatch.undo()
    write_plan(made, file)
    document = json.loads(file.read_text())
    shot, clip = document["takes"][-1]["shots"][-1], document["takes"][-1]["shots"][-1]["clips"][-1]
    for record in (shot, clip):
        record["frames"] += 10**8
    clip["generated"] += 10**8
    file.write_text(json.dumps(document))
    assert refusal(file) == "E244"


@pytest.mark.parametrize("fails", ["text", "arrays"])
def test_a_full_disk_leaves_the_plan_that_was_there(
    made: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    write_plan(made, tmp_path / "plan.json")
    other = plan(screenplay(shot("a", "waves")), folder=tmp_path)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(*((Path, "write_text") if fails == "text" else (np, "savez")), full)
    with pytest.raises(AnixError) as caught:
        write_plan(other, tmp_path / "plan.json")
    assert codes(caught.value) == ["E411"]
    assert alike(read_plan(tmp_path / "plan.json"), made)
    assert sorted(item.name for item in tmp_path.iterdir()) == ["plan.json", "plan.npz"]


def test_both_files_are_whole_before_either_is_named(
    made: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[int] = []
    rename = Path.replace

    def watched(self: Path, target: Path) -> Path:
        waiting.append(sum(1 for item in tmp_path.glob(".plan.*.partial.*") if item.stat().st_size > 1000))
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", watched)
    write_plan(made, tmp_path / "plan.json")
    assert waiting == [2, 1]


def test_what_changes_no_pixels_may_be_edited(made: Plan, tmp_path: Path) -> None:
    edited = replace(made, title="Another", store=tmp_path / "elsewhere")
    write_plan(
        first_shot(edited, transition=Transition("fade", 0.25), guide_stale_because="not rendered yet"),
        tmp_path / "plan.json",
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
    assert run.view == wave.view == "54°x33°"  # a lens of 35 mm before 36 mm; 2·atan(18/35), 480/832 of it
    assert "160 frames = 10.00 s at 16 fps" in summary_text(made)


@pytest.mark.parametrize(
    ("size_px", "told"), [((832, 480), "78°x50°"), ((480, 832), "30°x50°"), ((512, 512), "50°x50°")]
)
def test_the_table_tells_both_fields_of_view(made: Plan, size_px: tuple[int, int], told: str) -> None:
    shot = made.takes[0].shots[0]
    lens = np.repeat(np.eye(3)[None], shot.frames, axis=0)
    lens[:, 0, 0] = lens[:, 1, 1] = size_px[1] / 2 / np.tan(np.radians(25))
    assert view_of(replace(shot, intrinsics=lens), size_px) == told
    lens[-1, :2, :2] *= 2
    longer = np.degrees(2 * np.arctan(np.tan(np.radians(25)) / 2))
    assert view_of(replace(shot, intrinsics=lens), size_px).endswith(f"x{longer:.0f}°")


def test_the_table_counts_the_clips_that_are_made(made: Plan) -> None:
    clips = made.takes[0].shots[0].clips
    some = [
        replace(clips[0], index=n, stale_because=why) for n, why in enumerate((None, "not made yet", None))
    ]
    assert summary(first_shot(made, clips=tuple(some)))[0].state == "2 of 3 clips made; not made yet"
    assert summary(first_shot(made, clips=tuple(some[1:2])))[0].state == "not made yet"
    assert summary(first_shot(made, clips=tuple(some[:1])))[0].state == "cached"


def test_planning_imports_nothing_heavy() -> None:
    heavy = {"numba", "torch", "scipy", "PIL", "jsonschema"}
    code = f"import sys, anix_cli.plan; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
