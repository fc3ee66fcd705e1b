"""What stands behind a verb, cut into amounts, directions, noun phrases and phrases with a preposition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .amounts import measure, rate
from .grammar import Line
from .items import Item, Noun
from .names import Names
from .near import near_limb
from .tokens import Token

_MEASURES = frozenset({"pair", "kind", "sort", "lot", "bit", "couple", "number", "dozen"})
"""Nouns that stand for what follows "of"."""


_LONGEST = 16
"""Words of the longest noun phrase."""
_BEFORE_AMOUNTS = frozenset({"for", "by", "through", "in", "over", "after", "within"})
_RIGHT_BEFORE = frozenset({
    "up_to", "up", "down_to", "over_to", "back_to", "behind", "beside", "next_to", "in_front_of", "back",
    "past", "through", "into", "onto", "there", "here",
})  # fmt: skip
"""What makes a "right" before it mean "all the way"."""
_BESIDE = frozenset({"in_front_of", "behind", "over", "on_top_of", "beside", "next_to", "across", "under"})
_PLAIN = ("shoulder", "framing", "speed", "gait")
_PARTICLES = frozenset({
    "up", "down", "on", "off", "over", "out", "away", "in", "back", "around", "along", "through",
    "together", "apart", "asleep", "across", "by", "still", "closer", "forward", "with", "inside", "dressed",
})  # fmt: skip


def items_of(tokens: Sequence[Token], names: Names, *, leads: bool = True) -> list[Item]:
    """The pieces, in order.

    Args:
        leads: a verb stands before them, so that the first word may be its particle.
    """
    return list(_Chunker(Line(tokens), names).items())


class _Chunker:
    def __init__(self, line: Line, names: Names) -> None:
        self.line, self.names = line, names

    def items(self) -> Iterator[Item]:
        at = 0
        while at < len(self.line.tokens):
            item, taken = self._item(at)
            yield item
            at += max(taken, 1)

    def _item(self, at: int) -> tuple[Item, int]:
        line, token = self.line, self.line.tokens[at]
        if token.is_mark:
            return Item("break", [token], token.text), 1
        if token.kind == "quote":
            return Item("quote", [token]), 1
        if token.kind == "aside":
            return Item("lost", [token], token.text), 1
        if token.kind == "place":
            noun = Noun([token.text], token.start, token.end, place=token.value)
            return Item("noun", [token], noun=noun), 1
        for kind in _PLAIN:
            if line.has(kind, at):
                return Item(kind, [token], line.words.closed[kind][token.text]), 1
        if line.has("stop_phrase", at):
            return Item("stop", [token]), 1
        found = measure(line.tokens, at)
        if found is not None and not self._counts_a_noun(at, found.amount is None):
            kind = "amount" if found.amount else "bare" if found.bare is not None else "vague"
            own = Item(kind, list(line.tokens[at : at + found.taken]), amount=found.amount, speed=found.speed)
            return own, found.taken
        return self._with_words(at)

    def _counts_a_noun(self, at: int, no_unit: bool) -> bool:
        """ "three balls": the number belongs to the noun."""
        line = self.line
        if not no_unit:
            return False
        after = at + 1
        if any(line.has(kind, after) for kind in ("direction", "speed", "manner")) and self._noun_behind(
            after + 1
        ):
            after += 1  # "two forward rolls"
        loose = any(
            line.has(kind, after)
            for kind in ("prep", "direction", "and", "then", "amount", "speed", "manner")
        )
        return line.kind(after) in {"word", "name"} and not loose

    def _with_words(self, at: int) -> tuple[Item, int]:
        line, token = self.line, self.line.tokens[at]
        if (line.has("except", at) or line.has("instead", at)) and at + 1 < len(line.tokens):
            _, taken = self._item(at + 1)  # "anywhere but at the camera", "without his hat"
            return Item("except", list(line.tokens[at : at + 1 + taken])), 1 + taken
        if line.has("prep", at) and (phrase := self._phrase(at)) is not None:
            return phrase
        if token.text == "right" and line.text(at + 1) in _RIGHT_BEFORE:
            return Item("manner", [token], token.text), 1
        if line.has("direction", at) and not (token.text in {"left", "right"} and line.has("sided", at + 1)):
            return Item("direction", [token], line.words.closed["direction"][token.text]), 1
        if token.text in line.words.closed["poss"] and self._own_side(at):
            side = line.tokens[at + 1]  # "raise your left"
            limb = Noun(["hand"], token.start, side.end, side.text, determiner=token.text)
            return Item("noun", [token, side], noun=limb), 2
        if line.has("again", at):
            return Item("again", [token]), 1
        if line.has("and", at) or line.has("but", at) or line.has("or", at):
            return Item("break", [token], "and"), 1
        noun, taken = self._noun(at)
        if noun is not None and (noun.words or noun.pronoun):
            return Item("noun", list(line.tokens[at : at + taken]), noun=noun), taken
        if token.text in _PARTICLES or line.has("prep", at):
            return Item("particle", [token], token.text), 1
        together = line.has("while", at) and "_" in token.text
        if together or line.has("manner", at) or line.has("lead", at) or line.has("aux", at):
            return Item("manner", [token], token.text), 1
        if line.has("unit", at) and line.words.value("unit", token.text) == "steps":
            return Item("noun", [token], noun=Noun([token.text], token.start, token.end)), 1
        return Item("lost", [token], token.text), 1

    def _own_side(self, at: int) -> bool:
        return self.line.text(at + 1) in {"left", "right"} and not self._noun_behind(at + 2)

    def _phrase(self, at: int) -> tuple[Item, int] | None:
        """A preposition with its noun; None where no noun follows (it is a particle or a direction then)."""
        line, token = self.line, self.line.tokens[at]
        if line.kind(at + 1) == "place":
            place = line.tokens[at + 1]
            anchor = Noun([place.text], place.start, place.end, place=place.value)
            return Item("phrase", [token, place], token.text, noun=anchor), 2
        found = measure(line.tokens, at + 1) if at + 1 < len(line.tokens) else None
        if token.text == "at" and (taken := rate(line.tokens, at + 1)):
            return Item("lost", list(line.tokens[at : at + 1 + taken]), token.text), 1 + taken
        stair = found is not None and found.amount is not None and self._stair(token.text, at + 1)
        if found is not None and found.amount is not None and not stair:
            if token.text not in _BEFORE_AMOUNTS or (token.text == "in" and found.amount.unit != "s"):
                return None
            tokens = list(line.tokens[at : at + 1 + found.taken])
            return Item("amount", tokens, amount=found.amount, speed=found.speed), 1 + found.taken
        if (
            found is not None
            and found.bare is not None
            and token.text == "for"
            and line.strong(end := at + 1 + found.taken)
        ):
            return Item("bare", list(line.tokens[at + 1 : end])), 1 + found.taken
        if line.kind(at + 1) == "word" and line.has("prep", at + 1) and not line.determined(at + 1):
            return None
        by_hand = token.text == "with" or (
            token.text == "in" and line.text(at + 1) in line.words.closed["poss"]
        )
        if by_hand and line.determined(at + 1) and self._side(at + 1) is not None:
            side_of = line.text(at + 2)  # "with her right"
            hand = Noun(["hand"], token.start, line.tokens[at + 2].end, side_of, determiner=line.text(at + 1))
            return Item("phrase", list(line.tokens[at : at + 3]), token.text, noun=hand), 3
        if (side := self._side(at + 1)) is not None:
            if token.text in _BESIDE and line.determined(at + 1):
                other = line.tokens[at + 2]  # "in front of your right"
                limb = Noun(["other"], other.start, other.end, determiner=line.text(at + 1))
                return Item("phrase", list(line.tokens[at : at + 3]), token.text, noun=limb), 3
            return side[0], side[1] + 1
        if self._loose(at + 1):
            return None
        noun, taken = self._noun(at + 1)
        if noun is None or not (noun.words or noun.pronoun):
            return None
        taken += 1
        if token.text == "with" and (held := self._held(at + taken, noun)):
            return Item("manner", list(line.tokens[at : at + taken + held]), "held"), taken + held
        tokens = list(line.tokens[at : at + taken])
        while line.text(at + taken) == "of" and token.text != "of":
            more, size = self._noun(at + taken + 1)
            if more is None:
                break
            taken += size + 1
            tokens = list(line.tokens[at : at + taken])
        return Item("phrase", tokens, token.text, noun=noun), taken

    def _held(self, at: int, noun: Noun) -> int:
        """How many tokens say how a part of the body is held: "with her arm stretched out"; 0 for none."""
        line = self.line
        body = noun.head in line.words.closed["sided"] or noun.head in line.words.closed["body"]
        if not body:
            return 0
        if line.kinds(at) == {"past"} or line.text(at) in {"open", "shut", "wide", "outstretched", "akimbo"}:
            way = line.has("direction", at + 1) or line.text(at + 1) in {"out", "up", "high", "together"}
            return 2 if way and line.text(at + 1) not in {"left", "right"} else 1
        return 1 if line.text(at) in {"up", "out", "down", "high", "low"} and line.strong(at + 1) else 0

    def _stair(self, before: str, at: int) -> bool:
        """ "stumbles over a step": a thing, not how far."""
        one = self.line.text(at) in {"a", "the", "one"} and self.line.text(at + 1) in {
            "step",
            "circle",
            "lap",
        }
        return one and before in {"over", "on", "onto", "off", "from", "against", "into", "inside", "around"}

    def _side(self, at: int) -> tuple[Item, int] | None:
        """ "from left", "toward the right"."""
        line = self.line
        skip = 1 if line.determined(at) else 0
        word = line.text(at + skip)
        if word in {"left", "right"} and not self._noun_behind(at + skip + 1):
            return Item("direction", list(line.tokens[at : at + skip + 1]), word), skip + 1
        return None

    def _noun_behind(self, at: int) -> bool:
        line = self.line
        if line.kind(at) != "word":
            return False
        loose = (
            "prep",
            "direction",
            "speed",
            "and",
            "then",
            "manner",
            "amount",
            "while",
            "after",
            "before",
            "lead",
        )
        return not any(line.has(kind, at) for kind in loose)

    def _loose(self, at: int) -> bool:
        line = self.line
        if line.kind(at) in {"mark", "end", "quote"}:
            return True
        if (
            line.determined(at)
            or line.has("person", at)
            or line.has("object", at)
            or line.kind(at) in {"name", "number"}
        ):
            return False
        limb = line.has("sided", at + 1) or line.has("body", at + 1)
        if line.text(at) in {"left", "right"} and limb:
            return False  # "with left hand"
        kinds = ("direction", "speed", "and", "but", "then", "manner", "amount", "while", "gait", "prep")
        return any(line.has(kind, at) for kind in kinds) and line.text(at) not in {"back", "high", "low"}

    def _noun(self, at: int) -> tuple[Noun | None, int]:
        """A noun phrase, with "and" where another follows; and how many tokens it takes."""
        line = self.line
        if at >= len(line.tokens):
            return None, 0
        token = line.tokens[at]
        if token.kind == "name":
            return self._somebody(at)
        own = token.text == "her" and line.possessive_her(at)
        if (line.has("person", at) or line.has("object", at)) and not own and not self._determines(at):
            return Noun([], token.start, token.end, pronoun=token.text), 1
        noun, taken = self._one_noun(at)
        if noun is None:
            return None, 0
        while line.text(at + taken) in {"and", "&", "or"} and self._noun_after_and(at + taken + 1):
            more, size = self._one_noun(at + taken + 1)
            if more is None or not more.words:
                break
            noun.words += ["or" if line.text(at + taken) == "or" else "and", *more.words]
            noun.side = (
                "both" if noun.side and more.side and noun.side != more.side else noun.side or more.side
            )
            taken += size + 1
        noun.end = line.tokens[at + taken - 1].end
        return noun, taken

    def _determines(self, at: int) -> bool:
        """ "this box", "one step", "that" before a noun."""
        line = self.line
        if line.text(at) not in {"this", "that", "these", "those", "one", "both", "all"}:
            return False
        return self._noun_behind(at + 1)

    def _noun_after_and(self, at: int) -> bool:
        line = self.line
        if line.kind(at) not in {"word", "number"} or line.has("prep", at) or line.has("direction", at):
            return False
        return not any(
            line.has(kind, at) for kind in ("speed", "amount", "then", "while", "person", "manner")
        )

    def _somebody(self, at: int) -> tuple[Noun, int]:
        """A character, or what is a character's: "Teo", "Teo's hat"."""
        token = self.line.tokens[at]
        if token.text.endswith("'s") and self._noun_behind(at + 1):
            owned, taken = self._one_noun(at + 1)
            if owned is not None:
                return owned, taken + 1
        return Noun([token.text.removesuffix("'s")], token.start, token.end, name=token.value), 1

    def _one_noun(self, at: int) -> tuple[Noun | None, int]:
        line, start = self.line, at
        words: list[str] = []
        side, count, determiner = None, None, ""
        while at < min(len(line.tokens), start + _LONGEST) and line.kind(at) in {"word", "number", "name"}:
            text = line.text(at)
            if text == "both":
                side = "both"
            elif line.determined(at) and not words:
                determiner = text
            elif text in {"left", "right"} and self._noun_behind(at + 1):
                side = text
                if not (
                    line.has("sided", at + 1)
                    or line.has("body", at + 1)
                    or line.text(at + 1) in {"and", "or"}
                ):
                    words.append(text)
            elif text == "own" and not words:
                pass
            elif self._ends_noun(at, words, determiner) or (words and self._amount_at(at)):
                break
            elif line.has("manner", at) and self._noun_behind(at + 1):
                pass
            elif line.kind(at) == "number" or (line.has("number", at) and not words and text != "one"):
                found = measure(line.tokens, at)
                count = found.bare if found else None
                words.append(text)
            else:
                words.append(text)
            at += 1
        if at == start:
            return None, 0
        meant = self._limb(at - 1, words, determiner)
        if meant is not None:
            words[-1] = meant[1]
        head = words[-1] if words else ""
        if head in line.words.closed["sided"]:
            plural = head.endswith("s") or head == "feet"
            side = side or ("both" if plural else None)
            words = words[-1:]
        elif side in {"left", "right"} and head in line.words.closed["body"]:
            pass
        elif side in {"left", "right"}:
            side = None
        end = line.tokens[at - 1].end
        noun = Noun(words, line.tokens[start].start, end, side, count=count, determiner=determiner)
        noun.meant = meant
        noun.place = self.names.place(noun.text) if words else None
        return noun, at - start

    def _limb(self, at: int, words: list[str], determiner: str) -> tuple[Token, str] | None:
        """ "Your hnad": a misspelt part of the body, with what it is."""
        line, own = self.line, determiner in self.line.words.closed["poss"]
        if not own or len(words) != 1 or line.words.known(words[0]):
            return None
        near = near_limb(words[0])
        return (line.tokens[at], near) if near else None

    def _amount_at(self, at: int) -> bool:
        """ "claps her hands three times": an amount is no part of the noun before it."""
        found = measure(self.line.tokens, at)
        return found is not None and found.amount is not None

    def _ends_noun(self, at: int, words: list[str], determiner: str) -> bool:
        """Whether a noun phrase is over before a word."""
        line, text = self.line, self.line.text(at)
        opened = bool(words) or bool(determiner)
        if words and words[-1] in line.words.closed["sided"] and line.kinds(at) == {"past"}:
            return True  # "with her arm stretched out"
        if line.has("and", at) or line.has("but", at) or line.has("or", at) or line.has("again", at):
            return True
        if line.has("prep", at) or line.has("then", at) or line.has("while", at) or line.has("framing", at):
            return not (
                determiner
                and not words
                and line.kind(at + 1) == "word"
                and not line.determined(at + 1)
                and line.has("nounverb", at)
            )
        if any(line.has(kind, at) for kind in ("direction", "speed", "gait", "amount", "stop_phrase")):
            if words and all(line.words.has("number", word) or word.isdigit() for word in words):
                return not self._noun_behind(at + 1)  # "two forward rolls"
            called = bool(determiner) and line.has("nounverb", at)  # "the back"
            return bool(words) or not (self._noun_behind(at + 1) or called)
        if line.has("person", at) or line.has("relative", at) or line.has("shoulder", at):
            return True
        if line.has("manner", at):
            return bool(words) or not opened
        if line.determined(at) and words:
            return True
        if text.endswith("ly") and len(text) > 4 and not line.words.known(text):
            return bool(words) or not self._noun_behind(at + 1)
        helping = line.has("aux", at) and not (determiner and not words)  # "kicks the can"
        return line.has("lead", at) or helping or line.has("negation", at)
