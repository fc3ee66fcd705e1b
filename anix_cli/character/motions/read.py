"""A motion file → its tree of joints and one clip of it: BVH, or a glTF with or without a body in it."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from pathlib import Path

from anix_cli.core.errors import AnixError, Diagnostic
from anix_cli.core.keys import file_digest
from anix_cli.core.screenplay import MotionSpec

from ..models.clips import read_clips
from ..models.faults import as_model
from ..models.model import Clip, Nodes
from ..models.nodes import read_nodes
from ..models.read import model_digest, read_humanoid
from ..models.reader import open_model
from ..models.roles import Roles, has_limbs, roles_by_name, roles_of_vrm
from ..models.topology import roles_by_place
from .bvh import read_bvh
from .faults import no_motion, truncated

_LONGEST_S = 40.0
"""Of a motion that is used from one place on; a track has a key for each sixtieth of a second of it."""
_KINDS = {
    b"Kaydara FBX": "an FBX file",
    b"; FBX": "an FBX file",
    b"BLENDER": "a Blender file",
    b"PK\x03\x04": "an archive",
    b"version https://git-lfs": "a Git LFS pointer, not the file itself",
    b"<": "a web page or XML",
    b":ASF": "half of an ASF/AMC pair",
}
_CODES = {"E351": "E361", "E352": "E362", "E353": "E363", "E354": "E361", "E355": "E364", "E356": "E361"}


@dataclass(frozen=True)
class Motion:
    """One clip and the joints that it moves, in the file's own axes and unit.

    Attributes:
        clips: names of all clips of the file.
        roles: parts of a person by node, as names and places tell.
        metric: whether axes and unit are those of glTF: +Y up, metres.
    """

    path: Path
    nodes: Nodes
    clip: Clip
    clips: tuple[str, ...]
    roles: Roles
    metric: bool


def read_motion(spec: MotionSpec) -> Motion:
    """Reads the clip that a screenplay names.

    Raises:
        AnixError: E361, no motion; E362, truncated; E363, damaged; E364, too large; E365, there is no such
            clip, or nothing of it from ``start`` to ``end``; E366, too few of its joints are a person's.
    """
    path = spec.file
    try:
        with path.open("rb") as stream:
            head = stream.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")
    except OSError as error:
        raise no_motion(path, f"cannot be read: {error.strerror or error}") from error
    if not head:
        raise truncated(path, "it has nothing in it")
    for start, kind in _KINDS.items():
        if head.startswith(start):
            raise no_motion(path, f"is {kind}, no motion that anix reads")
    if head[:4] == b"glTF" or head[:1] == b"{":
        nodes, clips, roles = _gltf(path)
    else:
        nodes, clip = read_bvh(path)
        clips, roles = (clip,), _named(nodes, {i for i, name in enumerate(nodes.names)})
    if not has_limbs(roles) or "hips" not in roles:
        raise _no_person(path, nodes, roles)
    clip = _window(spec, _chosen(spec, clips))
    metric = head[:4] == b"glTF" or head[:1] == b"{"
    return Motion(path, nodes, clip, tuple(each.name for each in clips), roles, metric)


def motion_digest(spec: MotionSpec) -> str:
    """SHA-256 of a motion file's content, with the files that a .gltf names."""
    if spec.file.suffix.lower() in (".glb", ".gltf", ".vrm"):
        try:
            return model_digest(spec.file)
        except AnixError as error:
            raise _as_motion(error, spec.file) from error
    try:
        return file_digest(spec.file)
    except OSError as error:
        raise no_motion(spec.file, f"cannot be read: {error.strerror or error}") from error


