"""Any bytes give diagnostics or a Screenplay, never another exception."""

from __future__ import annotations

import json
import tempfile
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from screenplay_texts import BASE, HEAD

from anix_cli.core.codes import CODES
from anix_cli.core.errors import AnixError
from anix_cli.core.screenplay import Screenplay
from anix_cli.report.diagnostics import as_text
from anix_cli.report.lsp import lsp_diagnostic
from anix_cli.screenplay import load
from anix_cli.screenplay.near import distance, nearest
from anix_cli.screenplay.text import MAX_BYTES, MOST_PROBLEMS

ROOT = Path(__file__).resolve().parents[3]
MOST_MEMORY = 150 << 20
"""What reading any screenplay may take at a time, in bytes that Python counts."""
RICH = """\
anix: 1
film: {size: 832x480, fps: 24000/1001, seed: 7, quality: best, background: "#0a141e"}
look: real
scene: {file: room.ply, up: -y, crop: {x: [-4, 4.5]}, origin: [0, 0, 0]}
characters:
  mira: {views: {front: f.png, left: l.png, right: r.png, back: b.png}, scale: 2, aliases: [courier, T-Rex]}
anchors:
  door: {at: [0, 3], face: mat}
  mat: {from: door, left: 1.5, forward: -2, aliases: [rug]}
  there: {from: last_shot, face: 10}
  edge: {box: [0.2, 0.3, 0.45, 0.95], face: door}
cameras: &cameras
  gate: {at: [0, 1.6, -4], look_at: mat, lens_mm: 28}
defaults: {camera: follow, duration: 2.5, prompt: fog, options: {animatic: {shadow: false}}}
shots:
  - &one {id: a, command: Mira runs, anchor: door, duration: 64f, camera: [gate, {move: orbit, for: 12f}]}
  - {<<: *one, id: b, cut: true, anchor: edge, camera: {from: gate, move: crane, up: 2}}
  - {id: c, command: "", transition: {fade: 12f}, seed: 3, look: x, caption: Hi, negative: text}
"""
TEXTS = [RICH, BASE, *(file.read_text("utf-8") for file in sorted((ROOT / "screenplays").glob("*.yaml")))]
YAML_BITS = st.sampled_from(
    [*"{}[],:#&*!|>'\"%@`-?<~.=\\", "\n", "\n  ", "\n    ", "- ", ": ", "\t", "<<", "---", "...", "!!", "\r",
     "\ufeff", "&a", "*a", "0", "7", "01", ".inf", "1e9999", "null", "true", "a", "é", "👋", "\u2028",
     "\\x1b", "\\ud800", "\\0",
     "anix", "shots", "id", "command", "duration", "camera", "views", "film", "size", "x-a",
     "face", "at", "from", "for", "left", "box", "cameras", "extends", "aliases", "crop",
     "extends: film.yaml\n", "options", "look", "last_shot", "door", "mat", "gate", "64f", "1_0f", "#fff",
     "background", "transition"]
)  # fmt: skip
PATHS = st.lists(
    st.sampled_from(["film", "shots", "a", "anchors", "door", "at", "extends", "x-a", "anix", ".", "[0]",
                     "[9]", "[", "]", "", " ", "\n", "👋", "0"]),
    max_size=6,
).map("".join)  # fmt: skip


def outcome(data: bytes, path: Path = Path("-"), given: Sequence[str] = ()) -> None:
    try:
        film = load(path, text=data, settings=given)
    except AnixError as error:
        assert 0 < len(error.diagnostics) <= MOST_PROBLEMS + 1
        for problem in error.diagnostics:
            assert problem.code in CODES
            shown = as_text(problem)
            assert not any(ord(char) < 32 and char != "\n" for char in shown)
            shown.encode("utf-8")
            json.dumps(lsp_diagnostic(problem, problem.span)).encode("utf-8")
            if problem.span is not None:
                assert problem.span.column <= len(problem.source) + 1
    else:
        assert isinstance(film, Screenplay)
        assert all(shot.duration.amount > 0 for shot in film.shots)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(data):
    outcome(data)


@settings(max_examples=200, deadline=None)
@given(st.lists(YAML_BITS, max_size=40).map("".join))
def test_any_yaml_like_text(text):
    outcome(text.encode("utf-8"))


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_sound_text_with_wrong_spots(data):
    text = data.draw(st.sampled_from(TEXTS))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        added = data.draw(st.lists(YAML_BITS, max_size=4).map("".join))
        text = text[:at] + added + text[at + data.draw(st.integers(0, 8)) :]
    outcome(text.encode("utf-8"))


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_sound_text_with_lines_lost_and_mixed(data):
    lines = data.draw(st.sampled_from(TEXTS)).splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 4))):
        at, to = data.draw(st.integers(0, len(lines) - 1)), data.draw(st.integers(0, len(lines) - 1))
        lines[to:to] = lines[at : at + data.draw(st.integers(0, 3))]
        del lines[at : at + data.draw(st.integers(0, 1))]
        lines = lines or [""]
    outcome("".join(lines).encode("utf-8"))


