"""`anix fmt`: canonical order and layout; the same meaning, the same comments, and the same again."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from fmt_texts import KEYS, NAMES, Author
from hypothesis import given, settings
from hypothesis import strategies as st
from test_screenplay_fuzz import YAML_BITS

from anix_cli.core.codes import CODES
from anix_cli.core.errors import AnixError
from anix_cli.screenplay import fmt
from anix_cli.screenplay.fmt import formatted
from anix_cli.screenplay.syntax import parse
from anix_cli.screenplay.text import Source, decode
from anix_cli.screenplay.tree import Mapping, Node, Scalar, Sequence

FILM = Path("film.yaml")


def tidy(text: str | bytes) -> str:
    return formatted(FILM, text if isinstance(text, bytes) else text.encode()).decode()


def refusal(text: str) -> tuple:
    with pytest.raises(AnixError) as caught:
        tidy(text)
    assert len(caught.value.diagnostics) == 1
    return caught.value.diagnostics[0]


def said(node: Node | None):
    """What a tree says, as plain Python values; the order of keys does not count."""
    if isinstance(node, Mapping):
        return {name: (entry.key.kind, said(entry.value)) for name, entry in node.items.items()}
    if isinstance(node, Sequence):
        return [said(item) for item in node.items]
    return (node.kind, node.text) if isinstance(node, Scalar) else None


def tree(text: str) -> Node | None:
    return parse(decode(FILM, text.encode()))


def check_order(node: Node | None, place: str = "") -> None:
    if isinstance(node, Sequence):
        for item in node.items:
            check_order(item, f"{place}.*")
    elif isinstance(node, Mapping):
        own = {name: entry for name, entry in node.items.items() if node.start <= entry.key.start < node.end}
        names = list(own)  # without those that << takes in
        if place in KEYS and place not in NAMES:
            assert names == sorted(names, key=KEYS[place].index)
        for name, entry in own.items():
            step = "*" if place in NAMES else name
            check_order(entry.value, f"{place}.{step}".lstrip("."))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32))
def test_a_screenplay_however_it_is_written(seed):
    written = Author(random.Random(seed)).write()  # noqa: S311  (no secret)
    text = written.text
    before = tree(text)
    result = tidy(text)
    after = tree(result)
    assert said(after) == said(before)
    assert tidy(result) == result
    check_order(after)
    for name in NAMES:
        if isinstance(before, Mapping) and name in before.items:
            assert list(after.items[name].value.items) == list(before.items[name].value.items)

    lines = result.split("\n")
    assert lines[-1] == ""
    assert "\r" not in result
    assert not any(line != line.rstrip() for line in lines)
    assert "\n\n\n" not in result
    assert sum(line.count("# ") for line in lines) - result.count("# no comment") == len(written.comments)
    for comment, word in written.beside.items():
        line = next(line for line in lines if line.endswith(comment))
        assert word in line
    for comment, start in written.above.items():
        at = next(number for number, line in enumerate(lines) if line.strip() == comment)
        following = next(line for line in lines[at:] if line.strip() and not line.strip().startswith("#"))
        assert following.lstrip(" -").startswith(start)


BITS = st.one_of(
    YAML_BITS,
    st.sampled_from(["? ", "a: ", "b: ", "\n- ", " # c\n", "\n# d\n", "|\n ", ">-\n  ", "|+\n", "!!str ",
                     ", ", "x-a: &a ", "{a: 1, b: [1,\n 2]}", "\r\n", "\\\n", "\n   "]),
)  # fmt: skip
MESSY = """\
# head

shots:   # s
   # first
 -  # dash
   command:   she runs    # run
   # above id
   id: a
   # end of shot
 - {duration: 3, # three
     # lead
     id:  c ,   command: "multi
       line"
    }
# tail of shots

film:
        # size: 3
x-a: &a |+
   keep

? title
: plain
   going on
