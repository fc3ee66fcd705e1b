"""The words that commands are made of, read once from the data files beside this module.

``data/verbs.txt`` (with ``senses.txt`` before it and ``rarer.txt`` behind it), ``camera.txt``, ``light.txt``,
``irregular.txt``, ``closed.txt`` and ``nouns.txt`` say in their heads how they are written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from pkgutil import get_data
from types import MappingProxyType

_CATEGORIES = {"L": "locomotion", "G": "gesture", "O": "object", "C": "camera"}


@dataclass(frozen=True)
class Verb:
    """One sense of a verb.

    Attributes:
        category: locomotion, gesture, object or camera.
        action: canonical name; for the camera, the move.
        typical_s: how long it usually takes; for locomotion without an amount, its least share of a shot.
        speed_mps: pace of locomotion, 0 where it stays on the spot.
        direction: what it implies where none is said.
        speed: "slow" or "fast" where the word implies it.
        conditions: what must stand around it, all of them; see ``data/verbs.txt``.
        after: prepositions that lead to its object.
        bare: a camera move that needs no "the camera" before it.
    """

    category: str
    action: str
    typical_s: float = 2.0
    speed_mps: float = 0.0
    direction: str | None = None
    speed: str | None = None
    conditions: tuple[str, ...] = ()
    after: frozenset[str] = frozenset()
    bare: bool = False


@dataclass(frozen=True)
class Lexicon:
    """All words.

    Attributes:
        verbs, camera: senses by lemma, in the order in which they are tried.
        common: the lemmas of verbs.txt.
        light: senses by lemma of the verb and noun, "take seat".
        forms: inflected form → (lemma, kind) where kind is base, third, past or ing.
        closed: class → word → value, for words with a meaning of their own; several words joined by "_".
        joined: first word → the groups of words that count as one, longest first.
        fused: word → the verbs of which it only says which kind: "ice" → "skate", "climb" …
    """

    verbs: Mapping[str, tuple[Verb, ...]]
    camera: Mapping[str, tuple[Verb, ...]]
    common: frozenset[str]
    light: Mapping[tuple[str, str], Verb]
    forms: Mapping[str, tuple[tuple[str, str], ...]]
    closed: Mapping[str, Mapping[str, str]]
    joined: Mapping[str, tuple[tuple[str, ...], ...]]
    fused: Mapping[str, frozenset[str]]

    def has(self, kind: str, word: str) -> bool:
        """Whether a word belongs to a class."""
        return word in self.closed[kind]

    def value(self, kind: str, word: str) -> str | None:
        """What a word of a class means."""
        return self.closed[kind].get(word)

    def known(self, word: str) -> bool:
        """Whether a word means anything here."""
        return word in self.forms or word in self._meant

    @cached_property
    def _meant(self) -> frozenset[str]:
        return frozenset(word for words in self.closed.values() for word in words)


def lines_of(name: str) -> Iterator[list[str]]:
    """The lines of a data file in words, without remarks."""
    text = get_data(__package__, f"data/{name}")  # importlib.resources would take longer to import
    for line in (text or b"").decode().splitlines():
        if line and not line.startswith("#"):
            yield line.split()


def _verb(category: str, action: str, options: list[str]) -> Verb:
    said = dict(option.partition("=")[::2] for option in options)
    return Verb(
        _CATEGORIES[category.rstrip("!")],
        action,
        float(said.get("s", 2.0)),
        float(said.get("v", 0.0)),
        said.get("dir"),
        said.get("pace"),
        tuple(said["if"].split("&")) if "if" in said else (),
        frozenset(said["after"].split(",")) if "after" in said else frozenset(),
        "bare" in said,
    )


class _Senses(Mapping[str, tuple[Verb, ...]]):
    """Senses by lemma, made when they are first asked for: a command needs few of them, and soon."""

    def __init__(self, *names: str, category: str = "") -> None:
        self._written: dict[str, list[list[str]]] = {}
        self._made: dict[str, tuple[Verb, ...]] = {}
        self.of_file: dict[str, set[str]] = {name: set() for name in names}
        for name in names:
            for lemmas, *rest in lines_of(name):
                line = [category, *rest] if category else rest
                own = lemmas.split(",")
                self.of_file[name].update(own)
                for lemma in own:
                    self._written.setdefault(lemma, []).append(line)

    def __getitem__(self, lemma: str) -> tuple[Verb, ...]:
        if lemma not in self._made:
            self._made[lemma] = tuple(
                _verb(line[0], lemma.replace("-", "_") if line[1] == "=" else line[1], line[2:])
                for line in self._written[lemma]
            )
        return self._made[lemma]

    def __contains__(self, lemma: object) -> bool:
        return lemma in self._written

    def __iter__(self) -> Iterator[str]:
        return iter(self._written)

    def __len__(self) -> int:
        return len(self._written)


_VOWELS = "aeiou"


def _doubles(lemma: str) -> bool:
    """Whether its last letter is doubled ("running"): one syllable that ends in one vowel and a consonant."""
    ends = lemma[-3:]
    single = sum(letter in _VOWELS for letter in lemma) == 1
    return len(ends) == 3 and single and ends[2] not in _VOWELS + "wxy" and ends[1] in _VOWELS


_DOUBLED = frozenset(
    {"strum", "whiz", "scrub", "shrug", "begin", "forget", "embed", "unzip", "quit", "squat"}
)


def _regular(lemma: str) -> list[tuple[str, str]]:
    if lemma.endswith("ie"):
        return [(lemma, "base"), (lemma + "s", "third"), (lemma + "d", "past"), (lemma[:-2] + "ying", "ing")]
    if lemma.endswith("e"):
        ing = lemma + "ing" if lemma.endswith(("ee", "oe", "ye")) else lemma[:-1] + "ing"
        return [(lemma, "base"), (lemma + "s", "third"), (lemma + "d", "past"), (ing, "ing")]
    if lemma.endswith("y") and lemma[-2:-1] not in _VOWELS:
        return [
            (lemma, "base"), (lemma[:-1] + "ies", "third"), (lemma[:-1] + "ied", "past"),
            (lemma + "ing", "ing"),
        ]  # fmt: skip
    hissing = lemma.endswith(("s", "sh", "ch", "x", "z", "o")) and not lemma.endswith("oo")
    third = lemma + ("es" if hissing else "s")
    doubled = (_doubles(lemma) or lemma in _DOUBLED) and not lemma.endswith(("w", "x", "y"))
    root = lemma + lemma[-1] if doubled else lemma
    return [(lemma, "base"), (third, "third"), (root + "ed", "past"), (root + "ing", "ing")]


def _forms(lemmas: Collection[str]) -> dict[str, tuple[tuple[str, str], ...]]:
    found: dict[str, dict[tuple[str, str], None]] = {}
    for lemma in lemmas:
        for form, kind in _regular(lemma):
            found.setdefault(form, {})[lemma, kind] = None
    for form, lemma, kind in lines_of("irregular.txt"):
        if lemma in lemmas:
            found.setdefault(form, {})[lemma, kind] = None
    return {form: tuple(readings) for form, readings in found.items()}


def _closed() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for kind, value, *words in chain(lines_of("closed.txt"), lines_of("nouns.txt")):
        for word in words:
            found.setdefault(kind, {}).setdefault(word, value)
    return found


def _fused() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for verb, *kinds in lines_of("fused.txt"):
        for kind in kinds:
            found.setdefault(kind, set()).add(verb)
    return {kind: frozenset(verbs) for kind, verbs in found.items()}


def _joined(closed: Mapping[str, Mapping[str, str]]) -> dict[str, tuple[tuple[str, ...], ...]]:
    groups = {tuple(word.split("_")) for words in closed.values() for word in words if "_" in word.strip("_")}
    found: dict[str, list[tuple[str, ...]]] = {}
    for group in sorted(groups, key=lambda group: (-len(group), group)):
        found.setdefault(group[0], []).append(group)
    return {first: tuple(rest) for first, rest in found.items()}


@cache
def lexicon() -> Lexicon:
    """All words; read at the first call."""
    verbs, camera = _Senses("senses.txt", "verbs.txt", "rarer.txt"), _Senses("camera.txt", category="C")
    light: dict[tuple[str, str], Verb] = {}
    for words, nouns, category, action, *options in lines_of("light.txt"):
        for word in words.split(","):
            for noun in nouns.split(","):
                light[word, noun] = _verb(category, action, options)
    lemmas = dict.fromkeys(sorted({*verbs, *camera, *(word for word, _ in light)}))
    closed = _closed()
    return Lexicon(
        verbs, camera, frozenset(verbs.of_file["verbs.txt"]), MappingProxyType(light),
        MappingProxyType(_forms(lemmas)), MappingProxyType(closed), MappingProxyType(_joined(closed)),
        MappingProxyType(_fused()),
    )  # fmt: skip


@cache
def senses_of_actions() -> Mapping[str, Verb]:
    """For each action of a character the sense that stands for it: locomotion before others that are called
    like it, and of those the verb of that name, used plainly ("runs", not "runs errands"), or the first."""
    ranked = [
        ((sense.category != "locomotion", lemma != sense.action, bool(sense.conditions)), sense)
        for lemma, senses in lexicon().verbs.items()
        for sense in senses
    ]
    ranked += [((True, True, True), sense) for sense in lexicon().light.values()]
    found: dict[str, Verb] = {}
    for _, sense in sorted(ranked, key=lambda one: one[0]):
        found.setdefault(sense.action, sense)
    return MappingProxyType(found)


def speed_of(action: str) -> float:
    """How fast an action takes somebody anywhere, m/s; 0 for what is done on the spot. Of most actions only
    their own verb is looked at, where :func:`senses_of_actions` reads the whole lexicon."""
    for sense in lexicon().verbs.get(action, ()):
        if sense.category == "locomotion" and sense.action == action and not sense.conditions:
            return sense.speed_mps
    verb = senses_of_actions().get(action)
    return verb.speed_mps if verb is not None and verb.category == "locomotion" else 0.0


RUN, SPRINT = 4.0, 6.0
FACING_KEPT = frozenset({"step", "sidestep", "moonwalk", "shuffle"})
"""Locomotion to the side or back that keeps facing forward instead of turning there."""

OFF_GROUND = frozenset({
    "climb", "descend", "swim", "ride", "skate", "drive", "roll", "fall", "dive", "surf", "ski", "row",
    "slide", "vault", "board",
})  # fmt: skip
"""Read, but blocked as plain movement over the ground for now; the plan warns."""
