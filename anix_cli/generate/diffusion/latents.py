"""Denoised latents on disk: hours of sampling are not lost to an error at decoding."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anix_cli.core.clip import ClipRequest


class KeptLatents:
    """The latents of one request, in its scratch folder; nowhere if it has none."""

    def __init__(self, request: ClipRequest, name: str = "latents") -> None:
        precise = "-precise" if request.precise else ""
        self.file: Path | None = request.scratch / f"{name}{precise}.safetensors" if request.scratch else None

    def write(self, latents: Any) -> None:
        """Keeps a tensor, whole or not at all."""
        if self.file is not None:
            from safetensors.torch import save_file

            self.file.parent.mkdir(parents=True, exist_ok=True)
            partial = self.file.with_suffix(".part")
            save_file({"latents": latents}, partial)
            partial.replace(self.file)

    def read(self, shape: Sequence[int]) -> Any:
        """The tensor that was kept; None for none, a damaged one, or one of another shape."""
        if self.file is None or not self.file.is_file():
            return None
        from safetensors.torch import load_file

        try:
            latents = load_file(self.file)["latents"]
        except Exception:  # half written or damaged: sampled again
            return None
        return latents if tuple(latents.shape) == tuple(shape) else None

    def forget(self) -> None:
        if self.file is not None:
            self.file.unlink(missing_ok=True)
