"""Prompts counted by a tokenizer that is on this machine, and only by one that is."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from anix_cli.core.capabilities import Capabilities
from anix_cli.core.screenplay import CharacterSpec, FilmSpec, SceneSpec, Screenplay, ShotSpec
from anix_cli.core.time import Duration
from anix_cli.model.tokens import counter
from anix_cli.run.fits import fits

tokenizers = pytest.importorskip("tokenizers")

NAME = "wan2.1-vace-1.3b"
LIMITS = Capabilities(
    uses=frozenset(),
    version="1",
    max_frames=81,
    tail=5,
    prompt_tokens=60,
    tokenizers=("wan2.1-vace-14b", NAME),
)  # fmt: skip


@pytest.fixture
def weights(tmp_path, monkeypatch):
    """A tokenizer of one token a word, and one for the end; its file would cut and pad."""
    monkeypatch.setenv("ANIX_WEIGHTS_DIR", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"</s>": 0, "a": 1}, unk_token="a"))  # noqa: S106
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 0)]
    )
    made.enable_truncation(8)
    made.enable_padding(length=8)
    file = tmp_path / NAME / "tokenizer" / "tokenizer.json"
    file.parent.mkdir(parents=True)
    made.save(str(file))
    return file


def remarks(prompt: str) -> list[str]:
    shot = ShotSpec("a", "Mira waves", Duration(Fraction(2)), character="mira", prompt=prompt)
    play = Screenplay(
        path=Path("/film/film.yaml"), title="", film=FilmSpec(), scene=SceneSpec(Path("s.ply")),
        characters={"mira": CharacterSpec({}, 1.7, "a courier")}, anchors={}, shots=(shot,),
    )  # fmt: skip
    return [found.message for found in fits(play, "picky", LIMITS) if found.code == "W192"]


def test_a_tokenizer_on_this_machine_counts(weights):
    count = counter(LIMITS.tokenizers)
    assert count("mira waves") == 3 and count(" ".join("w" for _ in range(900))) == 901


def test_without_one_there_is_no_count(tmp_path, monkeypatch):
    monkeypatch.setenv("ANIX_WEIGHTS_DIR", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    assert counter(LIMITS.tokenizers) is None


@pytest.mark.parametrize("content", [b"", b"version https://git-lfs.github.com/spec/v1\n", b"{}"])
def test_a_file_that_is_none_is_no_tokenizer(weights, content):
    weights.write_bytes(content)
    assert counter(LIMITS.tokenizers) is None


def test_nine_hundred_words_of_style_lose_their_end_by_name_and_never_the_action(weights):
    """D06."""
    (said,) = remarks(" ".join(f"style{i}" for i in range(900)))
    # Mira waves; the camera stands still; a courier; = 8 words, and the end
    assert "make 909 tokens, and picky reads 60: lost would be “style51 style52" in said


def test_an_estimate_says_about(tmp_path, monkeypatch):
    monkeypatch.setenv("ANIX_WEIGHTS_DIR", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    (said,) = remarks(" ".join(f"style{i}" for i in range(900)))
    assert "make about" in said and "lost would be “style" in said and said.endswith("…”")


def test_what_an_estimate_fears_and_the_tokenizer_does_not_is_not_told(weights):
    assert remarks("extraordinarily " * 20) == []
    weights.unlink()
    assert len(remarks("extraordinarily " * 20)) == 1
