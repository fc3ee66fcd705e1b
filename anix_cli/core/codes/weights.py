"""E47x, E557, E558, W552: weights, and the GPU that generation needs."""

from __future__ import annotations

from ..errors import ExitCode
from .code import rows

WEIGHTS = {
    **rows(
        ExitCode.ENVIRONMENT,
        {
            "E471": (
                "Generation is not installed",
                "Generated film needs PyTorch, diffusers and more: pip install 'anix[generate]'. Planning, "
                "guides and drafts do without.",
            ),
            "E472": (
                "No GPU to generate with",
                "Video models need a CUDA GPU: on a processor a clip would take days. The backend animatic "
                "makes a draft of the same screenplay without one.",
            ),
            "E473": (
                "Too little memory for the model",
                "Even in its most sparing way the model needs more memory of GPU or machine than there is. "
                "Take the smaller model, or end what else uses the GPU.",
            ),
            "E474": (
                "Weights are not on this machine",
                "`anix models pull` fetches them where there is a network; `anix models path` tells the "
                "folder into which they can be put by hand.",
            ),
            "E475": (
                "Weights are not whole",
                "A download that did not end, a Git LFS pointer in place of a file, a pickle, which is never "
                "loaded, or tensors that are not this model's. `anix models verify` lists all that is wrong; "
                "`anix models pull` mends it.",
            ),
            "E482": (
                "The environment of game worlds is missing",
                "matrix-game-2 and hunyuan-gamecraft run in a Python environment of their own, with the "
                "package fastvideo; ANIX_FASTVIDEO_PYTHON names its interpreter. deepverse wants a checkout "
                "of its code (ANIX_DEEPVERSE_DIR) and an environment for it (ANIX_DEEPVERSE_PYTHON).",
            ),
            "E483": (
                "The model has no adapter",
                "The backend anix is a public base with an adapter on it, which somebody trained. It is "
                "looked for as NAME.safetensors in the folder of adapters beside the weights.",
            ),
            "E481": (
                "Fewer GPUs than asked for",
                "--gpus-per-clip shares each clip between so many GPUs of this machine.",
            ),
            "E477": (
                "No room for weights",
                "They are tens of gigabytes. Free some space, or set HF_HOME to a folder on a larger disk.",
            ),
            "E478": (
                "Weights could not be fetched",
                "The download failed. Run the same command again: what arrived is kept.",
            ),
        },
    ),
    **rows(
        ExitCode.SHOTS_FAILED,
        {
            "E557": (
                "The LoRA does not fit the model",
                "None of its layers is one of the model's, so that it would change nothing. Take the "
                "published file, for the model that it was made for.",
            ),
            "E558": (
                "Memory ran out",
                "Every way to hold the model was tried, the most sparing one last. Lower the picture's size, "
                "or take a smaller model. What was sampled is kept: the same command goes on from there.",
            ),
        },
    ),
    **rows(
        ExitCode.INVALID,
        {
            "W552": (
                "Words were lost",
                "The text encoder reads so many tokens and no more. What happens is told first, and these "
                "words no longer fitted: shorten description or prompt.",
            ),
        },
    ),
    **rows(
        ExitCode.USAGE,
        {
            "E480": (
                "A clip cannot be shared between GPUs",
                "Several GPUs can work on one clip where diffusers has a plan for the model (that is so for "
                "wan-i2v), and where its attention heads and the clip's tokens divide among them.",
            ),
            "E476": (
                "Unknown weights",
                "`anix models list` tells the names of those that anix knows.",
            ),
            "E479": (
                "Not a revision",
                "Weights are pinned to a commit of their repository on the hub, 40 hexadecimal digits: a "
                "branch would move, and with it what a seed gives.",
            ),
        },
    ),
}
