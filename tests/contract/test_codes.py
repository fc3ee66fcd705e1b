"""Problem codes: what is raised is registered, what is registered is raised somewhere, and explained.

That some test raises each is seen when all tests run: see ``tests/raised.py``.
"""

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


def is_code(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(CODE.fullmatch(node.value))


def codes_in(files: list[Path], *, asked: bool) -> dict[str, set[str]]:
    """Code → the files in which a text is exactly that code; ``asked``: also to ask for it, ``== "E104"``."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        told = {id(node): node.value for node in ast.walk(tree) if is_code(node)}
        if not asked:
            for question in (node for node in ast.walk(tree) if isinstance(node, ast.Compare | ast.Set)):
                for inner in ast.walk(question):
                    told.pop(id(inner), None)
        for code in told.values():
            found[code].add(str(file.relative_to(ROOT)))
    return found


RAISED = codes_in(
    [file for file in (ROOT / "anix_cli").rglob("*.py") if file.parent != REGISTER], asked=False
)
# These make up diagnostics, or only look them up.
ABOUT_CODES = ("tests/unit/report/", "tests/unit/cli/test_errors", "tests/contract/test_code")
TESTED = codes_in(
    [
        file
        for file in (ROOT / "tests").rglob("test_*.py")
        if not file.relative_to(ROOT).as_posix().startswith(ABOUT_CODES)
    ],
    asked=True,
)


@pytest.mark.parametrize("code", sorted(RAISED))
def test_what_is_raised_is_registered(code):
    assert code in CODES, f"{code} is raised in {sorted(RAISED[code])}"


@pytest.mark.parametrize("code", sorted(CODES))
def test_what_is_registered_is_raised(code):
    assert code in RAISED


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_test_speaks_of_it(code):
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
    ranges = [file for file in REGISTER.glob("*.py") if file.stem != "examples"]
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in ranges]
    keys = [
        key.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict)
        for key in node.keys
        if is_code(key)
    ]
    assert sorted(keys) == sorted(set(keys))
