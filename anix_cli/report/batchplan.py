"""What a batch would do, before it does it: films with what there is to make, and how long that takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..plan.summary import length_told
from .terminal import escaped


def foreseen(booked: Sequence[Any], workers: int) -> dict[str, Any]:
    """Each film in the order in which it is made, and sums, as plain values.

    Args:
        booked: with ``screenplay``, ``output``, ``plan``, ``estimate``, ``takes``, ``problems``, ``left``.
    """
    films = [_film(one) for one in booked]
    made = [film for film in films if film["state"] in ("to do", "up to date")]
    times = [film["seconds"] for film in made]
    needed = [film["vram_gib"] for film in made if film["vram_gib"] is not None]
    return {
        "films": films,
        "workers": workers,
        "seconds": None if None in times else round(sum(times) / workers, 1),
        "bytes": sum(film["bytes"] for film in made),
        "vram_gib": max(needed) if needed else None,
    }


def foreseen_text(found: dict[str, Any], encoding: str = "utf-8") -> str:
    """A line a film, as a terminal may show it, and the sums."""
    lines = [
        "\t".join((film["state"], escaped(film["screenplay"], encoding), escaped(_effort(film), encoding)))
        for film in found["films"]
    ]
    workers = found["workers"]
    by = "" if workers == 1 else f" for {workers} workers"
    return "\n".join([*lines, f"in all: {_amounts(found) or 'nothing to do'}{by}"])


def _film(one: Any) -> dict[str, Any]:
    problems = [
        {"code": problem.code, "message": problem.message}
        for problem in one.problems
        if problem.severity == "error"
    ]
    row = {
        "screenplay": str(one.screenplay),
        "film": str(one.output),
        "state": "invalid",
        **dict.fromkeys(("takes", "clips", "frames", "bytes"), 0),
        "seconds": None,
        "vram_gib": None,
        "problems": problems,
    }
    if one.estimate is None:
        return row
    estimate = one.estimate
    todo = estimate.stale_clips or estimate.stale_guides or estimate.candidate_frames
    return row | {
        "state": "invalid" if one.plan is None else "left" if one.left else "to do" if todo else "up to date",
        "takes": len(one.takes),
        "clips": estimate.stale_clips,
        "frames": estimate.generated_frames + estimate.candidate_frames,
        "seconds": estimate.seconds,
        "bytes": estimate.bytes,
        "vram_gib": None if estimate.vram_gib is None else estimate.vram_gib[0],
    }


def _effort(film: dict[str, Any]) -> str:
    if film["state"] == "invalid":
        problems = film["problems"]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        amounts = f"; {film['clips']} clips, {_amounts(film)}" if film["clips"] else ""
        return f"{problems[0]['code']} {problems[0]['message']}{more}{amounts}" if problems else ""
    if film["state"] == "up to date":
        return "joined, if that is still to be done"
    return f"{film['clips']} clips, {film['frames']} frames{', ' if _amounts(film) else ''}{_amounts(film)}"


def _amounts(found: dict[str, Any]) -> str:
    """Time, room and GPU memory, as far as they are known."""
    told = []
    if found["seconds"]:
        told.append(f"about {length_told(found['seconds'])} as measured here")
    elif found["seconds"] is None:
        told.append("time not known: nothing like it was made here")
    if found["bytes"]:
        told.append(f"{found['bytes'] / 1e9:.2g} GB")
    if found["vram_gib"] is not None:
        told.append(f"{found['vram_gib']:.0f} GiB free on the GPU")
    return ", ".join(told)
