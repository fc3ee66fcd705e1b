"""YAML syntax: drives ruamel's parser and says in a director's words why it stopped."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .text import Source, quoted
from .tree import Composer, Node, TooMuchError

_ODD = r"[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]"
_ODD_SPACE = re.compile(rf"(?:^\s*(?:- *)?|[:\-]|: +)({_ODD})")
_NO_CHARACTER = re.compile(r"\\U(?!000|0010)[0-9a-fA-F]{8}")
_NO_SPACE_AFTER_COLON = re.compile(r"^\s*(?:- +)?([A-Za-z_]\w*):(?=[^\s/])")
_WORDS_AFTER_DASH = re.compile(r"^ *- +([A-Za-z_][^:#{}\[\]\"']*?) *$")
_HIDDEN = re.compile(r"(?<=[\s])(#[^\s,}\]]+)[^}\]]*([}\]])")
_SIGNS = {
    "@": "@ is reserved in YAML",
    "`": "` is reserved in YAML",
    "%": "% is reserved in YAML",
    "&": "& sets a YAML label",
    "*": "* refers to a YAML label",
    "!": "! is a YAML tag",
    "|": "| begins a block of text on the next line",
    ">": "> begins a block of text on the next line",
}


def parse(source: Source) -> Node | None:
    """The tree of the text, None where it holds nothing. Problems go to the source.

    Raises:
        AnixError: E106, E107, E108, E110, E111, E134 with all that was found up to there.
    """
    from ruamel.yaml import YAML  # 40 ms that `anix --help` need not pay
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    composer, before = Composer(source), len(source.problems)
    try:
        for event in YAML(typ="safe", pure=True).parse(source.text):
            composer.take(event)
    except TooMuchError:
        pass
    except MarkedYAMLError as error:
        _explain(source, error, composer.bracket_at)
    except (YAMLError, ValueError, OverflowError, IndexError, AssertionError) as error:
        # ruamel lets Python's own errors through, for example for the escape "\U7FFFFFFF" or for %YAML 1.0.
        escape = _NO_CHARACTER.search(source.text)
        if escape:
            span = source.span(escape.start(), escape.end())
            source.problem(
                "E134",
                f"a backslash in double quotes begins a special character, and there is no {escape[0]}",
                span,
                hint="use / instead of the backslash, or single quotes",
            )
        else:
            source.problem("E107", f"this is not valid YAML: {_plain(error)}", None)
    root = composer.finish()
    source.raise_errors(before)
    return root


def _plain(error: Exception) -> str:
    return str(error).splitlines()[0].strip() if str(error).strip() else type(error).__name__


@dataclass(frozen=True)
class _Stop:
    """Where and why the parser stopped. ``at``, ``context_at`` and ``bracket_at``, the innermost bracket that
    is open there, are character offsets."""

    source: Source
    problem: str
    context: str
    at: int
    context_at: int | None
    bracket_at: int | None

    @property
    def char(self) -> str:
        return self.source.text[self.at : self.at + 1]

    @property
    def line(self) -> str:
        return self.source.lines[self.row]

    @property
    def row(self) -> int:
        return self.source.span(self.at, self.at + 1).line - 1

    @property
    def column(self) -> int:
        return self.source.span(self.at, self.at + 1).column - 1

    def say(
        self, code: str, message: str, hint: str | None, start: int | None = None, length: int = 1
    ) -> None:
        begin = self.at if start is None else start
        self.source.problem(code, message, self.source.span(begin, begin + length), hint=hint)


def _explain(source: Source, error: Any, bracket_at: int | None) -> None:
    mark = error.problem_mark or error.context_mark
    at = mark.index if mark is not None else 0
    context_at = error.context_mark.index if error.context_mark is not None else None
    stop = _Stop(source, error.problem or "", error.context or "", at, context_at, bracket_at)
    if any(problem.span and problem.span.line == stop.row + 1 for problem in source.problems):
        return  # an undefined *label on this line has been explained already
    if not any(explain(stop) for explain in _EXPLANATIONS):
        stop.say("E107", f"this is not valid YAML: {stop.problem or _plain(error)}", None)


def _tab(stop: _Stop) -> bool:
    for row in (stop.row, stop.row - 1):
        line = stop.source.lines[row] if row >= 0 else ""
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        if "\t" in indent and line.strip():
            start = stop.source.offset(row, indent.index("\t"))
            stop.say("E106", "tab used for indentation", "use spaces", start=start)
            return True
    if stop.char == "\t":
        stop.say("E106", "tab used where YAML needs a space", "use a space")
        return True
    return False


def _odd_space(stop: _Stop) -> bool:
    for row in (stop.row, stop.row - 1):
        found = _ODD_SPACE.search(stop.source.lines[row]) if row >= 0 else None
        if found:
            name = f"a no-break or special space (U+{ord(found[1]):04X})"
            start = stop.source.offset(row, found.start(1))
            stop.say("E107", f"{name} where YAML needs a plain one", "type a plain space", start=start)
            return True
    return False


def _escape(stop: _Stop) -> bool:
    if "escape" not in stop.problem:
        return False
    stop.say(
        "E134",
        "a backslash in double quotes begins a special character, and this one does not exist",
        "use / instead of the backslash, or single quotes",
        start=max(stop.source.text.rfind("\\", 0, stop.at + 1), 0),
        length=2,
    )
    return True


def _quote_left_open(stop: _Stop) -> bool:
    if "quoted scalar" not in stop.context or stop.context_at is None:
        return False
    stop.say(
        "E107",
        "this quote is never closed",
        "close it; if it is an apostrophe, put the whole value in double quotes",
        start=stop.context_at,
    )
    return True


def _sign(stop: _Stop) -> bool:
    """A value that begins with a sign that means something else in YAML."""
    begin = stop.at
    if "scanning an a" in stop.context or "tag" in stop.context or "block scalar" in stop.context:
        begin = stop.context_at if stop.context_at is not None else begin
    elif "cannot start any token" not in stop.problem:
        return False
    sign = stop.source.text[begin : begin + 1]
    if sign not in _SIGNS:
        return False
    stop.say(
        "E108",
        f"this value needs quotes: {_SIGNS[sign]}",
        f"put quotes round it: {quoted(stop.source.value_from(begin))}",
        start=begin,
    )
    return True


def _colon_in_text(stop: _Stop) -> bool:
    if stop.char != ":" or not ("mapping values" in stop.problem or "got ':'" in stop.problem):
        return False
    before = stop.line[: stop.column]
    in_flow = "got ':'" in stop.problem  # elsewhere, commas and brackets are part of the text
    opened = max(before.rfind("{"), before.rfind(","), before.rfind("[")) if in_flow else -1
    if in_flow and stop.context_at is not None and stop.context_at < stop.source.offset(stop.row, 0):
        opened = max(opened, 0)
    colon = before.find(": ", max(opened, 0))
    if colon < 0:
        return False
    begin = stop.source.offset(stop.row, colon + 2)
    key = re.split(r"[{,\[]|- " if in_flow else "^ *- ", before[:colon])[-1].strip()
    stop.say(
        "E108",
        "a colon followed by a space inside text needs quotes round the text",
        f"write {key}: {quoted(stop.source.value_from(begin))}",
    )
    return True


def _space_after_colon(stop: _Stop) -> bool:
    if "mapping values" not in stop.problem and "could not find expected ':'" not in stop.problem:
        return False
    rows = [stop.row - 1, stop.row]
    if stop.context_at is not None:
        rows.insert(0, stop.source.span(stop.context_at, stop.context_at + 1).line - 1)
    for row in rows:
        found = _NO_SPACE_AFTER_COLON.match(stop.source.lines[row]) if row >= 0 else None
        if found:
            start = stop.source.offset(row, found.end() - 1)
            stop.say("E107", "a space is missing after the colon", f"write {found[1]}: value", start=start)
            return True
    return False


def _after_closing(stop: _Stop) -> bool:
    before = stop.source.text[: stop.at].rstrip(" ")
    if not before or before[-1] not in "\"']}" or stop.char in "\n\r:,]}":
        return False
    what = "quote" if before[-1] in "\"'" else "bracket"
    quotes = "double quotes" if before[-1] == "'" else "quotes"
    stop.say("E108", f"text goes on after the closing {what}", f"put {quotes} round the whole value")
    return True


def _bracket_left_open(stop: _Stop) -> bool:
    opened_at = stop.context_at if stop.context_at != stop.at else stop.bracket_at
    if "flow" not in stop.context or opened_at is None:
        return False
    opened = stop.source.text[opened_at : opened_at + 1]
    if opened not in ("[", "{"):
        return False
    if _comment_in_brackets(stop, opened_at):
        return True
    same_line = stop.source.span(opened_at, opened_at + 1).line == stop.row + 1
    if same_line and stop.at < len(stop.source.text.rstrip()):
        stop.say("E107", f"inside {opened}, a comma or the closing bracket is expected here", None)
    else:
        closing = "]" if opened == "[" else "}"
        stop.say("E107", f"this {opened} is never closed", f"add {closing}", start=opened_at)
    return True


def _comment_in_brackets(stop: _Stop, opened_at: int) -> bool:
    """A # after a space hides the rest of its line, a closing bracket with it."""
    row = stop.source.span(opened_at, opened_at + 1).line - 1
    line = stop.source.lines[row]
    found = _HIDDEN.search(line, opened_at - stop.source.offset(row, 0))
    if not found:
        return False
    stop.say(
        "E108",
        f"# begins a comment, which hides the {found[2]} behind it",
        f'put quotes round the text: "{found[1].strip()}"',
        start=stop.source.offset(row, found.start(1)),
        length=len(found[1]),
    )
    return True


