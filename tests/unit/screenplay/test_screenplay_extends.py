"""``extends:``: what is taken over, where its values stand, and what keeps a file from being taken over."""

from __future__ import annotations

import os
from fractions import Fraction

import pytest
from screenplay_texts import BASE, SHOTS, said_once

from anix_cli.core.errors import AnixError, Span
from anix_cli.core.screenplay import AnchorSpec, CameraSpec, PlacementSpec
from anix_cli.core.time import Duration
from anix_cli.screenplay import extends, load
from anix_cli.screenplay.extends import DEEPEST, MOST_FILES
from anix_cli.screenplay.text import MAX_BYTES

CAST = """\
anix: 1
title: Shared
film: {fps: 8, seed: 3}
characters: {mira: {views: {front: f.png, left: l.png, right: r.png, back: b.png}, height: 1.6}}
defaults: {camera: {move: orbit, degrees: 90}, duration: 5, options: {animatic: {shadow: false}}}
"""
SET = """\
anix: 1
scene: {file: room.ply, up: +y, crop: {x: [-4, 4]}}
anchors:
  door: {at: [0, 3], face: 90}
  well: {at: [4, 9]}
cameras: {gate: {at: [0, 1, -4], lens_mm: 28}}
"""
BOTH = "anix: 1\nextends: [cast.yaml, set.yaml]\n"


@pytest.fixture
def shared(folder):
    (folder / "cast.yaml").write_text(CAST, encoding="utf-8")
    (folder / "set.yaml").write_text(SET, encoding="utf-8")
    return folder


def test_files_are_put_together(read, shared):
    film = read(BOTH + SHOTS)
    assert film.title == "Shared"
    assert film.film.fps == 8
    assert film.scene.file == shared / "room.ply"
    assert list(film.characters) == ["mira"]
    assert list(film.anchors) == ["door", "well"]
    assert film.shots[0].character == "mira"
    assert film.files == (shared / "film.yaml", shared / "cast.yaml", shared / "set.yaml")


def test_one_file_needs_no_list(read, shared):
    film = read(f"anix: 1\nextends: cast.yaml\nscene: {{file: room.ply}}\n{SHOTS}")
    assert list(film.characters) == ["mira"]


def test_a_whole_film_may_be_varied(read, shared):
    (shared / "first.yaml").write_text(BOTH + SHOTS, encoding="utf-8")
    film = read("anix: 1\nextends: first.yaml\nfilm: {seed: 9}\n")
    assert [shot.id for shot in film.shots] == ["s1"]
    assert (film.film.seed, film.film.fps) == (9, 8)


def test_mappings_are_merged_key_by_key(read, shared):
    own = (
        "film: {seed: 9}\n"
        "scene: {up: -y, crop: {y: [0, 2]}}\n"
        "characters: {mira: {height: 1.8}}\n"
        "defaults: {duration: 2, options: {animatic: {slate: true}}}\n"
    )
    film = read(BOTH + own + SHOTS)
    assert (film.film.seed, film.film.fps) == (9, 8)
    assert (film.scene.up, film.scene.file) == ("-y", shared / "room.ply")
    assert film.scene.crop_m == ((-4.0, 4.0), (0.0, 2.0), None)
    assert (film.characters["mira"].height_m, len(film.characters["mira"].views)) == (1.8, 4)
    assert film.shots[0].options == {"animatic": {"shadow": False, "slate": True}}
    assert film.shots[0].cameras == (CameraSpec(move="orbit", degrees=90),)


def test_what_makes_sense_only_together_is_replaced_as_a_whole(read, shared):
    own = (
        "scene: {crop: {x: [0, 1]}}\n"
        "anchors: {door: {from: well, left: 1}}\n"
        "cameras: {gate: {at: [9, 9]}}\n"
        "defaults: {camera: {lens_mm: 50}}\n"
    )
    film = read(BOTH + own + SHOTS)
    assert film.scene.crop_m == ((0.0, 1.0), None, None)
    assert film.anchors["door"] == AnchorSpec(base="well", left_m=1.0)
    assert film.cameras["gate"] == PlacementSpec(at=(9.0, 9.0))
    assert film.shots[0].cameras == (CameraSpec(lens_mm=50),)


def test_shots_are_replaced_as_a_whole(read, shared):
    (shared / "first.yaml").write_text(BOTH + SHOTS, encoding="utf-8")
    film = read("anix: 1\nextends: first.yaml\nshots: [{id: b, command: wave}]\n")
    assert [(shot.id, shot.duration) for shot in film.shots] == [("b", Duration(Fraction(5)))]


