"""nerfstudio's dataparser_transforms.json, which says by how much a capture was shrunk for its training."""

from __future__ import annotations

import json
import math
from pathlib import Path

from anix_cli.core.errors import Diagnostic

NAME = "dataparser_transforms.json"
_LIMIT = 1 << 20


def capture_unit(path: Path) -> tuple[float, tuple[Diagnostic, ...]]:
    """(what one unit of a scene is in those of its capture, notes); (1, ()) without such a file beside it.

    The file holds ``transform`` (3 × 4, into the training's frame) and ``scale``. Only the scale is taken
    back: the training's frame has Z up, the capture's may lie anyhow.
    """
    file = path.parent / NAME
    try:
        if not file.is_file():
            return 1.0, ()
        if file.stat().st_size > _LIMIT:
            raise ValueError("too large")
        scale = float(json.loads(file.read_bytes())["scale"])
        if not (math.isfinite(scale) and 1e-9 < scale < 1e9):
            raise ValueError("no size")
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        text = f"{NAME} beside {path.name} gives no usable scale; the unit of the scene is left as it is"
        return 1.0, (Diagnostic("W312", text, file=path),)
    if scale == 1:
        return 1.0, ()
    text = f"{path.name} is enlarged by {1 / scale:.4g}, to the unit of its capture, as {NAME} beside it says"
    return 1 / scale, (Diagnostic("W312", text, file=path),)
