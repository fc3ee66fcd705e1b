"""Clips of a plan → the film with its manifest beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import __version__
from ..core.plan import Plan
from ..media.beside import RATE, SAMPLE_BYTES, caption_encoder, sound_bytes_a_second, sound_encoder
from ..media.delivery import CODEC_NAMES, encoder_options, is_lossless, pixel_bytes
from ..media.ffmpeg import need_encoders
from . import manifest as manifests
from .captions import Caption
from .join import Joined, Overlay, Segment, check_name, join
from .manifest import ClipFact
from .slate import SlatedShot, slate
from .soundtrack import check_sounds, cues_of
from .transition import fade, fade_gains


def publish(
    plan: Plan,
    segments: Sequence[Segment],
    clips: Sequence[ClipFact],
    output: Path,
    *,
    slated: bool = False,
    metadata: Mapping[str, str] | None = None,
    anonymous: bool = False,
    advance: Callable[[int], None] | None = None,
) -> tuple[dict[str, Any], bool]:
    """Joins the film and writes its manifest; a film that is there already and up to date is left alone.

    Args:
        segments, clips: of all clips of the plan, in order.
        slated: draw shot, command and time code on the picture.
        metadata: more tags for the file.
        anonymous: write no title and no tags into the file.

    Returns:
        The manifest as written, and whether an existing film was up to date.

    Raises:
        AnixError: as :func:`~anix_cli.film.join.join`.
    """
    check_name(output, plan.output.codec)
    draft = manifests.build(plan, clips, output, slate=slated)
    if manifests.up_to_date(output, draft):
        found = manifests.read(output)
        if found is not None:
            return found, True
    tags = None if anonymous else {"comment": f"made with anix {__version__}", **(metadata or {})}
    written: dict[str, Any] = {}

    def seal(film: Path, joined: Joined) -> None:
        written.update(manifests.sealed(draft, film, output))
        manifests.write(written, output)

    join(
        segments,
        output,
        fps=plan.fps,
        size_px=plan.size_px,
        encoding=plan.output,
        overlays=overlays(plan, slated=slated),
        captions=captions_of(plan),
        cues=cues_of(plan),
        title=plan.title,
        metadata=tags,
        advance=advance,
        seal=seal,
    )
    return written, False


def check_means(plan: Plan, output: Path) -> None:
    """Makes sure, before long work, that a film of this plan can be joined at all: encoders and sounds.

    Raises:
        AnixError: E403, ffmpeg lacks an encoder; E381, E382, E454, a sound can't be used; E432, E434.
    """
    container = check_name(output, plan.output.codec)
    codec = plan.output.codec
    needed = {encoder_options(plan.output, container)["vcodec"]: CODEC_NAMES[codec]}
    if cues_of(plan):
        needed[sound_encoder(lossless=is_lossless(plan.output))] = "sound"
    if captions_of(plan):
        needed[caption_encoder(container)] = "subtitles"
    need_encoders(needed)
    check_sounds(plan)


def room_needed(plan: Plan) -> float:
    """Bytes that the film may take on its disk, with what lies beside it while it is joined."""
    seconds = float(plan.frames / plan.fps)
    sound = 0.0
    if cues_of(plan):
        sound = RATE * SAMPLE_BYTES + sound_bytes_a_second(lossless=is_lossless(plan.output))
    return plan.size_px[0] * plan.size_px[1] * plan.frames * pixel_bytes(plan.output) + seconds * sound


def captions_of(plan: Plan) -> list[Caption]:
    """The film's subtitles: each for the whole of its shot."""
    return [
        Caption(shot.caption, shot.start, shot.start + shot.frames) for shot in plan.shots() if shot.caption
    ]


def overlays(plan: Plan, *, slated: bool) -> list[Overlay]:
    """What the join draws on the film's frames: fades first, so that the slate stays readable in them."""
    shots = list(plan.shots())
    drawn: list[Overlay] = []
    if any(shot.fade_s > 0 for shot in shots):
        drawn.append(fade(fade_gains([(shot.frames, shot.fade_s) for shot in shots], plan.fps)))
    if slated:
        labels = [SlatedShot(shot.id, shot.command, shot.start, shot.frames) for shot in shots]
        drawn.append(slate(labels, fps=plan.fps, size_px=plan.size_px))
    return drawn