def test_a_character_called_like_a_key_is_merged_like_any(read, shared):
    (shared / "cast.yaml").write_text(CAST.replace("mira", "camera"), encoding="utf-8")
    film = read(BOTH + "characters: {camera: {height: 2}}\n" + SHOTS)
    assert (film.characters["camera"].height_m, len(film.characters["camera"].views)) == (2.0, 4)


def test_the_later_of_two_files_wins(read, shared):
    (shared / "night.yaml").write_text("anix: 1\nfilm: {seed: 4}\nlook: night\n", encoding="utf-8")
    film = read("anix: 1\nextends: [cast.yaml, night.yaml, set.yaml]\n" + SHOTS)
    assert (film.film.seed, film.film.fps, film.shots[0].look) == (4, 8, "night")
    turned = read("anix: 1\nextends: [night.yaml, cast.yaml, set.yaml]\n" + SHOTS)
    assert turned.film.seed == 3


def test_files_extend_files_and_paths_start_where_they_are_written(read, shared):
    inner = shared / "sets" / "deep"
    inner.mkdir(parents=True)
    (inner / "hall.ply").write_bytes(b"ply\n")
    (inner / "hall.yaml").write_text("anix: 1\nscene: {file: hall.ply}\n", encoding="utf-8")
    (shared / "sets" / "all.yaml").write_text("anix: 1\nextends: deep/hall.yaml\n", encoding="utf-8")
    film = read("anix: 1\nextends: [cast.yaml, sets/all.yaml]\n" + SHOTS)
    assert film.scene.file == inner / "hall.ply"
    assert film.characters["mira"].views["front"] == shared / "f.png"
    assert film.files[2:] == (shared / "sets" / "all.yaml", inner / "hall.yaml")


def test_what_is_written_here_keeps_its_place_and_what_is_taken_over_has_its_own(read, shared):
    film = read(BOTH + "film: {seed: 9}\n" + SHOTS)
    own, other = film.positions["film", "seed"], film.positions["film", "fps"]
    assert (own.file, own.span) == (shared / "film.yaml", Span(3, 14, 1))
    assert (other.file, other.span) == (shared / "cast.yaml", Span(3, 13, 1))
    assert other.source == "film: {fps: 8, seed: 3}"


def test_a_problem_is_told_in_the_file_that_has_it(problems, shared):
    (shared / "set.yaml").write_text(SET.replace("[4, 9]", "[4]"), encoding="utf-8")
    (problem,) = problems(BOTH + SHOTS)
    assert (problem.code, problem.file, problem.span.line) == ("E104", shared / "set.yaml", 5)
    assert problem.source == "  well: {at: [4]}"


def test_problems_of_the_screenplay_come_before_those_of_its_files(problems, shared):
    (shared / "set.yaml").write_text(SET.replace("[4, 9]", "[4]"), encoding="utf-8")
    found = problems(BOTH + SHOTS.replace("run forward", "x, anchor: dor"))
    assert [(problem.code, problem.file.name) for problem in found] == [
        ("E123", "film.yaml"),
        ("E104", "set.yaml"),
    ]


def test_what_is_overridden_is_not_complained_about(problems, shared):
    (shared / "set.yaml").write_text(SET.replace("[4, 9]", "[4]"), encoding="utf-8")
    assert problems(BOTH + "anchors: {well: {at: [1, 1]}}\n" + SHOTS) == ()


def test_own_parts_of_a_file_stay_in_it(read, shared):
    (shared / "cast.yaml").write_text(f"x-own: &own {{a: 1}}\n{CAST}", encoding="utf-8")
    assert ("x-own",) not in read(BOTH + SHOTS).positions


def test_labels_do_not_cross_files(problems, shared):
    (shared / "cast.yaml").write_text(f"x-own: &own {{fps: 9}}\n{CAST}", encoding="utf-8")
    said_once(problems(BOTH + "film: *own\n" + SHOTS), "E108", "*own", None)


def test_a_file_is_read_once_more_for_each_that_extends_it(read, shared):
    for name in ("a", "b"):
        (shared / f"{name}.yaml").write_text("anix: 1\nextends: cast.yaml\n", encoding="utf-8")
    film = read("anix: 1\nextends: [a.yaml, b.yaml, set.yaml]\n" + SHOTS)
    assert [file.stem for file in film.files] == ["film", "a", "cast", "b", "set"]


