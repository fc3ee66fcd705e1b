"""Words, numbers, marks and quotations of a command with their places."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from . import numbers
from .lexicon import lexicon

_ACCENTS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u109f"
"""Accents written as signs of their own, and scripts that write vowels so: parts of a word."""
_WORD = rf"[^\W\d_](?:[^\W\d_]|[{_ACCENTS}])*"
_DASH = r"(?<=\s)[-–—](?=\s)|[–—]|--+"
_TOKEN = re.compile(
    rf"(?P<dash>{_DASH})|{numbers.PATTERN}|{_WORD}(?:['\-]{_WORD})*'?|[,;.!?:°&½¼¾…()]",
    re.UNICODE,
)
_PAUSE = re.compile(r"\((?:beat|pause|cont'?d|continuing|[ov]\.? ?[sco]\.?)\)", re.IGNORECASE)
"""What a script puts in brackets between lines."""
_HEADING = re.compile(r"^\s*(?:int|ext|int\.?/ext|i/e)\.\s[^.\n]*(?:[.\n]|$)", re.IGNORECASE)
"""The head of a scene, "INT. KITCHEN - DAY."."""
_SILENT = frozenset(" \t\r\n\f\v\u00a0\"'“”‘’«»„‚()[]{}…/\\&*_~|<>=+-‐‑‒–—−#%@`^$")
"""Signs between words that change nothing."""
_QUOTES = {'"': '"', "“": "”", "”": "”", "„": "“”", "«": "»", "‘": "’", "'": "'"}
_TITLES = frozenset({"dr", "mr", "mrs", "ms", "st", "prof", "jr", "sr", "vs", "no", "capt", "lt", "sgt"})
_MOVE = re.compile(
    r"(dolly|zoom|tilt|pan|truck|track|crane|boom|jib|pedestal)-(in|out|up|down|left|right|back)"
)
"""Moves of the camera with their direction: "dolly-in"."""
_CLITICS = ("'ll", "'re", "'ve", "'d", "'m")


@dataclass(frozen=True)
class Token:
    """One word, number, mark or quotation: lower case, with its place in the command.

    Attributes:
        text: as looked up; words that count as one are joined by "_".
        kind: word, number, mark, quote (what somebody says), name (a character), place (an anchor) or aside
            (how somebody is: "she, exhausted, sits").
        value: what a name or a place is called in the screenplay.
        capital: whether it is written with a capital letter.
    """

    text: str
    start: int
    end: int
    kind: str = "word"
    value: str = ""
    capital: bool = False

    @property
    def is_mark(self) -> bool:
        return self.kind == "mark"

    @property
    def is_number(self) -> bool:
        return self.kind == "number"


def tokens_of(command: str) -> list[Token]:
    """The command's words, numbers, marks and quotations, in order. Curly apostrophes count as straight ones;
    an abbreviation's point and dots inside names are no marks."""
    plain = command.replace("’", "'").replace("_", " ")
    plain = _PAUSE.sub(lambda found: " " * len(found[0]), plain)
    plain = _HEADING.sub(lambda found: " " * len(found[0]), plain)
    spoken = _quotations(command)
    found: list[Token] = []
    at = 0
    for start, end in [*spoken, (len(plain), len(plain))]:
        found += _words_between(plain, at, start)
        if start < end:
            found.append(Token("“”", start, end, "quote"))
        at = end
    return found


def _words_between(plain: str, start: int, end: int) -> Iterator[Token]:
    before = ""
    for match in _TOKEN.finditer(plain, start, end):
        text = unicodedata.normalize("NFC", match[0].lower())
        if match["dash"] or text == "…":
            text = "—"
        elif text in "()":
            text = ","  # "MIRA (smiling) waves"
        numbered = plain[match.end() :].lstrip()[:1].isdigit()
        if text == "." and before in _TITLES and (before != "no" or numbered):
            continue
        before = text
        yield from _split(Token(text, *match.span(), _kind(text), capital=match[0][:1].isupper()))


def _kind(text: str) -> str:
    if text in {",", ";", ".", "!", "?", ":", "—"}:
        return "mark"
    return "number" if numbers.is_number(text) else "word"


