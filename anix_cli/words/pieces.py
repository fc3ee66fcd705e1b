"""What was read of the words around a verb, and what was not."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..core.plan import Amount
from .tokens import Token


@dataclass(frozen=True)
class Lost:
    """Words that mean nothing to the plan."""

    text: str
    span: tuple[int, int]


@dataclass(eq=False, repr=False)
class Details:
    """What stands around a verb.

    Attributes:
        pronoun: the object is one, and still has to be found.
        aimed: the pronoun stands for a place that the direction leads to or past, "around it".
        somebody: a pronoun for whom the verb goes to or with, who still has to be found.
        gait: "at a run".
        whence: the direction is where it comes from, "from screen left".
        bare: a number without a unit.
        left: the target is where a move of the camera comes from.
        part: the part of the body that it is done with.
        thing: a noun of a clause without a verb, "then the bag"; it is among what is lost, too.
        handheld: so is the camera, whatever else it does.
        again: it is said that it happens once more.
        excluded: what is not meant, "without his hat", "anywhere but there".
        lost: what was not understood.
        corrected: misspelt words with the right ones.
    """

    direction: str | None = None
    amount: Amount | None = None
    speed: str | None = None
    side: str | None = None
    object: str | None = None
    target: str | None = None
    pronoun: Token | None = None
    aimed: bool = False
    somebody: Token | None = None
    gait: str | None = None
    whence: bool = False
    bare: float | None = None
    left: bool = False
    part: str = ""
    thing: str | None = None
    handheld: bool = False
    again: bool = False
    excluded: list[Lost] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)
    corrected: list[tuple[Token, str]] = field(default_factory=list)