def _no_colon_after_dash(stop: _Stop) -> bool:
    """``- id a`` above ``command: x``, which YAML takes for text of two lines."""
    above = stop.source.lines[stop.row - 1] if stop.row else ""
    word, indent = _WORDS_AFTER_DASH.match(above), len(stop.line) - len(stop.line.lstrip(" "))
    if "mapping values" not in stop.problem or not word or word.start(1) != indent:
        return False
    start = stop.source.offset(stop.row - 1, indent)
    stop.say("E107", "this line has no colon", "write key: value", start, len(word[1]))
    return True


def _indentation(stop: _Stop) -> bool:
    if "sequence entries are not allowed" in stop.problem:
        stop.say(
            "E107",
            "a list cannot begin on the line of its key",
            "put each - on a line of its own, or use [ ]",
        )
        return True
    signs = ("expected <block end>", "mapping values are not allowed", "could not find expected ':'")
    if not any(sign in stop.problem for sign in signs):
        return False
    if "could not find" in stop.problem and stop.context_at is not None:
        place = stop.source.span(stop.context_at, len(stop.source.text))
        stop.say("E107", "this line has no colon", "write key: value", stop.context_at, place.length)
        return True
    indent = len(stop.line) - len(stop.line.lstrip(" "))
    if stop.char in ("}", "]"):
        opening = "{" if stop.char == "}" else "["
        stop.say(
            "E107", f"this {stop.char} closes nothing: there is no {opening} for it", f"remove {stop.char}"
        )
        return True
    if re.match(r" *-\w", stop.line):
        dash = stop.source.offset(stop.row, indent)
        stop.say("E107", "a space is missing after the dash", "write - and a space before the key", dash)
        return True
    stop.say(
        "E107",
        "the indentation of this line does not fit the lines above",
        "begin keys that belong together in the same column",
        start=stop.source.offset(stop.row, indent),
    )
    return True


def _stray_bracket(stop: _Stop) -> bool:
    if "expected the node content" not in stop.problem or stop.char not in ("}", "]", ","):
        return False
    stop.say(
        "E107", f"a value is expected here, not {stop.char}", "if it is text, put quotes round the value"
    )
    return True


_EXPLANATIONS: tuple[Callable[[_Stop], bool], ...] = (
    _tab,
    _odd_space,
    _escape,
    _quote_left_open,
    _sign,
    _colon_in_text,
    _space_after_colon,
    _after_closing,
    _stray_bracket,
    _bracket_left_open,
    _no_colon_after_dash,
    _indentation,
)
