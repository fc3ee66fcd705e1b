"""LoRA files on disk: looked at, and written in another's names."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..core.errors import AnixError, fail
from .sceneconvert import refuse_taken


def look(path: Path) -> dict[str, Any]:
    """What a file is made for.

    Raises:
        AnixError: E471, torch is not installed; E483, the file is not there; E557, it is no LoRA.
    """
    _ready(path)
    from ..model.anix.adapter import FORMAT, UnfitError, load, tensors_of
    from ..model.anix.lora import style_of

    try:
        held = load(path)
        tensors, told = tensors_of(path)
    except UnfitError as error:
        raise _none(path, str(error)) from error
    story = held.story
    ours = told.get("format") == FORMAT
    ranks = sorted({layer.rank for layer in held.layers.values()})
    return {
        "file": str(path),
        "kind": "adapter" if ours else "lora",
        "base": story.base,
        "names": style_of(tensors),
        "layers": len(held.layers),
        "rank": ranks[0] if len(ranks) == 1 else ranks,
        "projector": bool(held.projector),
        **(
            {
                "weights": story.weights,
                "characters": story.characters,
                "view_shift": story.view_shift,
                "sigmas": list(story.sigmas),
                "guidance": story.guidance,
                "recipe": story.recipe,
            }
            if ours
            else {}
        ),
    }


def rewrite(source: Path, target: Path, style: Any, *, overwrite: bool) -> None:
    """Writes a LoRA in other names, whole or not at all.

    Raises:
        AnixError: as :func:`look`; E435, the target exists already; E411, E412, it can't be written.
    """
    _ready(source)
    from ..model.anix.adapter import UnfitError, rename

    refuse_taken(target, overwrite=overwrite, read=[source])
    try:
        rename(source, target, style)
    except UnfitError as error:
        raise _none(source, str(error)) from error


def _ready(path: Path) -> None:
    for module in ("torch", "safetensors", "diffusers"):
        if find_spec(module) is None:
            from ..model.fetch import missing_extra

            raise missing_extra(module)
    if not path.is_file():
        raise fail("E483", f"there is no file {path}", file=path)


def _none(path: Path, why: str) -> AnixError:
    return fail("E557", why, file=path, hint="LoRAs of HunyuanVideo and of Wan are read, as safetensors")
