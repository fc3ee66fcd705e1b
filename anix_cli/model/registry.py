"""The weights that anix knows, each with its repository, licence, and what is known about its size.

What could not be looked up is None, never a guess: an exact size is asked of the hub before a download, and
the revision that was fetched is recorded beside the weights (see :mod:`anix_cli.model.pins`).
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..core.errors import AnixError, Diagnostic

_PIPELINE = ("model_index.json", "modular_model_index.json", "*/*.json", "*/*.safetensors", "tokenizer/*")
_ANIMATE = (*_PIPELINE, "image_processor/*")
_TWO_TOKENIZERS = (*_PIPELINE, "tokenizer_2/*")
_ANIMATE_TWO = (*_TWO_TOKENIZERS, "image_processor/*")
_FIRST_FRAME = "takes words and a first frame, and no guide, mask, views or camera"


@dataclass(frozen=True)
class Weights:
    """One row.

    Attributes:
        name: what users call it.
        repo: on the Hugging Face hub.
        holds: what it is, in a few words.
        files: patterns of what is fetched of it; never pickles.
        file: the one file that is used, for weights that are no pipeline.
        revision: 40 hexadecimal digits, where one was checked; None takes the user's pin, else the newest.
        bytes: of all files together, None where unknown.
        licence: SPDX name, or "unknown".
        note: one line on what the licence allows, and where that is said.
        free: the licence asks nothing of who only uses the weights, so that they may be fetched unasked.
        made_with: of weights that are published as a pickle, and can't be fetched: those whose other parts
            they use when `anix models convert` makes them.
        sha256: of files whose digest was looked up.
    """

    name: str
    repo: str
    holds: str
    files: tuple[str, ...]
    licence: str
    note: str
    file: str | None = None
    revision: str | None = None
    bytes: int | None = None
    free: bool = False
    made_with: str | None = None
    sha256: Mapping[str, str] = field(default_factory=dict)


WEIGHTS: Mapping[str, Weights] = {
    row.name: row
    for row in (
        Weights(
            "wan2.1-vace-1.3b",
            "Wan-AI/Wan2.1-VACE-1.3B-diffusers",
            "Wan2.1 VACE, 1.3 B: 480p, for cards from about 8 GiB",
            _PIPELINE,
            "Apache-2.0",
            "commercial use allowed; published with Wan2.1 under Apache-2.0",
            free=True,
        ),
        Weights(
            "wan2.1-vace-14b",
            "Wan-AI/Wan2.1-VACE-14B-diffusers",
            "Wan2.1 VACE, 14 B: 480p and 720p",
            _PIPELINE,
            "Apache-2.0",
            "commercial use allowed; published with Wan2.1 under Apache-2.0",
            free=True,
        ),
        Weights(
            "wan2.2-vace-fun",
            "linoyts/Wan2.2-VACE-Fun-14B-diffusers",
            "Wan2.2 VACE-Fun A14B (two 14 B experts), as converted for diffusers",
            _PIPELINE,
            "unknown",
            "a conversion of alibaba-pai/Wan2.2-VACE-Fun-A14B whose card names no licence: read both cards",
            sha256={
                "vae/diffusion_pytorch_model.safetensors": (
                    "d6e524b3fffede1787a74e81b30976dce5400c4439ba64222168e607ed19e793"
                ),
            },
        ),
        Weights(
            "wan2.2-animate-14b",
            "Wan-AI/Wan2.2-Animate-14B-Diffusers",
            "Wan2.2 Animate, 14 B: puts a character into the guide, moved by its skeleton",
            _ANIMATE,
            "Apache-2.0",
            "commercial use allowed; published with Wan2.2 under Apache-2.0",
            bytes=82_300_000_000,
            free=True,
        ),
        Weights(
            "wan2.2-animate-2-14b",
            "Wan-AI/Wan2.2-Animate-2-14B-Diffusers",
            "Wan-Animate-2, 14 B: moves who is in a picture as a video moves, here the animatic",
            _PIPELINE,
            "Apache-2.0",
            "of the original, Wan-AI/Wan2.2-Animate-2-14B; the card of this conversion was not seen",
        ),
        Weights(
            "wan2.1-i2v-480p",
            "Wan-AI/Wan2.1-I2V-14B-480P-Diffusers",
            f"Wan2.1 image to video, 14 B, 480p: {_FIRST_FRAME}",
            _PIPELINE,
            "Apache-2.0",
            "commercial use allowed; published with Wan2.1 under Apache-2.0",
            free=True,
        ),
        Weights(
            "wan2.1-i2v-720p",
            "Wan-AI/Wan2.1-I2V-14B-720P-Diffusers",
            f"Wan2.1 image to video, 14 B, 720p: {_FIRST_FRAME}",
            _PIPELINE,
            "Apache-2.0",
            "commercial use allowed; published with Wan2.1 under Apache-2.0",
            free=True,
        ),
        Weights(
            "wan2.2-i2v",
            "Wan-AI/Wan2.2-I2V-A14B-Diffusers",
            f"Wan2.2 image to video, two 14 B experts: {_FIRST_FRAME}",
            _PIPELINE,
            "Apache-2.0",
            "commercial use allowed; published with Wan2.2 under Apache-2.0",
            free=True,
        ),
        Weights(
            "cogvideox-5b-i2v",
            "THUDM/CogVideoX-5b-I2V",
            f"CogVideoX image to video, 5 B, 720x480: {_FIRST_FRAME}",
            _PIPELINE,
            "CogVideoX",
            "its own licence: research is free, commercial use wants a registration; read it on the hub",
        ),
        Weights(
            "hunyuan-video-i2v",
            "hunyuanvideo-community/HunyuanVideo-I2V",
            f"HunyuanVideo image to video, 13 B: {_FIRST_FRAME}",
            _TWO_TOKENIZERS,
            "Tencent Hunyuan Community",
            "not licensed in the European Union, the United Kingdom and South Korea; read it on the hub",
        ),
        Weights(
            "hunyuancustom-editing",
            "tencent/HunyuanCustom",
            "HunyuanCustom's editing model, 13 B: a base of the backend anix; published as pickles",
            _ANIMATE_TWO,
            "Tencent Hunyuan Community",
            "not licensed in the European Union, the United Kingdom and South Korea; read it on the hub",
            made_with="hunyuan-video-i2v",
        ),
        Weights(
            "hunyuan-video",
            "hunyuanvideo-community/HunyuanVideo",
            "HunyuanVideo text to video, 13 B: a base of the backend anix, which needs an adapter on it",
            _TWO_TOKENIZERS,
            "Tencent Hunyuan Community",
            "not licensed in the European Union, the United Kingdom and South Korea; read it on the hub",
        ),
        Weights(
            "wan2.1-t2v-14b",
            "Wan-AI/Wan2.1-T2V-14B-Diffusers",
            "Wan2.1 text to video, 14 B: a base of the backend anix, which needs an adapter on it",
            _PIPELINE,
            "Apache-2.0",
            "commercial use allowed; published with Wan2.1 under Apache-2.0",
            free=True,
        ),
        Weights(
            "wan2.1-t2v-1.3b",
            "Wan-AI/Wan2.1-T2V-1.3B-Diffusers",
            "Wan2.1 text to video, 1.3 B: the small base of the backend anix, which needs an adapter on it",
            _PIPELINE,
            "Apache-2.0",
            "commercial use allowed; published with Wan2.1 under Apache-2.0",
            free=True,
        ),
        Weights(
            "matrix-game-2",
            "FastVideo/Matrix-Game-2.0-Base-Distilled-Diffusers",
            "Matrix-Game-2.0, a game world: takes a first frame and keys; for the package fastvideo",
            _PIPELINE,
            "MIT",
            "published as Skywork/Matrix-Game-2.0 under MIT; the card of this conversion is empty",
        ),
        Weights(
            "hunyuan-gamecraft",
            "FastVideo/HunyuanGameCraft-Diffusers",
            "Hunyuan-GameCraft, a game world: takes words, a first frame and an action; for fastvideo",
            _TWO_TOKENIZERS,
            "Tencent Hunyuan Community",
            "not licensed in the European Union, the United Kingdom and South Korea; read it on the hub",
        ),
        Weights(
            "wan2.1-distill-lora",
            "lightx2v/Wan2.1-Distill-Loras",
            "four-step distilled LoRA (rank 64) for the 14 B model of Wan2.1",
            ("wan2.1_t2v_14b_lora_rank64_lightx2v_4step.safetensors",),
            "unknown",
            "its listing names no licence: read the card on the hub before commercial use",
            file="wan2.1_t2v_14b_lora_rank64_lightx2v_4step.safetensors",
            bytes=631_000_000,
            sha256={
                "wan2.1_t2v_14b_lora_rank64_lightx2v_4step.safetensors": (
                    "1c918df9eaa102766d8f99104209ce55fe7a892278a667a63d721c5d1c18efb1"
                ),
            },
        ),
        Weights(
            "mdm-humanml3d",
            "ZeyuLing/hftrainer-mdm-humanml3d",
            "MDM, motions of words: the published HumanML3D checkpoint, as converted to safetensors",
            ("model.safetensors", "mdm_config.json", "Mean.npy", "Std.npy"),
            "unknown",
            "its card says “other”; MDM's code is MIT, its data (AMASS) for research: read both before use",
            file="model.safetensors",
        ),
        Weights(
            "clip-vit-b32",
            "openai/clip-vit-base-patch32",
            "CLIP's text encoder, ViT-B/32: what MDM reads words with",
            ("*.json", "*.txt", "model.safetensors"),
            "unknown",
            "the code of openai/CLIP is MIT; the card on the hub names no licence",
            file="model.safetensors",
        ),
    )
}


def weights_called(name: str) -> Weights:
    """The row of a name. Raises AnixError: E476, there is none."""
    if name in WEIGHTS:
        return WEIGHTS[name]
    near = difflib.get_close_matches(name.lower(), WEIGHTS, n=1, cutoff=0.7)
    known = ", ".join(WEIGHTS)
    raise AnixError(
        Diagnostic(
            "E476",
            f"there are no weights called {name!r}; anix knows {known}",
            found=name,
            expected=known,
            nearest=near[0] if near else None,
            hint=f"did you mean {near[0]}?" if near else "`anix models list` tells what each is",
        )
    )
