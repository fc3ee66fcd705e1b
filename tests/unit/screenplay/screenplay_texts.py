"""Short screenplays that the tests change in one place."""

from __future__ import annotations

HEAD = """\
anix: 1
scene: {file: room.ply}
characters: {mira: {views: {front: f.png, left: l.png, right: r.png, back: b.png}}}
anchors: {door: {at: [0, 3]}}
"""
SHOTS = "shots:\n  - {id: s1, command: run forward, duration: 3}\n"
BASE = HEAD + SHOTS


def shot(line: str) -> str:
    """A screenplay with one shot that has one more line."""
    return f"{HEAD}shots:\n  - id: s1\n    duration: 3\n    {line}\n"