@pytest.mark.parametrize(
    ("written", "code", "marked", "hint"),
    [
        ('""', "E116", '""', "shared/cast.yaml"),
        ("", "E116", "extends", "shared/cast.yaml"),
        ("[]", "E116", "extends", "[shared/cast.yaml"),
        ("3", "E114", "3", "path of a screenplay"),
        ("{a: b}", "E114", "extends", "path of a screenplay"),
        ("[set.yaml, null]", "E116", "null", "path of a screenplay"),
        ("[[set.yaml]]", "E114", "[", "path of a screenplay"),
        ("cats.yaml", "E131", "cats.yaml", "cast.yaml"),
        ("none/cast.yaml", "E131", "none/cast.yaml", "tried"),
        ("'sets\\cast.yaml'", "E131", "'sets\\cast.yaml'", "use / instead"),
        ("https://example.org/cast.yaml", "E131", "https://example.org/cast.yaml", "download"),
        (".", "E135", ".", None),
        ("/dev/zero", "E135", "/dev/zero", None),
        ('"cast\\0.yaml"', "E134", '"cast\\0.yaml"', "use /"),
        ("x" * 2000, "E104", None, None),
        ("empty.yaml", "E102", "empty.yaml", "anix: 1"),
        ("null.yaml", "E102", "null.yaml", "anix: 1"),
        ("list.yaml", "E114", "list.yaml", None),
        ("room.ply", "E135", "room.ply", ".yaml or .yml"),
        ("film.yaml", "E136", "film.yaml", "remove"),
    ],
)
def test_what_cannot_be_taken_over_is_told_where_it_is_named(problems, shared, written, code, marked, hint):
    for name, text in (("empty", "# nothing\n"), ("null", "null\n"), ("list", "- a\n"), ("film", BASE)):
        (shared / f"{name}.yaml").write_text(text, encoding="utf-8")
    said_once(problems(f"extends: {written}\n{BASE}"), code, marked, hint)


def test_what_else_is_wrong_is_told_along_with_a_missing_file(problems, shared):
    """But not the names that the missing file could have."""
    (shared / "set.yaml").write_text(SET.replace("[4, 9]", "[4]"), encoding="utf-8")
    shots = "shots: [{id: a, command: x, anchor: unknown, durration: 3}]\n"
    found = problems(f"anix: 1\nextends: [cats.yaml, set.yaml]\nfilm: {{fps: fast}}\n{shots}")
    assert [(problem.code, problem.file.name, problem.span.line) for problem in found] == [
        ("E131", "film.yaml", 2),
        ("E104", "film.yaml", 3),
        ("E112", "film.yaml", 4),
        ("E104", "set.yaml", 5),
    ]


def test_a_pipe_is_not_waited_for(problems, shared):
    os.mkfifo(shared / "pipe.yaml")
    said_once(problems(f"extends: pipe.yaml\n{BASE}"), "E135", "pipe.yaml", None)


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"anix: 1\n\tfilm: {}\n", "E106", 2),
        (b"anix: 1\nfilm: {fps: 8\n", "E107", 2),
        ("anix: 1\ntitle: café\n".encode("latin-1"), "E103", 2),
        (b"anix: 1\ntitle: a\x1bb\n", "E105", 2),
        ("anix: 1\n".encode("utf-16"), "E103", None),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "E103", None),
        (b"anix: 1\nfilm: {fps: 8}\nfilm: {fps: 9}\n", "E109", 3),
        (b"film: {fps: 8}\n", "E113", 1),
        (b"anix: 2\nfilm: {fps: 8}\n", "E104", 1),
        (b"anix: 1\nextends: 3\n", "E114", 2),
        (b"anix: 1\nextends: missing.yaml\n", "E131", 2),
        (b'anix: 1\nextends: "a\\0b"\n', "E134", 2),
    ],
)
def test_a_file_that_is_broken_says_so_itself(problems, shared, data, code, line):
    (shared / "part.yaml").write_bytes(data)
    (problem,) = problems(f"extends: part.yaml\n{BASE}")
    assert (problem.code, problem.file.name) == (code, "part.yaml")
    assert (problem.span.line if problem.span else None) == line


def test_every_file_says_its_version_even_this_one(problems, shared):
    (problem,) = problems("extends: [cast.yaml, set.yaml]\n" + SHOTS)
    assert (problem.code, problem.file.name, problem.span.line) == ("E113", "film.yaml", 1)


def test_circles_are_found_through_links(problems, shared):
    (shared / "there.yaml").write_text("anix: 1\nextends: again.yaml\n", encoding="utf-8")
    (shared / "again.yaml").symlink_to(shared / "there.yaml")
    said_once(problems(f"extends: there.yaml\n{BASE}"), "E136", "again.yaml", "leads back")


