"""One clause of a command → one beat: its verb, then directions, amounts, pace, side, object and target."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from ..core.plan import Amount, Beat
from . import lexicon
from .lexicon import Verb
from .tokens import Token, lemma_of


@dataclass(frozen=True)
class Names:
    """Words that name characters, and anchors by the words that a command may use for them."""

    characters: frozenset[str]
    places: dict[tuple[str, ...], str]

    @staticmethod
    def of(characters: Collection[str], places: Collection[str]) -> Names:
        people = {word for name in characters for word in name.lower().replace("_", " ").split()}
        return Names(
            frozenset(people | {word + "'s" for word in people}),
            {tuple(name.lower().replace("_", " ").replace("-", " ").split()): name for name in places},
        )

    def place(self, phrase: str) -> str | None:
        """The anchor that a noun phrase names: its words, or their end ("the old door" → door)."""
        words = tuple(phrase.replace("-", " ").split())
        for start in range(len(words)):
            if words[start:] in self.places:
                return self.places[words[start:]]
        return None

    def at_start(self, words: list[str]) -> tuple[str | None, int]:
        """The anchor whose words begin a text (after an article), and how many words that is."""
        skip = 1 if words and words[0] in lexicon.ARTICLES else 0
        for name, anchor in self.places.items():
            if name and tuple(words[skip : skip + len(name)]) == name:
                return anchor, skip + len(name)
        return None, 0


@dataclass(frozen=True)
class Lost:
    """Words that mean nothing to the plan."""

    text: str
    span: tuple[int, int]


@dataclass
class Details:
    """What stands around a verb."""

    direction: str | None = None
    amount: Amount | None = None
    speed: str | None = None
    side: str | None = None
    object: str | None = None
    target: str | None = None
    lost: list[Lost] = field(default_factory=list)


@dataclass(frozen=True)
class ClauseResult:
    """A clause's beat; or the word that should be its verb; or details that belong to the beat before."""

    beat: Beat | None
    unknown_verb: Token | None
    details: Details

    @property
    def lost(self) -> list[Lost]:
        return self.details.lost


def _skippable(token: Token, names: Names) -> bool:
    text = token.text
    return (
        text in lexicon.SUBJECTS
        or text in lexicon.FILLERS
        or text in names.characters
        or text in lexicon.SPEEDS
        or text in {"and", "then", "but", "to", "in", "by"}
    )


def starts_clause(rest: list[Token], names: Names) -> bool:
    """Whether what follows a joining word is a clause of its own: a subject, if any, and a verb."""
    for index, token in enumerate(rest):
        if token.text in lexicon.CAMERA_NOUNS or lemma_of(token.text) is not None:
            after_article = index > 0 and rest[index - 1].text in lexicon.ARTICLES - {"her"}
            return token.text in lexicon.CAMERA_NOUNS or not after_article
        if not _skippable(token, names):
            # a noun after an article may be the subject ("and the sentry walks"): look one word further
            noun = index > 0 and rest[index - 1].text in lexicon.ARTICLES
            following = rest[index + 1].text if index + 1 < len(rest) else ""
            return noun and lemma_of(following) is not None
    return False


def parse_clause(tokens: list[Token], names: Names, *, first: bool) -> ClauseResult:
    """Reads one clause. ``first``: no beat stands before it."""
    details = Details()
    camera = _subject_is_camera(tokens)
    at = _verb_index(tokens, names, camera)
    if at is None:
        rest = [token for token in tokens if not _skippable(token, names) or token.text in lexicon.SPEEDS]
        _read_details(rest, Verb("", ""), names, details)
        unknown = rest[0] if rest and (first or details.lost or details.object) else None
        return ClauseResult(None, unknown, details)
    for token in tokens[:at]:
        details.speed = lexicon.SPEEDS.get(token.text, details.speed)
    subject = any(token.text in names.characters | lexicon.SUBJECTS for token in tokens[:at])
    verb, used = _sense(tokens, at, names, camera=camera, subject=subject)
    if verb is None:
        return ClauseResult(None, tokens[at], details)
    rest = [token for index, token in enumerate(tokens) if index > at and index not in used]
    _read_details(rest, verb, names, details)
    span = (tokens[at].start, tokens[-1].end)
    return ClauseResult(_beat(verb, details, span), None, details)


def add_to(beat: Beat, result: ClauseResult) -> Beat:
    """A beat with the details of a clause that has no verb ("runs, slowly, to the left")."""
    extra = result.details
    return replace(
        beat,
        direction=extra.direction or beat.direction,
        amount=extra.amount or beat.amount,
        speed=extra.speed or beat.speed,
        target=extra.target or beat.target,
    )


def _beat(verb: Verb, details: Details, span: tuple[int, int]) -> Beat:
    direction = details.direction or (
        None if details.target and verb.direction == "forward" else verb.direction
    )
    if verb.category == "locomotion" and details.target and direction is None:
        direction = "toward"
    if direction == "backward" and verb.action in {"turn", "look", "spin"}:
        direction = "back"
    if direction == "sideways":
        direction = "left"
    return Beat(
        verb.category,
        verb.action,
        direction=direction,
        amount=details.amount,
        speed=details.speed or verb.speed,
        side=details.side,
        object=details.object,
        target=details.target,
        span=span,
    )


