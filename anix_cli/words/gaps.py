"""Clauses whose verb is said only once: "turn left, then right", "kick with the right leg, then the left"."""

from __future__ import annotations

from dataclasses import replace

from ..core.plan import Amount, Beat
from .amounts import counts
from .beats import Read
from .lexicon import FACING_KEPT
from .order import with_details
from .pieces import Details

_ALIKE = frozenset({"left", "right", "both"})


def gapped(read: Read, last: Read | None, denied: Read | None = None) -> Read:
    """A clause behind "then" without a verb of its own: the action before it once more, another way, at
    another thing or with the other hand. Any other clause as it is. ``denied``: what was just said not to
    happen, "don't turn left but right"."""
    if read.clause.contrast and denied is not None:
        last = denied
    leads = read.clause.link == "then" or last is denied
    bare = read.beat is None and leads and not read.event and read.unknown is None
    if not bare or last is None or last.beat is None or not read.clause.tokens:
        return read
    beat, extra = last.beat, _counted(read, last.beat)
    if extra.direction in {"left", "right"} and beat.side and not beat.direction and not extra.amount:
        extra = replace(extra, direction=None, side=extra.direction)  # "your left arm, then your right"
    side = extra.side if extra.side in _ALIKE and extra.side != beat.side else None
    thing = extra.thing if beat.object and beat.category == "object" else None
    if not (extra.direction or extra.amount or extra.target or side or thing):
        return read
    extra = replace(_back(extra, beat), lost=[one for one in extra.lost if not _said(one.text, thing)])
    said = replace(beat, direction=None, amount=None, target=None, sync=None, object=thing or beat.object)
    if extra.side is not None:
        said = replace(said, side=None)
    if extra.direction is None and extra.amount is None and extra.target is None:
        said = replace(said, direction=beat.direction)
    tokens = read.clause.tokens
    span = (tokens[0].start, tokens[-1].end)
    words = [last.clause.verb, *tokens] if last.clause.verb is not None and thing is None else []
    phrase = " ".join(token.text.replace("_", " ") for token in words)  # "kick with your left"
    beat = replace(with_details(said, extra), span=span)
    return replace(read, beat=beat, said=[], phrase=phrase, details=extra)


def _counted(read: Read, beat: Beat) -> Details:
    """ "Three steps forward, then two back": the unit is said once."""
    extra = read.details
    number = extra.bare or (1.0 if read.clause.tokens and read.clause.tokens[0].text == "one" else None)
    if extra.amount is not None or not number or beat.amount is None or beat.amount.unit == "times":
        return extra
    lost = [one for one in extra.lost if not counts(one.text)]
    return replace(extra, amount=Amount(number, beat.amount.unit), lost=lost)


def _back(extra: Details, beat: Beat) -> Details:
    """ "Walks to the door, then back" goes there again; "a step forward, then back" is a step backward."""
    turns = beat.category == "locomotion" and beat.action not in FACING_KEPT and extra.amount is None
    return replace(extra, direction="back") if extra.direction == "backward" and turns else extra


def _said(text: str, thing: str | None) -> bool:
    return thing is not None and text.endswith(thing)
