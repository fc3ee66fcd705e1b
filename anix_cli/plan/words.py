"""From a command to ordered beats, by rules: nothing is dropped in silence, nothing is guessed.

A command is cut into clauses at marks and joining words; each clause gives one beat (:mod:`.clauses`);
"after", "before", "while" and "as" order them. Left and right are the character's own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType

from ..core.plan import Beat
from . import lexicon
from .clauses import add_to, parse_clause, starts_clause
from .details import Lost, Names
from .numbers import how_to_write, number
from .tokens import Token, lemma_of, near_names, near_verbs, signs_beside, tokens_of

_JOINS = {
    "then": "then",
    "while": "while",
    "whilst": "while",
    "as": "while",
    "after": "after",
    "before": "before",
}

_CUTTING = frozenset(_JOINS) | lexicon.NEGATIONS | lexicon.REFERENCES | {"and", "but"}


@dataclass(frozen=True)
class Problem:
    """Something in a command that keeps it from being followed.

    Attributes:
        kind: unknown_verb, unknown_name, negation, no_words, number, name or unresolved_reference.
        text, span: the words concerned and where they stand in the command.
        nearest: right words spelt much like it; for a number, what to do about it; for
            the name of an anchor, the word in it that means something else.
    """

    kind: str
    text: str
    span: tuple[int, int]
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """What was understood of a command.

    Attributes:
        beats: in the order in which they happen.
        not_understood: words that were read but mean nothing to the plan, with their place.
        problems: what keeps it from being followed; empty where all is well.
    """

    beats: tuple[Beat, ...]
    not_understood: tuple[Lost, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class _Clause:
    link: str
    tokens: list[Token]


def understand(
    command: str,
    *,
    characters: Collection[str] = (),
    places: Collection[str] = (),
    aliases: Mapping[str, str] = MappingProxyType({}),
) -> Reading:
    """Reads a command.

    Args:
        command: plain English; "" is a hold and gives no beats.
        characters: names, and other words for characters, that may be its subject.
        places: names of anchors that it may send the character to.
        aliases: other words for these.

    Returns:
        The reading. Beats carry the span of text that each came from; ``start`` and ``frames`` are not set.
    """
    words = tokens_of(command)
    if not command.strip():
        return Reading(())
    if not any(token.text[0].isascii() and token.text[0].isalpha() for token in words):
        return Reading((), (), (Problem("no_words", command.strip(), (0, len(command))),))
    names = Names.of(characters, places, aliases)
    problems = _unsayable(words, names) or _refusals(words, names)
    if problems:
        return Reading((), (), tuple(problems))
    beats: list[Beat] = []
    lost: list[Lost] = []
    for clause in _in_order(_clauses(words, names)):
        result = parse_clause(clause.tokens, names, first=not beats)
        if result.unknown_verb:
            problems.append(_unknown(result.unknown_verb, clause.tokens, characters))
        elif result.beat:
            together = clause.link == "while" and beats
            beats.append(replace(result.beat, sync="with_previous") if together else result.beat)
        elif beats:
            beats[-1] = add_to(beats[-1], result)
        if not result.unknown_verb:
            lost.extend(result.lost)
    lost += [Lost(command[start:end], (start, end)) for start, end in signs_beside(command, words)]
    if not beats and not problems:
        problems.append(Problem("no_words", command.strip(), (0, len(command))))
    return Reading(tuple(beats), tuple(lost), tuple(problems))


def _unknown(word: Token, clause: list[Token], people: Collection[str]) -> Problem:
    """A word that should be a verb; or, where a verb follows it, somebody's name that nobody has."""
    span = (word.start, word.end)
    after = clause[clause.index(word) + 1 :][:1]
    if after and lemma_of(after[0].text) is not None:
        return Problem("unknown_name", word.text, span, near_names(word.text, people))
    return Problem("unknown_verb", word.text, span, near_verbs(word.text))


def _refusals(words: list[Token], names: Names) -> list[Problem]:
    """Words with which a command cannot be followed at all."""
    split = _split_numbers(words, names)
    inside = {place for problem in split for place in problem.span}
    alone = [token for token in words if not (token.is_number and {token.start, token.end} & inside)]
    return [found for token in alone if (found := _refusal(token, names))] + split


