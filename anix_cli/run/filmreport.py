"""Gathers what a film's report tells, from the plan, the store and the manifest."""

from __future__ import annotations

import os
import re
import shlex
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..core.errors import Diagnostic
from ..core.filmreport import (
    ClipState,
    FilmFile,
    ReportedClip,
    ReportedFilm,
    ReportedShot,
    ReportedTake,
    ToldBeat,
)
from ..core.plan import Plan, PlannedShot
from ..core.screenplay import Screenplay
from ..core.time import timecode
from ..film import manifest
from ..media.delivery import CONTAINERS, PICTURES, SUFFIXES
from ..plan.summary import reading, view_of
from ..store.store import Entry, Store
from .clips import find_clips
from .layout import find_guide
from .memory import made_because
from .variants import Variants, variants_of, with_candidates

DRAFT = "animatic"
_PLAIN_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_SEEDS = 2**31
_NEVER, _FIRST = {"not made yet", "not rendered yet"}, "for the first time"
_Why = Mapping[tuple[str, str], tuple[bool, str]]


@dataclass(frozen=True)
class Facts:
    """What a report tells without its pictures, and where those come from.

    Attributes:
        guides: by shot's id, where there is one.
        clips: by shot's id and clip's index, where there is one.
        variants: the candidates of its shots.
    """

    film: ReportedFilm
    guides: Mapping[str, Entry]
    clips: Mapping[tuple[str, int], Entry]
    variants: Variants = field(default_factory=Variants)


@dataclass(frozen=True)
class Asked:
    """How the film was asked for on the command line, as far as a command to make it again repeats it."""

    settings: Sequence[str] = ()
    slate: bool = False
    anonymous: bool = False
    candidates: int | None = None


PLAINLY = Asked()


def report_path(film: Path) -> Path:
    """Where the report of a film lies: beside it, with its name."""
    return (
        film.with_suffix(".html")
        if film.suffix.lower() in CONTAINERS
        else film.with_name(film.name + ".html")
    )


def film_beside(report: Path, codec: str) -> Path:
    """The film that a report at this place is about: of the same name, the one with a manifest first."""
    if codec in PICTURES:
        return report.with_suffix("")
    places = [report.with_suffix(suffix) for suffix in SUFFIXES[codec]]
    return next((place for place in places if manifest.manifest_path(place).is_file()), places[0])


def gather(
    screenplay: Screenplay,
    plan: Plan,
    store: Store,
    *,
    report: Path,
    film: Path,
    asked: Asked = PLAINLY,
    problems: Sequence[Diagnostic] = (),
) -> Facts:
    """What is known of a film now.

    Args:
        plan: annotated: what the store lacks has its reason.
        report: where the report is to lie; files are named relative to its folder.
        film: where the film lies, or is to lie.
        problems: what ended the run, if something did.
    """
    here = report.absolute().parent
    why = made_because(store, plan)
    clips = {(f.shot.id, f.clip.index): f.entry for f in find_clips(plan, store) if f.entry is not None}
    guides = {shot.id: entry for shot in plan.shots() if (entry := find_guide(store, shot)) is not None}
    command = _render_command(plan, here, film, asked)
    notes, remarks = _sorted_notes(screenplay, plan.notes, here)
    name = _argument(_relative(plan.screenplay, here)) if plan.screenplay else ""
    variants = variants_of(screenplay, plan, store, asked=asked.candidates, named=name)
    order = {shot.id: index for index, shot in enumerate(plan.shots())}
    takes = tuple(
        ReportedTake(
            number,
            tuple(
                with_candidates(_shot(shot, plan, why, guides, clips, notes.get(order[shot.id], ()),
                                      _again(command, shot.id, screenplay, order[shot.id])), variants)
                for shot in take.shots
            ),
        )
        for number, take in enumerate(plan.takes, 1)
    )  # fmt: skip
    told = ReportedFilm(
        title=plan.title,
        screenplay=_relative(plan.screenplay, here),
        size_px=plan.size_px,
        fps=f"{float(plan.fps):g}",
        frames=plan.frames,
        duration_s=round(float(plan.frames / plan.fps), 3),
        seed=plan.seed,
        backend=plan.backend,
        draft=plan.backend == DRAFT,
        takes=takes,
        film=_film_file(plan, film, clips),
        problems=tuple(_from_here(problem, here) for problem in problems),
        notes=remarks,
        render=command,
    )
    return Facts(told, guides, clips, variants)


