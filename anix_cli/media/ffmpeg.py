"""Finds an ffmpeg that can do what anix needs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from ..core.errors import AnixError, fail
from .child import ask

_NEEDED = {"libx264": "H.264", "ffv1": "FFV1"}
_INSTALL = "Install the imageio-ffmpeg package again, or set ANIX_FFMPEG to an ffmpeg with libx264 and FFV1."
_NAMED = (
    "Name an ffmpeg with libx264 and FFV1 (--ffmpeg, ANIX_FFMPEG or IMAGEIO_FFMPEG_EXE), "
    "or none: anix brings its own."
)

_choice: list[Path] = []
"""The ffmpeg that this process was told to use, if any."""


def use_ffmpeg(path: Path | None) -> Path:
    """From now on, this process uses the ffmpeg at ``path``; None goes back to looking for one.

    Raises:
        AnixError: E401, as :func:`find_ffmpeg`.
    """
    _choice[:] = [] if path is None else [path]
    return find_ffmpeg()


def find_ffmpeg() -> Path:
    """That of :func:`use_ffmpeg`, else $ANIX_FFMPEG, else imageio-ffmpeg's own, else that on the PATH.

    One that was named by the user is used or refused, never silently replaced. imageio-ffmpeg's is that of
    $IMAGEIO_FFMPEG_EXE if set. Checked once per process: it runs, has libx264 and FFV1, and says its version.

    Raises:
        AnixError: E401, none was found, or it does not run, or it lacks an encoder.
    """
    chosen = str(_choice[0]) if _choice else os.environ.get("ANIX_FFMPEG", "")
    return _find(chosen, os.environ.get("IMAGEIO_FFMPEG_EXE", ""), os.environ.get("PATH", ""))


@lru_cache(maxsize=8)
def _find(chosen: str, imageio: str, search: str) -> Path:
    if chosen:
        origin = "named by ANIX_FFMPEG" if chosen == os.environ.get("ANIX_FFMPEG") else "that was named"
        return _checked(chosen, origin)
    problems: list[AnixError] = []
    shipped = "named by IMAGEIO_FFMPEG_EXE" if imageio else "of imageio-ffmpeg"
    for candidate, origin in ((_shipped(imageio), shipped), ("ffmpeg", "on the PATH")):
        if candidate is None or (candidate == "ffmpeg" and shutil.which("ffmpeg", path=search) is None):
            continue
        try:
            return _checked(candidate, origin)
        except AnixError as problem:
            if imageio:
                raise
            problems.append(problem)
    if problems:
        raise problems[0]
    raise fail("E401", "No ffmpeg was found.", hint=_INSTALL)


def _shipped(named: str) -> str | None:
    if named:
        return named
    try:
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError, OSError):
        return None


def _checked(candidate: str, origin: str) -> Path:
    hint = _NAMED if "named" in origin else _INSTALL
    found = shutil.which(candidate)
    if found is None:
        state = "cannot be run" if Path(candidate).exists() else "does not exist"
        raise fail("E401", f"The ffmpeg {origin}, {candidate}, {state}.", hint=hint)
    encoders = _encoders(found, f"{origin}, {candidate},", hint)
    lacking = [label for name, label in _NEEDED.items() if name not in encoders]
    if lacking:
        raise fail(
            "E401",
            f"The ffmpeg {origin}, {candidate}, cannot write {' and '.join(lacking)}.",
            hint=hint,
        )
    executable = Path(found).absolute()
    ffmpeg_version(executable)  # the manifest asks for it when the work is done: too late for a surprise
    return executable


def _encoders(executable: str, called: str, hint: str) -> set[str]:
    """Names of the encoders that an ffmpeg has. Raises E401 about ``The ffmpeg {called}``."""
    try:
        code, listing, _ = ask([executable, "-hide_banner", "-encoders"])
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = "does not answer" if isinstance(error, subprocess.TimeoutExpired) else "cannot be run"
        raise fail("E401", f"The ffmpeg {called} {reason}.", hint=hint) from error
    if code != 0:
        raise fail("E401", f"The ffmpeg {called} cannot be used: it ended with code {code}.", hint=hint)
    rows = [line.split() for line in listing.decode(errors="replace").splitlines()]
    return {row[1] for row in rows if len(row) > 1}


def need_encoders(needed: Mapping[str, str]) -> None:
    """Makes sure, before long work, that the ffmpeg in use has encoders beyond those that all films need.

    Args:
        needed: what people call each encoder, by its name.

    Raises:
        AnixError: E403, it lacks one; E401, as :func:`find_ffmpeg`.
    """
    wanted = {name: label for name, label in needed.items() if name not in _NEEDED}
    if not wanted:
        return
    executable = find_ffmpeg()
    there = _encoders(str(executable), str(executable), _INSTALL)
    lacking = [label for name, label in wanted.items() if name not in there]
    if lacking:
        raise fail(
            "E403",
            f"The ffmpeg {executable} cannot write {' and '.join(lacking)}, which this film needs.",
            hint="Name none (anix brings its own), or choose another film.codec.",
        )


@lru_cache(maxsize=8)
def ffmpeg_version(executable: Path) -> str:
    """The version that an ffmpeg says it has, e.g. "9.0.2"; "unknown" if it does not say.

    Raises:
        AnixError: E401, it does not answer.
    """
    try:
        _, answer, _ = ask([str(executable), "-hide_banner", "-version"])
    except (OSError, subprocess.TimeoutExpired) as error:
        raise fail("E401", f"The ffmpeg {executable} does not say its version.", hint=_INSTALL) from error
    words = answer.decode(errors="replace").split()
    return words[2].lstrip("n").split("-")[0] if len(words) > 2 and words[1] == "version" else "unknown"
