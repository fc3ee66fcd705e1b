"""What the language will have but does not do yet: refused by name, never accepted and ignored.

One place for all of it. A path is the keys of a value, with ``*`` for any name or index.
"""

from __future__ import annotations

from anix_cli.core.screenplay import PathInFile

KEYS: dict[str, str] = {
    "cameras": "write the camera into each shot",
    "look": "say it in the characters' descriptions",
    "extends": "copy the parts you need into this file",
    "aliases": "call characters and anchors by their names",
    "film.quality": "leave it out",
    "film.codec": "leave it out; the film is H.264",
    "film.background": "leave it out",
    "film.audio": "add sound after rendering",
    "scene.crop": "cut the scene in a splat editor first",
    "scene.collider": "leave it out",
    "characters.*.model": "give four views instead",
    "characters.*.scale": "give its height instead",
    "characters.*.voice": "add sound after rendering",
    "anchors.*.box": "give the place on the stage: at: [x, z]",
    "anchors.*.relative": "give the place on the stage: at: [x, z]",
    "shots.*.prompt": "say it in the command",
    "shots.*.negative": "say in the command what should happen",
    "shots.*.seed": "set film.seed",
    "shots.*.audio": "add sound after rendering",
    "shots.*.caption": "add captions after rendering",
    "shots.*.candidates": "leave it out",
    "shots.*.pick": "leave it out",
    "shots.*.options": "leave it out",
    "shots.*.look": "say it in the command",
    "shots.*.transition.dissolve": "use fade",
    "shots.*.transition.wipe": "use fade",
    "defaults.seed": "set film.seed",
    "defaults.prompt": "say it in the commands",
    "defaults.negative": "say in the commands what should happen",
    "defaults.transition": "write it into each shot",
    "defaults.cut": "write it into each shot",
}

_MOVES = (
    "pan", "tilt", "roll", "dolly", "push", "push in", "push_in", "pull", "pull out", "pull_out", "truck",
    "pedestal", "boom", "zoom", "dolly_zoom", "dolly zoom", "handheld", "whip", "rack_focus", "rack focus",
    "tracking", "arc", "path",
)  # fmt: skip
_MOVE_HINT = "use follow, stationary, orbit or crane"

VALUES: dict[str, dict[str, str]] = {
    "shots.*.camera": dict.fromkeys(_MOVES, _MOVE_HINT),
    "shots.*.camera.move": dict.fromkeys(_MOVES, _MOVE_HINT),
    "defaults.camera": dict.fromkeys(_MOVES, _MOVE_HINT),
    "defaults.camera.move": dict.fromkeys(_MOVES, _MOVE_HINT),
    "shots.*.transition": dict.fromkeys(("dissolve", "crossfade", "wipe"), "write {fade: seconds}"),
}

LISTS: dict[str, str] = {
    "shots.*.camera": "give one move; split the shot where the camera changes",
    "defaults.camera": "give one move",
    "shots.*.character": "name the one who acts",
    "scene": "give one scene",
}


def pattern(path: PathInFile) -> str:
    """A path as this module writes it: ``("shots", 2, "seed")`` → ``shots.*.seed``."""
    parts = ["*" if isinstance(part, int) else part for part in path]
    if len(parts) >= 2 and parts[0] in ("characters", "anchors"):
        parts[1] = "*"
    return ".".join(parts)
