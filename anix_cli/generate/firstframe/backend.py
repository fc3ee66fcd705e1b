"""Backends ``cogvideox``, ``hunyuan-video`` and ``wan-i2v``: a first frame and words in, frames out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from anix_cli.core.capabilities import Capabilities
from anix_cli.core.errors import fail

from ..diffusion.levers import OFF, levers
from ..diffusion.modelbackend import ModelBackend
from .models import MODELS, ImageModel, Sampling, call_frames, options, sampling

if TYPE_CHECKING:
    from anix_cli.core.clip import ClipRequest, Frames, Progress

    from ..diffusion.ladder import Footprint, Rung
    from .pipeline import Loaded

EXTRAS = ("torch", "diffusers", "transformers", "accelerate", "ftfy", "safetensors")
CANNOT = (
    "the guide after the first frame", "blocking and views after it", "cameras", "depth", "anchors",
    "more than one frame of the clip before",
)  # fmt: skip
"""What of a plan these models have no way to take."""
VERSION = "1"
PATCH_PX = 16
"""Side of the models' tokens: VAE 8, patches 2."""


class _Declared:
    """Capabilities with the pins of this machine."""

    def __init__(self, backend: str, **limits: Any) -> None:
        self._backend, self._limits = backend, limits

    def __get__(self, instance: Any, owner: type) -> Capabilities:
        from anix_cli.model.places import signature

        uses = {"prompt", "seed", "guide", "tail", "views", "blocking", "scene"}
        return Capabilities(
            **{
                "uses": frozenset(uses if self._backend == "hunyuan-video" else {*uses, "negative"}),
                "version": VERSION,
                "tail": 1,
                "frame_step": 4,
                "size_multiple": 16,
                "weights": signature(*(model.weights for model in MODELS[self._backend].values())),
                "options": options(self._backend),
                "tokenizers": tuple(model.weights for model in MODELS[self._backend].values()),
                "cannot": CANNOT,
                **self._limits,
            }
        )


