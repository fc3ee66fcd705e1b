"""A figure covered with Gaussians, in any pose."""

from __future__ import annotations

import numpy as np

from anix_cli.core.gaussians import Gaussians

from .figure import Figure
from .model import F64, Pose
from .pose import bone_matrices
from .sample import sample

FEWEST, MOST = 6_000, 60_000
_PER_ROW2 = 0.09


def count_for(height_px: int) -> int:
    """How many Gaussians show a body that fills a picture of so many rows: one on about ten of its pixels."""
    return int(min(max(_PER_ROW2 * height_px**2, FEWEST), MOST))


class Dressed:
    """A figure's Gaussians, posed by :meth:`posed`."""

    def __init__(self, figure: Figure, count: int, *, plain: bool = False) -> None:
        self.figure = figure
        self.skin = sample(figure, count, plain=plain)

    def __len__(self) -> int:
        return len(self.skin)

    def means(self, pose: Pose) -> F64:
        """[N, 3] where the Gaussians are, with numpy alone: to measure a pose without compiling anything."""
        matrices = bone_matrices(self.figure.model, pose, self.figure.stage_from_model)
        skin = self.skin
        moved = np.zeros((len(skin), 3))
        for column in range(4):
            share = skin.weights[:, column].astype(np.float64)
            rows = np.flatnonzero(share > 0)
            matrix = matrices[skin.bones[rows, column]]
            part = np.einsum("nij,nj->ni", matrix[:, :3, :3], skin.points[rows]) + matrix[:, :3, 3]
            moved[rows] += share[rows, None] * part
        return moved

    def posed(self, pose: Pose, stage_from_stage: F64 | None = None) -> Gaussians:
        """The Gaussians on the stage.

        Args:
            stage_from_stage: [4, 4] rigid, what moves the figure from where it stands.
        """
        from .skinning import move

        placed = self.figure.stage_from_model
        if stage_from_stage is not None:
            placed = stage_from_stage @ placed
        matrices = np.ascontiguousarray(bone_matrices(self.figure.model, pose, placed))
        skin = self.skin
        points = skin.points
        for node, rows, shifts in skin.morphs:
            weights = pose.weights.get(node)
            if weights is not None and weights.any():
                points = points.copy() if points is skin.points else points
                points[rows] += np.tensordot(weights[: len(shifts)], shifts, axes=1).astype(np.float32)
        count = len(skin)
        means, scales = np.empty((count, 3), np.float32), np.empty((count, 3), np.float32)
        quats, sh = np.empty((count, 4), np.float32), np.empty((count, 1, 3), np.float32)
        move(
            points, skin.along, skin.across, skin.normals, skin.bones, skin.weights, matrices, skin.rgb,
            means, quats, scales, sh, np.empty((3, 4)),
        )  # fmt: skip
        return Gaussians(means, quats, scales, skin.opacities, sh)
