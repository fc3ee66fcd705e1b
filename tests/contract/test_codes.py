"""Problem codes: what is raised is registered, what is registered is raised, and some test raises it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

from anix_cli.core.codes import CODES
from anix_cli.core.errors import ExitCode

ROOT = Path(__file__).resolve().parents[2]
REGISTER = ROOT / "anix_cli" / "core" / "codes"
CODE = re.compile(r"[EW][1-9][0-9]{2}")


def codes_in(files: list[Path]) -> dict[str, set[str]]:
    """Code → the files in which a text is exactly that code."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value):
                found[node.value].add(str(file.relative_to(ROOT)))
    return found


RAISED = codes_in([file for file in (ROOT / "anix_cli").rglob("*.py") if file.parent != REGISTER])
TESTED = codes_in([file for file in (ROOT / "tests").rglob("test_*.py") if file != Path(__file__).resolve()])


@pytest.mark.parametrize("code", sorted(RAISED))
def test_what_is_raised_is_registered(code):
    assert code in CODES, f"{code} is raised in {sorted(RAISED[code])}"


@pytest.mark.parametrize("code", sorted(CODES))
def test_what_is_registered_is_raised(code):
    assert code in RAISED


@pytest.mark.parametrize("code", sorted(CODES))
def test_what_is_registered_is_raised_by_a_test(code):
    golden = {
        match
        for file in (ROOT / "tests/golden").rglob("*.txt")
        for match in CODE.findall(file.read_text("utf-8"))
    }
    assert code in TESTED or code in golden


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_code_is_explained(code):
    entry = CODES[code]
    assert CODE.fullmatch(code)
    assert entry.title
    assert entry.help.endswith((".", ")"))
    assert isinstance(entry.exit_code, ExitCode)
    assert entry.exit_code is not ExitCode.OK


def test_a_code_is_registered_once():
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in REGISTER.glob("*.py")]
    keys = [
        key.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict)
        for key in node.keys
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and CODE.fullmatch(key.value)
    ]
    assert sorted(keys) == sorted(set(keys))
