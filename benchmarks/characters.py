"""Characters: do their feet stand still on the ground, and how long does posing take?

python -m benchmarks.characters MODEL.glb … [--height 1.7] [--speed] [--sweep]
python -m benchmarks.characters --views FOLDER   # front.png, left.png, right.png, back.png
python -m benchmarks.characters --film FILM.yaml   # how much of an animatic's time is posing
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from anix_cli.character.course import Course, goes_ahead
from anix_cli.character.moment import Body, Moment
from anix_cli.core.easing import smoothstep

FPS = 24.0
SPEEDS = (0.4, 0.7, 1.0, 1.2, 1.4, 1.8, 2.2, 2.6, 3.2, 4.0, 5.0, 6.0)
SLOW_MPS = 2.2
"""Nobody goes backwards or aside faster."""
NEAR_M = 0.01
"""What is no higher above the ground touches it."""


@dataclass(frozen=True)
class Contact:
    """Metres: most that a foot slides while it touches the ground, that anything is below it, and that both
    feet are above it (which a run and a hop do)."""

    slide_m: float
    sunk_m: float
    floats_m: float


def course_of(steps: Any, speeds: Any, yaws: Any, *, slip_rad: float = 0.0) -> Course:
    """Frames at these speeds, along these yaws; or so far aside of where it faces, π is backwards."""
    speeds, yaws = np.asarray(speeds, float), np.asarray(yaws, float)
    heads = yaws + slip_rad
    way = speeds[:, None] * np.stack([np.sin(heads), np.cos(heads)], axis=1) / FPS
    ground = np.cumsum(way, axis=0) - way[0]
    root = np.stack([ground[:, 0], np.zeros(len(speeds)), ground[:, 1]], axis=1)
    taken = speeds / steps.at(speeds) / FPS
    return Course(root, yaws, speeds, np.cumsum(taken) - taken[0], np.zeros(len(speeds)), FPS)


def moment_of(course: Course, frame: int) -> Moment:
    """A frame of a course, as the animatic asks for it."""
    yaw = float(course.yaw_rad[frame])
    moved = course.root[frame] - course.root[max(frame - 1, 0)]
    return Moment(
        course.root[frame], yaw, speed_mps=float(course.speed_mps[frame]),
        gait_phase=float(course.gait_phase[frame]), time_s=frame / FPS, course=course,
        ahead=goes_ahead(moved[[0, 2]], yaw),
    )  # fmt: skip


def courses(steps: Any) -> Iterator[tuple[str, Course]]:
    """What characters do most: each from standing to standing."""
    level = np.full(72, 0.7)
    yield "walk", course_of(steps, _ramped(1.4), level)
    yield "run", course_of(steps, _ramped(4.0), level)
    yield "backwards", course_of(steps, _ramped(0.9), level, slip_rad=math.pi)
    yield "aside", course_of(steps, _ramped(0.7), level, slip_rad=math.pi / 2)
    yield "turn", course_of(steps, np.zeros(60), math.pi * smoothstep(np.arange(60), 6, 40))
    yield "bend", course_of(steps, np.full(60, 1.2), np.linspace(0, 2, 60))


def sweep(steps: Any) -> Iterator[tuple[str, float, Course]]:
    """Ways of going at each speed, metres a second."""
    for speed in SPEEDS:
        level = np.full(72, 0.7)
        yield "ahead", speed, course_of(steps, _ramped(speed), level)
        yield "curve", speed, course_of(steps, _ramped(speed), level + 0.8 * np.arange(72) / FPS)
        if speed <= SLOW_MPS:
            yield "backwards", speed, course_of(steps, _ramped(speed), level, slip_rad=math.pi)
            yield "aside", speed, course_of(steps, _ramped(speed), level, slip_rad=math.pi / 2)


def _ramped(cruise: float, frames: int = 72, ramp: int = 12) -> Any:
    at = np.arange(frames)
    slows = frames - 20
    return cruise * np.minimum(smoothstep(at, 4, 4 + ramp), 1 - smoothstep(at, slows - ramp, slows))


def contact(body: Body, course: Course, soles: tuple[Any, Any], rows: Any) -> Contact:
    """How a body goes along a course.

    Args:
        soles: rows of the Gaussians of the left and of the right foot. rows: of all that is body.
    """
    means = np.stack([body.at(moment_of(course, frame)).means for frame in range(len(course.root))])
    worst = 0.0
    for own in soles:
        slid = np.zeros(2)
        for before, after in pairwise(means[:, own].astype(np.float64)):
            down = (before[:, 1] < NEAR_M) & (after[:, 1] < NEAR_M)
            slid = slid + (after - before)[down][:, [0, 2]].mean(axis=0) if down.sum() > 2 else np.zeros(2)
            worst = max(worst, float(np.hypot(*slid)))
    floats = float(np.minimum(*(means[:, own, 1].min(axis=1) for own in soles)).max())
    return Contact(worst, -float(means[:, rows, 1].min()), floats)


def model_body(path: Path, height_m: float, count: int = 3000) -> tuple[Body, Any, tuple[Any, Any], Any]:
    """(body, its steps, rows of both feet, rows of the body) of a 3D model."""
    from anix_cli.character.models.body import ModelBody
    from anix_cli.character.models.figure import stand
    from anix_cli.character.models.read import read_model

    figure = stand(read_model(path), height_m)
    body = ModelBody(figure, count)
    bones = figure.model.bones[body.dressed.skin.bones[:, 0]]
    feet = body.actor._feet
    soles = [np.flatnonzero(np.isin(bones, figure.model.nodes.below(leg.foot))) for leg in feet.legs]
    return body, body.actor.steps, (soles[0], soles[1]), np.flatnonzero(body.dressed.skin.body)


def views_body(folder: Path, height_m: float) -> tuple[Body, Any, tuple[Any, Any], Any]:
    """The same of a body carved from four views."""
    from anix_cli.character import VIEW_NAMES, hull, read_views
    from anix_cli.character.body import CarvedBody
    from anix_cli.character.pose import rig
    from anix_cli.core.gait import Steps

    views = read_views({name: folder / f"{name}.png" for name in VIEW_NAMES})
    bones = rig(hull(views, height_m))
    low = bones.body.means[:, 1] < 0.07 * height_m
    soles = [np.flatnonzero(low & (limb.whole > 0.5)) for limb in bones.legs]
    steps = Steps(0.7, 1.2)
    return CarvedBody(bones), steps, (soles[0], soles[1]), np.arange(len(bones.body.means))


def _posing_ms(path: Path, height_m: float) -> float:
    body, steps, _, _ = model_body(path, height_m, 20_000)
    course = course_of(steps, np.full(60, 1.4), np.zeros(60))
    moments = [moment_of(course, frame) for frame in range(10, 60)]
    body.at(moments[0])
    best = math.inf
    for _ in range(3):
        start = time.thread_time()
        for now in moments:
            body.at(now)
        best = min(best, (time.thread_time() - start) / len(moments))
    return 1000 * best


def _views_s(path: Path) -> float:
    from anix_cli.character.models.views import views_of

    start = time.process_time()
    views_of(path, size_px=1024, height_m=1.7)
    return time.process_time() - start


def posing_share(film: Path) -> tuple[float, float]:
    """(CPU seconds of posing, of all else) while the clips of a film are made as an animatic; its guides and
    the reading of its characters are not counted, nor is what is compiled."""
    import anix_cli.character.body as bodies
    from anix_cli.character.body import CarvedBody
    from anix_cli.character.models.body import ModelBody
    from anix_cli.cli.app import app_for
    from anix_cli.generate.animatic import AnimaticBackend

    spent = {"posing": 0.0, "carving": 0.0, "all": 0.0}

    def timed(name: str, clock: Any, function: Any) -> Any:
        def call(*arguments: Any) -> Any:
            start = clock()
            try:
                return function(*arguments)
            finally:
                spent[name] += clock() - start

        return call

    bodies.body_of = timed("carving", time.thread_time, bodies.body_of)
    for body in (CarvedBody, ModelBody):
        body.at = timed("posing", time.thread_time, body.at)
    AnimaticBackend.generate = timed("all", time.process_time, AnimaticBackend.generate)
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(2):  # what is compiled and read once is in the first
            spent.update(posing=0.0, carving=0.0, all=0.0)
            os.environ["ANIX_CACHE_DIR"] = str(Path(folder) / f"store{turn}")
            arguments = ["render", str(film), "-o", str(Path(folder) / f"{turn}.mp4"), "--quiet"]
            app_for(arguments)(arguments, standalone_mode=False)
    return spent["posing"], spent["all"] - spent["posing"] - spent["carving"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--views", type=Path, help="a folder with front.png, left.png, right.png, back.png")
    parser.add_argument("--height", type=float, default=1.7)
    parser.add_argument("--film", type=Path, help="a screenplay: times posing in its animatic")
    parser.add_argument("--sweep", action="store_true", help="go at twelve speeds, ahead, back and aside")
    parser.add_argument("--speed", action="store_true", help="also the times, on this machine")
    asked = parser.parse_args()
    made = [(path.stem, lambda path=path: model_body(path, asked.height)) for path in asked.models]
    if asked.views:
        made.append((asked.views.name, lambda: views_body(asked.views, asked.height)))
    for name, make in made:
        body, steps, soles, rows = make()
        for action, course in courses(steps):
            found = contact(body, course, soles, rows)
            print(
                f"{name:28} {action:10} slides {100 * found.slide_m:5.1f} cm, "
                f"sinks {100 * found.sunk_m:5.1f} cm, floats {100 * found.floats_m:5.1f} cm"
            )
        rows_of: dict[str, list[str]] = {}
        for way, speed, course in sweep(steps) if asked.sweep else ():
            found = contact(body, course, soles, rows)
            rows_of.setdefault(way, []).append(f"{speed:g}: {100 * found.slide_m:.1f}")
        for way, slides in rows_of.items():
            print(f"{name:28} {way:10} slides, cm at m/s: {', '.join(slides)}")
    for path in asked.models if asked.speed else ():
        print(f"{path.stem:32} four views of 1024 px, {_views_s(path):.1f} s of CPU from cold")
        print(f"{path.stem:32} 20,000 Gaussians posed in {_posing_ms(path, asked.height):.1f} ms")
    if asked.film:
        posing, rest = posing_share(asked.film)
        print(
            f"{asked.film.stem:32} posing {posing:.2f} s of CPU, all else of its clips {rest:.2f} s", end=": "
        )
        print(f"posing adds {100 * posing / rest:.1f} %")


if __name__ == "__main__":
    main()
