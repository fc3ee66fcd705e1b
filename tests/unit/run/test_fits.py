"""What a backend can make of a screenplay, and what it is told of one that asks for more."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from anix_cli.core.capabilities import Capabilities, Option
from anix_cli.core.screenplay import CharacterSpec, FilmSpec, SceneSpec, Screenplay, ShotSpec
from anix_cli.core.time import Duration
from anix_cli.plan.prompt import prompt_of, tokens_estimate
from anix_cli.run.fits import fits

PLAIN = Capabilities(uses=frozenset(), version="1", max_frames=81, tail=5)
PICKY = Capabilities(
    uses=frozenset({"prompt"}),
    version="1",
    max_frames=81,
    tail=5,
    size_multiple=16,
    fps=Fraction(16),
    prompt_tokens=20,
    options={
        "steps": Option("integer", 30, "Sampling steps.", minimum=1, maximum=100),
        "guidance_scale": Option("number", 5.0, "How closely the prompt is followed.", minimum=0),
        "tiled": Option("boolean", False, "Decode in tiles."),
        "sampler": Option("string", "unipc", "How noise is taken away.", choices=("unipc", "euler")),
    },
)


def screenplay(film: FilmSpec | None = None, **shot) -> Screenplay:
    one = ShotSpec("a", "Mira runs", Duration(Fraction(2)), **{"character": "mira", **shot})
    return Screenplay(
        path=Path("/film/film.yaml"), title="", film=film or FilmSpec(), scene=SceneSpec(Path("s.ply")),
        characters={"mira": CharacterSpec({}, 1.7, "a courier")}, anchors={}, shots=(one,),
    )  # fmt: skip


def codes(play: Screenplay, capabilities: Capabilities = PICKY) -> list[str]:
    return [found.code for found in fits(play, "picky", capabilities)]


@pytest.mark.parametrize(
    ("size", "near"),
    [
        ((850, 480), "848x480 or 864x480"),
        ((832, 484), "832x480 or 832x496"),
        ((10, 480), "16x480"),
        ((850, 484), "848x480 or 864x496"),
    ],
)
def test_the_nearest_sizes_that_fit_are_named(size, near):
    (found,) = fits(screenplay(FilmSpec(size_px=size)), "picky", PICKY)
    assert found.code == "E191"
    assert found.message.endswith(f"use {near}")


def test_what_fits_is_not_remarked_on():
    options = {"picky": {"steps": 4, "guidance_scale": 1, "tiled": True, "sampler": "euler"}}
    assert codes(screenplay(FilmSpec(size_px=(848, 480), fps=Fraction(16)), options=options)) == []
    assert codes(screenplay(FilmSpec(size_px=(850, 482), fps=Fraction(7))), PLAIN) == []


def test_another_rate_than_the_backends():
    assert codes(screenplay(FilmSpec(fps=Fraction(24)))) == ["E192"]


@pytest.mark.parametrize(
    ("options", "code", "expected"),
    [
        ({"step": 4}, "E193", "one of steps, guidance_scale, tiled, sampler"),
        ({"steps": 0}, "E194", "a whole number from 1 to 100"),
        ({"steps": 101}, "E194", "a whole number from 1 to 100"),
        ({"steps": 2.5}, "E194", "a whole number from 1 to 100"),
        ({"steps": "many"}, "E194", "a whole number from 1 to 100"),
        ({"steps": True}, "E194", "a whole number from 1 to 100"),
        ({"guidance_scale": -1}, "E194", "a number of at least 0"),
        ({"tiled": 1}, "E194", "true or false"),
        ({"tiled": "yes"}, "E194", "true or false"),
        ({"sampler": "ddim"}, "E194", "one of unipc, euler"),
        ({"sampler": 3}, "E194", "one of unipc, euler"),
    ],
)
def test_options_are_held_to_what_the_backend_takes(options, code, expected):
    (found,) = fits(screenplay(options={"picky": options}), "picky", PICKY)
    assert (found.code, found.expected) == (code, expected)


def test_a_misspelt_option_has_a_near_one():
    (found,) = fits(screenplay(options={"picky": {"step": 4}}), "picky", PICKY)
    assert found.nearest == "steps"


def test_options_of_other_backends():
    assert codes(screenplay(options={"far-away": {"a": 1}})) == ["W191"]
    assert codes(screenplay(options={"animatik": {"a": 1}})) == ["E193"]
    assert codes(screenplay(options={"animatic": {"shadow": 1}})) == ["E194"]
    assert codes(screenplay(options={"animatic": {"shadow": False}})) == []


def test_a_prompt_beyond_the_encoder():
    assert codes(screenplay(prompt="in the rain")) == []
    (found,) = fits(
        screenplay(prompt="in the pouring rain of a cold november evening, wide lens"), "picky", PICKY
    )
    assert found.code == "W192"
    assert "reads 20" in found.message
    assert codes(screenplay(prompt="rain " * 500), PLAIN) == []


@pytest.mark.parametrize(
    ("text", "at_least", "at_most"),
    # Nine words and a mark are ten tokens at the least, and long words two or more.
    [("a courier in a red jacket; Mira runs forward", 11, 14), ("", 1, 1), ("123", 2, 4), ("跑 步", 3, 4)],
)
def test_tokens_are_estimated_on_the_high_side(text, at_least, at_most):
    assert at_least <= tokens_estimate(text) <= at_most


def test_a_prompt_says_who_what_and_how():
    (shot,) = screenplay(prompt="golden light", look="real").shots
    mira = CharacterSpec({}, 1.7, "a courier")
    assert prompt_of(shot, "mira", mira, (object(),)) == "Mira runs; a courier; golden light; real"  # type: ignore[arg-type]
    assert prompt_of(shot, "mira", CharacterSpec({}), ()) == "stands still; mira; golden light; real"
