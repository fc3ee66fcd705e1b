"""Which bone of a model is which part of a body: by a VRM's own list, else by the names that rigs use.

Known are the names of Mixamo, VRM, Blender's Rigify and Auto-Rig, Unreal, 3ds Max Biped, Daz, KayKit and
Kenney, and whatever is put together of the same words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set

from .model import Model, Nodes
from .topology import roles_by_topology

SIDES = ("left", "right")
LIMBS = ("shoulder", "upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg", "foot", "toes")
TRUNK = ("hips", "spine", "chest", "neck", "head")

_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SIDE = {"l": "left", "left": "left", "r": "right", "right": "right"}
_OTHER = (
    "ik fk pole target control ctrl twist roll end helper slot socket thumb index middle ring pinky little "
    "finger palm correction mesh geo effector nub tip eye jaw brow lip tongue teeth hair breast skirt cape "
    "hat helmet armor armour physics collider ribbon share metacarpal"
)
_NO_BONE = frozenset(_OTHER.split())
# The first that fits wins; "!" marks the sure names, which win over others for the same part.
_LIMB_WORDS = (
    ("lower_arm", r"!forearm|!lowerarm|!lowarm|elbow"),
    ("hand", r"!hand|wrist"),
    ("shoulder", r"!shoulder|!clavicle|!collar"),
    ("upper_arm", r"!upperarm|!uparm|shldr|bicep|arm"),
    ("upper_leg", r"!upleg|!upperleg|!thigh|hip"),
    ("lower_leg", r"!lowerleg|!lowleg|!shin|!calf|knee"),
    ("toes", r"!toe|ball"),
    ("foot", r"!foot|ankle"),
    ("leg", r"leg"),
)
_TRUNK_WORDS = (
    ("hips", r"!hips|!pelvis|hip"),
    ("chest", r"!chest|!upperchest|torso"),
    ("spine", r"!spine|abdomen|waist|torso"),
    ("neck", r"!neck"),
    ("head", r"!head"),
)
_VRM = {
    "hips": "hips",
    "spine": "spine",
    "chest": "chest",
    "neck": "neck",
    "head": "head",
    **{
        f"{side}{name}": f"{side}_{role}"
        for side in SIDES
        for name, role in {
            "Shoulder": "shoulder",
            "UpperArm": "upper_arm",
            "LowerArm": "lower_arm",
            "Hand": "hand",
            "UpperLeg": "upper_leg",
            "LowerLeg": "lower_leg",
            "Foot": "foot",
            "Toes": "toes",
        }.items()
    },
}

Roles = Mapping[str, int]
"""Nodes by part: "hips", "left_upper_arm" …; parts that were not found are not in it."""


def words(name: str) -> list[str]:
    """A name's words in small letters: ``mixamorig:LeftUpLeg`` → mixamorig, left, up, leg."""
    return [token.lower() for token in _TOKEN.findall(name)]


def roles_of(model: Model) -> Roles:
    """What the bones of a model are, as far as their names tell and their order bears out."""
    if model.humanoid:
        return roles_of_vrm(model.humanoid)
    named = roles_by_name(model.nodes, {int(bone) for bone in model.bones})
    return named if has_limbs(named) else roles_by_topology(model) or named


def roles_of_vrm(humanoid: Mapping[str, int]) -> Roles:
    """The parts by a VRM's own list of its bones."""
    return {_VRM[name]: node for name, node in humanoid.items() if name in _VRM}


def has_limbs(roles: Roles) -> bool:
    """Whether any upper arm or leg is known."""
    return any(f"{side}_{limb}" in roles for side in SIDES for limb in ("upper_leg", "upper_arm"))


def roles_by_name(nodes: Nodes, moving: Set[int]) -> Roles:
    """The parts that names tell, of the nodes that move something: ``moving``, and all above these."""
    depth = {int(node): level for level, layer in enumerate(nodes.layers) for node in layer}
    best: dict[str, tuple[tuple[int, int, int], int]] = {}
    named: dict[str, list[int]] = {}
    for node, level in depth.items():
        if moving.isdisjoint(nodes.below(node)):
            continue
        for role, sure in _roles_of_name(nodes.names[node]):
            rank = (0 if sure else 1, level, node)
            named.setdefault(role, []).append(node)
            if role not in best or rank < best[role][0]:
                best[role] = (rank, node)
    found = {role: node for role, (_, node) in best.items()}
    _called_by_joints(nodes, found, named)
    return _borne_out(nodes, _with_legs(found))


def _roles_of_name(name: str) -> list[tuple[str, bool]]:
    """(part, whether the name is a sure one) that a name may stand for."""
    tokens = words(name)
    if not _NO_BONE.isdisjoint(tokens):
        return []
    sides = [_SIDE[token] for token in tokens if token in _SIDE]
    text = "".join(token for token in tokens if token not in _SIDE and not token.isdigit())
    table = _LIMB_WORDS if sides else _TRUNK_WORDS
    found = []
    for role, pattern in table:
        for word in pattern.split("|"):
            if word.lstrip("!") in text:
                found.append((f"{sides[0]}_{role}" if sides else role, word.startswith("!")))
                break
        if found and sides:
            break
    return found


def _called_by_joints(nodes: Nodes, found: dict[str, int], named: Mapping[str, list[int]]) -> None:
    """Puts right what is called by the joints at its beginning, as by Poser and SMPL: the shoulder is where
    an upper arm begins, the ankle where a foot does."""
    for side in SIDES:
        shoulders, elbow = named.get(f"{side}_shoulder", []), found.get(f"{side}_lower_arm")
        if f"{side}_upper_arm" not in found and elbow is not None:
            above = [node for node in shoulders if elbow in nodes.below(node)]
            if above:
                arm = min(above, key=lambda node: len(nodes.below(node)))
                found[f"{side}_upper_arm"] = arm
                if found.get(f"{side}_shoulder") == arm:
                    del found[f"{side}_shoulder"]
        foot = found.get(f"{side}_foot")
        ankles = [
            node for node in named.get(f"{side}_foot", []) if node != foot and foot in nodes.below(node)
        ]
        if foot is not None and ankles and f"{side}_toes" not in found:
            found[f"{side}_toes"], found[f"{side}_foot"] = foot, ankles[0]


def _with_legs(found: dict[str, int]) -> dict[str, int]:
    """A bone that is called no more than leg is the lower one beside a thigh, else the whole leg."""
    for side in SIDES:
        leg = found.pop(f"{side}_leg", None)
        if leg is not None:
            free = "lower_leg" if f"{side}_upper_leg" in found else "upper_leg"
            found.setdefault(f"{side}_{free}", leg)
    return found


def _borne_out(nodes: Nodes, found: dict[str, int]) -> dict[str, int]:
    """Without lower parts that do not hang on their upper ones; feet of a rig with targets may be loose."""
    for side in SIDES:
        for upper, lower in (("upper_arm", "lower_arm"), ("lower_arm", "hand"), ("upper_leg", "lower_leg")):
            above, below = found.get(f"{side}_{upper}"), found.get(f"{side}_{lower}")
            if below is not None and (above is None or below not in nodes.below(above) or above == below):
                del found[f"{side}_{lower}"]
    if found.get("chest") is not None and found.get("chest") == found.get("spine"):
        del found["spine"]
    return found
