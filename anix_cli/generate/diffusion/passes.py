"""What backends share that draw one character a call into what there is, back to front."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ..performing import Troupe
from .modelbackend import ModelBackend

if TYPE_CHECKING:
    from anix_cli.core.clip import ClipRequest, Frames, Progress
    from anix_cli.core.plan import Subject

    from .regions import Bools
    from .words import Words

Make = Callable[[int, "Subject | None", "Bools", "Frames", Callable[[int], None]], "Frames"]
"""(number of the pass, who, where, what there is [T+F, H, W, 3], listener of steps) → new frames [F, …]."""


class PassBackend(ModelBackend):
    """Holds a model, the bodies of the cast, and what of a clip is drawn already."""

    def __init__(self) -> None:
        super().__init__()
        self.troupe = Troupe()

    def close(self) -> None:
        """Frees the model and forgets the bodies."""
        super().close()
        self.troupe.dismiss()

    def draw(
        self,
        request: ClipRequest,
        calls: Sequence[tuple[Subject | None, Bools]],
        steps: int,
        progress: Progress,
        make: Make,
    ) -> Frames:
        """New frames: each call's where it draws, over those of the calls before; the last one's whole.

        Args:
            steps: of one call.
        """
        import numpy as np

        base, start = request.guide.copy(), len(request.tail)
        for index, (subject, region) in enumerate(calls):

            def step(done: int, at: int = index) -> None:
                progress(at * (steps + 1) + done, len(calls) * (steps + 1))

            frames = make(index, subject, region, base, step)
            step(steps + 1)
            drawn = region[start:, ..., None] if index + 1 < len(calls) else True
            base[start:] = np.where(drawn, frames, base[start:])
        return base[start:].copy()


class Made(Protocol):
    """What a call is given: mask [N, H, W], frames of which are ``kept``, then ``new``."""

    @property
    def mask(self) -> Any: ...
    @property
    def kept(self) -> int: ...
    @property
    def new(self) -> int: ...


class OnePass:
    """One call of a model: one character drawn into what there is. Latents are kept before decoding."""

    def __init__(self, request: ClipRequest, kept: int, index: int) -> None:
        from .latents import KeptLatents

        self.request, self.kept, self.index = request, kept, index
        self.file = KeptLatents(request, f"latents-{index}")
        self.notes: dict[str, Any] = {}

    def held(self) -> Any:
        """What is loaded."""
        raise NotImplementedError

    def sampled(
        self, subject: Subject | None, made: Any, told: Words, step: Callable[[int], None]
    ) -> tuple[Any, list[float]]:
        """Denoised latents, and the noise levels that were gone through."""
        raise NotImplementedError

    def decode(self, held: Any, latents: Any, tiled: bool) -> Frames:
        """Frames of latents."""
        raise NotImplementedError

    def finish(self, subject: Subject | None, made: Made, step: Callable[[int], None]) -> Frames:
        """New frames [F, H, W, 3] of a call that is all prepared."""
        from .making import decoded, only_further

        self.notes["character"] = subject.character if subject else None
        count, height, width = made.mask.shape
        channels = self.held().pipe.vae.config.z_dim
        latents = self.file.read((1, channels, (count - 1) // 4 + 1, height // 8, width // 8))
        if latents is not None:
            self.notes["resumed"] = "at decoding"
        else:
            told = self._told(subject)
            latents, self.notes["sigmas"] = self.sampled(subject, made, told, only_further(step))
            if told.lost:
                self.request.note("words_lost", told.lost)
            self.file.write(latents)
        frames, self.notes["decoded"] = decoded(
            self.held, lambda held, tiled: self.decode(held, latents, tiled), self.file
        )
        return frames[made.kept : made.kept + made.new]

    def _told(self, subject: Subject | None) -> Words:
        from .wan import TOKENS
        from .words import words

        told = words(self.request, self.held().count, TOKENS, subject)
        self.notes.update(
            **({"prompt": told.prompt} if self.request.prompts else {}),
            **({"words_lost": told.lost} if told.lost else {}),
        )
        return told


def pass_seed(seed: int, index: int) -> int:
    """Of one call: the clip's own for the first."""
    return (seed + 0x9E3779B9 * index) % 2**32
