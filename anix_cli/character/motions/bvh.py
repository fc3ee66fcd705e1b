"""Biovision's BVH, read: a tree of joints, then a line of channel values for each frame.

Rotations are in degrees and multiply in the order in which a joint's channels stand (Meredith and Maddock
2001, "Motion Capture File Formats Explained"). Position channels take the place of the joint's OFFSET. Axes
and unit are not in the file; see :mod:`.performer` for how they are told.
"""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

from ..models.model import F64, Channel, Clip, Nodes, Pose
from ..models.pose import times
from .faults import MAX_BYTES, MAX_JOINTS, MAX_NUMBERS, damaged, no_motion, too_large, truncated

_CHANNEL = re.compile(r"([xyz])(position|rotation)", re.IGNORECASE)
_SLOWEST_S = 10.0


@dataclass
class _Joint:
    name: str
    parent: int
    offset: tuple[float, ...] = (0.0, 0.0, 0.0)
    channels: list[tuple[str, int]] = field(default_factory=list)  # (position | rotation, axis)


def read_bvh(path: Path) -> tuple[Nodes, Clip]:
    """The joints as nodes, unturned at rest, and the motion as a clip of them.

    Raises:
        AnixError: E361, no BVH; E362, truncated; E363, it contradicts itself; E364, larger than any motion.
    """
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise too_large(path, f"{size:,} bytes", f"{MAX_BYTES:,}")
    text = path.read_bytes().decode("utf-8-sig", errors="replace")
    head, motion, body = _parted(path, text)
    joints = _Hierarchy(path, head).joints
    width = sum(len(joint.channels) for joint in joints)
    if not motion:
        raise truncated(path, "it ends before its MOTION")
    if width == 0:
        raise damaged(path, "its joints have no channels, so that nothing moves")
    frame_s, values = _frames(path, body, width)
    return _nodes(joints), Clip(
        path.stem, 0.0, frame_s * (len(values) - 1), _channels(joints, values, frame_s)
    )


def _parted(path: Path, text: str) -> tuple[str, bool, str]:
    """(the hierarchy, whether a motion follows, the motion)."""
    if not re.match(r"\s*HIERARCHY\b", text, re.IGNORECASE):
        raise no_motion(path, "is no BVH: it does not begin with HIERARCHY")
    found = re.search(r"^\s*MOTION\s*$", text, re.IGNORECASE | re.MULTILINE)
    if found is None:
        return text, False, ""
    return text[: found.start()], True, text[found.end() :]


