"""The sounds that a screenplay names: looked at by structure, and identified by content."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ..core.errors import AnixError, Diagnostic
from ..core.plan import Plan, Sound
from ..core.screenplay import Screenplay
from ..media.sound import probe_sound
from .places import placed


def sound_problems(screenplay: Screenplay) -> Iterator[Diagnostic]:
    """What is wrong with sound files, each told of once; nothing is decoded."""
    seen: set[Path] = set()
    for index, shot in enumerate(screenplay.shots):
        if shot.audio is None or shot.audio in seen:
            continue
        seen.add(shot.audio)
        try:
            probe_sound(shot.audio)
        except AnixError as error:
            for found in error.diagnostics:
                yield placed(screenplay, ("shots", index, "audio"), found)


def with_sounds(plan: Plan, screenplay: Screenplay) -> Plan:
    """The plan with each shot's sound."""
    files = {shot.id: shot.audio for shot in screenplay.shots if shot.audio is not None}
    sounds = {file: _sound(file) for file in files.values()}
    heard = {name: sounds[file] for name, file in files.items()}
    takes = tuple(
        replace(take, shots=tuple(replace(shot, sound=heard.get(shot.id)) for shot in take.shots))
        for take in plan.takes
    )
    return replace(plan, takes=takes) if heard else plan


def _sound(file: Path) -> Sound:
    from ..core.keys import file_digest

    return Sound(file, file_digest(file))
