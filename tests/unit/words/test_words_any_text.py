# ruff: noqa: E501
"""Any text gives beats or a refusal, soon."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anix_cli.words import spoken, understand
from anix_cli.words.lexicon import lexicon
from anix_cli.words.senses import holds

WORDS = sorted({word for words in lexicon().closed.values() for word in words} | set(lexicon().forms))
SPOKEN = st.sampled_from([word.replace("_", " ") for word in WORDS])
SALAD = st.lists(st.one_of(SPOKEN, st.sampled_from([",", ".", "—", "!", "'", "“", "”", "3", "2.5 m", "the", "to"])),
                 max_size=40).map(" ".join)  # fmt: skip


@given(st.one_of(st.text(max_size=200), SALAD))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused(command: str) -> None:
    for cast in (None, ["mira", "the", "to wave"]):
        reading = understand(command, characters=cast, places=["door", "a", "left"])
        assert reading.beats or reading.problems or not command.strip()
        for beat in reading.beats:
            assert 0 <= beat.span[0] <= beat.span[1] <= len(command)
            assert beat.amount is None or beat.amount.unit in {"m", "steps", "deg", "turns", "s", "times"}
        assert len(reading.phrases) == len(reading.actors) == len(reading.beats)
        assert reading.beats == () or reading.beats[0].sync is None
        spoken(command, reading)


@pytest.mark.parametrize(
    "part",
    ["she walks and waves, ", "slowly , ", "to ", "the ", "three ", "and ", "not ", "no, ", "a half ", "“", "' ",
     "after two seconds ", "who ", "x", "走", "— ", "walks to ", "in the ", "up ", "her ", "\u0301", "wakl "],
)  # fmt: skip
def test_time_grows_with_the_length_and_no_faster(part: str) -> None:
    """Ten thousand characters take at most about four times what five thousand do (CPU time, the least of
    three), and not many seconds."""

    def least(length: int) -> float:
        text = (part * length)[:length]
        taken = []
        for _ in range(3):
            start = time.process_time()
            understand(text, characters=None)
            taken.append(time.process_time() - start)
        return min(taken)

    half, whole = least(5_000), least(10_000)
    assert whole < 4 * half + 0.05


def test_every_condition_of_the_lexicon_can_be_asked() -> None:
    """A misspelt condition in a data file would be a traceback for whoever uses its verb."""
    words = lexicon()
    senses = [sense for table in (words.verbs, words.camera) for lemma in table for sense in table[lemma]]
    assert len(senses) > 2000
    for sense in [*senses, *words.light.values()]:
        for condition in sense.conditions:
            holds(condition, [], [])
        assert sense.category == "camera" or sense.typical_s > 0


@pytest.mark.parametrize("lemma", sorted(lexicon().verbs)[::7])
def test_every_verb_is_read_in_every_form(lemma: str) -> None:
    for form, readings in lexicon().forms.items():
        if any(lemma == one for one, _ in readings):
            command = f"she {form} it to the door and {form} up, not {form} the box"
            reading = understand(command.replace("_", " "), characters=None)
            assert reading.beats or reading.problems
