"""``--set``: values from the command line, put into the screenplay before it is checked."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from screenplay_texts import BASE, HEAD

from anix_cli.core.codes import exit_code_of
from anix_cli.core.errors import AnixError, ExitCode
from anix_cli.core.time import Duration
from anix_cli.screenplay import load

TWO = f"""{HEAD}shots:
  - {{id: run, command: run forward, duration: 3}}
  - {{id: "1.2", command: wave, duration: 2}}
"""


@pytest.fixture
def given(folder):
    def given(*settings, text=TWO):
        return load(folder / "film.yaml", text=text.encode(), settings=settings)

    return given


@pytest.fixture
def refused(given):
    def refused(*settings, text=TWO):
        with pytest.raises(AnixError) as caught:
            given(*settings, text=text)
        return caught.value.diagnostics

    return refused


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        (["film.seed=3"], lambda film: film.film.seed == 3),
        ([" film . seed = 3 "], lambda film: film.film.seed == 3),
        (["film={seed: 3, fps: 8}"], lambda film: (film.film.seed, film.film.fps) == (3, 8)),
        (["film.seed=3", "film.fps=8"], lambda film: (film.film.seed, film.film.fps) == (3, 8)),
        (["film.seed=3", "film.seed=4"], lambda film: film.film.seed == 4),
        (["shots.run.duration=64f"], lambda film: film.shots[0].duration == Duration(Fraction(64), "frames")),
        (["shots[0].duration=5"], lambda film: film.shots[0].duration == Duration(Fraction(5))),
        (["shots.0.duration=5"], lambda film: film.shots[0].duration == Duration(Fraction(5))),
        (["shots.1.2.duration=5"], lambda film: film.shots[1].duration == Duration(Fraction(5))),
        (["shots[1].id=end", "shots.end.command=x"], lambda film: film.shots[1].command == "x"),
        (["shots.run.camera.move=orbit"], lambda film: film.shots[0].cameras[0].move == "orbit"),
        (["shots=[{id: a, command: x, duration: 1}]"], lambda film: [s.id for s in film.shots] == ["a"]),
        (["anchors.door.at[0]=9"], lambda film: film.anchors["door"].at == (9.0, 3.0)),
        (["anchors.well.at=[1, 2]"], lambda film: film.anchors["well"].at == (1.0, 2.0)),
        (["cameras.gate.at=[1, 2]", "shots.run.camera=gate"], lambda film: "gate" in film.cameras),
        (["defaults.prompt=fog"], lambda film: film.shots[1].prompt == "fog"),
        (["defaults.options.a.b=1"], lambda film: film.shots[0].options == {"a": {"b": 1}}),
        (["title=a=b"], lambda film: film.title == "a=b"),
        (["title=Zoë läuft 👋"], lambda film: film.title == "Zoë läuft 👋"),
        (["title='a: b'"], lambda film: film.title == "a: b"),
        (['title=""'], lambda film: film.title == ""),
        (["title=# 1"], lambda film: film.title == "# 1"),
        (["film.background=#0a141e"], lambda film: film.film.background_rgb == (10, 20, 30)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_values_are_set(given, settings, found):
    assert found(given(*settings))


def test_a_name_with_a_dot_is_found(given):
    text = TWO.replace("door", "St. Mary")
    assert given("anchors.St. Mary.at=[1, 2]", text=text).anchors["St. Mary"].at == (1.0, 2.0)


def test_a_setting_wins_over_what_is_taken_over(given, folder):
    (folder / "base.yaml").write_text("anix: 1\nfilm: {seed: 1, fps: 8}\n", encoding="utf-8")
    film = given("film.seed=3", text="extends: base.yaml\n" + TWO)
    assert (film.film.seed, film.film.fps) == (3, 8)


def test_other_uses_of_a_label_stay_as_they_are(given):
    text = TWO.replace("{door: {at: [0, 3]}}", "{a: &a {at: [0, 3]}, b: *a}")
    film = given("anchors.a.at[1]=9", text=text)
    assert (film.anchors["a"].at, film.anchors["b"].at) == ((0.0, 9.0), (0.0, 3.0))


def test_a_path_starts_from_the_current_folder(given, folder, tmp_path_factory, monkeypatch):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "other.ply").write_bytes(b"ply\n")
    monkeypatch.chdir(elsewhere)
    assert given("scene.file=other.ply").scene.file == elsewhere / "other.ply"


def test_the_place_of_a_value_is_in_what_was_typed(given):
    place = given("film.seed=3").positions["film", "seed"]
    assert (place.file, place.span.line, place.span.column, place.source) == (
        Path("--set"),
        1,
        11,
        "film.seed=3",
    )


@pytest.mark.parametrize(
    ("setting", "code", "marked"),
    [
        ("film.seed=much", "E114", "much"),
        ("film.size=833x480", "E104", "833x480"),
        ("film.fps= 24fps", "E104", "24fps"),
        ("film.seed=0123", "E117", "0123"),
        ("film.seed=", "E116", "seed"),
        ("film.sed=1", "E112", "sed"),
        ("duration=3", "E112", "duration"),
        ("shots.run.camera=gate", "E141", "gate"),
        ("shots.1.2.id=run", "E121", "run"),
        ("shots=[]", "E116", "shots"),
        ("scene.file=none.ply", "E131", "none.ply"),
        ("title=[a", "E107", "["),
        ("title=*a", "E108", "*a"),
        ("title=&a b", "E108", "&a b"),
        ("title=a\x1bb", "E105", "\x1b"),
        ("title=\udcff", "E105", "\udcff"),
        ("title=a: b", "E114", "title"),
        ("anix=2", "E104", "2"),
        ("film[0]=1", "E112", "0"),
        ("title=" + "[" * 100, "E110", "["),
    ],
)
def test_a_wrong_value_is_shown_where_it_was_typed(refused, setting, code, marked):
    (problem,) = refused(setting)
    assert (problem.code, problem.file) == (code, Path("--set"))
    assert problem.source == setting
    column = problem.span.column - 1
    assert problem.source[column : column + problem.span.length] == marked


@pytest.mark.parametrize(
    ("setting", "marked"),
    [
        ("", ""),
        ("=3", "=3"),
        ("film.seed", "film.seed"),
        ("film..seed=1", "film..seed=1"),
        (".film.seed=1", ".film.seed=1"),
        ("film.=1", "film.=1"),
        ("[0]=1", "[0]=1"),
        ("shots[-1].duration=2", "shots[-1].duration=2"),
        ("shots[0]duration=2", "shots[0]duration=2"),
        ("fi\nlm=1", "fi"),
        (".".join("a" * 5000) + "=1", None),
        ("shots[9].duration=2", "9"),
        ("shots.rnu.duration=2", "rnu"),
        ("anchors.door.at[2]=1", "2"),
        ("anix.seed=1", "seed"),
        ("extends=cast.yaml", "extends"),
        ("x-mine=1", "x-mine"),
        ("x-mine.duration=1", "x-mine"),
        ("extends[0]=cast.yaml", "extends[0]"),
    ],
)
def test_a_path_that_leads_nowhere_is_a_usage_error(refused, setting, marked):
    found = refused(setting)
    (problem,) = found
    assert (problem.code, problem.file) == ("E137", Path("--set"))
    assert exit_code_of(found) == ExitCode.USAGE
    column = problem.span.column - 1
    if marked is not None:
        assert problem.source[column : column + problem.span.length] == marked


def test_a_near_id_is_proposed(refused):
    (problem,) = refused("shots.rnu.duration=2")
    assert problem.nearest == "run"
    assert "run, 1.2" in problem.expected


def test_a_broken_screenplay_comes_first(refused):
    (problem,) = refused("film.seed=x", text="anix: [1")
    assert problem.file.name == "film.yaml"


def test_a_problem_of_the_file_and_one_of_a_setting_are_told_together(refused):
    found = refused("film.seed=x", text=BASE.replace("duration", "durration"))
    assert [(problem.code, problem.file.name) for problem in found] == [
        ("E112", "film.yaml"),
        ("E114", "--set"),
    ]


def test_a_twin_in_another_file_is_named_with_it(refused):
    (problem,) = refused("shots.1.2.id=run")
    assert "line 6 of film.yaml" in problem.message


def test_brackets_count_and_dots_name(given):
    text = BASE.replace("s1", "1") + '  - {id: "0", command: x, duration: 1}\n'
    assert [shot.duration.amount for shot in given("shots[1].duration=9", text=text).shots] == [3, 9]
    assert [shot.duration.amount for shot in given("shots.1.duration=9", text=text).shots] == [9, 1]
