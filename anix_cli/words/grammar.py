"""What a word can be where it stands: small questions about a list of tokens."""

from __future__ import annotations

from collections.abc import Sequence

from .lexicon import Lexicon, lexicon
from .near import english
from .tokens import Token

FINITE = ("third", "past")
STRONG = frozenset({".", "!", "?", ";", "—", ":"})
NOMINATIVE = frozenset({"she", "he", "they", "we", "i", "everyone", "everybody", "someone", "somebody"})
DOING = frozenset({"do", "does", "did", "have", "has", "had"})
"""Auxiliaries that are verbs, too: "does a flip", "has a seat"."""
_IT = frozenset({"it", "them"})
_NO_NOUN = (
    "prep", "direction", "speed", "and", "then", "while", "manner", "amount", "as", "after", "lead", "but",
    "before", "until", "framing", "gait", "stop_phrase", "again", "or",
)  # fmt: skip
"""Classes of words that are no noun behind "her"."""
_WINDOW = 9
"""How far a verb may be from the beginning of its subject."""
_BE = frozenset({"is", "are", "was", "were", "be", "been", "being", "gets", "got", "am", "'re", "'m"})
_BEINGS = frozenset({"sibling", "underling", "weakling", "hireling", "earthling", "duckling", "starling"})


class Line:
    """A command's tokens, and what they can be. Every question looks at a bounded number of tokens."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.words: Lexicon = lexicon()
        self._past: dict[int, int] = {}

    def text(self, at: int) -> str:
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def kind(self, at: int) -> str:
        return self.tokens[at].kind if 0 <= at < len(self.tokens) else "end"

    def has(self, kind: str, at: int) -> bool:
        return self.kind(at) in {"word", "name"} and self.text(at) in self.words.closed[kind]

    def strong(self, at: int) -> bool:
        """Whether a sentence ends here."""
        return self.kind(at) == "end" or (self.kind(at) == "mark" and self.text(at) in STRONG)

    def forms(self, at: int) -> tuple[tuple[str, str], ...]:
        """The verbs that a word may be a form of."""
        if self.kind(at) != "word":
            return ()
        return self.words.forms.get(self.text(at), ())

    def kinds(self, at: int) -> set[str]:
        return {kind for _, kind in self.forms(at)}

    def determined(self, at: int) -> bool:
        """Whether an article or a possessive stands here."""
        text = self.text(at)
        if self.kind(at) not in {"word", "name"}:
            return False
        if text in {"that", "all"}:
            return False
        possessive = text.endswith("'s") and len(text) > 2
        return possessive or text in self.words.closed["det"] or text in self.words.closed["poss"]

    def adverb(self, at: int) -> bool:
        """A word that may stand before a verb without being its subject."""
        if (
            self.has("manner", at)
            and self.forms(at)
            and (self.determined(at + 1) or self.text(at + 1) in _IT or self.has("person", at + 1))
        ):
            return False  # "open it", "shut the door"
        if self.text(at) in {"on", "by"} and self.determined(at + 1):
            return False  # "on the third beat"
        if self.text(at) == "then" and (self.has("subject", at - 1) or self.has("camera", at - 1)):
            return bool(self.kinds(at + 1) & set(FINITE))  # "she then sits"
        return any(self.has(kind, at) for kind in ("manner", "speed", "lead", "aux")) or (
            self.kind(at) == "word"
            and self.text(at).endswith("ly")
            and not (self.forms(at) or self.text(at) in english())
        )

    def past_adverbs(self, at: int) -> int:
        """The first place that is no adverb, auxiliary or "not"."""
        first = at
        while at not in self._past and (
            self.adverb(at)
            or self.has("negation", at)
            or (self.text(at) == "," and self.adverb(at - 1) and self.adverb(at + 1))
        ):
            at += 1
        end = self._past.get(at, at)
        self._past |= dict.fromkeys(range(first, at + 1), end)  # so that each place is walked over once
        return end

    def nearly_so(self, at: int) -> bool:
        """Whether "almost" says how much or where, "almost at the door", and denies no verb."""
        near = self.words.value("negation", self.text(at)) == "near"
        loose = any(self.has(kind, at + 1) for kind in ("prep", "number", "speed", "manner", "direction"))
        return near and (loose or self.kind(at + 1) in {"number", "mark"})

    def verb_at(self, at: int) -> bool:
        """Whether a verb stands at a place, adverbs before it skipped."""
        end = self.past_adverbs(at)
        told = self.has("aux", end - 1) or self.has("negation", end - 1)
        if self.text(end) == "to" and end > at and told:
            end = self.past_adverbs(end + 1)  # "you must to run"
        doing = any(self.text(place) in DOING for place in range(at, min(end, at + _WINDOW)))
        return doing or bool(self.forms(end)) or self.has("catenative", end)

    def finite_at(self, at: int) -> bool:
        """Whether a finite verb, or an auxiliary, follows."""
        return (
            any(self.has("aux", place) for place in range(at, min(self.past_adverbs(at), at + _WINDOW)))
            or bool(self.kinds(self.past_adverbs(at)) & set(FINITE))
            or self.has("catenative", self.past_adverbs(at))
        )

    def noun_subject(self, at: int) -> int:
        """Where the verb stands of which the noun phrase at a place is the subject; -1 where there is none.

        The word right after an article is never the verb ("the running man"); the verb is the first finite
        one behind it, or a plain one behind a plural ("the guards march"). A phrase that belongs to the noun
        ("the girl with the umbrella") is stepped over.
        """
        here = at + 1
        inside, theirs = True, 0
        for place in range(here, min(here + _WINDOW, len(self.tokens))):
            if self.kind(place) == "mark" or any(
                self.has(kind, place) for kind in ("and", "then", "while", "but")
            ):
                return -1
            if self.determined(place):
                inside = True
                continue
            if inside:  # an adjective or the noun itself
                inside = False
                continue
            if self.text(place) in NOMINATIVE and not theirs:
                return -1  # "after locking the door she sits"
            relative = self.has("relative", place) or (
                self.text(place) == "that" and self.finite_at(place + 1)
            )
            if self.has("prep", place) or relative:
                inside = self.has("prep", place)
                theirs += relative
                continue
            if theirs and self.has("aux", place):
                theirs -= 1  # "who is standing there"
                continue
            if self.has("aux", place) or self.has("negation", place) or self.has("catenative", place):
                return place
            kinds = self.kinds(place)
            noun = self.text(place - 1)
            if self.text(place) == "left" and noun in self.words.closed["deverbal"]:
                continue  # "a quick glance left"
            if not self.person(noun) and self._new_verb(place):
                return place
            if theirs and kinds & set(FINITE):
                theirs -= 1  # the verb of "who sells fish"
                continue
            if kinds & set(FINITE) and not self._compound(place):
                return place
            if "base" in kinds and noun.endswith("s") and not noun.endswith("ss") and "third" not in kinds:
                return place
            several = noun in {"men", "women", "people", "children", "police", "mice"}
            if "base" in kinds and (several or (noun == "camera" and not self.finite_at(place + 1))):
                return place
        return -1

    def _new_verb(self, at: int) -> bool:
        """A word that is not known but looks like a finite verb: "the microwave pings"."""
        return (
            self.kind(at) == "word"
            and not self.words.known(self.text(at))
            and self.text(at).endswith(("s", "ed"))
        )

    def _compound(self, at: int) -> bool:
        """A word like "steps" that is followed by a finite verb is a noun: "the garden steps lead"."""
        after = at + 1
        return bool(self.kinds(after) & set(FINITE)) and not (
            self.determined(after) or any(self.has(kind, after) for kind in ("direction", "sided", "body"))
        )

    def clause_follows(self, at: int) -> bool:
        """Whether a subject with a verb follows, or a participle."""
        at = self.past_adverbs(at)
        if self.text(at) == "to" and "base" in self.kinds(at + 1):
            return True  # "before to open the box", as many say it
        if self.has("subject", at) or self.kind(at) == "name":
            fresh = self.text(at) == "it" and self._new_verb(self.past_adverbs(at + 1))
            return self.verb_at(at + 1) or self.has("aux", at + 1) or fresh
        if "ing" in self.kinds(at):
            return True
        fresh = self.kind(at) == "word" and self.tokens[at].capital and not self.words.known(self.text(at))
        if fresh and self.finite_at(at + 1):
            return True  # a name: "as Bob approaches"
        if self.has("camera", at):
            return self.verb_at(at + 1)
        if self.determined(at):
            return self.noun_subject(at) >= 0
        return False

    def possessive_her(self, at: int) -> bool:
        """Whether "her" belongs to the noun behind it."""
        after = at + 1
        if self.kind(after) not in {"word", "number"}:
            return False
        if self.determined(after) or self.has("person", after) or self.has("subject", after):
            return False
        sided = self.has("sided", after) or self.has("body", after)
        sideways = self.text(after) in {"left", "right", "own"} and not self.strong(after + 1)
        if self.text(after) == "back" and self.text(after + 1) in {"to", "against", "on"}:
            return True
        if sided or (sideways and self.kind(after + 1) == "word"):
            return True
        return not any(self.has(kind, after) for kind in _NO_NOUN)

    def person(self, noun: str) -> bool:
        """Whether a noun names somebody rather than something."""
        word = noun.rpartition("_")[2]
        if word.endswith("ing") and len(word) > 6 and word not in _BEINGS:
            return False  # "the meeting"
        return not any(word in self.words.closed[kind] for kind in ("thing", "thingverb"))

    def state(self, at: int, word: int) -> bool:
        """Whether a form of "be" stands before a word that is no participle: it tells how somebody is."""
        be = any(self.text(place) in _BE for place in range(at, word))
        return be and self.kind(word) == "word" and not self.text(word).endswith("ing")

    def passive(self, at: int, verb: int) -> bool:
        """Whether a form of "be" stands before a participle."""
        be = any(self.text(place) in _BE for place in range(at, verb))
        return be and "past" in self.kinds(verb)
