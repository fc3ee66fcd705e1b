"""One clause of a command → one beat: its verb, and the details around it (:mod:`.details`)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..core.plan import Beat
from . import lexicon
from .details import Details, Lost, Names, is_preposition, read_details, skippable
from .lexicon import Verb
from .tokens import Token, lemma_of


@dataclass(frozen=True)
class ClauseResult:
    """A clause's beat; or the word that should be its verb; or details that belong to the beat before."""

    beat: Beat | None
    unknown_verb: Token | None
    details: Details

    @property
    def lost(self) -> list[Lost]:
        return self.details.lost


def starts_clause(rest: list[Token], names: Names) -> bool:
    """Whether what follows a joining word is a clause of its own: a subject, if any, and a verb."""
    for index, token in enumerate(rest):
        if token.text in lexicon.CAMERA_NOUNS or lemma_of(token.text) is not None:
            after_article = index > 0 and rest[index - 1].text in lexicon.ARTICLES - {"her"}
            return token.text in lexicon.CAMERA_NOUNS or not after_article
        if not skippable(token, names):
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
        rest = [token for token in tokens if not skippable(token, names) or token.text in lexicon.SPEEDS]
        read_details(rest, Verb("", ""), names, details)
        told = details.lost or details.object
        if (
            not first and rest and is_preposition(rest[0])
        ):  # "… . With joy.": said as lost, no verb is missing
            told = None
        return ClauseResult(None, rest[0] if rest and (first or told) else None, details)
    for token in tokens[:at]:
        details.speed = lexicon.SPEEDS.get(token.text, details.speed)
    subject = any(token.text in names.characters | lexicon.SUBJECTS for token in tokens[:at])
    verb, used = _sense(tokens, at, names, camera=camera, subject=subject)
    if verb is None:
        return ClauseResult(None, tokens[at], details)
    rest = [token for index, token in enumerate(tokens) if index > at and index not in used]
    read_details(rest, verb, names, details)
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
        if skippable(token, names) or token.text in lexicon.DIRECTIONS:
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
            keeps = stem in {"step", "pace"} | lexicon.SIDED  # the unit of the amount; what has a side
            return verb, set() if keeps else {at + 1 + offset}
    return None


def _has_object(following: list[str]) -> bool:
    return any(word in lexicon.ARTICLES for word in following[:2])
