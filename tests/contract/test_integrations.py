"""The GitHub Action, the pre-commit hooks and the Dockerfile: what of them runs without GitHub and Docker."""

from __future__ import annotations

import os
import re
import shlex
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.film.test_chain import film  # noqa: F401  (a fixture)

ROOT = Path(__file__).resolve().parents[2]
ACTION: dict[str, Any] = YAML(typ="safe").load((ROOT / "action.yml").read_text("utf-8"))
HOOKS: list[dict[str, Any]] = YAML(typ="safe").load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")


@pytest.fixture
def bash(tmp_path: Path):
    """Runs a step of the action as GitHub does: its script by ``bash -e -o pipefail``."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "anix").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m anix_cli "$@"\n')
    (tools / "anix").chmod(0o755)

    def run(name: str, **given: str) -> subprocess.CompletedProcess[str]:
        step = next(step for step in ACTION["runs"]["steps"] if step.get("name") == name)
        inputs = {key: str(one.get("default", "")) for key, one in ACTION["inputs"].items()} | given
        variables = {
            key: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: inputs[found[1]], value)
            for key, value in step["env"].items()
        }
        env = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)} | variables
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


def test_no_input_goes_into_a_script() -> None:
    """What a pull request can choose reaches the shell as a variable, never as part of the program."""
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert ("run" in step) == (step.get("shell") == "bash")
        for condition in re.findall(r"inputs\.([\w-]+)", str(step)):
            assert condition in ACTION["inputs"]


@pytest.mark.skipif(not os.access("/bin/bash", os.X_OK), reason="no bash")
def test_the_action_checks_and_renders(film: Path, bash) -> None:  # noqa: F811
    (film / "bad one.yaml").write_text((film / "film.yaml").read_text().replace("he waves", "he quxes"))
    done = bash("Check the screenplays", files="*.yaml")
    assert done.returncode == 3 and "::error file=bad one.yaml,line=" in done.stdout
    assert bash("Check the screenplays", files="film.yaml").returncode == 0
    warned = (film / "film.yaml").read_text().replace("left.png", "front.png")
    (film / "warned.yml").write_text(warned)
    assert bash("Check the screenplays", files="warned.yml").returncode == 0
    assert bash("Check the screenplays", files="warned.yml", strict="true").returncode == 3
    nothing = bash("Check the screenplays", files="none/*.yaml")
    assert nothing.returncode == 2 and "::error::no screenplay" in nothing.stdout
    small = "film.size=64x64 shots.run.duration=0.5"
    done = bash("Render the animatics", files="*.yaml", settings=small)
    assert done.returncode == 3, "one film failed, the others are made"
    made = sorted(file.name for file in (film / "anix-preview").iterdir())
    assert made == ["film.html", "film.mp4", "film.mp4.json"]
    assert "64x64" in done.stderr or (film / ".anix").is_dir()


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_hooks_run_what_there_is(film: Path, hook: dict[str, Any]) -> None:  # noqa: F811
    from anix_cli.cli.main import run

    program, *arguments = shlex.split(hook["entry"])
    assert program == "anix" and hook["language"] == "python"
    assert run([*arguments, "film.yaml"]) == 0
    (film / "film.yaml").write_text("anix: 1\nshots: {\n")
    assert run([*arguments, "film.yaml"]) != 0
    chosen = re.compile(hook["files"])
    for name in ("films/a.yaml", "screenplays/courier.yaml", "x/films/b.yml"):
        assert chosen.search(name)
    for name in (".github/workflows/ci.yaml", "films/deep/er.yaml", "films.yaml"):
        assert not chosen.search(name)


def test_the_dockerfile_names_what_there_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = re.findall(r"\.whl\)\[([\w,]+)\]", DOCKERFILE)
    assert len(extras) == 2
    for named in extras:
        assert set(named.split(",")) <= set(project["optional-dependencies"])
    stages = re.findall(r"^FROM \S+ AS (\w+)$", DOCKERFILE, re.MULTILINE)
    assert stages == ["wheel", "cuda", "cpu"], "without a target the CPU's is built"
    assert DOCKERFILE.count("USER film") == 2
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    for name in kept:
        assert (ROOT / name).exists(), name
    package = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    needed = {*package["targets"]["wheel"]["packages"], *package["targets"]["wheel"]["force-include"]}
    assert needed | {"pyproject.toml", project["readme"], *project["license-files"]} <= set(kept)
    assert stat.S_ISREG((ROOT / "Dockerfile").stat().st_mode)