def _split(token: Token) -> Iterator[Token]:
    """ "she'll" is two words; so is "she's", which "Mira's" may be, too."""
    text = token.text.rstrip("'") if token.kind == "word" else token.text
    if (move := _MOVE.fullmatch(text)) is not None:
        cut = token.start + len(move[1])
        yield replace(token, text=move[1], end=cut)
        yield Token(move[2], cut + 1, token.end)
        return
    for clitic in _CLITICS:
        if text.endswith(clitic) and len(text) > len(clitic):
            cut = token.start + len(text) - len(clitic)
            yield replace(token, text=text[: -len(clitic)], end=cut)
            yield Token(clitic, cut, token.end)
            return
    stem = text.removesuffix("'s")
    if stem != text and stem in {"she", "he", "it", "that", "there", "who", "let", "everyone", "what"}:
        cut = token.start + len(stem)
        if stem == "let":
            yield token
            return
        yield replace(token, text=stem, end=cut)
        yield Token("is", cut, token.end)
        return
    yield replace(token, text=text or token.text)


def _quotations(command: str) -> list[tuple[int, int]]:
    """Where somebody is quoted: from mark to mark. A quotation of the whole command is none."""
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(command):
        closing = _QUOTES.get(command[at])
        opens = closing and (at == 0 or not (command[at - 1].isalnum()))
        end = _end_of_quotation(command, at, closing) if opens and closing else None
        if end is None:
            at += 1
            continue
        found.append((at, end))
        at = end
    words = "".join(sign for sign in command if sign.isalnum())
    return [
        (start, end)
        for start, end in found
        if "".join(sign for sign in command[start:end] if sign.isalnum()) != words
    ]


_LONGEST_QUOTATION = 300


def _end_of_quotation(command: str, start: int, closing: str) -> int | None:
    for at in range(start + 1, min(len(command), start + _LONGEST_QUOTATION)):
        if command[at] not in closing:
            continue
        inside_a_word = command[at] in "'’" and command[at + 1 : at + 2].isalnum()
        if not inside_a_word and at > start + 1:
            return at + 1
    return None


