"""What joins a clause to the one before: "then", "while", commas, and what stands before it all."""

from __future__ import annotations

from .amounts import measure
from .boundaries import TOGETHER, Boundaries
from .clause import Clause, Subject
from .grammar import NOMINATIVE, Line
from .tokens import Token

_SOUNDS = frozenset({
    "boom", "bang", "crash", "pow", "wham", "splash", "thud", "snap", "pop", "whoosh", "ouch", "hey",
})  # fmt: skip
"""Exclamations: a noise, nobody's act."""
BEING = frozenset({"is", "are", "'s"})
_LEADING = {"then": "then", "while": "while", "until": "until", "because": "aside", "before": "before"}


class Leads:
    """Reads what stands before a clause. ``found``: the clauses before it, to which it may add."""

    def __init__(self, line: Line, boundaries: Boundaries, found: list[Clause]) -> None:
        self.line, self.boundaries, self.found = line, boundaries, found

    def _label(self, at: int) -> int:
        """The place behind a label, "loop:", that begins a command."""
        line = self.line
        for end in range(at + 1, at + 4):
            if line.text(end) == ":" and not any(
                line.forms(place)
                or line.has("camera", place)
                or line.has("move", place)
                or line.kind(place) == "mark"
                for place in range(at, end)
            ):
                return end + 1
        return at

    def read(self, at: int, clause: Clause) -> int:
        line, links, ahead = self.line, [], False
        if not self.found:
            at = self._label(at)
        while self.line.text(at) in _SOUNDS and self.line.text(at + 1) == "!":
            token = line.tokens[at]
            self.found.append(
                Clause("sentence", Subject("thing", token), rest=[token], start=token.start, end=token.end)
            )
            at += 2
        while at < len(line.tokens):
            if line.kind(at) == "mark":
                links.append("sentence" if line.strong(at) and line.text(at) not in "—:" else "comma")
            elif end := self._taken_back(at, clause) or self._set_apart(at, links, clause):
                at = end
                continue
            elif (link := self._link(at)) is not None:
                under = link in {"after", "before", "while"} and line.text(at) not in TOGETHER
                ahead = ahead or (under and bool({"and", "then"} & set(links)))  # "and when he turns, …"
                links.append("then" if link == "after" and self._interrupted(at) else link)
                clause.contrast = clause.contrast or line.text(at) == "but"
                clause.choice = line.tokens[at] if line.has("or", at) else clause.choice
                at += link in {"before", "after"} and line.text(at + 1) == "to"  # "before to open it"
            elif line.has("instead", at):
                clause.cancelled = line.tokens[at]
            elif line.text(at) == "there" and line.text(at + 1) in BEING:
                break
            elif (line.text(at) == "first" and clause.contrast) or line.text(at) == "before_that":
                links.append("after")  # "he claps, but first he bows"
            elif line.has("lead", at) and not line.forms(at):
                at += line.text(at) == "please" and line.text(at + 1) == "to"
            else:
                break
            at += 1
        clause.link = self._strongest(links)
        if clause.link in {"and", "comma"} and self.boundaries.goes_on_by(at, self.found[-1]):
            clause.link = "then"
        clause.ahead = self._set_off(at) or ahead
        return at

    def _taken_back(self, at: int, clause: Clause) -> int:
        """The place behind words that take back what stands before them, told to the clause; 0 for none."""
        line = self.line
        if self.boundaries.fix(at, bool(self.found)):
            clause.fix = "fix"
        elif line.has("forget", at):
            if self._other_matter(at):
                return self._past_phrase(at + 1)
            clause.fix = "forget"
        elif line.text(at) in NOMINATIVE and line.has("negation", at + 1) and line.strong(at + 2):
            clause.fix = "forget"  # "she could jump, but she doesn't"
            return at + 2
        elif line.text(at) != "wait" or not (clause.fix or self._wait_is_no_wait(at)):
            return 0
        return at + 1

    def _set_apart(self, at: int, links: list[str], clause: Clause) -> int:
        """The place behind words that are a clause of their own, which is added; 0 for none: "after two
        seconds", "once through the door", "instead of a bow"."""
        line = self.line
        if line.text(at) == "once" and (end := self._once_there(at)):
            said = list(line.tokens[at:end])
            self.found.append(Clause("aside", rest=said, start=said[0].start, end=said[-1].end))
            return end
        if self._state(at, links):
            token = line.tokens[at]  # "tired, he sits"
            self.found.append(Clause("aside", rest=[token], start=token.start, end=token.end))
            return at + 1
        if self.boundaries.lapse(at):
            end = self._lapse(at, links, clause)
            links[:] = ["then"]
            return end
        doing = line.kinds(line.past_adverbs(at + 1)) & {"ing", "base"} and not line.determined(at + 1)
        if line.has("instead", at) and not doing:
            end = self._past_phrase(at + 1)
            self._not_meant(at, end)
            return end
        return 0

    def _set_off(self, at: int) -> bool:
        """ "And, still running, …"."""
        line = self.line
        first = at
        while line.has("lead", first - 1) or line.has("manner", first - 1):
            first -= 1
        parted = line.text(first - 1) == "," and line.has("and", first - 2)
        return parted and "ing" in line.kinds(line.past_adverbs(at))

    def _state(self, at: int, links: list[str]) -> bool:
        """ "Exhausted, she sits": how somebody is."""
        line, text = self.line, self.line.text(at)
        fresh = line.kind(at) == "word" and text.endswith("ed") and not line.words.known(text)
        past = fresh or line.kinds(at) == {"past"} or text == "tired"
        who = line.text(at + 2) in NOMINATIVE or line.kind(at + 2) == "name" or line.determined(at + 2)
        opens = not set(links) - {"sentence"}
        return past and opens and line.text(at + 1) == "," and who

    def _once_there(self, at: int) -> int:
        """The place behind "once through the door"; 0 where it says something else."""
        line = self.line
        end = self.boundaries.phrase(at + 1) if line.has("prep", at + 1) else 0
        return end if end > at + 2 and line.text(end) == "," else 0

    def _other_matter(self, at: int) -> bool:
        """ "Never mind the box": a thing that is not cared for takes nothing back."""
        return (
            self.line.text(at) == "never_mind"
            and self.line.determined(at + 1)
            and self.line.text(at + 2) not in {"rest", "last", "first"}
        )

    def _not_meant(self, at: int, end: int) -> None:
        """ "Instead of the door, open the window": a clause of its own, of what is not."""
        said = list(self.line.tokens[at:end])
        self.found.append(
            Clause("comma", cancelled=said[0], rest=said[1:], start=said[0].start, end=said[-1].end)
        )

    def _past_phrase(self, at: int) -> int:
        """Behind a noun phrase: "instead of a bow", "without a coat"; up to a comma or who does what."""
        line = self.line
        at += line.determined(at)
        while not line.strong(at) and line.text(at) != "," and line.text(at) not in NOMINATIVE:
            if line.kind(at) == "name" or line.determined(at):
                break
            at += 1
        return at

    def _lapse(self, at: int, links: list[str], clause: Clause) -> int:
        """ "after two seconds": a wait of its own; returns the place behind it."""
        line = self.line
        later = self.boundaries.later(at)
        taken = measure(line.tokens, at + 1)
        end = at + later if later else at + 1 + (taken.taken if taken else 0)
        trails = line.strong(end) and "sentence" not in links and bool(self.found)
        token = line.tokens[at]
        link = "after" if trails else self._strongest(links)
        said = line.tokens[at : end - 1] if later else line.tokens[at + 1 : end]
        self.found.append(
            Clause(link, verb=Token("wait", token.start, token.end), form="", lemmas=("wait",),
                   rest=list(said), start=clause.start, end=line.tokens[end - 1].end)
        )  # fmt: skip
        return end

    def _interrupted(self, at: int) -> bool:
        """ "She was walking when she tripped": what was going on comes first."""
        before = self.found[-1] if self.found else None
        going = before is not None and before.form == "ing" and before.subject.kind == "actor"
        return going and self.line.text(at) == "when"

    def _wait_is_no_wait(self, at: int) -> bool:
        return (
            self.line.kind(at + 1) == "mark"
            and self.line.text(at + 2) in {"no", "no_no"}
            and bool(self.found)
        )

    def _link(self, at: int) -> str | None:
        line = self.line
        if line.has("and", at) or line.has("or", at) or line.has("but", at):
            return "and"
        for kind, link in _LEADING.items():
            if line.has(kind, at) and (kind != "before" or line.clause_follows(at + 1)):
                return link
        if line.has("as", at) and line.clause_follows(at + 1):
            return "while"
        if self.found and self.boundaries.so_that(at):
            return "then"
        if line.text(at) == "having" and "past" in line.kinds(line.past_adverbs(at + 1)):
            return "after"
        if line.has("after", at) and (line.clause_follows(at + 1) or self.boundaries.lapse(at)):
            return "after"
        if line.text(at) == "to" and self.found and "base" in line.kinds(line.past_adverbs(at + 1)):
            return "purpose"
        return None

    def _strongest(self, links: list[str]) -> str:
        if not self.found and not set(links) & {"after", "before", "while", "aside"}:
            return "first"
        for link in ("after", "before", "while", "until", "aside", "purpose", "then"):
            if link in links:
                return link
        if "sentence" in links:
            return "sentence"
        return "and" if "and" in links else "comma" if links else "next"
