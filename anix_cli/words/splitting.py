"""A command's tokens → its clauses: where each begins, who does it, which word is the verb."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .amounts import measure
from .boundaries import Boundaries
from .clause import Clause, Subject
from .grammar import DOING, NOMINATIVE, Line
from .names import Names
from .near import near_forms
from .subjects import Subjects
from .tokens import Token

_POINTED = frozenset({"let", "have", "make", "want", "need", "see", "watch", "show"})
"""Verbs with which a director says what somebody else is to do."""
_OPEN = frozenset({
    "thing", "nounverb", "person", "catenative", "causative", "speech", "perception", "lightverb", "body",
})  # fmt: skip
"""Classes of words that may be a verb where one is missing."""
_UPWARD = frozenset({"up", "down", "out", "back", "high", "low"})
_SOUNDS = frozenset(
    {"boom", "bang", "crash", "pow", "wham", "splash", "thud", "snap", "pop", "whoosh", "ouch", "hey"}
)
"""Exclamations: a noise, nobody's act."""
_BEING = frozenset({"is", "are", "'s"})
_HELD = frozenset({"on", "in", "behind", "over", "above", "at", "against", "to", "around"})
"""Prepositions between hands and where they are held: "hands on hips"."""
_LEADING = {"then": "then", "while": "while", "until": "until", "because": "aside", "before": "before"}


def clauses_of(tokens: Sequence[Token], names: Names) -> list[Clause]:
    """Cuts a command into clauses, in the order in which they are written."""
    return _Splitter(Line(tokens), names).clauses()