@settings(max_examples=100, deadline=None)
@given(st.lists(YAML_BITS, max_size=12).map("".join))
def test_any_value_of_a_command(written):
    outcome(f"{HEAD}shots:\n  - id: a\n    duration: 1\n    command: {written}\n".encode())


@settings(max_examples=100, deadline=None)
@given(PATHS, st.one_of(st.text(max_size=20), st.lists(YAML_BITS, max_size=6).map("".join)))
def test_any_setting(path, value):
    outcome(RICH.encode(), given=[f"{path}={value}", value])
    outcome(RICH.encode(), given=[f"{path}={value}"])


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_any_two_files_that_extend_each_other(data):
    names = ["film.yaml", "other.yaml", ".", "none.yaml"]
    with tempfile.TemporaryDirectory() as folder:
        for name in names[:2]:
            written = data.draw(st.lists(st.sampled_from(names), max_size=3))
            bits = data.draw(st.lists(YAML_BITS, max_size=3).map("".join))
            text = f"extends: {json.dumps(written)}\n{data.draw(st.sampled_from([RICH, BASE]))}{bits}"
            Path(folder, name).write_text(text, "utf-8")
        film = Path(folder, "film.yaml")
        outcome(film.read_bytes(), film)


def chained(depth: int, value: str) -> str:
    """Values that each hold the one before; ``~`` stands for it."""
    lines = (value.replace("~", f"*n{i - 1}") for i in range(1, depth))
    return "x-0: &n0 {a: 1}\n" + "".join(f"x-{i}: &n{i} {line}\n" for i, line in enumerate(lines, 1))


HEAVY = {
    "brackets": "shots: " + "[" * 100_000,
    "braces": "{a: " * 100_000,
    "dashes": "- " * 100_000,
    "questions": "? " * 50_000,
    "indentation": "".join(f"{' ' * i}a:\n" for i in range(2000)),
    "alias bomb": chained(30, f"[{'~, ' * 9}]"),
    "nested aliases": chained(200, "{a: ~, b: [~]}"),
    "deep aliases": chained(200, "[~]"),
    "merged bomb": chained(30, f"{{<<: [{'~, ' * 9}]}}"),
    "label inside itself": "x-a: &a {b: [*a]}\n" + RICH,
    "many keys": "{" + ", ".join(f"k{i}: 1" for i in range(1000)) + "}",
    "many labels": "".join(f"x-{i}: &l{i} 1\n" for i in range(2000)) + RICH,
    "one long word": "x" * (1 << 17),
    "one long number": "film: {seed: " + "9" * (1 << 17) + "}",
    "one long key": RICH + "y" * (1 << 17) + ": 1\n",
    "many quotes": 'title: "' + "\\u0041" * 10_000 + '"\n' + RICH,
    "many comments": "# x\n" * 20_000 + RICH,
    "many blank lines": "\n" * 50_000 + RICH,
    "as large as may be": RICH + "#" * (MAX_BYTES - len(RICH)),
    "too large": "a" * (MAX_BYTES + 1),
    "control characters": "\x01" * 200_000,
    "many wrong names": HEAD + "shots:\n" + "".join(
        f"  - {{id: s{i}, command: x, duration: 1, camera: nobody{i}, anchor: no{i}}}\n" for i in range(300)),
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name.startswith("as large") else name for name in HEAVY],
)
def test_what_is_heavy_takes_bounded_memory(name):
    data = HEAVY[name].encode()
    tracemalloc.start()
    try:
        outcome(data)
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()


@given(st.text("abcd", max_size=6), st.text("abcd", max_size=6))
def test_distance_is_a_symmetric_count_of_edits(a, b):
    edits = distance(a, b)
    assert edits == distance(b, a)
    assert (edits == 0) == (a == b)
    assert abs(len(a) - len(b)) <= edits <= max(len(a), len(b))
    for most in range(4):
        assert min(distance(a, b, most), most + 1) == min(edits, most + 1)


def test_near_is_truly_near():
    keys = ["command", "camera", "duration", "id", "cut", "anchor"]
    assert nearest("durration", keys) == "duration"
    assert nearest("Camera", keys) == "camera"
    assert nearest("camrea", keys) == "camera"
    assert nearest("ct", keys) is None
    assert nearest("cost", keys) is None
    assert nearest("comment", keys) is None
    assert nearest("ix", keys) is None
    assert nearest("bat", ["cat", "hat"]) is None