def _subject_is_camera(tokens: list[Token]) -> bool:
    for token in tokens:
        if token.text in lexicon.CAMERA_NOUNS:
            return True
        if token.text not in lexicon.SUBJECTS and token.text not in lexicon.FILLERS:
            return False
    return False


def _verb_index(tokens: list[Token], names: Names, camera: bool) -> int | None:
    """Where the clause's verb stands. None where the first word that could be it is not in the lexicon."""
    for index, token in enumerate(tokens):
        if camera and token.text in lexicon.CAMERA_NOUNS:
            continue
        owned = index > 0 and tokens[index - 1].text.endswith("'s")  # "Mira's hands clap"
        if lemma_of(token.text) is not None and token.text not in lexicon.FILLERS and not owned:
            return index
        if _skippable(token, names) or token.text in lexicon.DIRECTIONS:
            continue
        if owned or (index > 0 and tokens[index - 1].text in lexicon.ARTICLES):
            continue
        return None
    return None


_POINTED_AT = frozenset({"follow", "track", "orbit", "arc"})
"""Camera verbs when someone is what they are done to: "follow her"."""


def _sense(
    tokens: list[Token], at: int, names: Names, *, camera: bool, subject: bool
) -> tuple[Verb | None, set[int]]:
    """Which verb it is here, and the places of the words that it takes with it."""
    lemma = lemma_of(tokens[at].text) or ""
    following = [token.text for token in tokens[at + 1 :]]
    phrase = _phrase(lemma, following, at)
    if camera:
        return phrase if phrase and phrase[0].category == "camera" else (lexicon.CAMERA.get(lemma), set())
    if phrase and not (phrase[0].category == "camera" and (subject or _has_object(following[1:]))):
        return phrase
    someone = bool(following) and following[0] in lexicon.PRONOUNS | names.characters
    if lemma in _POINTED_AT and someone:
        return lexicon.CAMERA[lemma], {at + 1}
    if lemma in lexicon.CAMERA and following[:2] == ["the", "camera"]:
        return lexicon.CAMERA[lemma], {at + 1, at + 2}
    if lemma in lexicon.CAMERA_ALONE and not subject:
        return lexicon.CAMERA[lemma], set()
    return _plain_sense(lemma, following, at)


def _plain_sense(lemma: str, following: list[str], at: int) -> tuple[Verb | None, set[int]]:
    """The sense of a verb that has nothing to do with the camera and no particle."""
    after = following[0] if following else ""
    if lemma in {"go", "come", "stop"} and after.endswith("ing") and lemma_of(after) in lexicon.LOCOMOTION:
        moving = lexicon.LOCOMOTION[lemma_of(after) or ""]
        return (lexicon.GESTURES["stop"] if lemma == "stop" else moving), {at + 1}
    if lemma == "roll" and _has_object(following):
        return Verb("object", "roll"), set()
    for words in (lexicon.LOCOMOTION, lexicon.GESTURES, lexicon.OBJECTS):
        if lemma in words:
            return words[lemma], set()
    return None, set()


def _phrase(lemma: str, following: list[str], at: int) -> tuple[Verb, set[int]] | None:
    for offset, word in enumerate(following):
        if offset and word in lexicon.PREPOSITIONS and word not in {"on", "over", "off"}:
            break
        stem = "step" if word == "steps" else "pace" if word == "paces" else word
        verb = lexicon.PHRASES.get((lemma, stem))
        if verb:
            keeps = stem in {"step", "pace"}  # the noun is also the unit of the amount
            return verb, set() if keeps else {at + 1 + offset}
    return None


def _has_object(following: list[str]) -> bool:
    return any(word in lexicon.ARTICLES for word in following[:2])


def _amount(value: float, unit: str) -> Amount:
    factor = lexicon.METRES.get(unit)
    return Amount(round(value * factor, 6), "m") if factor else Amount(value, unit)


def _number(token: Token) -> float | None:
    if token.is_number:
        return float(token.text.replace(",", "."))
    return lexicon.NUMBERS.get(token.text)


def _read_details(tokens: list[Token], verb: Verb, names: Names, into: Details) -> None:
    """Reads what stands after the verb, left to right."""
    index = 0
    while index < len(tokens):
        index += (
            _read_amount(tokens, index, into)
            or _read_direction(tokens, index, into)
            or _read_place(tokens, index, verb, names, into)
            or _read_noun(tokens, index, verb, names, into)
        )