class _Splitter:
    def __init__(self, line: Line, names: Names) -> None:
        self.line, self.names = line, names
        self.boundaries = Boundaries(line, names)
        self.subjects = Subjects(line, names)
        self.found: list[Clause] = []

    def clauses(self) -> list[Clause]:
        at, end = 0, len(self.line.tokens)
        while at < end:
            clause = Clause(start=self.line.tokens[at].start)
            begin = at
            at = self._lead(at, clause)
            if at < end:
                at = self._subject_and_verb(at, clause)
                at = self.boundaries.rest(at, clause, self.found)
            at = max(at, begin + 1)
            clause.end = self.line.tokens[min(at, end) - 1].end
            self._goes_on(clause)
            if clause.tokens or clause.fix or clause.unknown or clause.cancelled:
                self.found.append(clause)
        return self.found

    def _goes_on(self, clause: Clause) -> None:
        """ "The camera cranes down and settles": a second verb of the camera."""
        before = self.found[-1] if self.found else None
        if before is None or clause.subject.kind != "none":
            return
        goes_on = clause.link in {"and", "comma", "then", "next", "while", "after", "before"}
        alike = clause.form == "ing" or (clause.form == before.form and clause.form in {"third", "past"})
        clause.acted = (before.subject.kind == "actor" or before.acted) and goes_on and alike
        labelled = (
            before.verb is None and self.line.text(at - 1) == ":" if (at := self._first(clause)) else False
        )
        shot = any(token.text in self.line.words.closed["move"] for token in before.tokens)
        if labelled and shot and any(lemma in self.line.words.camera for lemma in clause.lemmas):
            clause.subject = Subject("camera", clause.verb)  # "crane shot: rise three metres"
            return
        alike = clause.form == before.form and clause.form in {"third", "past"}
        if before.subject.kind == "thing" and alike and clause.link in {"and", "comma"}:
            clause.subject = before.subject  # "the boom swings and hits him"
        if before.subject.kind != "camera":
            return
        joined = clause.link in {"and", "comma", "then", "next"} and clause.form == before.form == "third"
        if joined and any(lemma in self.line.words.camera for lemma in clause.lemmas):
            clause.subject = before.subject

    def _first(self, clause: Clause) -> int:
        """Where the verb of a clause stands; 0 where it has none."""
        verb = clause.verb
        return next(
            (at for at, token in enumerate(self.line.tokens) if verb and token.start == verb.start), 0
        )

    # --- what joins a clause to the one before

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

    def _lead(self, at: int, clause: Clause) -> int:
        line, links = self.line, []
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
            elif self.boundaries.fix(at, bool(self.found)):
                clause.fix = "fix"
            elif line.has("forget", at):
                clause.fix = "forget"
            elif line.text(at) == "wait" and (clause.fix or self._wait_is_no_wait(at)):
                pass
            elif self.boundaries.lapse(at):
                at = self._lapse(at, links, clause)
                links = ["then"]
                continue
            elif (link := self._link(at)) is not None:
                links.append("then" if link == "after" and self._interrupted(at) else link)
                clause.choice = line.tokens[at] if line.has("or", at) else clause.choice
            elif line.has("instead", at):
                if not line.kinds(line.past_adverbs(at + 1)) & {"ing", "base"} or line.determined(at + 1):
                    at = self._past_phrase(at + 1)
                    continue
                clause.cancelled = line.tokens[at]
            elif line.text(at) == "there" and line.text(at + 1) in _BEING:
                break
            elif line.has("lead", at) and not line.forms(at):
                at += line.text(at) == "please" and line.text(at + 1) == "to"
            else:
                break
            at += 1
        clause.link = self._strongest(links)
        return at

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
        if line.text(at) == "having" and "past" in line.kinds(line.past_adverbs(at + 1)):
            return "after"
        if line.has("after", at) and (line.clause_follows(at + 1) or self.boundaries.lapse(at)):
            return "after"
        if line.text(at) == "to" and self.found and "base" in line.kinds(line.past_adverbs(at + 1)):
            return "purpose"
        return None

    def _strongest(self, links: list[str]) -> str:
        if not self.found and not set(links) & {"after", "before", "while"}:
            return "first"
        for link in ("after", "before", "while", "until", "aside", "purpose", "then"):
            if link in links:
                return link
        if "sentence" in links:
            return "sentence"
        return "and" if "and" in links else "comma" if links else "next"

    # --- who does what

    def _subject_and_verb(self, at: int, clause: Clause) -> int:
        """Reads up to the verb; returns the place behind it, or where the rest of a verbless clause
        begins."""
        line = self.line
        first = at
        while not line.strong(at):
            step = self._before_verb(at, clause)
            if step is None:
                return at
            if step == 0:
                break
            at += step
        if line.strong(at) and line.text(at) != ":":
            return at
        if line.text(at) == ":" and clause.subject.kind == "camera":
            return self._subject_and_verb(at + 1, clause)
        return self._verb(at, clause, first)

    def _before_verb(self, at: int, clause: Clause) -> int | None:
        """How many tokens to step over before the verb; 0 where it should stand, None where there is none."""
        line = self.line
        if line.nearly_so(at):
            clause.before.append(line.tokens[at])
            return 1
        if line.has("negation", at) and not self._too(at):
            clause.cancelled = clause.cancelled or line.tokens[at]
            return 1
        if line.text(at) == "nothing" and clause.subject.kind == "none" and line.finite_at(at + 1):
            clause.cancelled = clause.cancelled or line.tokens[at]
            return 1
        if line.kind(at) == "mark":
            return self._aside(at, clause) or self._comma(at, clause)
        if (taken := self._catenative(at, clause)) is not None:
            return taken
        if clause.subject.kind == "none" and (taken := self.subjects.read(at, clause)):
            return taken
        if line.text(at) in {"both", "all", "each"} and clause.subject.kind != "none":
            return 1
        if line.text(at) in DOING and not line.verb_at(at + 1) and line.forms(at):
            return 0  # "does five squats", "has a seat"
        if (line.adverb(at) or line.has("gait", at)) and not self._noun_like(at):
            clause.before.append(line.tokens[at])
            return 1
        if line.text(at) == "to" and clause.subject.kind != "none" and line.forms(at + 1):
            return 1
        if line.kind(at) == "quote":
            clause.before.append(line.tokens[at])
            return 1
        if line.forms(at) and not self._measured(at) and not self._only_direction(at, clause):
            return 0
        if (line.has("body", at) or line.has("sided", at)) and self._only_direction(at, clause):
            return None
        return self._phrase_ahead(at, clause)

    def _too(self, at: int) -> bool:
        """ "not too fast" says how, not what is not done."""
        return self.line.text(at) == "not" and self.line.text(at + 1) == "too"

    def _noun_like(self, at: int) -> bool:
        """An adverb that is a verb here: "still", "slow", "open the door"."""
        line = self.line
        if not line.forms(at):
            return False
        return line.determined(at + 1) or line.kind(at + 1) == "end" or line.has("object", at + 1)

    def _measured(self, at: int) -> bool:
        """ "three steps to the left": a number's noun is no verb."""
        line = self.line
        before = line.kind(at - 1) == "number" or line.has("number", at - 1) or line.has("speed", at - 1)
        counted = before and (
            line.kind(at - 2) == "number"
            or line.has("number", at - 2)
            or line.kind(at - 1) == "number"
            or line.has("number", at - 1)
        )
        return counted and line.has("unit", at)

    def _only_direction(self, at: int, clause: Clause) -> bool:
        """ "left" without anybody who left; "hands up" without anybody who hands."""
        line = self.line
        body = line.has("sided", at) or line.has("body", at)
        ends = line.strong(at + 2) or line.text(at + 2) == ","
        if clause.subject.kind == "none" and body and line.text(at + 1) in _UPWARD and ends:
            return True
        if clause.subject.kind == "none" and line.has("sided", at) and line.kinds(at) == {"third"}:
            if line.kinds(at + 1) == {"past"} or line.text(at + 1) in {"open", "shut", "wide"}:
                return True  # "eyes closed, she sings"
            if line.text(at + 1) in {"up", "down", "out"}:
                return not line.determined(at + 2)
            return line.text(at + 1) in _HELD and any(
                line.has(kind, at + 2 + line.determined(at + 2)) for kind in ("body", "sided", "pocket")
            )
        return clause.subject.kind == "none" and line.has("direction", at) and line.kinds(at) == {"past"}

    def _comma(self, at: int, clause: Clause) -> int | None:
        """A comma before the verb: after a phrase ahead ("At the door, she turns") or a vocative."""
        line = self.line
        if line.text(at) in {",", ":"} and (
            clause.before or clause.subject.kind in {"actor", "camera", "unknown"}
        ):
            after = line.past_adverbs(at + 1)
            if self.boundaries.starts(at + 1, Clause()) or line.forms(after) or line.text(at) == ":":
                return 1
        return None

    def _aside(self, at: int, clause: Clause) -> int:
        """ "Mira (running) turns", "she, smiling, waves": a clause of its own, read here; 0 where none is."""
        line = self.line
        if line.text(at) != "," or clause.subject.kind != "actor" or clause.before:
            return 0
        if line.kinds(at + 1) & {"base", "third"} or line.determined(at + 1) or line.kind(at + 1) == "name":
            return 0
        end = next((place for place in range(at + 2, at + 10) if line.kind(place) == "mark"), 0)
        if not end or line.text(end) != "," or not line.finite_at(end + 1):
            return 0
        if "ing" not in line.kinds(line.past_adverbs(at + 1)):
            kinds = ("prep", "speed", "manner", "direction", "gait", "and")
            said = any(line.has(kind, place) for kind in kinds for place in range(at + 1, end))
            told = line.tokens[at + 1 : end]
            clause.before.extend(told if said else [replace(token, kind="aside") for token in told])
            return end + 1 - at
        inside = _Splitter(Line(line.tokens[at + 1 : end]), self.names).clauses()
        if inside:
            inside[0].link, clause.link = clause.link, "comma"
            self.found += inside
        return end + 1 - at

    def _catenative(self, at: int, clause: Clause) -> int | None:
        """ "starts to", "keeps", "refuses to", "let her", "stops running": None where it is none of these."""
        line = self.line
        if (taken := self._pointed(at, clause)) is not None:
            return taken
        kind = line.words.value("catenative", line.text(at)) if line.kind(at) == "word" else None
        if kind is None:
            return None
        after = at + 1
        while line.has("manner", after) or line.has("speed", after):
            after += 1
        if line.text(at).endswith("_to") and line.forms(line.past_adverbs(after)):
            clause.cancelled = line.tokens[at]
            return after - at
        if (
            kind == "move"
            and line.text(at) in {"go", "come"}
            and "base" in line.kinds(after)
            and not self._noun_like_verb(after)
        ):
            return after - at
        if line.text(after) in {"not", "never"} and line.text(after + 1) == "to" and kind == "on":
            clause.cancelled = line.tokens[after]  # "tries not to laugh"
            return after + 2 - at
        wanted = line.text(at) in {"want", "wants", "wanted", "try", "tries", "tried"}
        noun = line.has("nounverb", after) and line.strong(after + 1)
        if wanted and "base" in line.kinds(after) and not noun:
            return after - at  # "the girl wants drink water"
        infinitive = line.text(after) == "to" and bool(line.forms(line.past_adverbs(after + 1)))
        fresh = line.kind(after) == "word" and not line.words.known(line.text(after))
        participle = "ing" in line.kinds(after) or (fresh and line.text(after).endswith("ing"))
        if kind == "end" and participle and clause.cancelled is not None:
            clause.cancelled, clause.told = None, "base"  # "can't stop laughing"
            return after - at
        if kind == "end" or not (infinitive or participle):
            return None
        if kind == "move" and not participle:
            return None
        if kind == "off":
            clause.cancelled = line.tokens[at]
        clause.before.extend(line.tokens[at + 1 : after])
        text = line.text(at)
        clause.told = "ing" if text.endswith("ing") else "third" if text.endswith("s") else "base"
        clause.told = (
            "past" if text.endswith("ed") or text in {"kept", "began", "went", "came"} else clause.told
        )
        return after - at + (1 if infinitive else 0)

    def _noun_like_verb(self, at: int) -> bool:
        """ "go left", "go back": a word that leads somewhere rather than a verb."""
        line = self.line
        return any(line.has(kind, at) for kind in ("direction", "prep", "speed", "manner"))

    def _pointed(self, at: int, clause: Clause) -> int | None:
        """ "have her walk", "let the camera drift", "I want him to turn": somebody else is told to do it."""
        line = self.line
        if (taken := self._shown(at, clause)) is not None:
            return taken
        lemmas = {lemma for lemma, _ in line.forms(at)} | {line.text(at)}
        by_director = clause.subject.kind == "none" or (
            clause.subject.token is not None and clause.subject.token.text in {"i", "we", "you"}
        )
        if not lemmas & _POINTED or not by_director:
            return None
        if lemmas & {"see", "watch", "show"} and "base" not in line.kinds(at):
            return None  # "and watches it land"
        after = at + 1
        if line.has("person", after) or line.kind(after) == "name" or line.has("object", after):
            end = after + 1
        elif line.has("number", after + 1):
            return None  # "make a quarter turn"
        elif line.determined(after) or line.has("camera", after):
            end = after + (2 if line.determined(after) else 1)
        else:
            return None
        verb = line.past_adverbs(end + (line.text(end) == "to"))
        if "base" not in line.kinds(verb) and not line.has("catenative", verb):
            return None
        clause.subject = self._named(end - 1)
        return verb - at

    def _shown(self, at: int, clause: Clause) -> int | None:
        """ "There is a man walking his dog", "we see a man walking": what is shown is what he does."""
        line = self.line
        there = line.text(at) == "there" and line.text(at + 1) in _BEING
        seen = line.text(at) in {"see", "find"} and clause.subject.token is not None
        if not there and not (
            seen and clause.subject.token and clause.subject.token.text in {"we", "i", "you"}
        ):
            return None
        first = at + (2 if there else 1)
        if not (line.determined(first) or line.kind(first) == "name" or line.has("person", first)):
            return None
        verb = next((place for place in range(first + 1, first + 7) if "ing" in line.kinds(place)), 0)
        crossed = any(line.kind(place) == "mark" for place in range(first, verb))
        if not verb or crossed or line.person(line.text(verb - 1)) is False:
            return None
        clause.subject = self._named(verb - 1)
        return verb - at

    def _named(self, at: int) -> Subject:
        token = self.line.tokens[at]
        if self.line.has("camera", at):
            return Subject("camera", token)
        return Subject("actor", token, token.value)

    def _phrase_ahead(self, at: int, clause: Clause) -> int | None:
        """Words before the verb that say where or how: "At the corner, she turns"."""
        line = self.line
        if line.text(at) in {"left", "right", "both"} and line.has("sided", at + 1):
            return None  # "left hand up"
        end = self.boundaries.phrase(at)
        after = end + (line.text(end) == ",")
        if end > at and (
            line.verb_at(after) or line.has("subject", line.past_adverbs(after)) or self._starts(after)
        ):
            clause.before.extend(line.tokens[at:end])
            return end - at
        return self._unknown(at)

    def _starts(self, at: int) -> bool:
        line = self.line
        return line.kind(at) == "name" or line.clause_follows(at) or line.has("camera", at)

    def _unknown(self, at: int) -> int | None:
        """A word that should be the verb but is none (0), or a phrase without a verb (None)."""
        line = self.line
        told = line.kind(at) == "word" and not line.determined(at)
        closed = any(line.has(kind, at) for kind in line.words.closed if kind not in _OPEN)
        return 0 if told and not closed else None

    # --- the verb

    def _verb(self, at: int, clause: Clause, first: int) -> int:
        line = self.line
        forms = line.forms(at)
        if not forms and line.state(first, at):
            clause.passive = True  # "she is tired"
            clause.rest.append(line.tokens[at])
            return at + 1
        if not forms:
            return self._misspelt(at, clause)
        kind = self._form(at, clause)
        clause.passive = line.passive(first, at)
        clause.verb, clause.form = line.tokens[at], clause.told or kind
        clause.lemmas = tuple(dict.fromkeys(lemma for lemma, form in forms if form == kind))
        return at + 1

    def _form(self, at: int, clause: Clause) -> str:
        """Which form it is where it may be several: "put" after "she" is past, after nothing an order."""
        kinds = self.line.kinds(at)
        subject = clause.subject.token.text if clause.subject.token else ""
        if clause.subject.kind == "none" or subject in {"they", "we", "i", "you"}:
            order = ("base", "ing", "third", "past")
        else:
            order = ("third", "past", "ing", "base")
        return next(kind for kind in order if kind in kinds)

    def _misspelt(self, at: int, clause: Clause) -> int:
        """The verb is no word that is known: corrected where that is near and unique."""
        line = self.line
        if line.kind(at) != "word":
            return at
        token = line.tokens[at]
        fresh = not line.words.known(token.text)
        meant = near_forms(token.text, camera=clause.subject.kind == "camera")[0] if fresh else ""
        if not meant and fresh and clause.subject.kind == "none":
            meant = near_forms(token.text, camera=True)[0] if not near_forms(token.text)[1] else ""
        if not meant:
            clause.unknown = token
            return at + 1
        clause.corrected.append((token, meant))
        forms = line.words.forms[meant]
        clause.verb, clause.form = Token(meant, token.start, token.end), forms[0][1]
        clause.lemmas = tuple(dict.fromkeys(lemma for lemma, _ in forms))
        return at + 1
