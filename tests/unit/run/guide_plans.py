"""A plan of one long shot round a yard, made by hand, with a scene that can be loaded."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from anix_cli.core.camera import intrinsics_from_lens, look_at
from anix_cli.core.plan import Estimate, Plan, PlannedShot, ScenePlacement, Take
from anix_cli.plan.clips import guide_key
from anix_cli.scene import scene_digest, write_ply
from tests.conftest import yard

FPS = Fraction(16)


def orbit_plan(folder: Path, frames: int, size_px: tuple[int, int] = (32, 24)) -> Plan:
    file = folder / "yard.ply"
    write_ply(file, yard())
    digest = scene_digest(file)
    scene = ScenePlacement(file, digest, digest, np.eye(4), 30.0)
    angles = np.linspace(0, 6, frames)
    poses = np.stack([look_at((5 * np.sin(a), 1.5, 5 * np.cos(a)), (0, 1, 0)) for a in angles])
    lens = np.repeat(intrinsics_from_lens(24, size_px)[None], frames, axis=0)
    shot = PlannedShot("long", "", "orbit", 0, frames, (), (), poses, lens, (), "")
    shot = replace(shot, guide_key=guide_key(shot, scene, size_px, FPS))
    return Plan(
        "Long", size_px, FPS, 7, "animatic", scene, (), (Take((shot,)),),
        Estimate(frames, 0, 0, 1, 0), folder / "store",
    )  # fmt: skip
