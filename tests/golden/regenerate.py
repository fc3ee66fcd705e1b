"""Writes the expected texts again: ``python -m tests.golden.regenerate``, then read the difference in git.

``screenplays/broken/*.yaml`` are broken; ``broken/*.txt`` here is what a director is told about each.
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from unittest.mock import patch

from anix_cli.cli.main import run

ROOT = Path(__file__).resolve().parents[2]
BROKEN = ROOT / "screenplays" / "broken"
TEXTS = Path(__file__).resolve().parent / "broken"


def text_of(screenplay: Path) -> str:
    """All that ``anix validate`` says about a screenplay of this repository, and its exit code.

    It is run from the root of the repository, which is shown as ``<root>``.
    """
    said, told = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(ROOT),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(told),
        patch.dict("os.environ", {"NO_COLOR": "1"}),
    ):
        code = run(["validate", str(screenplay.relative_to(ROOT))])
    shown = said.getvalue() + told.getvalue()
    return f"{shown.replace(str(ROOT), '<root>')}exit {code}\n"


def main() -> None:
    for old in TEXTS.glob("*.txt"):
        old.unlink()
    for screenplay in sorted(BROKEN.glob("*.yaml")):
        (TEXTS / f"{screenplay.stem}.txt").write_text(text_of(screenplay), encoding="utf-8")


if __name__ == "__main__":
    main()