class _Hierarchy:
    """The joints of a HIERARCHY, parents before children."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.joints: list[_Joint] = []
        self._open: list[int] = []
        self._next = -2  # a joint whose brace is awaited
        spaced = re.sub(r"([{}])", r"\n\1\n", text)
        for line in filter(None, map(str.strip, spaced.splitlines())):
            self._line(line)
        if self._open or self._next >= 0:
            raise truncated(path, "its HIERARCHY ends within a joint")
        if not self.joints:
            raise truncated(path, "it has no joints")

    def _line(self, line: str) -> None:
        word, _, rest = line.partition(" ") if "\t" not in line else _first_word(line)
        word, rest = word.upper(), rest.strip()
        if word == "HIERARCHY":
            return
        if word in ("ROOT", "JOINT", "END"):
            self._begin(word, rest)
        elif word == "{":
            if self._next < 0:
                raise damaged(self.path, "a brace opens where no joint begins")
            self._open.append(self._next)
            self._next = -2
        elif word == "}":
            if not self._open:
                raise damaged(self.path, "a brace closes where none is open")
            self._open.pop()
        elif word in ("OFFSET", "CHANNELS") and self._open:
            self._tell(word, rest.split())
        else:
            raise damaged(self.path, f"“{line[:40]}” stands in its HIERARCHY")

    def _begin(self, word: str, name: str) -> None:
        if (word == "ROOT") == bool(self._open) or self._next >= 0:
            raise damaged(self.path, f"“{word} {name[:40]}” stands where it cannot")
        if len(self.joints) >= MAX_JOINTS:
            raise too_large(self.path, f"more than {MAX_JOINTS} joints", f"{MAX_JOINTS}")
        parent = self._open[-1] if self._open else -1
        name = f"{self.joints[parent].name} End" if word == "END" else name
        self._next = len(self.joints)
        self.joints.append(_Joint(name[:120], parent))

    def _tell(self, word: str, told: list[str]) -> None:
        joint = self.joints[self._open[-1]]
        if word == "OFFSET":
            joint.offset = tuple(_number(self.path, each) for each in told)
            if len(joint.offset) != 3 or any(abs(value) > 1e9 for value in joint.offset):
                raise damaged(self.path, f"the OFFSET of {joint.name} is no place")
            return
        found = [_CHANNEL.fullmatch(each) for each in told[1:]]
        if None in found or not told or told[0] != str(len(found)):
            raise damaged(self.path, f"the CHANNELS of {joint.name} are not those of a BVH")
        joint.channels = [(each[2].lower(), "xyz".index(each[1].lower())) for each in found if each]
        if len(set(joint.channels)) < len(joint.channels):
            raise damaged(self.path, f"{joint.name} has a channel twice")


def _first_word(line: str) -> tuple[str, str, str]:
    word, *rest = line.split(maxsplit=1)
    return word, " ", rest[0] if rest else ""


def _number(path: Path, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise damaged(path, f"“{text[:24]}” stands where a number must")
    return value


def _frames(path: Path, text: str, width: int) -> tuple[float, F64]:
    """(seconds a frame, [F, width] values)."""
    frames = re.search(r"^\s*Frames:\s*(\S+)\s*$", text, re.IGNORECASE | re.MULTILINE)
    timed = re.search(r"^\s*Frame\s+Time:\s*(\S+)\s*$", text, re.IGNORECASE | re.MULTILINE)
    if frames is None or timed is None:
        raise truncated(path, "its MOTION tells no Frames and Frame Time")
    if not frames[1].isdecimal() or int(frames[1]) < 1:
        raise damaged(path, f"it has “{frames[1][:24]}” frames")
    count, frame_s = int(frames[1]), _number(path, timed[1])
    if count * width > MAX_NUMBERS:
        raise too_large(path, f"{count:,} frames of {width} numbers", f"{MAX_NUMBERS:,} numbers")
    if not 0 < frame_s <= _SLOWEST_S:
        raise damaged(path, f"a frame of it lasts {frame_s:g} s")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # numpy only warns of what is no number
            found = np.fromstring(text[timed.end() :], dtype=np.float64, sep=" ")
    except (ValueError, DeprecationWarning) as error:
        raise damaged(path, "there is something else than numbers in its frames") from error
    if len(found) < count * width:
        whole = len(found) // width
        raise truncated(path, f"it promises {count:,} frames of {width} numbers, and has {whole:,}")
    values = found[: count * width].reshape(count, width)
    if not np.all(np.abs(values) < 1e9):  # NaN is not less either
        raise damaged(path, "its frames hold numbers that are not finite")
    return frame_s, values


def _nodes(joints: list[_Joint]) -> Nodes:
    parents = np.array([joint.parent for joint in joints], np.int32)
    depth = np.zeros(len(joints), np.int32)
    for index, parent in enumerate(parents):
        depth[index] = 0 if parent < 0 else depth[parent] + 1
    layers = tuple(np.flatnonzero(depth == level).astype(np.int32) for level in range(int(depth.max()) + 1))
    count = len(joints)
    shift = np.array([joint.offset for joint in joints], dtype=np.float64)
    rest = Pose(shift, np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), np.ones((count, 3)))
    return Nodes(tuple(joint.name for joint in joints), parents, layers, rest, {})


def _channels(joints: list[_Joint], values: F64, frame_s: float) -> tuple[Channel, ...]:
    times_s = np.arange(len(values), dtype=np.float64) * frame_s
    starts = np.cumsum([0, *(len(joint.channels) for joint in joints)])
    found = []
    for index, (joint, (start, stop)) in enumerate(zip(joints, pairwise(starts), strict=True)):
        own = values[:, start:stop]
        turn: F64 = np.tile([1.0, 0.0, 0.0, 0.0], (len(values), 1))
        place: F64 = np.tile(joint.offset, (len(values), 1))
        for column, (kind, axis) in enumerate(joint.channels):
            if kind == "position":
                place[:, axis] = own[:, column]
            else:
                turn = times(turn, _about(axis, np.radians(own[:, column])))
        kinds = {kind for kind, _ in joint.channels}
        if "position" in kinds:
            found.append(Channel(index, "translation", times_s, place, "LINEAR"))
        if "rotation" in kinds:
            found.append(Channel(index, "rotation", times_s, turn[:, [1, 2, 3, 0]], "LINEAR"))
    return tuple(found)


def _about(axis: int, angle: F64) -> F64:
    quats = np.zeros((len(angle), 4))
    quats[:, 0], quats[:, 1 + axis] = np.cos(angle / 2), np.sin(angle / 2)
    return quats