"""


def outcome(text: str) -> None:
    try:
        result = formatted(FILM, text.encode())
    except AnixError as error:
        assert all(problem.code in CODES for problem in error.diagnostics)
    else:
        assert formatted(FILM, result) == result


@settings(max_examples=100, deadline=None)
@given(st.lists(BITS, max_size=30).map("".join))
def test_any_text_is_formatted_or_refused(text):
    outcome(text)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(MESSY)), st.integers(0, 6), st.lists(BITS, max_size=3).map("".join))
def test_a_messy_text_with_a_wrong_spot(at, removed, added):
    outcome(MESSY[:at] + added + MESSY[at + removed :])


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes(data):
    try:
        formatted(FILM, data)
    except AnixError as error:
        assert all(problem.code in CODES for problem in error.diagnostics)


def test_a_messy_screenplay():
    assert (
        tidy(MESSY)
        == """\
# head

title: plain
  going on

x-a: &a |+
  keep

film:
  # size: 3

shots:   # s
  # first
  -  # dash
    # above id
    id: a
    command: she runs    # run
    # end of shot
  - {
    # lead
    id: c,
    command: "multi
      line",
    duration: 3 # three
    }
# tail of shots
"""
    )


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("", ""),
        ("\n\n", ""),
        ("# a\n\n\n  # b  \n\n", "# a\n\n# b\n"),
        ("---\n# c", "---\n# c\n"),
        ("title: x\nanix: 1", "anix: 1\ntitle: x\n"),
        ("\ufefftitle: x\r\nanix:   1  \r\n", "anix: 1\ntitle: x\n"),
        ("title: x\ranix: 1\r", "anix: 1\ntitle: x\n"),
        ("title: 'it''s'   # a\tb\n", "title: 'it''s'   # a\tb\n"),
        ("film: {  seed:007,size: 1x1,}\n", "film: {size: 1x1, seed:007}\n"),
        ("film: {seed: 007, fps: 24000/1001, size: 0.50}\n",
         "film: {size: 0.50, fps: 24000/1001, seed: 007}\n"),
        ('film: {"seed":1e-3}\n', 'film: {"seed": 1e-3}\n'),
        ("title:\n  👋  é\n", "title: 👋  é\n"),
        ("title: # why\n  x\n", "title: # why\n  x\n"),
        ("? title # a\n: x\n? anix\n", "anix:\n\ntitle: # a\n  x\n"),
        ("%YAML 1.2\n# a\n--- # b\n# c\n\ntitle: x\nanix: 1\n... # d\n# e",
         "%YAML 1.2\n# a\n--- # b\n# c\n\nanix: 1\ntitle: x\n... # d\n# e\n"),
        ("# head\nshots: []\n# of anix\nanix: 1\n", "# head\n\n# of anix\nanix: 1\nshots: []\n"),
        ("# yaml-language-server: x\n# of shots\nshots: []\nanix: 1\n",
         "# yaml-language-server: x\n# of shots\nanix: 1\nshots: []\n"),
        ("# head\n\n# of shots\nshots: []\nanix: 1\n", "# head\n\nanix: 1\n# of shots\nshots: []\n"),
        ("shots: []\nanix: 1\n# the end\n", "anix: 1\nshots: []\n# the end\n"),
        ("scene: {file: a}\n# was: {file: b}\n\nfilm: {}\nanix: 1\n",
         "anix: 1\n\nfilm: {}\nscene: {file: a}\n# was: {file: b}\n"),
        ("unknown: 1\nzebra: 2\nanix: 1\nalso: 3\n", "anix: 1\nunknown: 1\nzebra: 2\nalso: 3\n"),
        ("shots:\n- id: a\n\n\n- id: b\n", "shots:\n  - id: a\n\n  - id: b\n"),
        ("shots:\n- duration: 1\n  # name\n  id: a\n", "shots:\n  # name\n  - id: a\n    duration: 1\n"),
        ("shots:\n-\n    id: a\n-   - 1\n    - - 2\n", "shots:\n  - id: a\n  - - 1\n    - - 2\n"),
        ("shots:\n- id: a\n  # in\n# between\n- id: b\n# after\n",
         "shots:\n  - id: a\n    # in\n  # between\n  - id: b\n# after\n"),
        ("a:\n  # nothing yet\nb: 1\n", "a:\n  # nothing yet\n\nb: 1\n"),
        ("a: [1, 0,\n    0, 1]\n", "a: [1, 0,\n  0, 1]\n"),
        ("a: [\n    1, # one\n    2\n]\n", "a: [\n  1, # one\n  2\n  ]\n"),
        ("film: {seed: 1,\n  size: 2, fps: 3}\n", "film: {size: 2,\n  fps: 3,\n  seed: 1}\n"),
        ('{"film": {"seed": 1,\n "size": 2}, "anix": 1\n}\n',
         '{"anix": 1, "film": {"size": 2,\n    "seed": 1}\n}\n'),
        ("a: [b: 1, ? c : d, e: ]\nf: {g, h: , ? i}\n", "a: [b: 1, c: d, e: ]\nf: {g, h, i}\n"),
        ("a: |2\n     x\n    y\n", "a: |2\n     x\n    y\n"),
        ("a:\n    b: >\n        x\n\n          y\n\n\n    c: 1\n",
         "a:\n  b: >\n    x\n\n      y\n\n  c: 1\n"),
        ("a: |\n  x", "a: |-\n  x\n"),
        ("title: x\nanix: |+\n  y\n\n\n", "anix: |+\n  y\n\n\ntitle: x\n"),
        ("title: x\nanix: |+\n  y\n\n", "anix: |+\n  y\n\ntitle: x\n"),
        ('a: "b \\\n   c\\ \n   d"\n', 'a: "b \\\n  c\\ \n  d"\n'),
        ("a: |\n   x  \n   y\n", "a: |\n  x  \n  y\n"),
    ],
)  # fmt: skip
def test_small_texts(text, result):
    assert tidy(text) == result
    assert tidy(result) == result
    assert said(tree(result)) == said(tree(text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")))


def test_labels_stay_before_their_aliases():
    text = """\
