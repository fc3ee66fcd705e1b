"""Which ffmpeg is used, and what is said when none can be."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from anix_cli.core.errors import AnixError
from anix_cli.media import ffmpeg as module
from anix_cli.media.ffmpeg import ffmpeg_version, find_ffmpeg, use_ffmpeg


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Each test asks anew, and leaves no choice to the next."""
    monkeypatch.setattr(module, "_choice", [])
    for name in ("ANIX_FFMPEG", "IMAGEIO_FFMPEG_EXE"):
        monkeypatch.delenv(name, raising=False)
    module._find.cache_clear()
    yield
    module._find.cache_clear()


def program(path: Path, text: str) -> Path:
    path.write_text(f"#!{sys.executable}\n{text}\n")
    path.chmod(0o755)
    return path


GOOD = 'print(" V....D libx264 H.264")\nprint(" V..... ffv1 FFV1")'


def refused(path: Path | None = None) -> str:
    with pytest.raises(AnixError) as caught:
        find_ffmpeg() if path is None else use_ffmpeg(path)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "E401"
    assert "ANIX_FFMPEG" in diagnostic.hint
    return diagnostic.message


def test_the_shipped_one_is_found_and_says_its_version() -> None:
    found = find_ffmpeg()
    assert found.is_absolute()
    assert ffmpeg_version(found)[0].isdigit()


def test_the_order_is_explicit_then_variable_then_imageio(tmp_path: Path, monkeypatch) -> None:
    a, b, c = (program(tmp_path / name, GOOD) for name in "abc")
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(c))
    assert find_ffmpeg() == c
    monkeypatch.setenv("ANIX_FFMPEG", str(b))
    assert find_ffmpeg() == b
    assert use_ffmpeg(a) == a
    assert find_ffmpeg() == a, "an explicit choice holds for the process"
    assert use_ffmpeg(None) == b


def test_one_on_the_path_serves_where_imageio_has_none(tmp_path: Path, monkeypatch) -> None:
    program(tmp_path / "ffmpeg", GOOD)
    monkeypatch.setattr(module, "_shipped", lambda named: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_ffmpeg() == tmp_path / "ffmpeg"
    (tmp_path / "ffmpeg").unlink()
    module._find.cache_clear()
    assert "No ffmpeg was found" in refused()


def test_a_named_one_is_never_silently_replaced(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("ANIX_FFMPEG", str(tmp_path / "none"))
    assert "named by ANIX_FFMPEG" in refused()
    monkeypatch.delenv("ANIX_FFMPEG")
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(tmp_path / "none"))
    assert "does not exist" in refused()


def test_what_does_not_run_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no program")
    assert "cannot be run" in refused(text)
    assert "ended with code 3" in refused(program(tmp_path / "bad", "raise SystemExit(3)"))
    text.chmod(0o755)
    assert "cannot be run" in refused(text)


def test_a_lacking_encoder_is_named(tmp_path: Path) -> None:
    assert "cannot write H.264" in refused(program(tmp_path / "a", 'print(" V..... ffv1 FFV1")'))
    assert "H.264 and FFV1" in refused(program(tmp_path / "b", ""))
