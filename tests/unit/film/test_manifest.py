"""The manifest, and which existing film may be replaced."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anix_cli.core.errors import AnixError
from anix_cli.core.keys import file_digest
from anix_cli.core.schemas import schema
from anix_cli.film import manifest as manifests
from anix_cli.film.manifest import check_output, made_by_this, manifest_path
from anix_cli.film.publish import overlays, publish
from anix_cli.media.video import count_frames, read_frames
from tests.planned_film import KEY, a_plan, made


@pytest.fixture
def film(tmp_path: Path):
    plan = a_plan(tmp_path)
    (tmp_path / "clips").mkdir()
    segments, facts = made(plan, tmp_path / "clips")
    output = tmp_path / "out" / "courier.mp4"
    written, reused = publish(plan, segments, facts, output)
    assert not reused
    return plan, segments, facts, output, written


def test_the_manifest_tells_what_the_film_was_made_from(film) -> None:
    plan, _, facts, output, written = film
    read = json.loads(manifest_path(output).read_text(encoding="utf-8"))
    assert read == written == manifests.read(output)
    assert manifest_path(output).name == "courier.mp4.json"
    assert read["screenplay"] == "../courier.yaml"
    assert (read["frames"], read["fps"], read["size"], read["seed"]) == (9, "16/1", [64, 48], 7)
    assert read["output"] == {
        "name": "courier.mp4",
        "bytes": output.stat().st_size,
        "sha256": file_digest(output),
    }
    assert [(shot["id"], shot["start"], shot["frames"]) for shot in read["shots"]] == [
        ("s0", 0, 5),
        ("s1", 5, 4),
    ]
    clip = read["shots"][0]["clips"][1]
    assert (clip["start"], clip["frames"], clip["seed"], clip["recipe_key"]) == (3, 2, 7, KEY)
    assert clip["files"] == dict(facts[1].files)
    assert set(read["versions"]) >= {"anix", "python", "numpy", "numba", "ffmpeg"}
    assert read["versions"]["ffmpeg"] != "unknown"
    assert count_frames(output) == 9
    assert sorted(path.name for path in output.parent.iterdir()) == ["courier.mp4", "courier.mp4.json"]
    assert plan.title in output.read_bytes().decode("latin-1")


def test_the_schema_is_a_schema_and_refuses_what_it_does_not_know(film) -> None:
    import jsonschema

    jsonschema.Draft7Validator.check_schema(schema("manifest-v1"))
    written = film[4]
    manifests.validate(written)
    for broken in (
        {**written, "surprise": 1},
        {**written, "frames": 0},
        {**written, "fps": "16"},
        {key: value for key, value in written.items() if key != "seed"},
        {**written, "output": {**written["output"], "sha256": "short"}},
    ):
        with pytest.raises(ValueError, match="manifest"):
            manifests.validate(broken)


def test_a_film_that_is_up_to_date_is_left_alone(film) -> None:
    plan, segments, facts, output, written = film
    before = output.stat().st_mtime_ns
    assert publish(plan, segments, facts, output) == (written, True)
    assert output.stat().st_mtime_ns == before
    assert publish(plan, segments, facts, output, slated=True)[1] is False
    assert publish(plan, segments, facts, output, slated=True)[1] is True
    output.write_bytes(output.read_bytes()[:-1])
    assert publish(plan, segments, facts, output, slated=True)[1] is False


def test_only_this_screenplays_untouched_film_may_be_replaced(film, tmp_path: Path) -> None:
    plan, _, _, output, _ = film
    ours = {"screenplay": plan.screenplay, "title": plan.title}
    assert made_by_this(output, **ours)
    check_output(output, **ours)
    edited = replace(plan, title="Another title")
    assert made_by_this(output, screenplay=edited.screenplay, title=edited.title), "a title may change"
    assert not made_by_this(output, screenplay=tmp_path / "other.yaml", title=plan.title)
    assert not made_by_this(output, screenplay=None, title=plan.title)
    output.write_bytes(output.read_bytes() + b"\0")
    assert not made_by_this(output, **ours)
    with pytest.raises(AnixError, match="exists already") as caught:
        check_output(output, **ours)
    assert caught.value.diagnostics[0].code == "E431"
    check_output(output, **ours, overwrite=True)


def test_without_a_path_the_title_decides(tmp_path: Path) -> None:
    plan = replace(a_plan(tmp_path), screenplay=None)
    segments, facts = made(plan, tmp_path)
    output = tmp_path / "film.mp4"
    publish(plan, segments, facts, output)
    assert made_by_this(output, screenplay=None, title="The courier")
    assert made_by_this(output, screenplay=Path("-"), title="The courier")
    assert not made_by_this(output, screenplay=None, title="Another")


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"manifest": 1}', '{"manifest": 2}', '{"manifest": 1, "output": 3}']
)
def test_any_other_file_is_not_ours(tmp_path: Path, content: str) -> None:
    output = tmp_path / "film.mp4"
    output.write_text("holiday video")
    ours = {"screenplay": tmp_path / "courier.yaml", "title": "t"}
    for _ in range(2):
        with pytest.raises(AnixError) as caught:
            check_output(output, **ours)
        assert caught.value.diagnostics[0].code == "E431"
        manifest_path(output).write_text(content)
    assert output.read_text() == "holiday video"


def test_somebodys_json_in_the_manifests_place_is_not_replaced(tmp_path: Path) -> None:
    output = tmp_path / "film.mp4"
    manifest_path(output).write_text('{"mine": true}')
    with pytest.raises(AnixError, match="something else") as caught:
        check_output(output, screenplay=None, title="t")
    assert caught.value.diagnostics[0].code == "E431"
    check_output(output, screenplay=None, title="t", overwrite=True)


def test_a_folder_or_an_odd_suffix_is_no_film(tmp_path: Path) -> None:
    (tmp_path / "film.mp4").mkdir()
    for name in ("film.mp4", "film.txt"):
        with pytest.raises(AnixError) as caught:
            check_output(tmp_path / name, screenplay=None, title="t")
        assert caught.value.diagnostics[0].code == "E432"


def test_a_manifest_that_cannot_be_replaced_is_noticed_before_the_work(tmp_path: Path) -> None:
    manifest_path(tmp_path / "film.mp4").mkdir()
    with pytest.raises(AnixError, match="is a folder") as caught:
        check_output(tmp_path / "film.mp4", screenplay=None, title="t", overwrite=True)
    assert caught.value.diagnostics[0].code == "E412"


def test_names_that_are_no_text(tmp_path: Path) -> None:
    """File names are bytes: such a film is made, known again and up to date."""
    odd = tmp_path / os.fsdecode(b"take \xff")
    try:
        odd.mkdir()
    except OSError:
        pytest.skip("this file system takes names in UTF-8 only")
    plan = replace(a_plan(tmp_path), screenplay=odd / os.fsdecode(b"c\xfe.yaml"), title="T\ud800\0!")
    (tmp_path / "clips").mkdir()
    segments, facts = made(plan, tmp_path / "clips")
    output = tmp_path / os.fsdecode(b"f\xff.mp4")
    check_output(output, screenplay=plan.screenplay, title=plan.title)
    written, _ = publish(plan, segments, facts, output)
    assert written["output"]["name"] == output.name
    assert manifests.read(output) == written
    assert made_by_this(output, screenplay=plan.screenplay, title=plan.title)
    assert publish(plan, segments, facts, output) == (written, True)


def test_killed_between_manifest_and_film_the_old_film_is_still_ours(film, monkeypatch) -> None:
    plan, _, _, output, _ = film
    segments, facts = made(plan, output.parent.parent / "clips", level=200)
    ours = {"screenplay": plan.screenplay, "title": plan.title}
    write = manifests.write

    def write_then_die(manifest, path) -> None:
        write(manifest, path)
        raise KeyboardInterrupt

    monkeypatch.setattr(manifests, "write", write_then_die)
    with pytest.raises(KeyboardInterrupt):
        publish(plan, segments, facts, output)
    assert read_frames(output, kind="delivery").mean() == pytest.approx(100, abs=2), "the old film"
    assert made_by_this(output, **ours)
    monkeypatch.setattr(manifests, "write", write)
    assert publish(plan, segments, facts, output)[1] is False
    assert read_frames(output, kind="delivery").mean() == pytest.approx(200, abs=2)
    assert made_by_this(output, **ours)


def test_a_fade_darkens_both_sides_of_the_cut_and_keeps_the_length(tmp_path: Path) -> None:
    plan = a_plan(tmp_path, ((8,), (8,)), fade_s=0.25)
    assert len(overlays(plan, slated=True)) == 2
    assert overlays(a_plan(tmp_path), slated=False) == []
    segments, facts = made(plan, tmp_path, level=200)
    publish(plan, segments, facts, tmp_path / "film.mp4")
    levels = read_frames(tmp_path / "film.mp4", kind="delivery").mean(axis=(1, 2, 3))
    gains = [1, 1, 1, 1, 1, 1, 0.75, 0.25, 0.25, 0.75, 1, 1, 1, 1, 1, 1]
    np.testing.assert_allclose(levels, 200 * np.array(gains), atol=3)
