"""Who or what does it: the subject that begins at a place of a command."""

from __future__ import annotations

from .clause import Clause, Subject
from .grammar import Line
from .names import Names
from .near import near_forms, nearest

_SIDES = frozenset({"left", "right", "both"})
_CAMERAS = frozenset({"handheld_camera", "shaky_camera", "shaky_cam"})
"""Moves of the camera that are called by its name."""


class Subjects:
    """Finds the subject of a clause."""

    def __init__(self, line: Line, names: Names) -> None:
        self.line, self.names = line, names

    def read(self, at: int, clause: Clause) -> int:
        """How many tokens the subject takes that begins here; 0 where none does."""
        line = self.line
        taken = self._pronoun_or_name(at, clause) or self._camera(at, clause)
        if taken:
            return taken
        token = line.tokens[at]
        if token.text.endswith("'s") and "ing" in line.kinds(at + 1) and not self._noun_later(at + 2):
            clause.subject = Subject("actor", token)
            return 1
        if line.determined(at):
            verb = line.noun_subject(at)
            if verb < 0:
                return self._near_camera(at, clause)
            self._noun(at, verb, clause)
            first = verb
            while first > at + 2 and line.adverb(first - 1):
                first -= 1
            clause.before.extend(line.tokens[first:verb])
            return verb - at
        if self.names.anybody and (taken := self._called(at)):
            clause.subject = Subject("actor", line.tokens[at])
            return taken
        if self._counted(at):
            clause.subject = Subject("actor", line.tokens[at + 1])
            return 2
        if taken := self._people(at):
            clause.subject = Subject("actor", line.tokens[at + taken - 1])
            return taken
        if self.names.anybody and self._two_names(at):
            clause.subject = Subject("actor", token)
            return 3
        if line.kind(at) == "word" and self._bare_noun(at):
            return self._bare(at, clause)
        return 0

    def _called(self, at: int) -> int:
        """How many tokens "Mark" takes before "waves", "Dolly the sheep" before "bleats"; 0 where it is a
        verb."""
        line = self.line
        if not (line.has("given", at) and line.tokens[at].capital):
            return 0
        end = at + 3 if line.text(at + 1) == "the" and line.kind(at + 2) == "word" else at + 1
        return end - at if "third" in line.kinds(line.past_adverbs(end)) else 0

    def _counted(self, at: int) -> bool:
        """ "Two gendarmes march"."""
        line, noun = self.line, self.line.text(at + 1)
        if not (line.has("number", at) or line.kind(at) == "number") or line.kind(at + 1) != "word":
            return False
        several = noun.endswith("s") or noun in {"men", "women", "people", "children"}
        closed = any(line.has(kind, at + 1) for kind in ("unit", "deverbal", "prep", "direction"))
        verb = line.past_adverbs(at + 2)
        loose = line.has("direction", verb) or line.has("nounverb", verb)
        return several and not closed and not line.forms(at + 1) and "base" in line.kinds(verb) and not loose

    def _people(self, at: int) -> int:
        """How many tokens "enemy guard" takes before "patrols"; 0 where no such words stand here."""
        line, end = self.line, at
        while line.has("person_noun", end):
            end += 1
        verb = line.past_adverbs(end)
        return end - at if end > at and "third" in line.kinds(verb) else 0

    def _two_names(self, at: int) -> bool:
        """ "Mira and Bob sit", where the cast is not known."""
        line = self.line
        named = [
            line.kind(place) == "word"
            and line.tokens[place].capital
            and not line.words.known(line.text(place))
            for place in (at, at + 2)
        ]
        return (
            all(named) and line.text(at + 1) in {"and", "&"} and bool(line.forms(line.past_adverbs(at + 3)))
        )

    def _noun_later(self, at: int) -> bool:
        """Whether a noun and its verb follow: "Mira's running shoes squeak"."""
        line = self.line
        return line.kind(at) == "word" and not line.words.known(line.text(at)) and line.finite_at(at + 1)

    def _pronoun_or_name(self, at: int, clause: Clause) -> int:
        line = self.line
        token = line.tokens[at]
        if line.has("subject", at) and (line.verb_at(at + 1) or self._new_word(at + 1) or self._set_off(at)):
            kind = "camera" if self._films(at) else "actor"
            clause.subject = Subject(kind if token.text != "it" else "thing", token)
            return 1
        if line.kind(at) == "name":
            if token.text.endswith("'s") and "ing" not in line.kinds(at + 1):
                return self._owner(at, clause)
            clause.subject = Subject("actor", token, token.value)
            taken = 1
            while line.has("and", at + taken) and (
                line.kind(at + taken + 1) == "name" or self._stranger(at + taken + 1)
            ):
                if line.kind(at + taken + 1) != "name":
                    clause.subject = Subject("unknown", line.tokens[at + taken + 1])
                taken += 2
            return taken
        return 0

    def _new_word(self, at: int) -> bool:
        """A word that may be a verb that is not known."""
        line = self.line
        at = line.past_adverbs(at)
        return line.kind(at) == "word" and (
            not line.words.known(line.text(at)) or line.text(at) in line.words.closed["nounverb"]
        )

    def _films(self, at: int) -> bool:
        """ "we push in": those who film are the camera."""
        line = self.line
        verb = line.past_adverbs(at + 1)
        return line.text(at) == "we" and any(lemma in line.words.camera for lemma, _ in line.forms(verb))

    def _stranger(self, at: int) -> bool:
        line = self.line
        known = self.line.words.known(line.text(at))
        return line.kind(at) == "word" and not known and line.verb_at(at + 1)

    def _owner(self, at: int, clause: Clause) -> int:
        """ "Mira's hands clap": what is somebody's acts for them."""
        line = self.line
        if line.kind(at + 1) == "word" and line.verb_at(at + 2):
            clause.subject = Subject("actor", line.tokens[at], line.tokens[at].value)
            return 2
        return 0

    def _camera(self, at: int, clause: Clause) -> int:
        line = self.line
        skip = 1 if line.determined(at) else 0
        if line.text(at + skip) in _CAMERAS and line.verb_at(at + skip + 1):
            clause.subject = Subject("camera", line.tokens[at + skip])
            clause.before.append(line.tokens[at + skip])
            return skip + 1
        part = line.has("thing", at + skip + 1) or line.has("thingverb", at + skip + 1)
        if part and line.kinds(at + skip + 2) & {"third", "past"}:
            return 0  # "the lens cap falls"
        if not line.has("camera", at + skip) or line.has("person_noun", at + skip + 1):
            return 0  # "the camera operator"
        after = at + skip + 1
        compound = skip and line.kinds(after) == {"base"} and line.finite_at(after + 1)
        if compound:
            return 0  # "the camera shop is shut"
        follows = line.verb_at(after) or line.text(after) in {":", ","} or line.has("aux", after)
        if not follows and not (line.kind(after) == "word" and not line.words.known(line.text(after))):
            return 0
        clause.subject = Subject("camera", line.tokens[at + skip])
        return skip + 1

    def _near_camera(self, at: int, clause: Clause) -> int:
        """ "the camra pans": a misspelt camera."""
        line = self.line
        word = line.text(at + 1)
        if line.kind(at + 1) != "word" or line.words.known(word) or not line.verb_at(at + 2):
            return 0
        return self._maybe_camera(at + 1, clause, skip=1)

    def _maybe_camera(self, at: int, clause: Clause, *, skip: int) -> int:
        near = nearest(self.line.text(at), ["camera", "drone"])
        if not near:
            return 0
        clause.subject = Subject("camera", self.line.tokens[at])
        clause.corrected.append((self.line.tokens[at], near[0]))
        return skip + 1

    def _noun(self, at: int, verb: int, clause: Clause) -> None:
        """The subject that is a noun phrase from ``at`` up to the verb."""
        line = self.line
        head = at + 1
        for place in range(at + 1, verb):
            if line.has("prep", place) or line.has("relative", place) or line.adverb(place):
                break
            head = place
        token = line.tokens[head]
        filmed = line.has("move", head) and any(sign in token.text for sign in "_-")
        if line.has("camera", head) or filmed:
            clause.subject = Subject("camera", token)  # "the tracking shot"
        elif (
            line.kind(head) == "word"
            and not line.words.known(token.text)
            and self._maybe_camera(head, clause, skip=0)
        ):
            pass
        else:
            mine = line.has("body", head) or line.has("sided", head)
            thing = not mine and not line.person(token.text)
            named = next(
                (line.tokens[place].value for place in range(at, verb) if line.kind(place) == "name"), ""
            )
            clause.subject = Subject("thing" if thing else "actor", token, named, self._side_of(at, head))

    def _side_of(self, at: int, head: int) -> str | None:
        """The side of "her left hand", "both her arms"."""
        if not self.line.has("sided", head):
            return None
        return next((text for place in range(at, head) if (text := self.line.text(place)) in _SIDES), None)

    def _bare_noun(self, at: int) -> bool:
        """Whether a word without an article is the subject of the finite verb right behind it."""
        line = self.line
        text = line.text(at)
        if line.kind(at) != "word" or any(
            line.has(kind, at) for kind in ("prep", "direction", "number", "unit")
        ):
            return False
        if line.words.known(text) and not (
            line.forms(at) and line.finite_at(at + 1) and line.text(at) == text
        ):
            return line.text(at) in line.words.closed["thing"] and line.finite_at(at + 1)
        if line.forms(at):
            return False
        after = line.past_adverbs(at + 1)
        called = self.names.anybody and line.tokens[at].capital and line.text(at + 1) == ","
        called = called and not near_forms(text)[1]
        if self._set_off(at) or (called and "base" in line.kinds(line.past_adverbs(at + 2))):
            return True  # "Mira, wave"
        if line.has("camera", at + 1):
            return False  # "aerial shot"
        if line.text(at).endswith("ly") or line.has("direction", after):
            return False
        slip = bool(near_forms(text)[0]) and not line.tokens[at].capital
        return bool(line.forms(after)) and not slip

    def _set_off(self, at: int) -> bool:
        """ "Mira (running) turns": a name, then what she is doing meanwhile."""
        line = self.line
        called = line.tokens[at].capital or line.has("subject", at)
        first = line.past_adverbs(at + 2)
        how = (
            line.has("relative", at + 2)
            or first > at + 2
            or "ing" in line.kinds(first)
            or line.kinds(first) == {"past"}
        )
        plain = line.kind(first) == "word" and not line.words.known(line.text(first))
        return (
            called
            and line.text(at + 1) == ","
            and (how or plain)
            and any(line.text(place) == "," and line.finite_at(place + 1) for place in range(at + 3, at + 10))
        )

    def _bare(self, at: int, clause: Clause) -> int:
        line, token = self.line, self.line.tokens[at]
        if self._maybe_camera(at, clause, skip=0):
            return 1
        if not line.person(token.text):
            clause.subject = Subject("thing", token)
            return 1
        plural = token.text.endswith("s") and "base" in line.kinds(line.past_adverbs(at + 1))
        known = self.names.anybody or (plural and not token.capital)
        clause.subject = Subject("actor" if known else "unknown", token)
        return 1