def _unsayable(words: list[Token], names: Names) -> list[Problem]:
    """Anchors whose names hold a word that cuts or cancels: "to then" leads nowhere."""
    found: list[Problem] = []
    leads = frozenset(lexicon.PREPOSITIONS) | lexicon.ARTICLES
    for name, anchor in names.places.items():
        cut = next((word for word in name if word in _CUTTING), None)
        for index in range(1, len(words)) if cut else ():
            here = words[index : index + len(name)]
            if tuple(token.text for token in here) == name and words[index - 1].text in leads:
                found.append(Problem("name", anchor, (here[0].start, here[-1].end), (cut or "",)))
    return found


def _refusal(token: Token, names: Names) -> Problem | None:
    span = (token.start, token.end)
    if token.text in lexicon.NEGATIONS:
        return Problem("negation", token.text, span)
    if token.text in lexicon.REFERENCES:
        return Problem("unresolved_reference", token.text, span)
    named = any(token.text in words for words in names.places)
    if token.is_number and number(token.text) is None and not named:
        return Problem("number", token.text, span, (how_to_write(token.text),))
    return None


def _split_numbers(words: list[Token], names: Names) -> list[Problem]:
    """Numbers with a space in them, "1 000" or "2 1/2", of which only one part would be read."""
    return [
        Problem("number", f"{one.text} {other.text}", (one.start, other.end), ("Write it without a space.",))
        for one, other in pairwise(words)
        if one.is_number and other.is_number and other.text[0] not in "+-−–±"
        if not any({one.text, other.text} <= set(name) for name in names.places)
    ]


def _clauses(words: list[Token], names: Names) -> list[_Clause]:
    """Cuts at marks and joining words; "and" and a comma join nouns unless a verb follows."""
    clauses: list[_Clause] = []
    link, current = "then", list[Token]()
    for index, token in enumerate(words):
        rest = words[index + 1 :]
        joint = _JOINS.get(token.text)
        if joint and joint != "then" and not starts_clause(rest, names):
            joint = None
        cuts = joint or (token.is_mark and token.text not in ",")
        if _new_subject(current, token, rest, names):  # "after bowing she waves"
            clauses.append(_Clause(link, current))
            link, current = "then", []
        if token.text in {"and", ",", "but"} and (
            not current or _next_is_cut(rest) or starts_clause(rest, names)
        ):
            cuts = True
        if not cuts:
            if not token.is_mark:
                current.append(token)
            continue
        if current:
            clauses.append(_Clause(link, current))
            link, current = "then", []
        link = joint or link
    if current:
        clauses.append(_Clause(link, current))
    return clauses


def _new_subject(current: list[Token], token: Token, rest: list[Token], names: Names) -> bool:
    """Whether a subject with a verb of its own begins where a clause has its verb already."""
    subject = token.text in {"she", "he", "they", "it"} or token.text in names.characters
    return (
        subject
        and bool(rest)
        and lemma_of(rest[0].text) is not None
        and any(lemma_of(earlier.text) is not None for earlier in current)
    )


def _next_is_cut(rest: list[Token]) -> bool:
    return not rest or rest[0].text in _JOINS or rest[0].is_mark or rest[0].text == "and"


def _in_order(clauses: list[_Clause]) -> list[_Clause]:
    """The clauses in the order in which they happen; "while" marks what happens along with the one before."""
    ordered: list[_Clause] = []
    held: _Clause | None = None
    for index, clause in enumerate(clauses):
        if clause.link == "before" and index == 0:
            held = clause
        elif clause.link == "after" and ordered:
            ordered.insert(len(ordered) - 1, replace(clause, link=ordered[-1].link))
        elif index == 1 and clauses[0].link == "while":
            ordered.append(replace(clause, link="while"))
        else:
            ordered.append(clause)
        if held and index > 0:
            ordered.append(held)
            held = None
    return ordered if held is None else [*ordered, held]
