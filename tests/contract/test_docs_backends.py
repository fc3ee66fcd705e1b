"""The backend that docs/backends.md shows is complete, short, and keeps to the interface."""

from __future__ import annotations

import importlib.util
import re
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from anix_cli import generate
from anix_cli.cli.main import run
from anix_cli.generate.firstframe.models import MODELS, options
from anix_cli.generate.vace.backend import OPTIONS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "backends.md"
CODE = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]

_spec = importlib.util.spec_from_file_location(
    "contract_of_backends", Path(__file__).parent / "test_backends.py"
)
contract = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(contract)


@pytest.fixture
def cutout(tmp_path, monkeypatch):
    (tmp_path / "cutout.py").write_text(CODE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "cutout", raising=False)
    points = {"cutout": EntryPoint("cutout", "cutout:CutoutBackend", generate.GROUP)}
    monkeypatch.setattr(generate, "_found", lambda: points)
    yield generate.get("cutout")
    sys.modules.pop("cutout", None)


def test_it_is_short():
    assert len(CODE.splitlines()) < 60


def test_it_keeps_to_the_interface(cutout):
    contract.test_its_capabilities_make_sense(cutout)
    contract.test_it_returns_exactly_the_new_frames(cutout, False)
    contract.test_it_tells_its_progress(cutout)
    contract.test_the_same_request_gives_the_same_bytes(cutout)
    contract.test_it_leaves_the_request_as_it_was(cutout)
    contract.test_what_it_does_not_use_does_not_change_its_pixels(cutout)
    contract.test_it_works_again_after_close(cutout)


def test_it_makes_a_film(cutout, project, monkeypatch):
    monkeypatch.chdir(project)
    assert run(["render", "film.yaml", "-o", "film.mp4", "--backend", "cutout"]) == 0
    from anix_cli.media.video import read_frames

    clips = list(project.glob(".anix/v1/clips/*/*/frames.mkv"))
    guides = {path.parent.name: path for path in project.glob(".anix/v1/guides/*/*/rgb.mkv")}
    assert clips and guides
    coat = sum(
        int(
            (np.abs(read_frames(path, 0, 1, kind="master")[0].astype(int) - (40, 130, 60)).max(-1) < 12).sum()
        )
        for path in clips
    )
    assert coat > 200  # the man's green coat


@pytest.mark.parametrize("known", [OPTIONS, *(options(name) for name in MODELS)])
def test_the_page_tells_every_option(known):
    text = PAGE.read_text(encoding="utf-8")
    for name, option in known.items():
        assert f"`{name}`" in text
        assert all(f"`{choice}`" in text for choice in option.choices)
