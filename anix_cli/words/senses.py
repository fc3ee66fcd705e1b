"""Which sense of a verb is meant, by what stands around it."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.plan import Amount
from .clause import Clause
from .items import Item, Noun
from .lexicon import Verb, lexicon

STATES_OF_CAMERA = frozenset({"camera", "cam", "drone", "lens"})


_LOOPS = frozenset({"circle", "circles", "arc", "loop", "loops", "orbit", "orbits"})
_SHOWS = frozenset({
    "reveal", "show", "end", "start", "begin", "open", "close", "finish", "land", "settle", "find",
    "discover", "take", "bring", "lead", "introduce", "capture", "cover", "see",
})  # fmt: skip
"""Verbs that do not say how the camera moves."""
_DOWN = frozenset({"throw", "push", "pull", "put", "lay", "drop", "hand", "knock", "kick", "bring", "press"})
"""What is done down or over to a thing: "throws down the gauntlet"."""
_FILMING = frozenset({"pan", "tilt", "dolly", "truck", "zoom", "crane", "boom", "pedestal", "roll", "orbit"})
"""Moves that somebody may make the camera do."""


def sense_of(clause: Clause, items: list[Item]) -> Verb | None:
    """The sense of a clause's verb; marks the particle that belongs to it as used. None where the verb has no
    sense here: the camera can't nod, a person can't pan."""
    subject = clause.subject.kind
    if subject == "camera" and (filmed := _filmed_deed(clause, items)) is not None:
        return filmed
    if (light := _light(clause, items)) is not None and subject != "camera":
        return light
    for lemma in clause.lemmas:
        if subject == "camera" and (shot := _shot(clause, lemma)) is not None:
            found: Verb | None = shot
        elif subject == "camera":
            found = _first(lexicon().camera.get(lemma, ()), items)
        elif subject == "none" and clause.form in {"base", "ing", "third"}:
            bare = [sense for sense in lexicon().camera.get(lemma, ()) if sense.bare]
            found = _first(lexicon().verbs.get(lemma, ()), items) if clause.acted else None
            found = found or _bare(lemma, bare, items) or _first(lexicon().verbs.get(lemma, ()), items)
        elif lemma in _FILMING and any(item.noun is not None and _is_camera(item.noun) for item in items[:1]):
            found = _first(lexicon().camera.get(lemma, ()), items)  # "she pans the camera to the left"
        else:
            found = _first(lexicon().verbs.get(lemma, ()), items)
        if found is not None:
            _completed(found, items)
            return found
    return None


def _shot(clause: Clause, lemma: str) -> Verb | None:
    """ "A tracking shot shows her": the subject says the move."""
    move = lexicon().value("move", clause.subject.token.text) if clause.subject.token else None
    return Verb("camera", move) if move is not None and lemma in _SHOWS else None


def _asked(nouns: list[Item], items: list[Item]) -> Verb | None:
    """ "Give us a slow tilt up", "start with a pan left": a move that is asked for, no pan handed over."""
    words = lexicon()
    for item in nouns[:2]:
        noun = item.noun
        move = words.value("move", noun.head) if noun is not None else None
        if move is None or noun is None or noun.determiner not in {"a", "an"}:
            continue
        paced = [words.closed["speed"][word] for word in noun.words if word in words.closed["speed"]]
        if paced or any(one.kind == "direction" for one in items):
            item.used = True
            items += [Item("speed", item.tokens, pace) for pace in paced]
            return Verb("camera", move)
    return None


def _filmed_deed(clause: Clause, items: list[Item]) -> Verb | None:
    """ "The camera makes a circle around her", "does a slow pan": the noun says the move."""
    words = lexicon()
    if clause.verb is None or clause.verb.text not in words.closed["lightverb"]:
        return None
    for item in items[:2]:
        name = item.tokens[-1].text
        move = "orbit" if name in _LOOPS else words.value("move", name)
        if move is not None and item.kind in {"noun", "amount", "vague"}:
            item.used = item.kind != "amount"
            return Verb("camera", move)
    return None


def _completed(verb: Verb, items: list[Item]) -> None:
    """ "Zips up the coat": a particle that no sense asks for leaves its noun as the object."""
    if verb.category != "object" or not items or items[0].kind != "phrase" or items[0].word in verb.after:
        return
    way = items[0].tokens[0].text
    goes = way in {"up", "off", "out"} or (way in {"down", "over", "away"} and verb.action in _DOWN)
    if goes and not any(item.kind == "noun" for item in items):
        _take_particle(items[0])


def _bare(lemma: str, senses: list[Verb], items: list[Item]) -> Verb | None:
    """A camera's sense of an order without a subject: not where a thing follows that the move can't be about
    ("pan the gold", "push the cart in")."""
    nouns = [item.noun for item in items if item.kind == "noun" and item.noun is not None]
    things = [noun for noun in nouns if not _is_camera(noun)]
    if any(noun.determiner in {"her", "his", "your", "my", "their"} and _bodily(noun) for noun in things):
        return None
    if any(item.noun and item.noun.determiner == "your" and _bodily(item.noun) for item in items):
        return None  # "stay on your feet"
    people = {"orbit", "arc", "circle", "follow", "track", "keep"}
    if things and lemma not in people and not any(noun.head in {"focus", "shot"} for noun in things):
        conditional = [
            sense
            for sense in senses
            if "who" in sense.conditions or any(one.startswith(("of:", "pn:")) for one in sense.conditions)
        ]
        return _first(conditional, items)
    if lemma in {"follow", "track"} and things and things[0].head in lexicon().closed["travelled"]:
        return None
    return _first(senses, items)


def _bodily(noun: Noun) -> bool:
    return noun.head in lexicon().closed["body"] or noun.head in lexicon().closed["sided"]


def _is_camera(noun: Noun) -> bool:
    return noun.head in STATES_OF_CAMERA and len(noun.words) == 1


def _first(senses: Iterable[Verb], items: list[Item]) -> Verb | None:
    for sense in senses:
        taken: list[Item] = []
        conditions = sorted(sense.conditions, key=lambda condition: not condition.startswith("+"))
        if all(holds(condition, items, taken) for condition in conditions):
            for item in taken:
                _take_particle(item)
            return sense
    return None


def _take_particle(item: Item) -> None:
    """A preposition that is the verb's particle leaves its noun as the verb's object."""
    if item.kind == "phrase":
        item.kind, item.word = "noun", ""
    else:
        item.used = True


def holds(condition: str, items: list[Item], taken: list[Item]) -> bool:
    """Whether a condition of the lexicon holds; a particle that it asks for is added to ``taken``.

    Raises:
        ValueError: there is no such condition.
    """
    thing = _thing(items, taken)
    if condition.startswith("+"):
        found = _particle(condition[1:], items)
        if found is not None:
            taken.append(found)
        return found is not None
    kind, _, words = condition.partition(":")
    if kind == "of":
        return thing is not None and bool(_heads(thing) & set(words.split(",")))
    if kind == "p":
        return any(item.kind == "phrase" and item.word in words.split(",") for item in items)
    if kind == "obj":
        return thing is not None and not _is_camera(thing)
    if kind == "it":
        return thing is not None and thing.pronoun in {"it", "them"}
    if kind == "side":
        return any(item.kind == "direction" and item.word in {"left", "right"} for item in items)
    if kind == "nobj":
        return thing is None
    if kind == "part":
        return thing is not None and _bodily(thing)
    if kind == "own":
        return thing is not None and thing.determiner == "your"
    if kind == "det":
        return thing is not None and bool(thing.determiner) and bool(thing.words)
    if kind == "np":
        return not any(item.kind == "phrase" and item.word in words.split(",") for item in items)
    if kind == "no":
        return not any(token.text in words.split(",") for item in items for token in item.tokens)
    if kind == "pn":
        phrases = [item.noun for item in items if item.kind == "phrase" and item.noun is not None]
        return any(_heads(noun) & set(words.split(",")) for noun in phrases)
    if kind == "dir":
        return any(item.kind == "direction" for item in items)
    if kind == "who":
        return thing is not None
    if kind == "cam":
        return thing is not None and _is_camera(thing)
    raise ValueError(f"no such condition in the lexicon: {condition}")


def _heads(noun: Noun) -> set[str]:
    text = "_".join(noun.words)
    return {noun.head, text, noun.head.rpartition("_")[2], noun.pronoun} - {""}


def _thing(items: list[Item], taken: list[Item]) -> Noun | None:
    """What the verb is done to: the noun phrase behind it, the second one where the first is somebody."""
    nouns: list[Noun] = []
    for item in items:
        if item.noun is not None and (item.kind == "noun" or item in taken):
            nouns.append(item.noun)
        elif item.kind in {"break", "phrase"}:
            break
    if not nouns:
        return None
    if len(nouns) > 1 and (nouns[0].pronoun or nouns[0].name):
        return nouns[1]
    return nouns[0]


def _particle(word: str, items: list[Item]) -> Item | None:
    """The particle of a verb: right behind it, or behind its object."""
    for index, item in enumerate(items[:4]):
        if item.kind == "break":
            return None
        said = item.tokens[0].text
        if said != word and not (item.kind == "direction" and item.word == word):
            continue
        if item.kind in {"particle", "direction", "manner"}:
            return item
        if item.kind == "noun" and len(item.tokens) == 1:
            return item
        if item.kind == "phrase" and index == 0 and item.noun is not None and not item.noun.pronoun:
            return item
        if (
            item.kind == "phrase"
            and index == 0
            and word in {"off", "on", "up", "down", "out", "away", "over"}
        ):
            return item
    return None


def _light(clause: Clause, items: list[Item]) -> Verb | None:
    """ "takes a bow", "does five squats", "breaks into a run": the noun is what is done."""
    words = lexicon()
    if clause.verb is None or clause.verb.text not in words.closed["lightverb"]:
        return None
    candidates = [item for item in items if item.kind in {"noun", "phrase"} and item.noun is not None]
    if clause.subject.kind == "none" and (move := _asked(candidates, items)) is not None:
        return move
    for lemma in clause.lemmas or (clause.verb.text,):
        for item in candidates[:2]:
            found = _deed(lemma, item, items)
            if found is not None:
                return found
    steps = next((item for item in items[:2] if item.kind in {"amount", "vague"}), None)
    if steps is not None and any(token.text in {"step", "steps", "pace", "paces"} for token in steps.tokens):
        return next(
            (words.light[lemma, "step"] for lemma in clause.lemmas if (lemma, "step") in words.light), None
        )
    turning = steps is not None and steps.kind == "vague" and steps.tokens[-1].text in {"turn", "turns"}
    if turning or (steps is not None and steps.amount and steps.amount.unit == "turns"):
        if "give" in clause.lemmas and any(_is_thing(one) for one in items):
            return next(sense for sense in words.verbs["turn"] if sense.conditions == ("det", "obj"))
        return words.verbs["turn"][-1]
    return _round_number(clause, items)


_CIRCLE = frozenset({90.0, 180.0, 270.0, 360.0, 540.0, 720.0, 900.0, 1080.0})
"""Numbers that mean a turn of so many degrees where nothing else is said: "does a full 360"."""


def _round_number(clause: Clause, items: list[Item]) -> Verb | None:
    for item in items[:2]:
        value = item.noun.count if item.kind == "noun" and item.noun is not None else None
        if value is None and item.kind == "bare" and item.tokens[-1].is_number:
            value = float(item.tokens[-1].text) if item.tokens[-1].text.isdigit() else None
        if value in _CIRCLE and value is not None and (item.noun is None or item.noun.words[-1].isdigit()):
            item.kind, item.amount, item.noun = "amount", Amount(value, "deg"), None
            return lexicon().verbs["turn"][-1]
    return None


def _count(item: Item, items: list[Item]) -> None:
    """ "five squats" are so many times; "a quick knead" is a fast one."""
    for token in item.tokens[:-1]:
        if (pace := lexicon().value("speed", token.text)) is not None:
            items.append(Item("speed", [token], pace))
    if item.noun is not None and item.noun.count:
        items.append(Item("amount", item.tokens, amount=Amount(item.noun.count, "times")))


_LITTLE = frozenset({"good", "little", "gentle", "final", "last", "playful", "hard", "big", "light", "firm"})


def _hastily(noun: Noun) -> bool:
    """ "a quick knead": an adjective that belongs to what is done rather than to a thing."""
    closed = lexicon().closed
    counted = noun.determiner in {"a", "an", "another"} and len(noun.words) == 2
    return (
        counted
        and (noun.words[0] in closed["speed"] or noun.words[0] in _LITTLE)
        and not (noun.head in closed["nounverb"] or noun.head in closed["thing"])
    )


def _deed(lemma: str, item: Item, items: list[Item]) -> Verb | None:
    """The action that a noun behind a light verb stands for."""
    words, noun = lexicon(), item.noun
    if noun is None or not noun.words:
        return None
    head = noun.head
    named = ("_".join(noun.words[-2:]), head, head.rpartition("_")[2])
    fixed = next((words.light[lemma, name] for name in named if (lemma, name) in words.light), None)
    led = lemma in {"break", "burst", "go", "strike", "fall"} or item.word in {"up", "on", "out"}
    if fixed is not None and (item.kind == "noun" or led):
        item.used = noun.side is None  # "puts both hands on her hips"
        _count(item, items)
        return fixed
    if lemma in {"put", "hold", "pay"} or (item.kind == "phrase" and item.word not in {"for", "into"}):
        return None
    if (
        lemma in {"throw", "strike", "go", "break", "burst"}
        and item.kind == "noun"
        and lemma not in {"throw"}
    ):
        return None
    single = head if head in words.closed["deverbal"] else head.removesuffix("s")
    single = single if single in words.closed["deverbal"] else head.removesuffix("es")
    if lemma == "give" and _hastily(noun) and any(form == "base" for _, form in words.forms.get(head, ())):
        return _done(head, lemma, item, items)
    if single not in words.closed["deverbal"] or (lemma == "throw" and single not in {"punch", "kick"}):
        return None
    if lemma in {"take", "have"} and single in {"drink", "sip", "bite", "catch", "throw"}:
        of = items[items.index(item) + 1 :][:1]
        if of and of[0].kind == "phrase" and of[0].word == "of":
            item.used, of[0].kind, of[0].word = True, "noun", ""  # "a sip of tea"
        return words.verbs[single][-1]
    return _done(single, lemma, item, items)


def _done(deed: str, lemma: str, item: Item, items: list[Item]) -> Verb | None:
    """The sense of a verb that is said as a noun: with a thing, "gives the remote a shake", or without."""
    item.used = True
    _count(item, items)
    senses = lexicon().verbs.get(deed, ())
    if lemma == "give" and any(_is_thing(one) for one in items if one is not item):
        handled = [sense for sense in senses if set(sense.conditions) <= {"obj", "det"}]
        handled = [sense for sense in handled if sense.conditions]
        if handled:
            return handled[0]
    return next((sense for sense in senses if not sense.conditions), senses[-1] if senses else None)


def _is_thing(item: Item) -> bool:
    noun = item.noun
    return (
        item.kind == "noun"
        and noun is not None
        and bool(noun.words)
        and noun.head not in (lexicon().closed["person_noun"])
    )
