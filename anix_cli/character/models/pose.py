"""Node poses as matrices, blended and turned. Frames: the model's, column vectors."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from .model import F64, Model, Nodes, Pose


def worlds(nodes: Nodes, pose: Pose) -> F64:
    """model_from_node of every node, [J, 4, 4]; identity for nodes that the scene does not hold."""
    local = np.zeros((len(nodes.names), 4, 4))
    local[:, :3, :3] = matrices(pose.turn) * pose.size[:, None, :]
    local[:, :3, 3] = pose.shift
    local[:, 3, 3] = 1
    for node, matrix in nodes.fixed.items():
        local[node] = matrix
    found = local.copy()
    for layer in nodes.layers[1:]:
        found[layer] = found[nodes.parents[layer]] @ local[layer]
    return found


def matrices(quats: F64) -> F64:
    """[..., 3, 3] of unit quaternions [..., 4], wxyz."""
    w, x, y, z = (quats[..., index] for index in range(4))
    found = np.empty((*quats.shape[:-1], 3, 3))
    found[..., 0, 0], found[..., 0, 1] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z)
    found[..., 0, 2], found[..., 1, 0] = 2 * (x * z + w * y), 2 * (x * y + w * z)
    found[..., 1, 1], found[..., 1, 2] = 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    found[..., 2, 0], found[..., 2, 1] = 2 * (x * z - w * y), 2 * (y * z + w * x)
    found[..., 2, 2] = 1 - 2 * (x * x + y * y)
    return found


def quat_of(matrix: F64) -> F64:
    """The unit quaternion, wxyz, of a matrix [3, 3] whose columns are stretched evenly or not at all."""
    m = matrix / np.maximum(np.linalg.norm(matrix, axis=0), 1e-12)
    if np.linalg.det(m) < 0:
        m = -m
    # Bar-Itzhack 2000: the eigenvector of the largest eigenvalue, safe for what is nearly a rotation.
    k = np.array([
        [m[0, 0] + m[1, 1] + m[2, 2], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
        [m[2, 1] - m[1, 2], m[0, 0] - m[1, 1] - m[2, 2], m[1, 0] + m[0, 1], m[0, 2] + m[2, 0]],
        [m[0, 2] - m[2, 0], m[1, 0] + m[0, 1], m[1, 1] - m[0, 0] - m[2, 2], m[2, 1] + m[1, 2]],
        [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2], m[2, 2] - m[0, 0] - m[1, 1]],
    ])  # fmt: skip
    return np.asarray(np.linalg.eigh(k)[1][:, -1])


def times(a: F64, b: F64) -> F64:
    """The turn ``b`` and then ``a``, quaternions [..., 4], wxyz."""
    if a.ndim == b.ndim == 1:  # plain numbers: ten times as fast as arrays of one
        p, q = a.tolist(), b.tolist()
        return np.array([
            p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
            p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
            p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
        ])  # fmt: skip
    aw, ax, ay, az = (a[..., index] for index in range(4))
    bw, bx, by, bz = (b[..., index] for index in range(4))
    found = np.empty(np.broadcast_shapes(a.shape, b.shape))
    found[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    found[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    found[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    found[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return found


def cross(a: F64, b: F64) -> F64:
    """The vector product of two vectors [3]."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def about(axis: F64, angle: float) -> F64:
    """The quaternion of a turn about a unit axis."""
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * np.asarray(axis, dtype=np.float64)])


def between(a: F64, b: F64) -> F64:
    """The shortest turn that takes the direction of ``a`` to that of ``b``."""
    a, b = (np.asarray(each, np.float64) / max(float(np.linalg.norm(each)), 1e-12) for each in (a, b))
    quat = np.concatenate([[1 + float(a @ b)], cross(a, b)])
    length = float(np.linalg.norm(quat))
    return np.asarray(quat / length) if length > 1e-6 else np.array([0.0, 1.0, 0.0, 0.0])


def turned_bones(nodes: Nodes, pose: Pose, turns: Mapping[int, F64]) -> Pose:
    """The pose with bones turned about their own heads, as told in the model's frame.

    Args:
        turns: quaternion by node. A bone below another that turns is carried along first.
    """
    if not turns:
        return pose
    known: dict[int, F64] = {}
    turn = pose.turn.copy()
    order = [int(node) for layer in nodes.layers for node in layer if int(node) in turns]
    for node in order:
        # In its own parent's frame as it stood: what turns above carries the whole along.
        above = _turned_as(nodes, pose, int(nodes.parents[node]), known)
        turn[node] = times(times(_inverse(above), times(turns[node], above)), turn[node])
    return Pose(pose.shift, turn, pose.size, pose.weights)


def _turned_as(nodes: Nodes, pose: Pose, node: int, known: dict[int, F64]) -> F64:
    """model_from_node as a quaternion, of those nodes alone that are asked for; none for -1."""
    chain = []  # chains in files of others may be longer than Python's stack
    while node >= 0 and node not in known:
        chain.append(node)
        node = int(nodes.parents[node])
    found = known[node] if node >= 0 else np.array([1.0, 0.0, 0.0, 0.0])
    for node in reversed(chain):
        fixed = nodes.fixed.get(node)
        found = times(found, pose.turn[node] if fixed is None else quat_of(fixed[:3, :3]))
        known[node] = found
    return found


def _inverse(quat: F64) -> F64:
    return np.asarray(quat * np.array([1.0, -1.0, -1.0, -1.0]))


def blended(a: Pose, b: Pose, share: float | NDArray[np.float64]) -> Pose:
    """``share`` of the way from one pose to another: one number, or [J], for each node its own."""
    u = np.broadcast_to(np.asarray(share, np.float64), (len(a.turn),))[:, None]
    sign = np.where((a.turn * b.turn).sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    turn = a.turn + u * (sign * b.turn - a.turn)
    turn /= np.maximum(np.linalg.norm(turn, axis=1, keepdims=True), 1e-12)
    weights = {
        node: first + float(u[node, 0]) * (b.weights.get(node, first) - first)
        for node, first in a.weights.items()
    }
    return Pose(a.shift + u * (b.shift - a.shift), turn, a.size + u * (b.size - a.size), weights)


def bone_matrices(model: Model, pose: Pose, stage_from_model: F64) -> F64:
    """stage_from_piece of every bone, [B, 4, 4]."""
    return np.asarray(stage_from_model @ worlds(model.nodes, pose)[model.bones] @ model.starts)
