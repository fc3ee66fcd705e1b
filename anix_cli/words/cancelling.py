"""What is said not to happen, and what corrections make of the action before them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..core.plan import Amount, Beat
from .clause import Clause
from .items import Item, plain
from .pieces import Details
from .tokens import Token

_MODAL = frozenset({
    "don't", "dont", "doesn't", "doesnt", "didn't", "didnt", "won't", "wont", "can't", "cant", "cannot",
    "couldn't", "wouldn't", "shouldn't", "mustn't", "not", "never", "neither", "nor", "without",
})  # fmt: skip


class Cancelling:
    """How far a "not" reaches: over the verbs that are joined to the one behind it."""

    def __init__(self) -> None:
        self._why: Token | None = None
        self._form = ""

    def of(self, clause: Clause) -> Token | None:
        """The word that cancels a clause, or None."""
        if clause.cancelled is not None:
            self._why, self._form = clause.cancelled, clause.form
            return clause.cancelled
        joined = (
            clause.link == "and"
            and not clause.contrast
            and clause.subject.kind == "none"
            and clause.verb is not None
        )
        same = clause.form == self._form and self._form in {"base", "ing"}
        if self._why is not None and joined and same and self._why.text in _MODAL and not clause.fix:
            return self._why
        self._why = None
        return None


def corrected_by(
    old: Beat, new: Beat | None, items: Sequence[Item] = (), details: Details | None = None
) -> Beat:
    """The beat that a correction leaves: a new action keeps where the old one led ("run forward — no, walk");
    a
    correction without a verb changes one thing ("turn left, no, right")."""
    if new is not None:
        if new.category == old.category == "locomotion" and not (new.direction or new.target or new.amount):
            return replace(new, direction=old.direction, target=old.target, amount=old.amount)
        return new
    if details is None:
        return old
    side = details.side
    direction = details.direction or _other_way(old, items)
    if direction in {"left", "right"} and old.side in {"left", "right"} and old.direction is None:
        side, direction = direction, None
    was = None if side and old.category == "gesture" and old.direction in {"left", "right"} else old.direction
    amount = details.amount
    if amount is None and old.amount is not None:
        bare = details.bare if details.bare is not None else _bare(items)
        amount = Amount(bare, old.amount.unit) if bare is not None else None
    return replace(
        old,
        side=side or old.side,
        direction=direction or was,
        amount=amount or old.amount,
        speed=details.speed or old.speed,
        object=_thing(old, items) or old.object,
        target=details.target or _aim(old, items) or old.target,
    )


def _bare(items: Sequence[Item]) -> float | None:
    for item in items:
        if item.kind == "noun" and item.noun is not None and item.noun.count is not None:
            return item.noun.count
    return None


_OPPOSITE = {
    "left": "right", "right": "left", "up": "down", "down": "up", "in": "out", "out": "in",
    "forward": "backward", "backward": "forward", "clockwise": "counterclockwise",
    "counterclockwise": "clockwise", "screen_left": "screen_right", "screen_right": "screen_left",
    "stage_left": "stage_right", "stage_right": "stage_left",
    "upstage": "downstage", "downstage": "upstage",
}  # fmt: skip


def _other_way(old: Beat, items: Sequence[Item]) -> str | None:
    """ "Left, no, the other way"."""
    said = any(
        token.text.startswith(("the_other", "the_opposite")) for item in items for token in item.tokens
    )
    return _OPPOSITE.get(old.direction or "") if said else None


def _aim(old: Beat, items: Sequence[Item]) -> str | None:
    """Another aim than the one before: "over the box, sorry, the barrel"."""
    nouns = [item.noun for item in items if item.kind == "noun" and item.noun is not None and item.noun.words]
    return plain(nouns[0]) if nouns and old.object is None and old.target is not None else None


def _thing(old: Beat, items: Sequence[Item]) -> str | None:
    """Another thing than the one before: "the red book, no, the blue one"."""
    for item in items:
        if item.kind != "noun" or item.noun is None or not item.noun.words or old.object is None:
            continue
        words = plain(item.noun).split()
        if words and words[-1] in {"one", "ones"}:
            words[-1] = old.object.split()[-1]
        return " ".join(words)
    return None
