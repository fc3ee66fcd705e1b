"""Published pickles as safetensors, once and on demand."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import AnixError, fail
from ..model.registry import WEIGHTS, weights_called

if TYPE_CHECKING:
    from ..model.anix.checkpoints import KeyReport


def convert_weights(name: str, checkpoint: Path) -> tuple[Path, KeyReport]:
    """Makes weights' folder of a published checkpoint; where it is, and what matched.

    Raises:
        AnixError: E476, nothing of that name is made so; E471; E474, the other parts are not here; E475, the
            checkpoint is not usable; E412, the place is taken; E411.
    """
    from ..model.fetch import missing_extra
    from ..model.places import find, weights_root
    from ..store import atomic

    weights = weights_called(name)
    if weights.made_with is None:
        made = ", ".join(one.name for one in WEIGHTS.values() if one.made_with)
        raise fail("E476", f"{name} needs no conversion", hint=f"these are converted: {made}")
    for module in ("torch", "diffusers", "transformers", "safetensors"):
        if find_spec(module) is None:
            raise missing_extra(module)
    if not checkpoint.is_file():
        raise fail("E475", f"there is no file {checkpoint}", file=checkpoint)
    parts = find(weights_called(weights.made_with))
    if parts is None:
        raise fail(
            "E474",
            f"{name} takes text encoders and VAE from {weights.made_with}, which is not on this machine",
            hint=f"run `anix models pull {weights.made_with}`",
        )
    from ..model.anix.conversion import UnusableError, convert

    target = weights_root() / weights.name
    if target.exists():
        raise fail("E412", f"{target} exists already", file=target, hint="remove it to convert again")
    try:
        with atomic.unwritable(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            report = _in_one_piece(lambda place: convert(checkpoint, parts.folder, place), target)
    except UnusableError as error:
        raise _unusable(checkpoint, str(error)) from error
    return target, report


def _in_one_piece(make: Callable[[Path], KeyReport], target: Path) -> KeyReport:
    """Makes a folder under another name, which becomes the target when all of it is written."""
    place = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        made = make(place)
        place.chmod(0o755)
        place.rename(target)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    return made


def _unusable(path: Path, why: str) -> AnixError:
    return fail("E475", why, file=path, hint="take the published file mp_rank_00_model_states.pt")