def _gltf(path: Path) -> tuple[Nodes, tuple[Clip, ...], Roles]:
    try:
        reader = open_model(path)
        with as_model(path):
            nodes = read_nodes(reader)
            clips = read_clips(reader, nodes)
            humanoid, _ = read_humanoid(reader, len(nodes.names))
            skins = reader.tree.get("skins", [])
            joints = {reader.whole(joint) for skin in skins for joint in skin["joints"]}
    except AnixError as error:
        raise _as_motion(error, path) from error
    if not clips:
        raise no_motion(path, "holds no clips", "Export it with its animation.")
    moving = joints | {channel.node for clip in clips for channel in clip.channels}
    roles = roles_of_vrm(humanoid) if humanoid else _named(nodes, moving)
    return nodes, clips, roles


def _named(nodes: Nodes, moving: set[int]) -> Roles:
    from ..models.pose import worlds

    roles = roles_by_name(nodes, moving)
    if has_limbs(roles):
        return roles
    at = worlds(nodes, nodes.rest)[:, :3, 3]
    joints = sorted(moving)
    for axes in ([0, 1, 2], [0, 2, 1]):  # +Y up, or +Z up and facing −Y
        turned = at[:, axes] * ((1, 1, 1) if axes[1] == 1 else (1, 1, -1))
        found = roles_by_place(nodes, joints, turned)
        if found:
            return found
    return roles


def _as_motion(error: AnixError, path: Path) -> AnixError:
    return AnixError(
        [
            Diagnostic(
                _CODES.get(each.code, each.code),
                each.message.replace("no glTF model", "no motion").replace("no 3D model", "no motion"),
                file=path, hint=each.hint,
            )
            for each in error.diagnostics
        ]
    )  # fmt: skip


def _chosen(spec: MotionSpec, clips: tuple[Clip, ...]) -> Clip:
    """The clip by its name, as written or after a ``|``; without a name the only one, or the longest."""
    if spec.clip is None:
        return max(clips, key=lambda clip: clip.duration_s)
    for told in (str, _bare, str.lower, lambda name: _bare(name).lower()):
        for clip in clips:
            if told(clip.name) == told(spec.clip):
                return clip
    names = [clip.name for clip in clips]
    near = difflib.get_close_matches(spec.clip.lower(), [name.lower() for name in names], n=1, cutoff=0.6)
    nearest = next((name for name in names if near and name.lower() == near[0]), None)
    shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    raise AnixError(
        Diagnostic(
            "E365", f"{spec.file.name} has no clip “{spec.clip}”; it has {shown}", file=spec.file,
            found=spec.clip, expected=shown, nearest=nearest,
        )
    )  # fmt: skip


def _bare(name: str) -> str:
    """A name without that of the armature before it."""
    return name.rpartition("|")[2]


def _window(spec: MotionSpec, clip: Clip) -> Clip:
    """The part of the clip from ``start`` to ``end``."""
    start = spec.start_s or 0.0
    end = clip.duration_s if spec.end_s is None else min(spec.end_s, clip.duration_s)
    if end - start <= 0 and (start > 0 or spec.end_s is not None):
        raise AnixError(
            Diagnostic(
                "E365", f"“{clip.name}” of {spec.file.name} lasts {clip.duration_s:.2f} s: nothing lies "
                f"between {start:g} s and {'its end' if spec.end_s is None else f'{spec.end_s:g} s'}",
                file=spec.file, hint="Give it a start before its end.",
            )
        )  # fmt: skip
    return replace(clip, start_s=clip.start_s + start, duration_s=min(max(end - start, 0.0), _LONGEST_S))


def _no_person(path: Path, nodes: Nodes, roles: Roles) -> AnixError:
    told = ", ".join(f"{role} ({nodes.names[node]})" for role, node in roles.items()) or "none"
    names = ", ".join(nodes.names[:12]) + (" …" if len(nodes.names) > 12 else "")
    text = f"too few joints of {path.name} are known as a person's; known: {told}; of the joints {names}"
    hint = "Name its joints as Mixamo, VRM, Unreal or Biped do: Hips, LeftArm, LeftForeArm, LeftUpLeg …"
    return AnixError(Diagnostic("E366", text, file=path, expected="hips, and arms or legs", hint=hint))