def _read_amount(tokens: list[Token], index: int, into: Details) -> int:
    text = tokens[index].text
    if text in lexicon.ONCE:
        into.amount = Amount(lexicon.ONCE[text], "times")
        return 1
    value = _number(tokens[index])
    if value is None:
        return 0
    for gap in (1, 2, 3):  # "a couple of steps", "three quick steps"
        if index + gap >= len(tokens):
            break
        unit = lexicon.UNITS.get(tokens[index + gap].text)
        if unit:
            if gap > 1 and (inner := _number(tokens[index + gap - 1])) is not None:
                value *= inner if text in {"a", "half"} else 1
            for between in tokens[index + 1 : index + gap]:
                into.speed = lexicon.SPEEDS.get(between.text, into.speed)
                if between.text == "couple":
                    value = 2.0
            into.amount = _amount(value, unit)
            return gap + 1
    return 0


def _read_direction(tokens: list[Token], index: int, into: Details) -> int:
    text = tokens[index].text
    after = [token.text for token in tokens[index + 1 : index + 4]]
    if text in lexicon.SPEEDS:
        into.speed = lexicon.SPEEDS[text]
        return 1
    for still in (["in", "place"], ["on", "the", "spot"]):
        if [text, *after][: len(still)] == still:
            into.direction = "in_place"
            return len(still)
    if text in {"screen", "camera", "stage"} and after[:1] and after[0] in {"left", "right"}:
        into.direction = f"{text}_{after[0]}"
        return 2
    return _read_side(after, into) if text == "to" else _read_plain_direction(text, after, into)


def _read_plain_direction(text: str, after: list[str], into: Details) -> int:
    direction = lexicon.DIRECTIONS.get(text)
    if direction is None or (direction in {"in", "out"} and after[:1] and after[0] in lexicon.ARTICLES):
        return 0
    if direction in {"left", "right"} and after[:1] and after[0] in lexicon.SIDED:
        into.side = direction
        return 2
    if into.direction in {None, "forward"}:
        into.direction = direction
    return 1


def _read_side(after: list[str], into: Details) -> int:
    """ "to the left", "to her right"; not "to the right hand"."""
    for skip in (0, 1) if after[:1] and after[0] in lexicon.ARTICLES else (0,):
        if after[skip : skip + 1] in (["left"], ["right"]):
            if after[skip + 1 : skip + 2] and after[skip + 1] in lexicon.SIDED:
                return 0
            into.direction = after[skip]
            return skip + 2
    return 0


def _noun_phrase(tokens: list[Token]) -> tuple[str, int]:
    """The words of a noun phrase without its article, and how many tokens it takes."""
    taken = 0
    words: list[str] = []
    for token in tokens:
        ends = (
            token.text in lexicon.PREPOSITIONS
            or token.text in lexicon.DIRECTIONS
            or token.text in lexicon.SPEEDS
        )
        if words and (ends or token.text in {"in", "and"}):
            break
        if ends:
            break
        taken += 1
        if token.text not in lexicon.ARTICLES:
            words.append(token.text)
    return " ".join(words), taken


def _read_place(tokens: list[Token], index: int, verb: Verb, names: Names, into: Details) -> int:
    text = tokens[index].text
    if text not in lexicon.PREPOSITIONS and text != "in":
        return 0
    if text == "for":  # "waits for two seconds", "for the bus"
        return 1
    place, taken = names.at_start([token.text for token in tokens[index + 1 :]])
    phrase = place or ""
    if place is None:
        phrase, taken = _noun_phrase(tokens[index + 1 :])
        place = names.place(phrase)
    if not phrase or phrase in lexicon.PRONOUNS:
        return 1 + taken
    direction = lexicon.PREPOSITIONS.get(text)
    if verb.category == "camera":
        into.target = place or phrase
    elif verb.category == "locomotion":
        if direction and not (verb.direction == "backward" and direction != "toward"):
            into.direction = direction if into.direction in {None, "forward", "back"} else into.direction
            into.target = place or phrase
        elif text == "from" and into.direction in {"away", None}:
            into.target = place or phrase
    elif text in {"at", "to", "toward", "towards", "into", "behind", "over"}:
        into.target = place or phrase
    return 1 + taken


def _read_noun(tokens: list[Token], index: int, verb: Verb, names: Names, into: Details) -> int:
    text = tokens[index].text
    if _skippable(tokens[index], names) and text not in lexicon.ARTICLES:
        if text == "both":
            into.side = "both"
        return 1
    if text.endswith("ly") or not verb.category:
        into.lost.append(Lost(text, (tokens[index].start, tokens[index].end)))
        return 1
    phrase, taken = _noun_phrase(tokens[index:])
    if not phrase:
        return max(1, taken)
    last = phrase.split()[-1]
    if last in lexicon.SIDED:
        if "both" in phrase or last.endswith("s"):
            into.side = "both"
        return taken
    if verb.category in {"object", "gesture"}:
        into.object = into.object or phrase
    elif verb.category == "locomotion" and taken and into.target is None:
        into.target = names.place(phrase) or phrase
    elif verb.category != "camera":
        into.lost.append(Lost(phrase, (tokens[index].start, tokens[index + taken - 1].end)))
    return taken
