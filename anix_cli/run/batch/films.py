"""The films of a batch: what each would be called, and, before the night, whether it can be made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ...core.errors import AnixError, Diagnostic, refuse_warnings, together
from ...core.plan import Estimate, Plan, Take
from ...film.naming import usual_suffix
from ...screenplay import load
from ...store.store import Store
from ..candidates import candidates_of, to_make
from ..film import check_output
from ..layout import store_root
from ..memory import set_out
from ..preflight import check_spaces, check_tools, rooms
from ..prepare import prepare
from .orders import Order
from .ready import problems_of_backend


@dataclass(frozen=True)
class Wish:
    """What is asked for all films of a batch."""

    folder: Path
    backend: str = "animatic"
    settings: tuple[str, ...] = ()
    slate: bool = False
    anonymous: bool = False
    gpus_per_clip: int = 1
    candidates: int | None = None
    overwrite: bool = False
    report: bool = True
    strict: bool = False
    device: str | None = None
    ffmpeg: Path | None = None


@dataclass(frozen=True)
class Booked:
    """A film of a batch.

    Attributes:
        plan: as it was when the batch began; None where it can't be made.
        takes: those of which something has to be made.
        problems: why it can't be made, or what there is to say of it.
        estimate: what there would be to do, also of one that was planned and still can't be made here.
        left: whether it is left for another night, as the time is not enough.
    """

    screenplay: Path
    output: Path
    plan: Plan | None
    takes: tuple[int, ...]
    problems: tuple[Diagnostic, ...] = ()
    estimate: Estimate | None = None
    left: bool = False

    @property
    def remembers(self) -> bool:
        """Whether clips are shown parts of earlier ones, so that takes are made one after the other."""
        return self.plan is not None and any(clip.memory for shot in self.plan.shots() for clip in shot.clips)

    @property
    def seconds(self) -> float | None:
        """How long it would take one worker; None where that is not known."""
        return None if self.plan is None else self.plan.estimate.seconds

    def order(self, take: int | None, wish: Wish) -> Order:
        return Order(
            self.screenplay.absolute(),
            self.output.absolute(),
            wish.backend,
            take,
            settings=wish.settings,
            slate=wish.slate,
            anonymous=wish.anonymous,
            gpus_per_clip=wish.gpus_per_clip,
            candidates=wish.candidates,
            overwrite=wish.overwrite,
            report=wish.report,
            device=wish.device,
            ffmpeg=None if wish.ffmpeg is None else wish.ffmpeg.absolute(),
        )


def names_of(films: Sequence[Path]) -> list[str]:
    """What the films are called, without suffix: their screenplays' names, and where those are the same, with
    the name of the folder before them.

    Raises:
        AnixError: E446, some would still be called the same.
    """
    stems = Counter(film.stem for film in films)
    names = [
        film.stem if stems[film.stem] == 1 else f"{film.absolute().parent.name}-{film.stem}" for film in films
    ]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        same = " and ".join(str(film) for film, name in zip(films, names, strict=True) if name == twice[0])
        raise AnixError(
            Diagnostic(
                "E446",
                f"{same} would both be written to {twice[0]}",
                hint="rename one of them, or make two batches with an --out of their own",
            )
        )
    return names


def book(films: Sequence[Path], wish: Wish) -> list[Booked]:
    """Plans all films, and looks whether anything would stop the night.

    Raises:
        AnixError: E446, two films of one name; E461, the disk has no room for all of them together, and what
            else is wrong with any.
    """
    booked = [
        _booked(film, wish.folder / name, wish) for film, name in zip(films, names_of(films), strict=True)
    ]
    booked = _with_backend_checked(booked, wish)
    lacking = check_spaces(
        room for one in booked if one.plan is not None for room in rooms(one.plan, one.output)
    )
    if lacking:
        others = [problem for one in booked if one.plan is None for problem in one.problems]
        raise AnixError([*lacking, *others])
    return booked


def within(booked: Sequence[Booked], budget_s: float, workers: int) -> list[Booked]:
    """The same films; those for which the time is not enough are left. As many as can be are made: the
    shortest count first, and one of which the time is not known takes none."""
    order = sorted(range(len(booked)), key=lambda index: booked[index].seconds or 0.0)
    sum_s, found = 0.0, list(booked)
    for index in order:
        sum_s += (booked[index].seconds or 0.0) / workers
        if sum_s > budget_s:
            found[index] = replace(booked[index], left=True)
    return found


def shortest_first(booked: Sequence[Booked]) -> list[Booked]:
    """The order in which most are made in a given time; films of which the time is not known come last."""
    return sorted(booked, key=lambda one: (one.seconds is None, one.seconds or 0.0))


def begin(booked: Sequence[Booked]) -> None:
    """Records what of the films is about to be made and why, for their reports."""
    for one in booked:
        if one.plan is not None and not one.left:
            with suppress(AnixError):  # a remark, on which nothing depends
                set_out(Store(one.plan.store), one.plan)


def frames_in_all(booked: Sequence[Booked]) -> int:
    """How many frames of guides, clips and candidates are to be made."""
    plans = [one.plan for one in booked if one.plan is not None and not one.left]
    return sum(
        plan.estimate.candidate_frames
        + sum(shot.frames for shot in plan.shots() if shot.guide_stale_because)
        + sum(clip.frames for shot in plan.shots() for clip in shot.clips if clip.stale_because)
        for plan in plans
    )


def seconds_in_all(booked: Sequence[Booked]) -> float | None:
    """How long one worker would take for what is to be made; None where that is not known of some film."""
    each = [one.seconds for one in booked if one.plan is not None and not one.left]
    return None if None in each else sum(one or 0.0 for one in each)


def _with_backend_checked(booked: Sequence[Booked], wish: Wish) -> list[Booked]:
    """The same films; those that the backend can't make on this machine have no plan, and its problems."""
    asked = {
        index: [dict(clip.options) for shot in one.plan.shots() for clip in shot.clips if clip.stale_because]
        for index, one in enumerate(booked)
        if one.plan is not None and one.plan.estimate.stale_clips
    }
    problems = problems_of_backend(wish.backend, list(asked.values()), gpus_per_clip=wish.gpus_per_clip)
    found = list(booked)
    for index, lacking in zip(asked, problems, strict=True):
        if lacking:
            one = booked[index]
            found[index] = replace(one, plan=None, takes=(), problems=(*lacking, *one.problems))
    return found


