"""What is wrong and right, for the problems that are easier shown than told. A test tries each of them.

Each is a part of a screenplay that has a character mira, and an anchor door.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """A few lines of YAML that lead to a problem, and the same without it."""

    wrong: str
    right: str


def _command(wrong: str, right: str) -> Example:
    return Example(
        f"- {{id: a, duration: 4, command: {wrong}}}", f"- {{id: a, duration: 4, command: {right}}}"
    )


def _shot(wrong: str, right: str) -> Example:
    start = "- {id: a, command: Mira waves, duration: 4"
    return Example(f"{start}, {wrong}}}", f"{start}, {right}}}")


EXAMPLES: dict[str, Example] = {
    "E104": Example("film: {size: 833x480}", "film: {size: 832x480}"),
    "E108": Example("title: Mira: the chase", 'title: "Mira: the chase"'),
    "E109": Example("film: {seed: 1, seed: 2}", "film: {seed: 2}"),
    "E112": Example("film: {fsp: 16}", "film: {fps: 16}"),
    "E113": Example("- {id: a, command: Mira runs}", "- {id: a, command: Mira runs, duration: 4}"),
    "E114": Example("film: 832x480", "film: {size: 832x480}"),
    "E116": Example("title:", "title: The courier"),
    "E117": Example("film: {seed: 007}", "film: {seed: 7}"),
    "E119": Example(
        "anchors: {door: {at: [0, 3], box: [0.2, 0.3, 0.4, 0.9]}}", "anchors: {door: {at: [0, 3]}}"
    ),
    "E121": Example(
        "- {id: a, command: Mira runs, duration: 4}\n- {id: a, command: Mira waves, duration: 2}",
        "- {id: a, command: Mira runs, duration: 4}\n- {id: b, command: Mira waves, duration: 2}",
    ),
    "E122": _shot("character: mirra", "character: mira"),
    "E123": _shot("anchor: dor", "anchor: door"),
    "E124": Example(
        "- {id: a, command: Mira runs, duration: 4}\n"
        "- {id: b, command: Mira waves, duration: 2, anchor: door}",
        "- {id: a, command: Mira runs, duration: 4}\n"
        "- {id: b, command: Mira waves, duration: 2, anchor: door, cut: true}",
    ),
    "E126": _shot("camera: {move: crane, degrees: 90}", "camera: {move: crane, up: 3}"),
    "E127": _shot("camera: {lens_mm: 35, fov_y_deg: 40}", "camera: {lens_mm: 35}"),
    "E128": _shot("cut: true, transition: {fade: 9}", "cut: true, transition: {fade: 1}"),
    "E138": _shot("transition: {dissolve: 1}", "transition: {fade: 1}"),
    "E129": Example("anchors: {door: {at: [0, 3], face: door}}", "anchors: {door: {at: [0, 3], face: 180}}"),
    "E134": Example(r'scene: {file: "sets\plaza.ply"}', "scene: {file: sets/plaza.ply}"),
    "E141": _shot("camera: orbitt", "camera: orbit"),
    "E142": Example("cameras: {orbit: {at: [3, 1.6, 5]}}", "cameras: {gate: {at: [3, 1.6, 5]}}"),
    "E143": Example(
        "anchors: {door: {from: step}, step: {from: door, left: 1}}",
        "anchors: {door: {at: [0, 3]}, step: {from: door, left: 1}}",
    ),
    "E145": Example(
        "anchors: {door: {at: [0, 3]}, low: {box: [0.4, 0.9, 0.2, 0.3]}}",
        "anchors: {door: {at: [0, 3]}, low: {box: [0.2, 0.3, 0.4, 0.9]}}",
    ),
    "E146": _shot(
        "camera: [{move: orbit, for: 3}, {move: crane, up: 2, for: 3}]",
        "camera: [{move: orbit, for: 3}, {move: crane, up: 2}]",
    ),
    "E147": Example(
        "anchors: {door: {at: [0, 3], aliases: [Mira]}}", "anchors: {door: {at: [0, 3], aliases: [exit]}}"
    ),
    "E201": _command("Mira quxes", "Mira walks"),
    "E202": _command("Mira does not run", "Mira stands still"),
    "E219": _command("Corre hacia la puerta", "Mira runs to the door"),
    "E220": _command("Mira waves or bows", "Mira waves"),
    "W231": _command("Mira wvaes", "Mira waves"),
    "E204": _command("the camera orbits while the camera cranes up", "the camera orbits"),
    "E205": _command("Mira walks to the bakery", "Mira walks to the door"),
    "E207": _command("Mira gracefully", "Mira walks gracefully"),
    "E208": _command("Mira does the same again", "Mira waves"),
    "E209": _command("Mira walks -3 metres", "Mira walks back 3 metres"),
    "W205": _command("Mira turns", "Mira turns right"),
}