def test_a_link_that_leads_to_itself_is_no_file(problems, shared):
    (shared / "loop.yaml").symlink_to(shared / "loop.yaml")
    said_once(problems(f"extends: loop.yaml\n{BASE}"), "E131", "loop.yaml", None)


def test_a_wider_circle_names_its_files(problems, shared):
    (shared / "a.yaml").write_text("anix: 1\nextends: b.yaml\n", encoding="utf-8")
    (shared / "b.yaml").write_text("anix: 1\nextends: [set.yaml, a.yaml]\n", encoding="utf-8")
    (problem,) = problems(f"extends: a.yaml\n{BASE}")
    assert problem.code == "E136"
    assert "a.yaml extends b.yaml extends a.yaml" in problem.message
    assert problem.file == shared / "b.yaml"


def test_a_chain_may_be_deep_but_not_endless(problems, read, shared):
    for index in range(DEEPEST):
        (shared / f"c{index}.yaml").write_text(f"anix: 1\nextends: c{index + 1}.yaml\n", encoding="utf-8")
    (shared / f"c{DEEPEST}.yaml").write_text("anix: 1\nlook: deep\n", encoding="utf-8")
    assert read(f"extends: c2.yaml\n{BASE}").shots[0].look == "deep"
    (problem,) = problems(f"extends: c0.yaml\n{BASE}")
    assert (problem.code, problem.file) == ("E136", shared / f"c{DEEPEST - 2}.yaml")


def test_not_more_files_than_that(problems, shared):
    for index in range(MOST_FILES):
        (shared / f"m{index}.yaml").write_text("anix: 1\nextends: [set.yaml, set.yaml]\n", encoding="utf-8")
    names = ", ".join(f"m{index}.yaml" for index in range(15))
    (problem,) = problems(f"extends: [{names}]\n{BASE}")
    assert (problem.code, problem.span.line) == ("E136", 2)


def test_limits_count_for_all_files_together(problems, shared):
    comment = "# " + "x" * (MAX_BYTES // 2) + "\n"
    for name in ("one", "two"):
        (shared / f"{name}.yaml").write_text(f"anix: 1\n{comment}", encoding="utf-8")
    said_once(problems(f"extends: [one.yaml, two.yaml]\n{BASE}"), "E110", "two.yaml", None)


def test_so_many_values_together_are_too_many(problems, shared, monkeypatch):
    monkeypatch.setattr(extends, "MAX_NODES", 500)
    for name in ("one", "two"):
        rest = ", ".join(f"{name}{index}: {{at: [0, 1]}}" for index in range(60))
        (shared / f"{name}.yaml").write_text(f"anix: 1\nanchors: {{{rest}}}\n", encoding="utf-8")
    assert problems(f"extends: one.yaml\n{BASE}") == ()
    (problem,) = problems(f"extends: [one.yaml, two.yaml]\n{BASE}")
    assert problem.code == "E110"
    assert "with what it extends" in problem.message


def test_no_permission_is_told(shared, monkeypatch):
    (shared / "film.yaml").write_text(f"extends: cast.yaml\n{BASE}", encoding="utf-8")
    opened = type(shared).open

    def opening(self, *args, **kwargs):
        if self.name == "cast.yaml":
            raise PermissionError(13, "Permission denied")
        return opened(self, *args, **kwargs)

    monkeypatch.setattr(type(shared), "open", opening)
    with pytest.raises(AnixError) as caught:
        load(shared / "film.yaml")
    (problem,) = caught.value.diagnostics
    assert (problem.code, problem.file.name) == ("E131", "film.yaml")
    assert "Permission denied" in problem.message


def test_a_character_that_looks_another_way_is_given_only_that_way(read, shared):
    for name in ("m.glb", "sheet.png"):
        (shared / name).write_bytes((shared / "f.png").read_bytes())
    film = read(BOTH + "characters: {mira: {model: m.glb}}\n" + SHOTS)
    mira = film.characters["mira"]
    assert (mira.model, dict(mira.views), mira.height_m) == (shared / "m.glb", {}, 1.6)
    film = read(BOTH + "characters: {mira: {sheet: sheet.png}}\n" + SHOTS)
    mira = film.characters["mira"]
    assert (mira.model, mira.sheet) == (None, shared / "sheet.png")
    assert set(mira.views.values()) == {shared / "sheet.png"} and len(mira.views) == 4
