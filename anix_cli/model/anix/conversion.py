"""HunyuanCustom's published transformer as a folder that the backend ``anix`` loads. Imports torch.

It is published as a pickle. It is read once, here, by ``torch.load`` with ``weights_only``, which builds
tensors and plain containers and calls nothing that the file names; what comes out is safetensors.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from .checkpoints import KeyReport, build, from_original, is_original

PARTS = ("text_encoder", "text_encoder_2", "tokenizer", "tokenizer_2", "vae", "scheduler", "image_processor")
"""Of a pipeline, besides its transformer: HunyuanVideo's image-to-video model has them all."""
CONFIG: dict[str, Any] = {"guidance_embeds": False, "view_shift": "both"}
"""Of HunyuanCustom's transformer where it differs from the class' own values."""


class UnusableError(ValueError):
    """A file that is no such checkpoint; the message says why."""


def read_pickle(path: Path) -> dict[str, Any]:
    """The tensors of a ``.pt``, by their original names.

    Raises:
        UnusableError: it is none, or wants something else than tensors built.
    """
    import pickle  # for the name of its error: nothing is unpickled by it

    import torch

    try:
        found = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError) as error:
        raise UnusableError(f"{path.name} can't be read: {str(error).splitlines()[0]}") from error
    state = found.get("module", found) if isinstance(found, dict) else None
    if not isinstance(state, dict) or not is_original(state):
        raise UnusableError(f"{path.name} holds no transformer of HunyuanVideo's")
    return state


def convert(checkpoint: Path, parts: Path, folder: Path, config: dict[str, Any] | None = None) -> KeyReport:
    """Writes a pipeline's folder; the report says what matched.

    Args:
        parts: a pipeline's folder with all :data:`PARTS`; its files are linked, else copied.
        folder: new, or empty.
        config: of the transformer, beside :data:`CONFIG`.

    Raises:
        UnusableError: the checkpoint is none, or leaves a tensor of the model without a value.
    """
    import torch

    state = from_original(read_pickle(checkpoint))
    try:
        model, report = build("hunyuan", {**CONFIG, **(config or {})}, state, dtype=torch.bfloat16)
    except ValueError as error:
        raise UnusableError(str(error)) from error
    if not report.whole:
        left = [*report.unexpected, *(name for name, _, _ in report.reshaped)]
        raise UnusableError(f"{len(left)} of its tensors have no place, {left[0]} first")
    model.save_pretrained(folder / "transformer", safe_serialization=True)
    for name in PARTS:
        _link(parts / name, folder / name)
    (folder / "model_index.json").write_text(_index(parts), encoding="utf-8")
    return report


def _index(parts: Path) -> str:
    import json

    index = json.loads((parts / "model_index.json").read_text("utf-8"))
    index["_class_name"] = "AniXHunyuanVideoPipeline"
    index["transformer"] = ["anix_cli.model.anix.hunyuan", "AniXHunyuanVideoTransformer3DModel"]
    return json.dumps(index, indent=2)


def _link(source: Path, target: Path) -> None:
    """A folder's files in another one; links cost no room, and a copy is made where there can be none."""
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.iterdir()):
        if path.is_file():
            try:
                os.link(path.resolve(), target / path.name)
            except OSError:
                shutil.copy2(path, target / path.name)
