"""``--gpus-per-clip``: refused before anything is made where a clip is one GPU's work."""

from __future__ import annotations

import pytest

from anix_cli import generate
from anix_cli.cli.main import run


@pytest.fixture(autouse=True)
def one_again(monkeypatch):
    monkeypatch.setattr(generate, "_gpus_per_clip", 1)


def test_a_backend_for_one_gpu_is_refused_before_guides_are_made(project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    assert run(["render", "film.yaml", "-o", "film.mp4", "--gpus-per-clip", "2"]) == 2
    assert "E480" in capsys.readouterr().err
    assert not list(project.glob(".anix/v1/guides/*/*"))
    assert run(["plan", "film.yaml", "-o", "plan.json"]) == 0
    assert run(["generate", "plan.json", "--gpus-per-clip", "2"]) == 2


def test_none_is_no_number(capsys):
    assert run(["render", "film.yaml", "--gpus-per-clip", "0"]) == 2
    assert "--gpus-per-clip" in capsys.readouterr().err
