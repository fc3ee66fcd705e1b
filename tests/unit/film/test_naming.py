"""Templates of names."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anix_cli.core.errors import AnixError
from anix_cli.film.naming import FIELDS, has_fields, named, usual_suffix

FIELD = dict.fromkeys(FIELDS, "x") | {"title": "Day 1: the/chase?", "seed": "7", "size": "64x48"}


@pytest.mark.parametrize(
    ("template", "name"),
    [
        ("out/{name}-{seed}.mp4", "out/x-7.mp4"),
        ("{title}_{size}.mov", "Day 1- the-chase_64x48.mov"),
        ("plain.mp4", "plain.mp4"),
        ("{{{seed}}}.mp4", "{7}.mp4"),
    ],
)
def test_fields_are_filled_in(template: str, name: str) -> None:
    assert named(Path(template), FIELD) == Path(name)
    assert has_fields(Path(template)) == ("{" in template)


@pytest.mark.parametrize("template", ["{sed}.mp4", "{}.mp4", "a{b.mp4", "a}b.mp4", "{seed!r}.mp4"])
def test_other_braces_are_an_error(template: str) -> None:
    with pytest.raises(AnixError) as caught:
        named(Path(template), FIELD)
    assert caught.value.diagnostics[0].code == "E442"
    assert "{title}" in (caught.value.diagnostics[0].hint or "")


@given(st.text(max_size=40))
def test_no_title_leads_to_another_folder(title: str) -> None:
    made = named(Path("out/{title}.mp4"), FIELD | {"title": title})
    assert made.parent == Path("out") and made.name.endswith(".mp4")
    assert not made.name.startswith(".") and "\0" not in made.name


def test_the_usual_endings() -> None:
    assert [usual_suffix(codec) for codec in ("h264", "prores", "av1", "ffv1", "png")] == [
        ".mp4", ".mov", ".mp4", ".mkv", "_png",
    ]  # fmt: skip
