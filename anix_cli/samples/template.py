"""The templates of ``anix init``: a commented screenplay each, and the assets that it names.

Screenplays lie in ``templates/``, assets in ``assets/`` and with the courier's film; all are made by this
project's own code and kept, so that a new film is there at once and is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from anix_cli.core.schemas import schema_text

from . import VIEW_NAMES

SCREENPLAY_FILE = "film.yaml"
SCHEMA_FILE = "screenplay-v1.json"
ASSET_FOLDER = "assets"

_PACKAGE = Path(__file__).resolve().parent
_ASSET_FOLDERS = (
    _PACKAGE / "assets",
    _PACKAGE / "courier",  # in an installed wheel
    _PACKAGE.parents[1] / "screenplays" / "courier",  # in a checkout
)


@dataclass(frozen=True)
class Template:
    """A film to begin with.

    Attributes:
        about: one line, for a list.
        scene: file name of the scene.
        people: who is in it; each has four views.
    """

    name: str
    about: str
    scene: str
    people: tuple[str, ...]

    @property
    def assets(self) -> tuple[str, ...]:
        return (self.scene, *(f"{person}_{view}.png" for person in self.people for view in VIEW_NAMES))

    def screenplay(self) -> str:
        """The text of the screenplay."""
        return (_PACKAGE / "templates" / f"{self.name}.yaml").read_text(encoding="utf-8")

    def files(self) -> Iterator[tuple[str, bytes]]:
        """What a new film's folder holds: path within it, with ``/``, and content; the screenplay last."""
        for name in self.assets:
            yield f"{ASSET_FOLDER}/{name}", _asset(name).read_bytes()
        yield SCHEMA_FILE, schema_text("screenplay-v1").encode()
        yield SCREENPLAY_FILE, self.screenplay().encode()


TEMPLATES = {
    template.name: template
    for template in (
        Template(
            "minimal",
            "one character walks into a garden, turns and waves: two shots",
            "garden.spz",
            ("mira",),
        ),
        Template(
            "chase",
            "two runners on a town square: cuts, anchors, named cameras, follow and crane",
            "plaza.spz",
            ("mira", "teo"),
        ),
        Template(
            "turntable",
            "the camera circles a character in a studio; the film loops",
            "studio.spz",
            ("mira",),
        ),
        Template(
            "talk",
            "two characters talk in a garden: shot and reverse shot, holds, gestures, captions",
            "garden.spz",
            ("mira", "teo"),
        ),
    )
}
"""By name, simplest first."""


def _asset(name: str) -> Path:
    for folder in _ASSET_FOLDERS:
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"no asset {name} in {' or '.join(map(str, _ASSET_FOLDERS))}")
