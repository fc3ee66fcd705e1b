"""The files that a screenplay names for its film beside the clips: sounds, subtitles, font.

Looked at by structure, and identified by content.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ..core.errors import AnixError, Diagnostic
from ..core.plan import FilmOutput, Music, NamedFile, Plan, Sound
from ..core.screenplay import FilmSpec, PathInFile, Screenplay, SoundSpec
from ..film.lettering import check_letters
from ..film.subtitles import read_subtitles
from ..media.sound import probe_sound
from .places import placed


def sound_problems(screenplay: Screenplay) -> Iterator[Diagnostic]:
    """What is wrong with sounds, subtitles and letters, each file told of once; no sound is decoded."""
    seen: set[Path] = set()
    for where, file in _sounds(screenplay):
        if file in seen:
            continue
        seen.add(file)
        try:
            probe_sound(file)
        except AnixError as error:
            yield from (placed(screenplay, where, found) for found in error.diagnostics)
    film = screenplay.film
    texts = [shot.caption for shot in screenplay.shots if shot.caption]
    if film.subtitles is not None:
        try:
            texts += [one.text for one in read_subtitles(film.subtitles)]
        except AnixError as error:
            yield from (placed(screenplay, ("film", "subtitles"), found) for found in error.diagnostics)
    if film.font is not None or film.captions == "burnt":
        try:
            check_letters(film.font, texts if film.captions == "burnt" else [])
        except AnixError as error:
            where = ("film", "font" if film.font else "captions")
            yield from (placed(screenplay, where, found) for found in error.diagnostics)


def _sounds(screenplay: Screenplay) -> Iterator[tuple[PathInFile, Path]]:
    for index, shot in enumerate(screenplay.shots):
        if shot.audio is not None:
            yield ("shots", index, "audio", "file"), shot.audio.file
    if screenplay.film.music is not None:
        yield ("film", "music", "file"), screenplay.film.music.file


def with_sounds(plan: Plan, screenplay: Screenplay) -> Plan:
    """The plan with each shot's sound, and the film's files."""
    audible = {shot.id: shot.audio for shot in screenplay.shots if shot.audio is not None}
    digests = {file: _digest(file) for file in {spec.file for spec in audible.values()}}
    heard = {name: _sound(spec, digests[spec.file]) for name, spec in audible.items()}
    takes = tuple(
        replace(take, shots=tuple(replace(shot, sound=heard.get(shot.id)) for shot in take.shots))
        for take in plan.takes
    )
    return replace(plan, takes=takes, output=_with_files(plan, screenplay.film))


def _with_files(plan: Plan, film: FilmSpec) -> FilmOutput:
    music = None
    if film.music is not None:
        music = Music(
            Sound(film.music.file, _digest(film.music.file), film.music.volume_db),
            loop=film.music.loop,
            fade_s=0.0 if film.music.fade is None else float(film.music.fade.seconds(plan.fps)),
            duck_db=film.music.duck_db,
        )
    return replace(plan.output, music=music, subtitles=_named(film.subtitles), font=_named(film.font))


def _named(file: Path | None) -> NamedFile | None:
    return None if file is None else NamedFile(file, _digest(file))


def _sound(spec: SoundSpec, digest: str) -> Sound:
    return Sound(spec.file, digest, spec.volume_db)


def _digest(file: Path) -> str:
    from ..core.keys import file_digest  # numbers, which looking at sounds does without

    return file_digest(file)
