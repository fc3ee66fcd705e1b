"""Help, validate and plan start fast because they import nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

STACK = ("torch", "diffusers", "transformers", "peft", "gsplat", "numba", "ray")

PROBE = """
import sys
from anix_cli.cli.main import run
code = run(sys.argv[1:])
heavy = [name for name in {names!r} if name in sys.modules]
sys.stderr.write("HEAVY " + ",".join(heavy) + "\\n")
sys.exit(code)
"""


def imported_by(arguments: list[str], names: tuple[str, ...], cwd) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(names=names), *arguments],
        capture_output=True, text=True, cwd=cwd, check=False,
    )  # fmt: skip
    last = [line for line in done.stderr.splitlines() if line.startswith("HEAVY ")][-1]
    return done.returncode, [name for name in last.removeprefix("HEAVY ").split(",") if name]


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["render", "--help"], ["scene", "info", "--help"]]
)
def test_help_imports_no_numbers_at_all(arguments, tmp_path):
    code, heavy = imported_by(arguments, (*STACK, "scipy", "PIL", "ruamel.yaml", "jsonschema"), tmp_path)
    assert (code, heavy) == (0, [])


@pytest.mark.parametrize("arguments", [["validate", "film.yaml"], ["plan", "film.yaml"]])
def test_validate_and_plan_import_no_renderer(arguments, project):
    code, heavy = imported_by(arguments, STACK, project)
    assert (code, heavy) == (0, [])


@pytest.mark.parametrize("arguments", [["plan", "film.yaml", "--backend", "wan-vace"], ["models", "list"]])
def test_a_model_is_planned_for_without_its_libraries(arguments, project):
    film = project / "film.yaml"
    film.write_text(film.read_text(encoding="utf-8").replace(", fps: 8", ""), encoding="utf-8")
    code, heavy = imported_by(arguments, (*STACK, "huggingface_hub", "safetensors"), project)
    assert (code, heavy) == (0, [])


def test_validate_computes_nothing(project):
    assert imported_by(["validate", "film.yaml"], ("scipy", "numpy", "jsonschema"), project) == (0, [])


def test_a_quick_look_at_a_scene_computes_nothing(project):
    arguments = ["scene", "info", "yard.ply", "--quick"]
    assert imported_by(arguments, (*STACK, "scipy", "numpy", "PIL"), project) == (0, [])


def test_what_a_scene_holds_is_told_without_drawing(project):
    arguments = ["scene", "info", "yard.ply"]
    assert imported_by(arguments, (*STACK, "PIL"), project) == (0, [])
