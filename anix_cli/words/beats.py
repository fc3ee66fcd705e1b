"""A clause → its beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..core.plan import Amount, Beat
from .amounts import measure
from .chunks import items_of
from .clause import Clause, Subject
from .details import details_of
from .items import Item, Noun
from .lexicon import Verb, lexicon, senses_of_actions
from .names import Names
from .pieces import Details, Lost
from .senses import sense_of
from .tokens import Token
from .ways import COMPANY


@dataclass(eq=False, repr=False)
class Read:
    """A clause as read.

    Attributes:
        beat: None where it has no action of its own.
        verb: the sense that was taken.
        more: the same action once more, another way ("looks left and right").
        unknown: the word that should be its verb, or a verb without a sense here.
        said: places in the command of all that was read into the beat; none where its words do not say it
        all,
            as where it was corrected.
        phrase: words that say it where ``said`` is not to be taken.
        event: it tells what something does that is nobody: not an act.
    """

    clause: Clause
    beat: Beat | None = None
    verb: Verb | None = None
    more: list[Beat] = field(default_factory=list)
    details: Details = field(default_factory=Details)
    unknown: Token | None = None
    event: bool = False
    said: list[tuple[int, int]] = field(default_factory=list)
    phrase: str = ""


_AROUND = frozenset({"around", "clockwise", "counterclockwise"})
_APART = frozenset({"distance", "at_a_distance", "from_a_distance"})
_PICTURE = frozenset({"frame", "screen", "picture", "shot", "image"})
_OPENING = frozenset({"first", "sentence"})
_NOTHING = Verb("", "")
_STILL = Verb("camera", "stationary", 0.0)


def read_clause(clause: Clause, names: Names) -> Read:
    """The beat of a clause, its details, and what was not understood of it."""
    if clause.passive and (done := _active(clause, names)) is not None:
        return done
    if clause.subject.kind == "thing" or clause.passive or clause.link == "aside":
        return Read(clause, event=True)
    if clause.unknown is not None and clause.verb is None:
        return Read(clause, unknown=clause.unknown)
    ahead = items_of(clause.before, names)
    items = items_of(clause.rest, names)
    if clause.verb is None:
        return _without_verb(clause, [*ahead, *items])
    verb = sense_of(clause, items)
    if verb is None:
        return Read(clause, unknown=clause.verb, details=details_of(items, _NOTHING, alone=True))
    verb = _in_company(_of_limbs(clause, verb), items)
    items, others = _ways(items)
    details = details_of([*ahead, *items], verb)
    more = [_sideways(_beat(clause, verb, details_of(other, verb))) for other in others]
    if details.handheld and verb.action != "handheld":
        how = Beat("camera", "handheld", sync="with_previous", span=_span(clause))
        return Read(clause, _beat(clause, verb, details), verb, [*more, how], details)
    said = [] if more else _but_for(place_of(clause), details)
    return Read(clause, _beat(clause, verb, details), verb, more, details, said=said)


def _sideways(beat: Beat) -> Beat:
    """ "Tilts down and to the left", "pulls out and up": another move goes that way."""
    if beat.category == "camera" and beat.action == "tilt" and beat.direction in {"left", "right"}:
        return replace(beat, action="pan")
    if beat.category == "camera" and beat.action == "dolly" and beat.direction in {"up", "down"}:
        return replace(beat, action="crane")
    return beat


def _of_limbs(clause: Clause, verb: Verb) -> Verb:
    """ "Her arms follow the rhythm": what a part of somebody does takes them nowhere."""
    token, closed = clause.subject.token, lexicon().closed
    limb = token is not None and (token.text in closed["sided"] or token.text in closed["body"])
    return (
        replace(verb, category="gesture", speed_mps=0.0) if limb and verb.category == "locomotion" else verb
    )


def _in_company(verb: Verb, items: Sequence[Item]) -> Verb:
    """ "Stays two metres behind Ben" goes where Ben goes."""
    with_somebody = any(
        item.kind == "phrase" and item.word in COMPANY and item.noun is not None and item.noun.name
        for item in items
    )
    if verb.action == "idle" and with_somebody:
        return replace(verb, category="locomotion", action="follow", speed_mps=1.4)
    return verb


def _but_for(place: tuple[int, int], details: Details) -> list[tuple[int, int]]:
    """A place in the command without what is not meant."""
    found, (at, end) = [], place
    for out in sorted(details.excluded, key=lambda out: out.span):
        if at <= out.span[0] and out.span[1] <= end:
            found.append((at, out.span[0]))
            at = out.span[1]
    return [part for part in [*found, (at, end)] if part[0] < part[1]]


def _active(clause: Clause, names: Names) -> Read | None:
    """ "The letter is torn up by the queen" is what she does; None where nobody is named who does it."""
    items = items_of(clause.rest, names)
    by = next((item for item in items if item.kind == "phrase" and item.word == "by" and item.noun), None)
    token = clause.subject.token
    if by is None or by.noun is None or token is None or clause.verb is None:
        return None
    if not (by.noun.pronoun in lexicon().closed["person"] or by.noun.name or _somebody(by.noun.head)):
        return None
    thing = Noun([token.text], token.start, token.end, determiner="the")
    items = [item for item in items if item is not by]
    if token.text not in lexicon().closed["subject"]:
        items.insert(0, Item("noun", [token], noun=thing))
    acted = replace(clause, passive=False, form="past", subject=Subject("actor", by.tokens[-1], by.noun.name))
    verb = sense_of(acted, items)
    if verb is None:
        return Read(clause, unknown=clause.verb)
    details = details_of([*items_of(clause.before, names), *items], verb)
    return Read(acted, _beat(acted, verb, details), verb, details=details, said=[place_of(clause)])


def _somebody(noun: str) -> bool:
    """Whether a noun names somebody: not a thing, nor what a body has."""
    closed = lexicon().closed
    word = noun.rpartition("_")[2]
    return bool(word) and not any(
        word in closed[kind] for kind in ("thing", "nounverb", "sided", "body", "unit", "direction")
    )


def _ways(items: list[Item]) -> tuple[list[Item], list[list[Item]]]:
    """Several ways of one action, "left, right, left" or "three steps left and two right", taken apart."""
    groups: list[list[Item]] = [[]]
    for item in items:
        if item.kind == "break":
            groups.append([])
        else:
            groups[-1].append(item)
    groups = [group for group in groups if group]
    ways = {"direction", "amount"}
    if len(groups) < 2 or not any(item.kind in {*ways, "phrase"} for item in groups[0]):
        return items, []
    if _there_and_back(groups):
        return groups[0], groups[1:]
    told = {item.kind for item in groups[0]}
    later = groups[1:]
    alike = any(item.kind in ways for item in groups[0]) and all(
        {item.kind for item in group} <= {*ways, "speed"} and {item.kind for item in group} & ways & told
        for group in later
    )
    if not alike:
        return items, []
    return groups[0], later


def _there_and_back(groups: list[list[Item]]) -> bool:
    """ "To the door and back"."""
    way = groups[1][0]
    back = len(groups) == 2 and way.kind == "direction" and way.text == "back"
    if not back or any(item.kind not in {"again", "manner", "speed"} for item in groups[1][1:]):
        return False
    if any(item.kind == "amount" for item in groups[0]):
        return False
    way.word = "back"
    return True


def _without_verb(clause: Clause, items: list[Item]) -> Read:
    """ "A slow pan to the left", "one jump", "three steps forward": a noun may say the action; else these are
    details of what is said beside them."""
    verb = _named(clause, items)
    if verb is None:
        details = details_of(items, _NOTHING, alone=True)
        if details.direction == "up" and details.part in {"hands", "arms", "hand", "arm"}:
            return _hands_up(clause, details)
        if details.part in {"hands", "arms", "fists"} and details.direction is None and _held(items):
            return _hands_on(clause, details)
        if details.direction in {"up", "down", "out"} and details.part and clause.form == "":
            return _hands_up(clause, details)
        if details.direction and details.part:  # "head down" is no way to go
            details = Details(lost=[Lost(item.text, item.span) for item in items if item.kind != "break"])
        said = _but_for(place_of(clause), details) if clause.tokens else []
        return Read(clause, details=details, said=said)
    items, others = _ways(items)
    details = details_of(items, verb)
    more = [_beat(clause, verb, details_of(other, verb)) for other in others]
    said = [] if more else [place_of(clause)]
    return Read(clause, _beat(clause, verb, details), verb, more, details, said=said)


def _hands_up(clause: Clause, details: Details) -> Read:
    """ "Hands up", by itself or beside another action."""
    if clause.link != "first":
        clause = replace(clause, link="while")
    lemma = "lower" if details.direction == "down" else "raise"
    wanted = "raise_arms" if details.part in {"hands", "arms", "hand", "arm"} and lemma == "raise" else lemma
    verb = next(sense for sense in lexicon().verbs[lemma] if sense.action == wanted)
    details = replace(details, direction=None)
    return Read(clause, _beat(clause, verb, details), verb, details=details, said=[place_of(clause)])


def _held(items: list[Item]) -> bool:
    nouns = [item.noun for item in items if item.kind == "phrase" and item.noun is not None]
    closed = lexicon().closed
    return any(noun.head in closed[kind] for noun in nouns for kind in ("body", "sided", "pocket"))


def _hands_on(clause: Clause, details: Details) -> Read:
    """ "Hands on hips", beside another action."""
    verb = next(sense for sense in lexicon().verbs["put"] if sense.action == "put_hands")
    details = replace(details, target=None, object=None, lost=[])
    clause = replace(clause, link="while")
    return Read(clause, _beat(clause, verb, details), verb, details=details, said=[place_of(clause)])


def _named(clause: Clause, items: list[Item]) -> Verb | None:
    words = lexicon()
    for item in items:
        if item.kind == "noun" and item.noun is not None and item.noun.words:
            head = item.noun.head
            if head == "circle" and any(one.word in {"around", "round"} for one in items):
                item.used = True
                if "full" in item.noun.words:
                    items.append(Item("amount", item.tokens, amount=Amount(1.0, "turns")))
                return Verb("camera", "orbit")
            text = "_".join(item.noun.words)
            move = words.value("move", head) or words.value("move", text)
            if move is not None:
                item.used = True
                _adjectives(item, items)
                implied = {"push-in": "in", "pull-out": "out", "pull-back": "out"}.get(head)
                return Verb(
                    "camera", move, 0.0, 0.0, implied or ("in" if move in {"dolly", "zoom"} else None)
                )
            if (gesture := words.light.get(("give", head))) is not None:
                item.used = True
                return gesture
            head = head.rpartition("_")[2]
            single = head if head in words.closed["deverbal"] else head.removesuffix("s")
            if single in words.closed["deverbal"] and clause.subject.kind == "none":
                item.used = True
                _adjectives(item, items)
                if item.noun.count:
                    items.append(Item("amount", item.tokens, amount=Amount(item.noun.count, "times")))
                plain = [sense for sense in words.verbs[single] if not sense.conditions]
                return _filmed(single, items) or (plain[0] if plain else None)
        if item.kind in {"amount", "vague"} and item.tokens[-1].text in {"step", "steps", "pace", "paces"}:
            return words.light["take", "step"]
        turning = item.kind == "vague" and item.tokens[-1].text in {"turn", "turns"}
        if item.kind == "amount" and item.amount and item.amount.unit == "turns":
            turning = clause.link in _OPENING or item.tokens[-1].text in {"turn", "turns"}
            if _round(items) and item.tokens[-1].text in {"circle", "circles", "lap", "laps"}:
                return Verb("camera", "orbit")
        if turning and clause.subject.kind == "none":
            return words.verbs["turn"][-1]
    return None


def _round(items: list[Item]) -> bool:
    """ "Half a circle around him"."""
    phrases = [item for item in items if item.kind == "phrase" and item.noun is not None]
    return any(item.word in {"around", "round"} for item in phrases)


def _filmed(single: str, items: list[Item]) -> Verb | None:
    """ "A slow push in": a move of the camera where a way in or out follows and nothing that is pushed."""
    way = next((item.word for item in items if item.kind in {"direction", "particle"}), "")
    return (
        Verb("camera", "dolly", direction=way)
        if single in {"push", "pull"} and way in {"in", "out"}
        else None
    )


def _adjectives(item: Item, items: list[Item]) -> None:
    """What an adjective says about the pace, a direction or an amount: "a slow 90 degree left pan"."""
    words = lexicon()
    for at, token in enumerate(item.tokens[:-1]):
        found = measure(item.tokens, at)
        if found is not None and found.amount is not None and found.amount.unit != "turns":
            items.append(Item("amount", item.tokens[at : at + found.taken], amount=found.amount))
        if token.text in words.closed["speed"]:
            items.append(Item("speed", [token], words.closed["speed"][token.text]))
        elif token.text in words.closed["direction"]:
            items.append(Item("direction", [token], words.closed["direction"][token.text]))


def _beat(clause: Clause, verb: Verb, details: Details) -> Beat:
    verb = _with_gait(verb, details)
    direction = details.direction or verb.direction
    if (
        verb.category == "locomotion"
        and details.target
        and details.direction is None
        and verb.direction in {None}
    ):
        direction = "toward"
    if details.direction == "toward" and verb.direction in {"in", "away", "across"}:
        direction = "toward"
    direction = _fitting(direction, verb)
    if verb.action == "follow" and any(token.text in _APART for token in clause.rest):
        direction = "behind"  # "at a distance of three metres" is no way to go
    if details.target in _PICTURE and direction in {"left", "right"}:
        details, direction = replace(details, target=None), f"screen_{direction}"
    amount = details.amount
    rounds = verb.action in {"orbit", "circle", "spin"} or (verb.speed_mps > 0 and direction in _AROUND)
    rounds = rounds or (verb.category == "locomotion" and verb.action == "turn" and direction is None)
    if amount is not None and amount.unit == "times" and rounds:
        amount = Amount(amount.value, "turns")
    first, last = _span(clause)
    return Beat(
        verb.category,
        verb.action,
        direction=direction,
        amount=amount,
        speed=details.speed or verb.speed,
        side=details.side or clause.subject.side,
        object=details.object,
        target=details.target,
        span=(first, last),
    )


def _with_gait(verb: Verb, details: Details) -> Verb:
    """ "crosses the room at a run" is running."""
    if details.gait is None or verb.category != "locomotion":
        return verb
    how = senses_of_actions()[details.gait]
    if verb.speed_mps == 0:
        return verb
    return replace(how, direction=verb.direction)


def _fitting(direction: str | None, verb: Verb) -> str | None:
    """The direction as this verb has it."""
    if direction == "backward" and verb.action in {"turn", "look", "spin", "turn_head"}:
        return "back"
    if direction == "backward" and verb.category == "camera":
        return "out" if verb.action == "dolly" else "backward"
    if direction in {"forward", "closer"} and verb.category == "camera" and verb.action == "dolly":
        return "in"
    if direction == "away" and verb.category == "camera" and verb.action == "dolly":
        return "out"
    if direction == "sideways":
        return "left" if verb.category == "locomotion" else None
    if direction == "off":
        return "away" if verb.category == "locomotion" else None
    return direction


def _span(clause: Clause) -> tuple[int, int]:
    tokens = clause.tokens
    marks = {",", "and"}
    while len(tokens) > 1 and tokens[-1].text in marks:
        tokens = tokens[:-1]
    verb = clause.verb
    first = verb.start if verb is not None else tokens[0].start
    return first, max(tokens[-1].end, first)


def place_of(clause: Clause) -> tuple[int, int]:
    """A clause's place in the command without its joining words."""
    places = [token.start for token in clause.tokens]
    if clause.subject.token is not None:
        places.append(clause.subject.token.start)
    ends = [token.end for token in clause.tokens] or [clause.end]
    return min(places, default=clause.start), max(ends)


def still_camera(clause: Clause) -> Beat:
    """ "the camera doesn't move"."""
    return Beat("camera", "stationary", span=_span(clause))


def still(clause: Clause) -> Beat:
    """ "don't move"."""
    return Beat("gesture", "idle", span=_span(clause))