def _shot(
    shot: PlannedShot,
    plan: Plan,
    why: _Why,
    guides: Mapping[str, Entry],
    clips: Mapping[tuple[str, int], Entry],
    notes: Sequence[Diagnostic],
    again: str,
) -> ReportedShot:
    guide = guides.get(shot.id)
    state, because = _state(shot.id, shot.guide_key, guide, shot.guide_stale_because, why)
    return ReportedShot(
        id=shot.id,
        command=" ".join(shot.command.split()),
        understood=reading(shot.beats),
        beats=tuple(
            ToldBeat(
                beat.category,
                reading((replace(beat, sync=None),)),
                " ".join(shot.command[slice(*beat.span)].split()),
                round(float(beat.start / plan.fps), 3),
                round(float((beat.start + beat.frames) / plan.fps), 3),
            )
            for beat in shot.beats
        ),
        characters=tuple(subject.character for subject in shot.subjects),
        camera=shot.camera.replace("_", " "),
        view=view_of(shot, plan.size_px),
        start=shot.start,
        frames=shot.frames,
        start_timecode=timecode(shot.start, plan.fps),
        end_timecode=timecode(shot.start + shot.frames, plan.fps),
        duration_s=round(float(shot.frames / plan.fps), 3),
        start_s=round(float(shot.start / plan.fps), 3),
        begins=_begins(shot),
        caption=" ".join(shot.caption.split()),
        has_sound=shot.sound is not None,
        guide_key=shot.guide_key,
        guide_state=state,
        guide_because=because,
        clips=tuple(_clip(shot, index, clips, why) for index in range(len(shot.clips))),
        notes=tuple(notes),
        again=again,
    )


def _begins(shot: PlannedShot) -> str:
    """Its transition in words: "fades in, 0.5 s"; "" for a plain cut or none."""
    how = shot.transition
    if how is None:
        return ""
    if how.kind == "dissolve":
        return f"dissolves from the shot before, {how.seconds:g} s"
    through = "" if how.colour_rgb == (0, 0, 0) else " through #{:02x}{:02x}{:02x}".format(*how.colour_rgb)
    return f"fades in{through}, {how.seconds:g} s"


def _clip(shot: PlannedShot, number: int, clips: Mapping[tuple[str, int], Entry], why: _Why) -> ReportedClip:
    clip = shot.clips[number]
    entry = clips.get((shot.id, clip.index))
    name = f"{shot.id}/{clip.index}"
    state, because = _state(name, clip.recipe_key, entry, clip.stale_because, why)
    record: Mapping[str, Any] = entry.record if entry else {}
    notes = record.get("notes")
    return ReportedClip(
        index=clip.index,
        start=clip.start,
        frames=clip.frames,
        seed=clip.seed,
        recipe_key=clip.recipe_key,
        prompt=clip.prompt,
        state=state,
        because=because,
        key=entry.key if entry else "",
        seconds=float(record["seconds"]) if "seconds" in record else None,
        notes=notes if isinstance(notes, dict) else {},
    )


def _state(
    name: str, key: str, entry: Entry | None, stale_because: str | None, why: _Why
) -> tuple[ClipState, str]:
    lately, because = why.get((name, key), (False, ""))
    if entry is None:
        return "missing", stale_because or because or "not made yet"
    return ("made" if lately else "kept"), _FIRST if because in _NEVER else because


