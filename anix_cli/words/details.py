"""What stands around a verb → the fields of its beat: direction, amount, pace, side, object, target."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.plan import Amount
from .amounts import measure
from .items import Item, Noun, plain
from .lexicon import Verb, lexicon
from .near import near_direction
from .pieces import Details, Lost
from .tokens import Token
from .ways import phrase


def _slips(items: Sequence[Item]) -> list[tuple[Token, str]]:
    return [item.noun.meant for item in items if item.noun is not None and item.noun.meant is not None]


def details_of(items: Sequence[Item], verb: Verb, *, alone: bool = False) -> Details:
    """Reads the pieces behind a verb (``alone``: there is no verb) from left to right."""
    into = Details(corrected=_slips(items))
    items = [item for item in items if not item.used]
    for index, item in enumerate(items):
        before = items[index - 1] if index else None
        _READERS.get(item.kind, _lose)(item, verb, into, before)
    _finish(into, verb)
    return into


def _finish(into: Details, verb: Verb) -> None:
    if (
        into.bare is not None
        and into.amount is None
        and verb.action in {"turn", "orbit", "pan", "tilt", "roll", "spin"}
        and into.bare >= 15
    ):
        into.amount = Amount(into.bare, "deg")
        into.bare = None


def _ignore(item: Item, verb: Verb, into: Details, before: Item | None) -> None:
    """Says nothing that the plan needs."""


def _lose(item: Item, verb: Verb, into: Details, before: Item | None) -> None:
    if (
        len(item.text) > 2
        and item.tokens[0].kind != "aside"
        and verb.category in {"locomotion", "camera", ""}
        and (near := near_direction(item.text))
    ):
        into.corrected.append((item.tokens[0], near))
        into.direction = into.direction or lexicon().closed["direction"][near]
        return
    function = any(item.text in lexicon().closed[kind] for kind in ("det", "poss", "prep", "subject"))
    if not function:
        into.lost.append(Lost(item.text, item.span))


def _amount(item: Item, verb: Verb, into: Details, before: Item | None) -> None:
    if verb.category == "object" and item.tokens[-1].text in {"circle", "circles"}:
        into.object = into.object or item.tokens[-1].text  # "draws a circle"
        return
    if into.amount is None or (into.amount.unit == "s" and item.amount and item.amount.unit != "s"):
        into.amount = item.amount
    elif item.amount is not None and item.amount.unit not in {"s"}:
        into.lost.append(Lost(item.text, item.span))
    into.speed = item.speed or into.speed


def _vague(item: Item, verb: Verb, into: Details, before: Item | None) -> None:
    into.speed = item.speed or into.speed


def _bare(item: Item, verb: Verb, into: Details, before: Item | None) -> None:
    found = measure(item.tokens, 0)
    into.bare = found.bare if found is not None and found.bare is not None else 0.0
    if verb.action not in {"turn", "orbit", "pan", "tilt", "roll", "spin"} or into.bare < 15:
        into.lost.append(Lost(item.text, item.span))


_SHIFTING = frozenset({
    "push", "pull", "drag", "carry", "throw", "kick", "move", "roll", "slide", "lift", "swing", "shove",
    "haul", "ride", "operate", "raise", "lower", "put", "hang", "climb", "fling", "knock", "shine",
    "bounce", "guide", "wheel", "hit", "tilt", "lean",
})  # fmt: skip
"""What is done to a thing that takes it somewhere."""


def _only_back(verb: Verb) -> bool:
    return verb.category == "object" and verb.action not in _SHIFTING


def _direction(item: Item, verb: Verb, into: Details, before: Item | None) -> None:
    word = item.word
    if item.text.startswith("on ") and "heel" in item.text and verb.action not in {"turn", "spin"}:
        into.lost.append(Lost(item.text, item.span))  # "rocks on his heels"
        return
    if word == "forward" and item.text == "straight" and verb.category == "gesture" and verb.action != "look":
        return  # "sits up straight"
    if word == "backward" and item.text == "back" and verb.action.startswith("put"):
        return  # "sets it back down"
    if word in {"along", "through"} and verb.category in {"gesture", "object"} and verb.action != "look":
        return  # "claps along", "reads it through"
    if word == "over" and verb.action in {"beckon", "wave"}:
        return  # "waves him over"
    if item.text == "back" and (verb.action in {"stand_up", "sit_up"} or _only_back(verb)):
        return  # "stands back up", "ties her hair back"
    if item.text in {"up", "down", "out", "off"} and _only_back(verb):
        return  # "washes up", "writes it down"
    if word == "sideways" and into.direction is not None:
        return  # "holds out her arms to the side"
    if item.text == "up and down" and verb.action in {"jump", "hop", "bounce"}:
        word = "up"
    if word == "down" and verb.action in {"sit", "lie_down", "kneel", "crouch", "squat", "stoop", "bend"}:
        return
    if before is not None and before.text == "back" and into.direction in {"back", "backward"}:
        into.direction = word  # "back down", "back inside"
        return
    other = into.direction not in {None, "forward", word}
    if (word == "forward" and other) or (word == "in" and into.direction in {"up", "down"}):
        return
    if word in {"in", "out"} and verb.action in {"wait", "idle", "stand", "sit", "sleep", "stop"}:
        return  # "waits outside"
    if word == "around" and verb.action in {"idle", "stand", "wait", "sit"}:
        return
    if into.whence and into.direction != word:
        into.direction, into.whence = word, False
        return
    into.whence = into.direction is None and item.tokens[0].text.startswith("from")
    if into.direction in {
        None,
        "forward",
        "along",
        "in",
        "out",
        "up",
        "down",
        "around",
        "off",
        "over",
        "sideways",
    } or (into.direction in {"back", "backward", "away"} and word in {"left", "right"}):
        into.direction = word
    elif into.direction != word:
        into.lost.append(Lost(item.text, item.span))


def _speed(item: Item, verb: Verb, into: Details, before: Item | None) -> None:
    into.speed = item.word


def _gait(item: Item, verb: Verb, into: Details, before: Item | None) -> None:
    into.gait = item.word


def _shoulder(item: Item, verb: Verb, into: Details, before: Item | None) -> None:
    if verb.action in {"look", "turn_head", "turn"}:
        into.direction = "back"
    elif verb.action == "follow" and verb.category == "camera":
        into.target = "over the shoulder"  # where the camera goes along
    elif verb.category in {"camera", ""}:
        into.lost.append(Lost(item.text, item.span))


def _except(item: Item, verb: Verb, into: Details, before: Item | None) -> None:
    into.excluded.append(Lost(item.text, item.span))


def _again(item: Item, verb: Verb, into: Details, before: Item | None) -> None:
    into.again = True


def _particle(item: Item, verb: Verb, into: Details, before: Item | None) -> None:
    if item.word in {"on", "off", "together", "apart", "still", "with", "by", "asleep"}:
        if item.word == "off" and verb.category == "locomotion" and into.direction is None:
            into.direction = "away"
        return
    _lose(item, verb, into, before)


def _noun(item: Item, verb: Verb, into: Details, before: Item | None) -> None:
    noun = item.noun
    if noun is None:
        return
    if noun.pronoun:
        _pronoun(item, noun, verb, into)
        return
    if noun.head in lexicon().closed["sided"] or (noun.side and noun.head in lexicon().closed["body"]):
        into.side = noun.side or into.side
    if verb.category in {"gesture", ""} and (
        noun.head in lexicon().closed["sided"] or noun.head in lexicon().closed["body"]
    ):
        into.part = noun.head
        return  # the part of the body that the gesture is made with
    if not plain(noun):
        into.side = "both" if noun.determiner == "both" or noun.side == "both" else into.side
        return
    if before is not None and before.kind == "break" and into.object and verb.category != "camera":
        into.lost.append(Lost(item.text, item.span))
        return
    if verb.action == "stop" and noun.head.endswith("ing"):
        return
    if (
        verb.category in {"locomotion", "camera", ""}
        and len(noun.words) == 1
        and not noun.determiner
        and not noun.place
        and (near := near_direction(noun.head))
    ):
        into.corrected.append((item.tokens[0], near))
        into.direction = into.direction or lexicon().closed["direction"][near]
        return
    text = noun.place or plain(noun)
    if noun.head in lexicon().closed["compass"] and not (noun.place or noun.determiner):
        into.lost.append(Lost(item.text, item.span))  # a stage has no north
        return
    if verb.category in {"object", "gesture"}:
        if into.object is not None and into.target is None:  # "hands the guard the key"
            into.target, into.object = into.object, plain(noun)
        elif verb.category == "gesture" and verb.action in {"look", "greet", "salute", "wave"}:
            into.target = _once(into.target, text, item, into)
        else:
            into.object = _once(into.object, plain(noun), item, into)
    elif verb.category == "locomotion":
        _on_the_way(item, noun, verb, into)
    elif verb.category == "camera":
        _filmed(item, noun, into)
    else:
        into.thing = into.thing or (plain(noun) if noun.words else None)
        into.lost.append(Lost(item.text, item.span))


def _on_the_way(item: Item, noun: Noun, verb: Verb, into: Details) -> None:
    """What somebody rides, climbs or dances, or goes to."""
    text = noun.place or plain(noun)
    if any(condition.startswith("of:") for condition in verb.conditions) or verb.action in {
        "ride",
        "drive",
        "lead",
        "row",
        "vault",
        "climb",
    }:
        into.object = into.object or plain(noun)
    elif verb.speed_mps == 0 and verb.action != "turn":
        into.object = into.object or plain(noun)  # "dances a waltz"
    elif into.target is None:
        into.target = text
    else:
        into.lost.append(Lost(item.text, item.span))


def _once(old: str | None, new: str, item: Item, into: Details) -> str:
    """What is said first; what comes later to the same place is lost, and said so."""
    if old and old != new:
        into.lost.append(Lost(item.text, item.span))
    return old or new


def _filmed(item: Item, noun: Noun, into: Details) -> None:
    """What the camera looks at, or the camera itself ("tilt the camera up")."""
    words = lexicon()
    into.handheld = into.handheld or words.value("move", noun.head) == "handheld"
    if (
        noun.head in words.closed["camera"]
        or noun.words == ["put"]
        or noun.head in words.closed["move"]
        or noun.head in {"focus", "move"}
    ):
        return
    into.target = into.target or noun.place or plain(noun)


def _pronoun(item: Item, noun: Noun, verb: Verb, into: Details) -> None:
    words = lexicon()
    text = noun.pronoun
    if text in words.closed["person"] and text != "them":
        if verb.action in {"follow", "chase", "approach"} and verb.category == "locomotion":
            into.somebody = item.tokens[0]
        return  # the one who acts, or somebody beside them, of whom a beat says nothing
    if verb.category in {"object", "gesture"} and into.object is None:
        into.pronoun = item.tokens[0]


_READERS = {
    "amount": _amount, "vague": _vague, "bare": _bare, "direction": _direction, "speed": _speed,
    "gait": _gait,
    "except": _except, "shoulder": _shoulder, "again": _again, "particle": _particle, "noun": _noun,
    "phrase": phrase,
    "manner": _ignore, "quote": _ignore, "break": _ignore, "stop": _ignore, "framing": _ignore,
}  # fmt: skip
