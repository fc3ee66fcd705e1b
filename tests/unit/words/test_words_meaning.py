"""Verbs outside the lexicon: what is made of an answer, and the answers themselves where the extra is
there."""

from __future__ import annotations

import subprocess
import sys

import pytest

from anix_cli.words import understand
from anix_cli.words.meaning import NONE, Meaning, installed, prototypes


def test_a_sure_answer_is_taken_and_said() -> None:
    reading = understand(
        "she ingurgitates the cake and waves", meaning=lambda verb: Meaning("eat", 0.81, ("eat",))
    )
    assert [(beat.action, beat.object) for beat in reading.beats] == [("eat", "cake"), ("wave", None)]
    (taken,) = reading.taken
    assert (taken.text, taken.action, taken.likeness, taken.span) == ("ingurgitates", "eat", 0.81, (4, 16))


def test_an_unsure_answer_leaves_the_word_unknown() -> None:
    reading = understand("she knows him", meaning=lambda verb: Meaning("", 0.4, ("think",)))
    assert [problem.kind for problem in reading.problems] == ["unknown_verb"] and not reading.taken


def test_it_is_asked_only_about_verbs_that_are_not_known() -> None:
    asked: list[str] = []

    def meaning(verb: str) -> Meaning:
        asked.append(verb)
        return Meaning("", 0.0, ())

    for command in ("she walks, wlaks and waves", "do that again", "pan left", "Mira waves", "wak", "hacia"):
        understand(command, characters=["mira"], meaning=meaning)
    assert asked == []
    understand("she ossifies", meaning=meaning)
    assert asked == ["ossifies"]


def test_prototypes_name_verbs_of_the_lexicon() -> None:
    assert len(prototypes()) > 200 and NONE in {lemma for _, lemma in prototypes()}


def test_without_an_unknown_verb_nothing_heavy_is_imported() -> None:
    code = (
        "import sys; from anix_cli.words import understand; from anix_cli.words.meaning import guess;"
        "understand('she walks to the door and waves', characters=None, meaning=guess());"
        "print({'torch', 'transformers', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.skipif(not installed(), reason="needs the extra `language`")
@pytest.mark.parametrize(
    ("verb", "lemma"),
    [("guzzles", "drink"), ("hollers", "shout"), ("slumbers", "sleep"), ("knows", ""),
     ("costs", ""), ("photosynthesizes", "")],
)  # fmt: skip
def test_answers_of_the_model(verb: str, lemma: str) -> None:
    from anix_cli.words.meaning import meaning_of

    assert meaning_of(verb).lemma == lemma
    assert meaning_of(verb) == meaning_of(verb)
