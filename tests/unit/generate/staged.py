"""Requests of a walker with boxes in the picture, at sizes that video models take."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scenery

from anix_cli.core.camera import intrinsics_from_fov_y, look_at, project
from anix_cli.generate.diffusion.regions import box_region

SIZE = (96, 64)
K = intrinsics_from_fov_y(40, SIZE)
CAMERA = look_at((0, 1.2, 4.0), (0, 0.8, 0))


def walker(total, *, name="mira", z=0.0, x=0.4, gestures=()):
    root = np.stack([np.linspace(-x, x, total), np.zeros(total), np.full(total, z)], axis=1)
    who = scenery.subject(root, speed=1.4, phase=np.arange(total) / 8, name=name)
    ends = np.stack([root, root + np.array([0, 1.75, 0])], axis=1)
    pixels, _ = project(ends, CAMERA, K)
    feet, head = pixels[:, 0], pixels[:, 1]
    half = 0.25 * (feet[:, 1] - head[:, 1])
    box = np.stack([feet[:, 0] - half, head[:, 1], feet[:, 0] + half, feet[:, 1]], axis=1)
    return replace(who, box_px=box, gestures=tuple(gestures))


def asked(frames=8, tail=5, *, who=None, boxes=(), **changes):
    total = tail + frames
    who = (walker(total),) if who is None else who
    made = scenery.request(who, [CAMERA] * total, boxes=boxes, tail=tail, size_px=SIZE, intrinsics=K)
    anchor = np.zeros(made.anchor.shape, bool)
    for one in who:
        anchor |= box_region(one, anchor.shape)
    earlier = np.random.default_rng(2).integers(0, 255, made.tail.shape).astype(np.uint8)
    return replace(made, anchor=anchor, tail=earlier, prompt="mira walks; a woman in a red coat", **changes)


def made(backend, request, **changes):
    notes = {}
    frames = backend.generate(replace(request, note=notes.__setitem__, **changes), lambda done, total: None)
    return frames, notes


def arrays(pictures):
    return np.stack([np.asarray(picture) for picture in pictures])


def watch(monkeypatch, pipeline):
    """What each call of a pipeline's class is given."""
    seen, real = [], pipeline.__call__

    def noted(self, **given):
        seen.append(given)
        return real(self, **given)

    monkeypatch.setattr(pipeline, "__call__", noted)
    return seen