def _booked(film: Path, place: Path, wish: Wish) -> Booked:
    try:
        screenplay = load(film, settings=wish.settings)
        output = place.with_name(place.name + usual_suffix(screenplay.film.codec))
        store = Store(store_root(screenplay.path))
        plan = prepare(screenplay, backend=wish.backend, store=store, candidates=wish.candidates).plan
        problems = together(
            lambda: refuse_warnings(plan.notes if wish.strict else ()),
            lambda: check_output(plan, output, overwrite=wish.overwrite),
            lambda: check_tools(plan, ffmpeg=wish.ffmpeg, output=output),
        )
    except AnixError as error:
        return Booked(film, place, None, (), error.diagnostics)
    if problems:
        return Booked(film, output, None, (), tuple(problems), plan.estimate)
    left = {one.shot.id for one in to_make(list(candidates_of(plan, screenplay, wish.candidates)), store)}
    stale = tuple(index for index, take in enumerate(plan.takes) if _is_stale(take, left))
    return Booked(film, output, plan, stale, plan.notes, plan.estimate)


def _is_stale(take: Take, left: Set[str]) -> bool:
    """Whether there is something to make; ``left``: ids of shots that lack candidates."""
    return any(shot.id in left or any(clip.stale_because for clip in shot.clips) for shot in take.shots)