class FirstFrameBackend(ModelBackend):
    """What the three share. The first frame is the animatic's, or the last one of the clip before."""

    name: ClassVar[str]
    capabilities: ClassVar[Any]

    _before: Callable[[], None] | None = None
    """Called first in each process of several GPUs; in tests."""

    def __init__(self) -> None:
        super().__init__()
        self._gpus = 1

    def use_gpus(self, per_clip: int) -> None:
        """Makes each clip on so many GPUs; :meth:`prepare` says whether it can."""
        self._gpus = per_clip

    def prepare(self, options: Sequence[Mapping[str, Any]]) -> None:
        """Makes sure, before the first frame, that clips with such options can be made.

        Raises:
            AnixError: E471, something is not installed; E472, E473, no GPU or too little memory; E474 …
                E478, the weights; E480, E481, several GPUs that can't be had or used.
        """
        self.installed(EXTRAS)
        for model, _ in self.models(options):
            self._check_sharing(model)
        self.ready(EXTRAS, options)

    def models(self, options: Sequence[Mapping[str, Any]]) -> Sequence[tuple[ImageModel, Sequence[str]]]:
        """The models that clips with such options need, each with the name of its weights."""
        names = sorted({self._model(one).name for one in options})
        return [(model, [model.weights]) for model in (MODELS[self._family][name] for name in names)]

    def generate(self, request: ClipRequest, progress: Progress) -> Frames:
        """The new frames, [F, H, W, 3] uint8 sRGB.

        Raises:
            AnixError: as :meth:`prepare`; E558, memory ran out on every rung.
            BadFrames: what came out is not finite.
        """
        from ..check import check_request

        check_request(request)
        self.installed(EXTRAS)
        model = self._model(request.options)
        settings = sampling(model, request.size_px, request.options)
        given = min(1, len(request.tail))
        count = call_frames(model, given + request.frames)
        notes: dict[str, Any] = {
            "model": model.name,
            "first_frame": "of the clip before" if given else "of the animatic",
            "frames": count,
            "cannot_take": list(CANNOT),
            "sampling": {"steps": settings.steps, "guidance": settings.guidance, "shift": settings.shift},
            "gpus": self._gpus,
            "levers": (OFF if request.precise else levers(request.options)).named,
        }
        self._check_sharing(model, (count - 1) // 4 + 1, request.size_px)
        latents = self._latents(request, model, settings, count, notes, progress)
        frames = self._decoded(request, model, latents, notes)
        progress(settings.steps + 1, settings.steps + 1)
        placed = self.place(model.weights)
        notes["weights"] = {model.weights: placed.revision or "local folder"}
        request.note(self._family.replace("-", "_"), notes)
        return frames[given : given + request.frames].copy()

    @property
    def _family(self) -> str:
        return self.name

    def _model(self, chosen: Mapping[str, Any]) -> ImageModel:
        models = MODELS[self._family]
        return models[str(chosen.get("model", next(iter(models))))]

    def _latents(
        self,
        request: ClipRequest,
        model: ImageModel,
        settings: Sampling,
        count: int,
        notes: dict[str, Any],
        progress: Progress,
    ) -> Any:
        from ..diffusion.latents import KeptLatents
        from ..diffusion.making import only_further, sampled, sigmas_of
        from ..diffusion.words import words
        from .families import FAMILIES
        from .first import first_frame
        from .pipeline import sample

        family, kept = FAMILIES[self._family], KeptLatents(request)
        width, height = request.size_px
        step = only_further(lambda done: progress(done, settings.steps + 1))

        def made(loaded: Loaded) -> Any:
            latents = kept.read(family.latents(loaded.pipe, count, height, width))
            if latents is not None:
                notes["resumed"] = "at decoding"
                return latents
            told = words(request, loaded.count, family.tokens)
            latents = sample(
                loaded, first_frame(request), told.prompt, told.negative, frames=count, settings=settings,
                seed=request.seed, step=step,
            )  # fmt: skip
            notes["sigmas"] = sigmas_of(loaded.pipe.scheduler)
            if told.lost:
                request.note("words_lost", told.lost)
            kept.write(latents)
            return latents

        return sampled(
            lambda: self._held(model, request),
            lambda: self.holder.step_down(model, precise=request.precise),
            made,
        )

    def _decoded(
        self, request: ClipRequest, model: ImageModel, latents: Any, notes: dict[str, Any]
    ) -> Frames:
        from ..diffusion.latents import KeptLatents
        from ..diffusion.making import decoded
        from .pipeline import decode

        frames, notes["decoded"] = decoded(
            lambda: self._held(model, request),
            lambda loaded, tiled: decode(loaded, latents, tiled=tiled),
            KeptLatents(request),
        )
        notes["rung"] = self.holder.loaded.rung.name
        return frames

    def _held(self, model: ImageModel, request: ClipRequest) -> Loaded:
        """The pipeline for a clip; what makes it quicker is left out where precision is asked for."""
        from .families import FAMILIES
        from .pipeline import load, load_shared

        folder = self.place(model.weights).path
        asked = OFF if request.precise else levers(request.options)
        loaded: Loaded = self.holder.get(
            model,
            asked,
            precise=request.precise,
            load=lambda rung: (
                load(folder, rung, FAMILIES[self._family], asked)
                if self._gpus == 1
                else load_shared(folder, rung, self._family, asked, self._gpus, self._before)
            ),
        )
        return loaded

    def _check_sharing(
        self, model: ImageModel, latents: int | None = None, size_px: tuple[int, int] = (0, 0)
    ) -> None:
        """Raises AnixError E480, E481 where several GPUs can't share the model, or a clip of that size."""
        if self._gpus == 1:
            return
        import diffusers

        from ..diffusion.crew import check_plan, check_tokens
        from .families import FAMILIES

        kind = getattr(diffusers, FAMILIES[self._family].transformer)
        check_plan(model.title, kind, model.heads, self._gpus, self._gpus_here())
        if latents is not None:
            check_tokens(model.title, latents * size_px[0] * size_px[1] // PATCH_PX**2, self._gpus)

    def _gpus_here(self) -> int:
        import torch

        return int(torch.cuda.device_count())

    def ways(self, model: Footprint, precise: bool, ever: bool) -> tuple[Rung, ...]:
        """As any backend's; several GPUs hold the whole model each.

        Raises:
            AnixError: E472, E473, no GPU or too little memory.
        """
        found = super().ways(model, precise, ever)
        if self._gpus == 1:
            return found
        whole = tuple(rung for rung in found if rung.offload is None)
        if not whole:
            raise fail(
                "E473",
                f"{model.title} on {self._gpus} GPUs must lie whole on each, and there is too little memory",
                hint="leave --gpus-per-clip out: one GPU can work with parts of it",
            )
        return whole


class CogVideoXBackend(FirstFrameBackend):
    """CogVideoX-5B-I2V (arXiv 2408.06072): 49 frames of 720×480 at 8 a second, and nothing else."""

    name = "cogvideox"
    capabilities = _Declared(
        "cogvideox",
        max_frames=49,
        fps=Fraction(8),
        sizes=((720, 480),),
        prompt_tokens=226,
        licence="CogVideoX licence; see `anix models list`",
    )


class HunyuanVideoBackend(FirstFrameBackend):
    """HunyuanVideo-I2V (arXiv 2412.03603), 13 B."""

    name = "hunyuan-video"
    capabilities = _Declared(
        "hunyuan-video",
        max_frames=129,
        fps=Fraction(24),
        prompt_tokens=240,
        licence="Tencent Hunyuan community licence; see `anix models list`",
    )


class WanI2VBackend(FirstFrameBackend):
    """Wan2.1-I2V-14B and Wan2.2-I2V-A14B (arXiv 2503.20314)."""

    name = "wan-i2v"
    capabilities = _Declared(
        "wan-i2v",
        max_frames=81,
        fps=Fraction(16),
        prompt_tokens=512,
        licence="Apache-2.0; see `anix models list`",
    )
