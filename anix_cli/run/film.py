"""Joins a plan's clips to its film."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from .. import generate
from ..core.errors import fail
from ..core.events import Emit, FilmFinished, FramesDone, StageFinished, StageStarted
from ..core.plan import Plan
from ..core.screenplay import Screenplay
from ..film import manifest
from ..film.manifest import ClipFact
from ..film.naming import has_fields, named, usual_suffix
from ..film.publish import publish
from ..film.segments import Segment
from ..plan.commands import DEFAULT_FPS
from ..store.store import Store, verify
from .clips import DELIVERY, MASTER, MadeClip, find_clips


@dataclass(frozen=True)
class Film:
    """A joined film and its manifest; ``reused`` if it was there already, made of just these clips."""

    path: Path
    manifest: Mapping[str, Any]
    reused: bool


def check_output(plan: Plan, output: Path, *, overwrite: bool) -> None:
    """Refuses, before long work, an output that can't be written or that this screenplay did not make.

    Raises:
        AnixError: E431, the file is somebody else's; E432, not a film's name; E434, not one of its
            codec; E412, it can't be written.
    """
    manifest.check_output(
        output,
        screenplay=plan.screenplay,
        title=plan.title,
        codec=plan.output.codec,
        also=plan.output.also,
        overwrite=overwrite,
    )


def made_clips(plan: Plan, store: Store) -> list[MadeClip]:
    """All clips of a plan from the store.

    Raises:
        AnixError: E554, some are still to be made.
    """
    found = find_clips(plan, store)
    missing = [f"{one.shot.id} clip {one.clip.index}" for one in found if one.entry is None]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise fail(
            "E554",
            f"{missing[0]}{more} must be made before the film can be joined",
            hint="run `anix generate` on this plan first, or `anix render` for everything",
        )
    return [MadeClip(one.shot, one.clip, one.entry) for one in found if one.entry is not None]


def film_name(template: Path | None, film: Screenplay | Plan, backend: str) -> Path:
    """The film's place: a template with its fields filled in; without one, the screenplay's name here.

    Raises:
        AnixError: E442, a field that there is not; E501, E502, no such backend.
    """
    wanted = film.output if isinstance(film, Plan) else film.film
    path = film.screenplay if isinstance(film, Plan) else film.path
    name = "film" if path is None or str(path) == "-" else path.stem
    if template is None:
        return Path(name + usual_suffix(wanted.codec))
    if not has_fields(template):
        return template
    if isinstance(film, Plan):
        fps, size, seed = film.fps, film.size_px, film.seed
    else:
        fps = film.film.fps or generate.capabilities(backend).fps or DEFAULT_FPS
        size, seed = film.film.size_px, film.film.seed
    fields = {
        "name": name,
        "title": film.title,
        "backend": backend,
        "codec": wanted.codec,
        "quality": wanted.quality,
        "size": f"{size[0]}x{size[1]}",
        "fps": f"{float(fps):.6g}",
        "seed": str(seed),
        "date": datetime.now().astimezone().date().isoformat(),
    }
    return named(template, fields)


def join_film(
    plan: Plan,
    clips: Sequence[MadeClip],
    output: Path,
    *,
    slate: bool,
    emit: Emit,
    anonymous: bool = False,
) -> Film:
    """Writes the film and its manifest; leaves them alone if they are up to date.

    Args:
        anonymous: no title and no tags go into the film's file.
    """
    started = time.monotonic()
    emit(StageStarted("join", plan.frames))
    written, reused = publish(
        plan,
        [_segment(made) for made in clips],
        [_fact(made) for made in clips],
        output,
        slated=slate,
        anonymous=anonymous,
        advance=lambda count: emit(FramesDone("join", "", count)),
        check=lambda: _check_whole(clips),
    )
    seconds = time.monotonic() - started
    emit(StageFinished("join", seconds))
    emit(FilmFinished(str(output), plan.frames, written["output"]["bytes"], seconds, reused))
    return Film(output, written, reused)


def _check_whole(clips: Sequence[MadeClip]) -> None:
    """A flipped bit need not be seen when a film is joined by copying: every byte is compared first.

    Raises:
        AnixError: E541, a clip is not what was stored.
    """
    for made in clips:
        problems = verify(made.entry, deep=True)
        if problems:
            raise fail("E541", f"{_name(made)}: {problems[0]}", hint="run the same command again")


def _name(made: MadeClip) -> str:
    return f"shot {made.shot.id}, clip {made.clip.index}"


def _segment(made: MadeClip) -> Segment:
    name = _name(made)
    return Segment(made.entry.file(MASTER), made.entry.file(DELIVERY), made.clip.frames, name)


def _fact(made: MadeClip) -> ClipFact:
    record = made.entry.record
    return ClipFact(
        shot_id=made.shot.id,
        index=made.clip.index,
        key=made.entry.key,
        tail_in=str(record["tail_in"]),
        tail_out=str(record["tail_out"]),
        files={name: stored.sha256 for name, stored in made.entry.files.items()},
        seconds=float(record["seconds"]),
    )
