"""Where a phrase with a preposition leads a verb, or what it is done to or with."""

from __future__ import annotations

from .items import Item, Noun, plain
from .lexicon import Verb, lexicon
from .pieces import Details, Lost

_ADDRESSING = frozenset({
    "at", "to", "toward", "towards", "into", "behind", "over", "onto", "up_to", "over_to", "back_to",
    "in_the_direction_of", "back_towards",
})  # fmt: skip
"""Prepositions that give a gesture something to turn to."""
_MORE_NEARLY = frozenset(
    {None, "forward", "back", "backward", "up", "down", "in", "out", "along", "over", "off"}
)
"""Directions that a place to go to makes exact: "up to the door"."""
COMPANY = {
    "behind": "behind", "beside": "beside", "next_to": "beside", "alongside": "beside", "by": "beside",
    "in_front_of": "ahead", "ahead_of": "ahead",
}  # fmt: skip
"""Where somebody keeps to, of somebody else who may move."""
_SENDING = frozenset(
    {"throw", "kick", "hit", "push", "pull", "roll", "carry", "drag", "move", "shoot", "bounce"}
)
_ON_THE_WAY = frozenset({"along", "across", "past", "through"})
"""Directions of a way that may end somewhere else."""
_THINGS_ON_THE_WAY = frozenset({"up", "down", "along", "across", "past"})


def phrase(item: Item, verb: Verb, into: Details, before: Item | None) -> None:
    """A preposition with its noun: a direction, a target, the hands that do it; else it is lost."""
    noun, word = item.noun, item.word
    if noun is None:
        return
    words = lexicon()
    bodily = noun.head in words.closed["sided"]
    sided = bodily and noun.side in {"left", "right"}
    if (word == "with" and bodily) or (word in {"on", "in"} and sided):
        into.side = (noun.side or into.side) if word == "with" else into.side or noun.side
    elif (
        before is not None
        and before.kind == "phrase"
        and before.word == "with"
        and before.noun is not None
        and before.noun.head == "back"
    ):
        into.lost.append(Lost(item.text, item.span))  # "with his back to the wall" faces away from it
    elif noun.pronoun.endswith(("self", "selves")) or (
        word == "of" and verb.category in {"object", "camera"}
    ):
        pass
    elif noun.pronoun:
        _toward_somebody(item, noun, verb, into)
    elif word in verb.after and not bodily:
        into.object = into.object or plain(noun)
    elif word == "of":
        pass
    elif word == "for" and verb.action in {"search", "pan", "wait", "reach"}:
        into.object = into.object or plain(noun)
    elif not _place(word, noun, verb, into):
        into.lost.append(Lost(item.text, item.span))


def _toward_somebody(item: Item, noun: Noun, verb: Verb, into: Details) -> None:
    if verb.category == "camera":
        if item.word in {"around", "round"} and into.direction is None and verb.action != "orbit":
            into.direction = "around"
        return
    way = lexicon().closed["prep"].get(item.word, "-")
    filmed = noun.pronoun in {"us", "me"} and verb.category == "locomotion"
    if filmed and way in {"toward", "away", "past"}:
        into.direction, into.target = way, "camera"
        return
    if verb.category == "locomotion" and verb.action != "turn" and noun.pronoun == "it" and way != "-":
        if into.direction in _MORE_NEARLY:
            into.direction = way
        into.pronoun, into.aimed = item.tokens[-1], True
        return
    if (
        noun.pronoun in lexicon().closed["object"]
        and noun.pronoun not in {"them"}
        and (item.word in verb.after or item.word in {"from", "on", "at", "with", "into", "to"})
    ):
        into.pronoun = item.tokens[-1]
        return
    if verb.category == "locomotion" and verb.speed_mps and item.word in COMPANY and noun.pronoun != "them":
        into.direction, into.somebody = COMPANY[item.word], item.tokens[-1]
        return
    if verb.category == "locomotion" and verb.speed_mps and way != "-" and into.direction in _MORE_NEARLY:
        into.direction = way  # "past her": who that is, only the prompt says
    into.lost.append(Lost(item.text, item.span))


def _place(word: str, noun: Noun, verb: Verb, into: Details) -> bool:
    """Whether a preposition leads the verb somewhere, or to something."""
    text = noun.place or plain(noun)
    way = lexicon().closed["prep"].get(word, "-")
    direction = None if way == "-" else way
    if verb.category == "" and direction not in {None, "toward"}:
        into.direction, into.target = into.direction or direction, into.target or text
        return True
    if verb.category == "locomotion":
        return _way(word, direction, text, noun, verb, into)
    if verb.category == "camera" and noun.head == "distance":
        return True
    if verb.category == "camera":
        first = word.partition("_")[0]
        if "_" in word and first in {"up", "down", "out", "back"} and into.direction is None:
            into.direction = {"back": "backward"}.get(first, first)
        on_the_way = direction in _THINGS_ON_THE_WAY and verb.action in {"pan", "fly", "tilt"}
        flown = direction in {"over", "through", "under", "around"} and verb.action == "fly"
        if into.direction in {None, verb.direction} and (on_the_way or flown):
            into.direction = direction
        into.target = text if into.left and direction == "toward" else into.target or text
        into.left = into.left or word == "from"
        return True
    thrown = direction in {"over", "through"} and verb.action in _SENDING
    if verb.category == "object" and (direction in _THINGS_ON_THE_WAY or thrown):
        into.direction = into.direction or direction
        into.target = into.target or text
        return True
    if word in _ADDRESSING or (verb.action == "look" and direction == "through"):
        into.target = text
        return True
    return False


def _way(word: str, direction: str | None, text: str, noun: Noun, verb: Verb, into: Details) -> bool:
    closed = lexicon().closed
    if noun.name and word in COMPANY and verb.speed_mps > 0:
        into.direction, into.target = COMPANY[word], text  # "walks beside Ben"
        return True
    if noun.head == "way" and word == "out_of":
        return True  # "out of the way"
    if noun.determiner in closed["poss"] and (noun.head in closed["sided"] or noun.head in closed["body"]):
        return True  # "drops to her knees"
    if verb.action in {"kneel", "land", "crouch", "fall"} and noun.head in closed["sided"]:
        return True  # "drops to one knee"
    if direction is None:
        if word == "by" and noun.determiner and verb.speed_mps == 0 and verb.action != "jump":
            into.object = into.object or text  # "kneels by the basin"
            return True
        if word == "by" and noun.determiner:
            direction = "past"
        elif word == "for" and verb.speed_mps > 0 and noun.determiner in {"the", *closed["poss"]}:
            direction = "toward"  # "heads for the door"
        else:
            return word == "at" and verb.action == "turn"
    if direction == "down" and noun.head.split("_")[-1] in lexicon().closed["flatway"]:
        direction = "along"
    if word == "from" and into.direction not in {None, "away"}:
        direction = into.direction or "away"
    if into.left and direction == "toward":
        into.direction, into.target, into.left = direction, text, False  # "from the door to the bench"
        return True
    into.left = word == "from" and into.direction is None
    if verb.action == "fall" or (verb.action in {"dive"} and direction == "toward"):
        into.target = into.target or text
        return True
    if verb.direction == "away" and direction == "toward":
        direction = "away"
    if verb.direction == "backward" and direction not in {"toward", "away"}:
        return False
    if into.target is not None and direction == "toward" and into.direction in _ON_THE_WAY:
        into.direction, into.target = direction, text  # "along the wall to the gate"
        return True
    if into.target is not None and into.direction is not None:
        return False
    if into.direction in _MORE_NEARLY:
        into.direction = direction
    into.target = into.target or text
    return True
