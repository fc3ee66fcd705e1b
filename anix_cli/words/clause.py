"""What a clause is: who does it, its verb, and what stands around it."""

from __future__ import annotations

from dataclasses import dataclass, field

from .tokens import Token


@dataclass
class Subject:
    """Who or what does it.

    Attributes:
        kind: none (an order), actor, camera, thing, or unknown (a name that nobody has).
        token: the word that says so.
        name: of a character, where it is named.
        side: left, right or both, where it is a part of the body, "her left hand".
    """

    kind: str = "none"
    token: Token | None = None
    name: str = ""
    side: str | None = None


@dataclass(eq=False, repr=False)
class Clause:
    """One clause.

    Attributes:
        link: how it hangs together with what stands before: first, and, comma, sentence, then, while, after,
            before, until, part (a participle), purpose ("to …"), aside (a reason).
        form: of the verb: base, third, past, ing; "" where there is no verb.
        lemmas: what the verb may be a form of.
        cancelled: the word that cancels it.
        fix: it corrects what stands before ("fix"), or only takes it back ("forget").
        before, rest: the words ahead of the verb and behind it.
        told: the form of the verb that only says that it begins or goes on ("starts walking").
        ahead: it goes with what follows: "and, still running, he dials", "and when he turns she waves".
        contrast: "but" stands before it.
        passive: something is done to the subject.
        acted: somebody named before does it, "she walks in, following the dog".
        choice: the "or" that makes it one of two.
        unknown: a word that stands where the verb should be.
        start, end: its place in the command, with its joining words.
    """

    link: str = "first"
    subject: Subject = field(default_factory=Subject)
    verb: Token | None = None
    form: str = ""
    lemmas: tuple[str, ...] = ()
    cancelled: Token | None = None
    fix: str = ""
    before: list[Token] = field(default_factory=list)
    rest: list[Token] = field(default_factory=list)
    passive: bool = False
    told: str = ""
    ahead: bool = False
    contrast: bool = False
    acted: bool = False
    unknown: Token | None = None
    choice: Token | None = None
    corrected: list[tuple[Token, str]] = field(default_factory=list)
    start: int = 0
    end: int = 0

    @property
    def tokens(self) -> list[Token]:
        """All its words but those that join it."""
        middle = [self.verb] if self.verb else []
        return [*self.before, *middle, *self.rest]
