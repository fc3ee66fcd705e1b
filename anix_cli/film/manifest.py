"""The manifest beside a film: what it was made from, and whether an existing film may be replaced.

Its schema is ``schemas/manifest-v1.json``.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Any

from .. import __version__
from ..core.errors import fail
from ..core.keys import file_digest, fingerprint
from ..core.plan import FilmOutput, Plan, PlannedClip, PlannedShot, Transition
from ..core.schemas import schema
from ..media.delivery import CONTAINERS, PICTURES
from ..media.ffmpeg import ffmpeg_version, find_ffmpeg
from ..media.loudness import Loudness
from ..store import atomic
from .also import places
from .naming import check_name

MANIFEST_VERSION = 1
_LIBRARIES = ("numpy", "numba", "scipy", "pillow", "imageio-ffmpeg")


@dataclass(frozen=True)
class ClipFact:
    """What became of one planned clip.

    Attributes:
        shot_id, index: which clip of the plan.
        key: its address in the store.
        tail_in, tail_out: digests of the frames that it continues and hands on, "" for none.
        files: SHA-256 by file name.
        seconds: how long it took to make.
    """

    shot_id: str
    index: int
    key: str
    tail_in: str
    tail_out: str
    files: Mapping[str, str]
    seconds: float


def manifest_path(output: Path) -> Path:
    """``film.mp4`` → ``film.mp4.json``."""
    return output.with_name(output.name + ".json")


def build(
    plan: Plan, clips: Sequence[ClipFact], output: Path, *, slate: bool = False, tagged: bool = True
) -> dict[str, Any]:
    """The manifest of a film, all but the section ``output``, which :func:`sealed` adds.

    Raises:
        KeyError: a clip of the plan has no fact.
    """
    facts = {(fact.shot_id, fact.index): fact for fact in clips}
    return {
        "manifest": MANIFEST_VERSION,
        "versions": versions(),
        "title": plan.title,
        "screenplay": _relative(plan.screenplay, output),
        "size": list(plan.size_px),
        "fps": f"{plan.fps.numerator}/{plan.fps.denominator}",
        "frames": plan.frames,
        "seed": plan.seed,
        "backend": plan.backend,
        "slate": slate,
        "metadata": tagged,
        "encoding": _encoding(plan.output),
        "background": list(plan.scene.background_rgb),
        "warnings": [{"code": note.code, "message": note.message} for note in plan.notes],
        "shots": [_shot(shot, facts) for shot in plan.shots()],
    }


def versions() -> dict[str, str]:
    """Versions of what changes pixels, found without importing any of it."""
    found = {"anix": __version__, "python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "none"
    return {**found, "ffmpeg": ffmpeg_version(find_ffmpeg())}


def _shot(shot: PlannedShot, facts: Mapping[tuple[str, int], ClipFact]) -> dict[str, Any]:
    return {
        "id": shot.id,
        "command": shot.command,
        "camera": shot.camera,
        "start": shot.start,
        "frames": shot.frames,
        "transition": _transition(shot.transition) if shot.transition else None,
        "caption": shot.caption,
        "sound": shot.sound.digest if shot.sound else None,
        "volume_db": shot.sound.volume_db if shot.sound else 0.0,
        "clips": [_clip(clip, facts[shot.id, clip.index]) for clip in shot.clips],
    }


def _encoding(output: FilmOutput) -> dict[str, Any]:
    """All that makes the film of its clips, files by their content."""
    music = output.music
    return {
        **vars(output),
        "also": list(output.also),
        "music": music and {
            **vars(music), "sound": music.sound.digest, "volume_db": music.sound.volume_db,
        },
        "subtitles": output.subtitles and output.subtitles.digest,
        "font": output.font and output.font.digest,
    }  # fmt: skip


def _transition(transition: Transition) -> dict[str, Any]:
    return {"kind": transition.kind, "seconds": transition.seconds, "colour": list(transition.colour_rgb)}


def _clip(clip: PlannedClip, fact: ClipFact) -> dict[str, Any]:
    return {
        "index": clip.index,
        "start": clip.start,
        "frames": clip.frames,
        "seed": clip.seed,
        "recipe_key": clip.recipe_key,
        "key": fact.key,
        "tail_in": fact.tail_in,
        "tail_out": fact.tail_out,
        "files": dict(fact.files),
        "seconds": fact.seconds,
    }


def sealed(
    manifest: Mapping[str, Any],
    film: Path,
    output: Path,
    *,
    loudness: Loudness | None = None,
    also: Mapping[Path, bytes] = MappingProxyType({}),
) -> dict[str, Any]:
    """The manifest with its section ``output``, about the finished film that lies at ``film`` for now.

    A film of the same screenplay that lies at ``output`` is named in ``replaces``, and what lies beside it in
    ``also_replaces``: should the run be killed after the manifest and before all has its name, what is old is
    still known as ours.

    Args:
        loudness: of its sound, where that was measured.
        also: what is to be written beside it.
    """
    section: dict[str, Any] = {
        "name": output.name,
        "bytes": content_bytes(film),
        "sha256": content_digest(film),
    }
    if loudness is not None:
        section |= {"loudness_lufs": loudness.integrated_lufs, "true_peak_dbtp": loudness.true_peak_dbtp}
    if also:
        section["also"] = {place.name: hashlib.sha256(data).hexdigest() for place, data in also.items()}
    old = _ours(output, manifest.get("screenplay"), manifest["title"])
    if old is not None and old != section["sha256"]:
        section["replaces"] = old
    before = {
        place.name: digest
        for place in also
        if place.is_file() and _beside_is_ours(place, output, manifest.get("screenplay"), manifest["title"])
        and (digest := file_digest(place)) != section["also"][place.name]
    }  # fmt: skip
    if before:
        section["also_replaces"] = before
    return {**manifest, "output": section}


def content_bytes(film: Path) -> int:
    """Size of a film: a file, or a folder with all that is in it."""
    if film.is_dir():
        return sum(file.stat().st_size for file in film.iterdir())
    return film.stat().st_size


def content_digest(film: Path) -> str:
    """SHA-256 of a film: of a file its bytes, of a folder the names and digests of its files."""
    if film.is_dir():
        return fingerprint({file.name: file_digest(file) for file in film.iterdir() if file.is_file()})
    return file_digest(film)


def write(manifest: Mapping[str, Any], output: Path) -> Path:
    """Writes a sealed manifest beside ``output`` in one step; its path. Raises E411, E412."""
    validate(manifest)
    path = manifest_path(output)
    atomic.write_json(path, manifest, indent=2)
    return path


def validate(manifest: Mapping[str, Any]) -> None:
    """Holds a manifest against its schema; a ValueError is a fault of ours, never of the user."""
    import jsonschema

    error = jsonschema.exceptions.best_match(
        jsonschema.Draft7Validator(schema("manifest-v1")).iter_errors(manifest)
    )
    if error is not None:
        raise ValueError(f"manifest{error.json_path[1:]}: {error.message}")


def read(output: Path) -> dict[str, Any] | None:
    """The manifest beside a film; None if there is none, or none of this version."""
    try:
        found = json.loads(manifest_path(output).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(found, dict) or found.get("manifest") != MANIFEST_VERSION:
        return None
    return found


def made_by_this(output: Path, *, screenplay: Path | None, title: str) -> bool:
    """Whether the film at ``output`` was made by anix from this very screenplay, and not touched since.

    Without a screenplay's path (it came through a pipe) the title decides.
    """
    return _ours(output, _relative(screenplay, output), title) is not None


def check_output(
    output: Path,
    *,
    screenplay: Path | None,
    title: str,
    codec: str = "h264",
    also: Sequence[str] = (),
    overwrite: bool = False,
) -> None:
    """Refuses, before long work, to replace what this screenplay did not make.

    Raises:
        AnixError: E431, there is a file that is not ours; E432, not the name of a film; E434, not one of
            this codec; E412, the place of the film or of its manifest cannot be written.
    """
    check_name(output, codec)
    if output.exists() and not overwrite:
        if not made_by_this(output, screenplay=screenplay, title=title):
            raise fail(
                "E431",
                f"{output} exists already, and this screenplay did not make it as it is.",
                file=output,
                hint="Name another output with -o, or pass --overwrite to replace it.",
            )
    elif manifest_path(output).exists() and read(output) is None and not overwrite:
        raise fail(
            "E431",
            f"{manifest_path(output)}, where the film's manifest goes, exists already and is something else.",
            file=manifest_path(output),
            hint="Name another output with -o, or pass --overwrite to replace it.",
        )
    beside = list(places(output, also, folder=codec in PICTURES).values())
    for place in () if overwrite else beside:
        if place.exists() and not _beside_is_ours(place, output, _relative(screenplay, output), title):
            raise fail(
                "E431",
                f"{place}, which goes beside the film, exists already, and this screenplay did not make it "
                "as it is.",
                file=place,
                hint="Name another output with -o, or pass --overwrite to replace it.",
            )
    for place in (*(() if codec in PICTURES else (output,)), manifest_path(output), *beside):
        atomic.check_writable(place)


def _beside_is_ours(place: Path, output: Path, screenplay: str | None, title: str) -> bool:
    """Whether a film of this screenplay and name, of whatever kind, says that it made what lies there."""
    stem = place.stem
    films = {output, *(place.with_name(stem + suffix) for suffix in CONTAINERS), place.with_name(stem)}
    digest = ""
    for film in films:
        found = read(film)
        if found is None or found.get("screenplay") != screenplay:
            continue
        if screenplay is None and found.get("title") != title:
            continue
        section = found.get("output")
        made = section if isinstance(section, dict) else {}
        known = [made.get(key, {}).get(place.name) for key in ("also", "also_replaces")]
        if any(known) and place.is_file():
            digest = digest or file_digest(place)
            if digest in known:
                return True
    return False


def up_to_date(output: Path, manifest: Mapping[str, Any]) -> bool:
    """Whether the film at ``output`` is there already, made from just what ``manifest`` (unsealed) lists."""
    found = read(output)
    if found is None or not isinstance(section := found.get("output"), dict):
        return False
    del found["output"]
    if found != json.loads(json.dumps(dict(manifest))):
        return False
    beside = section.get("also", {})
    if any(_digest_of(output.with_name(name)) != digest for name, digest in beside.items()):
        return False
    return _digest_if(output, section) == section.get("sha256")


def _digest_of(file: Path) -> str | None:
    return file_digest(file) if file.is_file() else None


def _ours(output: Path, screenplay: str | None, title: str) -> str | None:
    """SHA-256 of the film at ``output`` if its manifest says that it is this screenplay's."""
    found = read(output)
    if found is None or found.get("screenplay") != screenplay:
        return None
    if screenplay is None and found.get("title") != title:
        return None
    section = found.get("output")
    return _digest_if(output, section) if isinstance(section, dict) else None


def _digest_if(output: Path, section: Mapping[str, Any]) -> str | None:
    """The film's digest if it is one that the section names; a film of another size is not read."""
    if not output.exists():
        return None
    if "replaces" not in section and content_bytes(output) != section.get("bytes"):
        return None
    digest = content_digest(output)
    return digest if digest in (section.get("sha256"), section.get("replaces")) else None


def _relative(screenplay: Path | None, output: Path) -> str | None:
    if screenplay is None or str(screenplay) == "-":
        return None
    here, there = output.absolute().parent.resolve(), screenplay.absolute()
    try:
        return Path(os.path.relpath(there.parent.resolve() / there.name, here)).as_posix()
    except ValueError:  # another drive
        return there.as_posix()