def _film_file(plan: Plan, film: Path, clips: Mapping[tuple[str, int], Entry]) -> FilmFile:
    """What the manifest says of the film, held against the clips that the plan asks for now."""
    found = manifest.read(film)
    if found is None or not isinstance(output := found.get("output"), dict):
        return FilmFile(film.name, "missing")
    wanted = {
        (shot.id, clip.index): entry.key if (entry := clips.get((shot.id, clip.index))) else ""
        for shot in plan.shots()
        for clip in shot.clips
    }
    try:
        there = {
            (shot["id"], clip["index"]): clip["key"] for shot in found["shots"] for clip in shot["clips"]
        }
        told = FilmFile(
            film.name, "current", int(output["bytes"]), str(output["sha256"]),
            bool(found["slate"]), {str(k): str(v) for k, v in found["versions"].items()},
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError):
        return FilmFile(film.name, "missing")
    if not film.exists():
        return replace(told, state="missing")
    if manifest.content_bytes(film) != told.size_bytes:
        return replace(told, state="changed")
    return told if there == wanted else replace(told, state="older")


def _render_command(plan: Plan, here: Path, film: Path, asked: Asked) -> str:
    screenplay = _relative(plan.screenplay, here)
    if not screenplay:
        return ""
    words = ["anix", "render", _argument(screenplay), "-o", _argument(_relative(film, here))]
    words += [] if plan.backend == "animatic" else ["--backend", plan.backend]
    words += ["--slate"] if asked.slate else []
    words += [] if asked.candidates is None else ["--candidates", str(asked.candidates)]
    words += ["--no-metadata"] if asked.anonymous else []
    for setting in asked.settings:
        words += ["--set", setting]
    return shlex.join(words)


def _again(command: str, name: str, screenplay: Screenplay, index: int) -> str:
    """The command with another seed for this shot: it alone is made anew, and what continues from it."""
    if not command:
        return ""
    own = screenplay.shots[index].seed
    seed = ((screenplay.film.seed if own is None else own) + 1) % _SEEDS
    step = f".{name}" if _PLAIN_ID.fullmatch(name) else f"[{index}]"
    return f"{command} --set {shlex.quote(f'shots{step}.seed={seed}')}"


def _argument(path: str) -> str:
    return f"./{path}" if path.startswith("-") else path


def _relative(path: Path | None, here: Path) -> str:
    if path is None or str(path) == "-":
        return ""
    there = path.absolute()
    try:
        return Path(os.path.relpath(there.parent.resolve() / there.name, here.resolve())).as_posix()
    except ValueError:  # another drive
        return there.as_posix()


def _from_here(problem: Diagnostic, here: Path) -> Diagnostic:
    name = _relative(problem.file, here) if problem.file and problem.file.is_absolute() else ""
    return replace(problem, file=Path(name)) if name else problem


def _sorted_notes(
    screenplay: Screenplay, notes: Sequence[Diagnostic], here: Path
) -> tuple[dict[int, tuple[Diagnostic, ...]], tuple[Diagnostic, ...]]:
    """Warnings by the index of the shot in whose lines they lie, and those that lie in none."""
    places: dict[Path, list[tuple[int, int, int]]] = {}
    for where, place in screenplay.positions.items():
        shot = where[1] if len(where) > 1 and where[0] == "shots" and isinstance(where[1], int) else -1
        places.setdefault(place.file, []).append((place.span.line, place.span.column, shot))
    for found in places.values():
        found.sort()
    of_shots: dict[int, tuple[Diagnostic, ...]] = {}
    others: list[Diagnostic] = []
    for note in notes:
        shot = -1
        if note.file in places and note.span is not None:
            at = bisect_right(places[note.file], (note.span.line, note.span.column, len(screenplay.shots)))
            shot = places[note.file][at - 1][2] if at else -1
        told = _from_here(note, here)
        if shot < 0:
            others.append(told)
        else:
            of_shots[shot] = (*of_shots.get(shot, ()), told)
    return of_shots, tuple(others)
