"""A small plan made by hand, and clips for it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

from anix_cli.core.keys import file_digest
from anix_cli.core.plan import (
    Estimate,
    Plan,
    PlannedClip,
    PlannedShot,
    ScenePlacement,
    Take,
    Transition,
)
from anix_cli.film.join import Segment
from anix_cli.film.manifest import ClipFact
from anix_cli.media.video import VideoWriter

SIZE, FPS = (64, 48), Fraction(16)
KEY = "ab" * 32


def a_plan(folder: Path, lengths=((3, 2), (4,)), fade_s: float = 0.0) -> Plan:
    shots, at = [], 0
    for number, clips in enumerate(lengths):
        planned, start = [], 0
        for index, frames in enumerate(clips):
            planned.append(PlannedClip(f"s{number}", index, start, frames, frames, 0, 7, "p", "", KEY))
            start += frames
        poses = np.tile(np.eye(4), (start, 1, 1))
        shot = PlannedShot(
            id=f"s{number}",
            command="waves",
            camera="follow",
            start=at,
            frames=start,
            beats=(),
            clips=tuple(planned),
            world_from_camera=poses,
            intrinsics=poses[:, :3, :3],
            subjects=(),
            guide_key=KEY,
            transition=Transition("fade", fade_s) if number and fade_s else None,
        )
        shots.append(shot)
        at += start
    return Plan(
        title="The courier",
        size_px=SIZE,
        fps=FPS,
        seed=7,
        backend="animatic",
        scene=ScenePlacement(
            file=folder / "plaza.spz", key=KEY, digest=KEY, stage_from_file=np.eye(4), extent_m=10.0
        ),
        cast=(),
        takes=(Take(tuple(shots)),),
        estimate=Estimate(at, len(lengths), 0, 0, 0),
        store=folder / ".anix",
        screenplay=folder / "courier.yaml",
    )


def made(plan: Plan, folder: Path, level: int = 100) -> tuple[list[Segment], list[ClipFact]]:
    segments, facts = [], []
    for shot in plan.shots():
        for clip in shot.clips:
            frames = np.full((clip.frames, SIZE[1], SIZE[0], 3), level, dtype=np.uint8)
            stem = folder / f"{level}-{shot.id}-{clip.index}"
            master, delivery = stem.with_suffix(".mkv"), stem.with_suffix(".mp4")
            with (
                VideoWriter(master, SIZE, FPS, "master") as a,
                VideoWriter(delivery, SIZE, FPS, "delivery") as b,
            ):
                a.write(frames)
                b.write(frames)
            segments.append(Segment(master, delivery, clip.frames, f"shot {shot.id}, clip {clip.index}"))
            digests = {
                "frames.mkv": file_digest(master),
                "delivery.mp4": file_digest(delivery),
            }
            facts.append(ClipFact(shot.id, clip.index, KEY, "", KEY, digests, 1.5))
    return segments, facts