shots:
  - &base
    duration: 3
    id: a
  - <<: *base
    id: b
film: {size: &size 64x64}
title: *size
x-later: &size 96x64
anix: *size
"""
    assert (
        tidy(text)
        == """\
film: {size: &size 64x64}
title: *size
x-later: &size 96x64
anix: *size

shots:
  - &base
    id: a
    duration: 3
  - <<: *base
    id: b
"""
    )


def test_keys_for_labels_come_before_what_uses_them_and_merges_before_own_keys():
    text = "anix: 1\nx-b: &b {id: q, cut: true}\nshots:\n  - id: a\n    <<: *b\nx-a: 1\n"
    assert tidy(text) == "anix: 1\nx-b: &b {id: q, cut: true}\nx-a: 1\n\nshots:\n  - <<: *b\n    id: a\n"


def test_an_alias_as_a_key():
    assert tidy("a: &k b\n*k   : 1\n") == "a: &k b\n*k : 1\n"


ROOT = Path(__file__).resolve().parents[3]
SAMPLES = [*(ROOT / "screenplays").glob("*.yaml"), *(ROOT / "anix_cli/samples/templates").glob("*.yaml")]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_the_samples_are_canonical(sample):
    data = sample.read_bytes()
    assert formatted(sample, data).decode() == data.decode()


@pytest.mark.parametrize("depth", [60, 64])
def test_deep_nesting(depth):
    text = "".join(f"{' ' * 3 * level}k:\n" for level in range(depth))
    assert tidy(text) == "".join(f"{'  ' * level}k:\n" for level in range(depth))
    assert tidy(f"k: {'[' * (depth - 1)}{']' * (depth - 1)}\n").count("[") == depth - 1


def test_many_labels_and_unknown_keys_in_any_order():
    lines = [f"k{number}: &l{number % 7} [{number}]" for number in range(400)]
    lines += [f"u{number}: *l{number % 7}" for number in range(400)]
    text = "\n".join(lines) + "\n"
    assert tidy(text) == text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: [1\n", "E107"),
        ("a: 1\na: 2\n", "E109"),
        ("a: 1\n---\nb: 2\n", "E111"),
        ("a:\n\t- 1\n", "E106"),
        ("a: *b\n", "E108"),
        ("a: !x 1\n", "E108"),
        ("[1]: 2\n", "E114"),
        ("a: \x07\n", "E105"),
        ("%YAML 1.0\n---\na: 1\n", "E107"),
        (f"a: {'[' * 70}{']' * 70}\n", "E110"),
    ],
)
def test_what_cannot_be_read_has_its_usual_problem(text, code):
    assert refusal(text).code == code


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("just text\n", 1, 1, "a single value"),
        ("a: 1\n? |\n  long\n: 2\n", 2, 3, "this key is not written on one line"),
        ("a: 1\r\nb:\u2028 2\r\n", 2, 3, "U+2028"),
        ("a: 1\nb: \ufeffx\n", 2, 4, "U+FEFF"),
    ],
)
def test_what_has_no_canonical_form_is_refused_with_its_place(text, line, column, words):
    problem = refusal(text)
    assert problem.code == "E118"
    assert words in problem.message
    assert (problem.span.line, problem.span.column) == (line, column)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (lambda text: text.replace("run", "walk"), "a value or key would change"),
        (lambda text: text.replace("'7'", "7"), "a value or key would change"),
        (lambda text: text.replace("[1, 2]", "[2, 1]"), "a value or key would change"),
        (lambda text: text.replace("seed", "sead"), "a value or key would change"),
        (lambda text: text.replace("size: 2, ", ""), "a value or key would change"),
        (lambda text: text.replace("&l ", ""), "could not be read"),
        (lambda text: text.replace(" # note", ""), "a comment would change"),
        (lambda text: text.replace("# note", "# nota"), "a comment would change"),
        (lambda text: text.replace("anix: 1", "anix:  1"), "would not stay as it is"),
        (lambda text: text.replace("anix: 1", "? |-\n anix\n: 1"), "could not be formatted again"),
    ],
)
def test_a_fault_of_the_formatter_changes_no_screenplay(monkeypatch, fault, words):
    text = "title: run # note\nfilm: {seed: '7', size: 2, grain: [1, 2]}\nx-l: &l 3\nuse: *l\nanix: 1\n"
    tidy(text)
    write, faults = fmt.write, [fault]
    monkeypatch.setattr(fmt, "write", lambda document: (faults.pop() if faults else str)(write(document)))
    problem = refusal(text)
    assert problem.code == "E118"
    assert words in problem.message


def test_same_is_about_order_of_lists_and_not_of_keys():
    def same(one: str, other: str) -> bool:
        return fmt.same(parse(Source(FILM, one)), parse(Source(FILM, other)))

    assert same("a: 1\nb: [1, 2]\n", "b: [1, 2]\na: 1 # c\n")
    assert same("x: &x {c: 1}\na: {<<: *x, b: 1}\n", "x: &x {c: 1}\na: {b: 1, <<: *x}\n")
    assert not same("a: 1\n", "a: '1'\n")
    assert not same("a: 1\n", "a: 01\n")
    assert not same("a: [1, 2]\n", "a: [2, 1]\n")
    assert not same("a: [1]\n", "a: [1, 1]\n")
    assert not same("a: 1\n", "a: 1\nb:\n")
    assert not same("a: {}\n", "a: []\n")
    assert not same("a: 1\n", "")