def signs_beside(command: str, tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Where signs stand that are no part of any word, number or mark, such as emoji: start and end."""
    heard = bytearray(len(command))
    for token in tokens:
        heard[token.start : token.end] = b"\1" * (token.end - token.start)
    odd = [
        at
        for at, sign in enumerate(command)
        if not heard[at] and sign not in _SILENT and sign not in ",;.!?:"
    ]
    found: list[tuple[int, int]] = []
    for at in odd:
        if found and found[-1][1] == at:
            found[-1] = (found[-1][0], at + 1)
        else:
            found.append((at, at + 1))
    return found


_SIDES = frozenset({"left", "right"})


def joined(tokens: Sequence[Token]) -> list[Token]:
    """The same with groups of words that count as one, "at the same time", made one token."""
    words = lexicon()
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        if _lets_go(tokens, at):
            found += [replace(tokens[at], text=f"{tokens[at].text}_go"), tokens[at + 1]]
            at += 3
            continue
        size = _group(tokens, at, words.joined.get(tokens[at].text, ()))
        if tokens[at].text in {"yet", "though"} and (at + 1 == len(tokens) or tokens[at + 1].is_mark):
            found.append(replace(tokens[at], text="so_far"))  # joins nothing: "don't go yet"
        elif size == 1 and (plain := _hyphened(tokens, at)):
            found.append(replace(tokens[at], text=plain))
        elif size == 1 and _fused(tokens, at):
            size = 2
            found.append(replace(tokens[at + 1], start=tokens[at].start, capital=tokens[at].capital))
        elif size > 1:
            text = "_".join(token.text for token in tokens[at : at + size])
            one = tokens[at]
            found.append(Token(text, one.start, tokens[at + size - 1].end, capital=one.capital))
        else:
            found.append(tokens[at])
        at += size
    return found


def _lets_go(tokens: Sequence[Token], at: int) -> bool:
    """ "Let it go", of something that was held; not "let it go to the door"."""
    said = [token.text for token in tokens[at : at + 4]]
    lets = (
        len(said) > 2
        and said[0] in {"let", "lets", "letting"}
        and said[1] in {"it", "them"}
        and said[2] == "go"
    )
    return lets and (len(said) == 3 or tokens[at + 3].kind == "mark" or said[3] in {"and", "then"})


def _fused(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word only says which kind of verb the next one is: "she ice skates", not "the ice skates"."""
    words = lexicon()
    verbs = words.fused.get(tokens[at].text)
    if verbs is None or at + 1 >= len(tokens) or tokens[at + 1].kind != "word":
        return False
    forms = [form for lemma, form in words.forms.get(tokens[at + 1].text, ()) if lemma in verbs]
    before = tokens[at - 1].text if at else ""
    nominal = any(words.has(kind, before) for kind in ("det", "poss", "prep", "number")) or before.endswith(
        "'s"
    )
    return bool(forms) and not nominal and (forms == ["ing"] or before not in words.forms)


def _hyphened(tokens: Sequence[Token], at: int) -> str:
    """The verb of a word like "crouch-walks", which is not known as a whole; "" where it may be no verb."""
    words, (first, _, last) = lexicon(), tokens[at].text.rpartition("-")
    if not first or words.known(tokens[at].text) or not (words.known(first) or first in words.fused):
        return ""
    before = tokens[at - 1].text if at else ""
    nominal = any(words.has(kind, before) for kind in ("det", "poss", "prep", "number"))
    verbal = any(form in {"base", "third", "ing"} for _, form in words.forms.get(last, ()))
    return last if verbal and not nominal else ""


_ADVERBIAL = (
    "subject",
    "manner",
    "speed",
    "and",
    "then",
    "while",
    "after",
    "before",
    "lead",
    "aux",
    "catenative",
)


def _goes_on_doing(tokens: Sequence[Token], at: int) -> bool:
    """Whether an "-ing" is what somebody does, "she is chewing gum", rather than part of a noun."""
    if not tokens[at].text.endswith("ing") or at + 1 >= len(tokens) or tokens[at + 1].text.startswith("jack"):
        return False
    before = tokens[at - 1] if at else None
    return (
        before is None
        or before.kind in {"mark", "name"}
        or any(lexicon().has(kind, before.text) for kind in _ADVERBIAL)
    )


def _group(tokens: Sequence[Token], at: int, groups: Sequence[tuple[str, ...]]) -> int:
    """How many tokens from ``at`` count as one."""
    words = lexicon()
    for group in groups:
        here = tokens[at : at + len(group)]
        if tuple(token.text for token in here) != group or any(token.kind != "word" for token in here):
            continue
        after = tokens[at + len(group)].text if at + len(group) < len(tokens) else ""
        # "to the left hand" says a side of the body, "to the left shelf" which shelf
        if group[-1] in _SIDES and len(group) > 1 and _goes_on(after):
            continue
        before = tokens[at - 1].text if at else ""
        ordered = group[0] in {"push", "play"} and (not at or tokens[at - 1].is_mark)
        if words.has("compound", "_".join(group)) and (ordered or _goes_on_doing(tokens, at)):
            continue
        if group[0] in {"hold", "hang"} and not (after in {"", ",", "—", "."} and before in {",", "—", "."}):
            continue  # "hold on her face"
        if group[-1] == "to" and _group(tokens, at + len(group) - 1, words.joined.get("to", ())) > 2:
            continue  # "pull out to a wide shot"
        denied = any(words.has(kind, "_".join(group)) for kind in ("negation", "catenative", "aux"))
        if group[-1] == "to" and not denied and any(kind == "base" for _, kind in words.forms.get(after, ())):
            continue  # "bends down to pick it up"
        doing = after.endswith("ing")
        if group in {("far", "from"), ("short", "of")} and not doing:
            continue  # "far from the door"
        if group == ("that", "is") and after not in {",", "—"}:
            continue  # "the box that is open"
        if group == ("make", "it") and not (words.has("number", after) or after[:1].isdecimal()):
            continue  # "make it fly"
        if group[0] == "back" and before in words.closed["poss"]:
            continue  # "his back to the wall"
        if group[0] == "followed" and before in {"is", "are", "was", "were", "being"}:
            continue
        if group[0] == "camera" and len(group) == 2 and before in {"the", "a", "your"}:
            continue  # "move the camera left"
        return len(group)
    return 1


def _goes_on(after: str) -> bool:
    """Whether a word after "left" or "right" is a noun that it belongs to."""
    if not after or not after[0].isalpha():
        return False
    words = lexicon()
    if words.has("sided", after) or words.has("body", after) or words.has("thing", after):
        return True
    return not words.known(after)
