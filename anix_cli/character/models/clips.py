"""The animations of a document, and what their curves are at a time (glTF 2.0, appendix C)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .faults import MAX_VERTICES, damaged, too_large
from .model import F64, Channel, Clip, Nodes, Pose
from .reader import ModelReader

_WIDTH = {"translation": 3, "rotation": 4, "scale": 3}
_LONGEST_S = 600.0
_RATE_HZ = 60.0
_MOST_KEYS = 2400


def read_clips(reader: ModelReader, nodes: Nodes) -> tuple[Clip, ...]:
    """All animations.

    Raises:
        AnixError: E353, E355; LookupError and the like where the document contradicts itself.
    """
    clips = []
    total = 0
    for number, tree in enumerate(reader.tree.get("animations", [])):
        channels = []
        for each in tree["channels"]:
            channel = _channel(reader, nodes, tree["samplers"], each)
            if channel is not None:
                channels.append(channel)
                total += channel.values.size
        if total > 4 * MAX_VERTICES:
            raise too_large(reader.path, "animations of more numbers", f"{4 * MAX_VERTICES:,}")
        if channels:
            start = min(float(channel.times_s[0]) for channel in channels)
            end = max(float(channel.times_s[-1]) for channel in channels)
            name = str(tree.get("name", f"animation {number}"))[:120]
            clips.append(Clip(name, start, min(end - start, _LONGEST_S), tuple(channels)))
    return tuple(clips)


def _channel(reader: ModelReader, nodes: Nodes, samplers: Any, tree: dict[str, Any]) -> Channel | None:
    target = tree["target"]
    path = target.get("path")
    if "node" not in target or path not in (*_WIDTH, "weights"):
        return None
    node = reader.whole(target["node"])
    if node >= len(nodes.names):
        raise damaged(reader.path, f"an animation moves node {node}, and there are {len(nodes.names)}")
    sampler = samplers[reader.whole(tree["sampler"])]
    times = np.atleast_1d(reader.array(sampler["input"], "SCALAR")).astype(np.float64)
    form = {3: "VEC3", 4: "VEC4"}.get(_WIDTH.get(path, 0), "SCALAR")
    values = reader.array(sampler["output"], form).astype(np.float64)
    interpolation = sampler.get("interpolation", "LINEAR")
    if len(times) == 0 or node in nodes.fixed:
        return None
    rows = len(times) * (3 if interpolation == "CUBICSPLINE" else 1)
    if path == "weights":
        if len(values) % rows:
            raise damaged(reader.path, "an animation has too few morph weights")
        values = values.reshape(rows, -1)
    if len(values) < rows:
        raise damaged(reader.path, f"an animation has {len(times):,} times and {len(values):,} values")
    values = values[:rows]
    if not (np.isfinite(times).all() and np.isfinite(values).all()) or (np.diff(times) < 0).any():
        raise damaged(reader.path, "an animation has times or values that are not finite, or run backwards")
    if interpolation == "CUBICSPLINE":
        values = values.reshape(len(times), 3, -1)
    return Channel(node, path, times, values, interpolation)


class Track:
    """A clip laid out evenly in time, so that a moment of it is read in microseconds.

    Attributes:
        duration_s: from the first key to the last.
    """

    def __init__(self, clip: Clip, rest: Pose) -> None:
        self.duration_s = clip.duration_s
        count = int(min(max(np.ceil(clip.duration_s * _RATE_HZ), 1), _MOST_KEYS)) + 1
        times = clip.start_s + np.linspace(0, clip.duration_s, count)
        self.moved = np.zeros(len(rest.shift), dtype=bool)
        self._shift, self._size = (np.tile(each, (count, 1, 1)) for each in (rest.shift, rest.size))
        self._turn = np.tile(rest.turn, (count, 1, 1))
        self._weights = {node: np.tile(each, (count, 1)) for node, each in rest.weights.items()}
        for channel in clip.channels:
            values = at_times(channel, times)
            self.moved[channel.node] = True
            if channel.path == "translation":
                self._shift[:, channel.node] = values
            elif channel.path == "scale":
                self._size[:, channel.node] = values
            elif channel.path == "rotation":
                self._turn[:, channel.node] = _along(values[:, [3, 0, 1, 2]])
            elif channel.node in self._weights and values.shape[1] == self._weights[channel.node].shape[1]:
                self._weights[channel.node] = values

    def closes(self) -> bool:
        """Whether it ends as it began, so that it can go round."""
        apart = 1 - np.abs((self._turn[0] * self._turn[-1]).sum(axis=1))
        span = 1 - np.abs((self._turn[0] * self._turn).sum(axis=2)).min(axis=0)
        return bool(apart.max() < 0.02 + 0.1 * span.max())

    def keys(self) -> tuple[F64, F64, F64, F64]:
        """(times [T] since the start, shifts [T, J, 3], turns [T, J, 4], sizes [T, J, 3])."""
        return (
            np.linspace(0, self.duration_s, len(self._shift)),
            self._shift,
            self._turn,
            self._size,
        )

    def at(self, time_s: float) -> Pose:
        """The pose at a time since the start, held before it and after the end."""
        last = len(self._shift) - 1
        place = min(max(time_s / self.duration_s, 0.0), 1.0) * last if self.duration_s > 0 else 0.0
        low = min(int(place), last)
        high, share = min(low + 1, last), place - low
        return Pose(
            self._shift[low] + share * (self._shift[high] - self._shift[low]),
            _unit(self._turn[low] + share * (self._turn[high] - self._turn[low])),
            self._size[low] + share * (self._size[high] - self._size[low]),
            {node: each[low] + share * (each[high] - each[low]) for node, each in self._weights.items()},
        )


def at_times(channel: Channel, times: F64) -> F64:
    """A channel's values [T, n] at times; rotations of "LINEAR" go the short way round on the sphere."""
    keys, values = channel.times_s, channel.values
    if len(keys) == 1:
        first = values[0, 1] if channel.interpolation == "CUBICSPLINE" else values[0]
        return np.tile(first, (len(times), 1))
    low = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, len(keys) - 2)
    span = np.maximum(keys[low + 1] - keys[low], 1e-9)
    u = np.clip((times - keys[low]) / span, 0, 1)[:, None]
    if channel.interpolation == "STEP":
        return np.where(u >= 1, values[low + 1], values[low])
    if channel.interpolation == "CUBICSPLINE":
        start, leave = values[low, 1], values[low, 2] * span[:, None]
        end, arrive = values[low + 1, 1], values[low + 1, 0] * span[:, None]
        found = (
            (2 * u**3 - 3 * u**2 + 1) * start
            + (u**3 - 2 * u**2 + u) * leave
            + (3 * u**2 - 2 * u**3) * end
            + (u**3 - u**2) * arrive
        )
        return _unit(found) if channel.path == "rotation" else found
    if channel.path == "rotation":
        return _slerp(_unit(values[low]), _unit(values[low + 1]), u)
    return values[low] + u * (values[low + 1] - values[low])


def _slerp(a: F64, b: F64, u: F64) -> F64:
    dot = (a * b).sum(axis=1, keepdims=True)
    b = np.where(dot < 0, -b, b)
    angle = np.arccos(np.clip(np.abs(dot), 0, 1))
    sine = np.sin(angle)
    near = sine < 1e-5
    safe = np.where(near, 1.0, sine)
    first = np.where(near, 1 - u, np.sin((1 - u) * angle) / safe)
    second = np.where(near, u, np.sin(u * angle) / safe)
    return _unit(first * a + second * b)


def _unit(quats: F64) -> F64:
    length = np.linalg.norm(quats, axis=-1, keepdims=True)
    return np.asarray(quats / np.where(length < 1e-9, 1.0, length))


def _along(quats: F64) -> F64:
    """The same turns, each with the sign that lies nearer to the one before."""
    quats = _unit(quats)
    flips = (quats[1:] * quats[:-1]).sum(axis=1) < 0
    signs = np.concatenate([[1.0], np.where(np.cumsum(flips) % 2, -1.0, 1.0)])
    return np.asarray(quats * signs[:, None])
