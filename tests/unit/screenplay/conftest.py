"""A folder with a scene and four views, and short ways to load a text in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from anix_cli.core.errors import AnixError, Diagnostic
from anix_cli.core.screenplay import Screenplay
from anix_cli.screenplay import load


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "room.ply").write_bytes(b"ply\n")
    for index, name in enumerate("flrb"):
        Image.new("RGBA", (8, 16), (40 * index, 90, 30, 255)).save(tmp_path / f"{name}.png")
    return tmp_path


@pytest.fixture
def read(folder: Path) -> Callable[[str | bytes], Screenplay]:
    def read(content: str | bytes) -> Screenplay:
        data = content if isinstance(content, bytes) else content.encode()
        return load(folder / "film.yaml", text=data)

    return read


@pytest.fixture
def problems(read: Callable[[str | bytes], Screenplay]) -> Callable[[str | bytes], tuple[Diagnostic, ...]]:
    def problems(content: str | bytes) -> tuple[Diagnostic, ...]:
        try:
            return read(content).notes
        except AnixError as error:
            return error.diagnostics

    return problems
