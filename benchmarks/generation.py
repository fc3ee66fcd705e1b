"""What generation takes on this machine: memory and seconds of each way to hold a model, and of anix's layer.

    python -m benchmarks.generation [--model 1.3b,14b] [--rungs resident,offload] [--size 832x480]
                                    [--frames 81] [--steps 4] [--repeat 2] [--motion text] [--json]

Wan-VACE is built from its published configurations with random weights, at full size: nothing is downloaded,
and pixels are noise, but memory and time are those of the real ones. Each way is measured in a process of its
own: the most GPU memory that was held, seconds a step, how long a clip takes, and how much of that is neither
in diffusers' pipeline nor in its decoder but in anix (conditions, words, views, checks). Beside it stands the
same call of the pipeline bare. Without a CUDA GPU only ``--model tiny`` can be measured, on the processor,
which says nothing about a GPU; there the memory is the process's.

On a GPU ``anix bench --device gsplat`` holds the drawing of scenes against float64; with ``--parity`` it runs
from here as well.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction
from statistics import median
from typing import Any

import numpy as np

CONFIGS: dict[str, dict[str, Any]] = {
    "tiny": {
        "num_attention_heads": 4, "attention_head_dim": 24, "text_dim": 32, "freq_dim": 32, "ffn_dim": 256,
        "num_layers": 4, "vace_layers": [0, 2], "rope_max_seq_len": 1024,
    },
    "1.3b": {"num_attention_heads": 12, "ffn_dim": 8960, "num_layers": 30,
             "vace_layers": list(range(0, 30, 2))},
    "14b": {"num_attention_heads": 40, "ffn_dim": 13824, "num_layers": 40,
            "vace_layers": list(range(0, 40, 5))},
}  # fmt: skip
"""Of the transformer, as published; "tiny" is made up."""
_TEXT = {"vocab_size": 256384, "d_model": 4096, "d_kv": 64, "d_ff": 10240, "num_layers": 24, "num_heads": 64,
         "feed_forward_proj": "gated-gelu"}  # fmt: skip
_TINY_TEXT = {"vocab_size": 300, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 1, "num_heads": 4}
_TINY_VAE = {"base_dim": 8, "z_dim": 16, "dim_mult": [1, 1, 1, 1], "num_res_blocks": 1,
             "temperal_downsample": [False, True, True]}  # fmt: skip


def built(name: str, dtype: Any) -> Any:
    """A pipeline of random weights in the machine's memory."""
    import torch
    from diffusers import (
        AutoencoderKLWan,
        UniPCMultistepScheduler,
        WanVACEPipeline,
        WanVACETransformer3DModel,
    )
    from transformers import UMT5Config, UMT5EncoderModel

    from anix_cli.generate.diffusion.noise import byte_tokenizer

    tiny = name == "tiny"
    with torch.device("meta"):
        parts = {
            "transformer": WanVACETransformer3DModel(**CONFIGS[name]).to(dtype),
            "text_encoder": UMT5EncoderModel(UMT5Config(**(_TINY_TEXT if tiny else _TEXT))).to(dtype),
            "vae": AutoencoderKLWan(**(_TINY_VAE if tiny else {})),
        }
    for part in parts.values():
        _fill(part)
    scheduler = UniPCMultistepScheduler(
        prediction_type="flow_prediction", use_flow_sigmas=True, num_train_timesteps=1000, flow_shift=3.0
    )
    pipe = WanVACEPipeline(tokenizer=byte_tokenizer(), scheduler=scheduler, **parts)
    pipe.set_progress_bar_config(disable=True)
    return pipe


def _fill(part: Any) -> None:
    """Small random numbers into a module of the meta device; one row of them for all, for speed."""
    import torch

    buffers = {name: value for name, value in part.named_buffers() if not value.is_meta}
    part.to_empty(device="cpu").eval().requires_grad_(False)
    row = torch.randn(1 << 20, generator=torch.Generator().manual_seed(0)) * 0.02
    for value in (*part.parameters(), *part.buffers()):
        if value.is_floating_point():
            flat = value.data.view(-1)
            for start in range(0, len(flat), len(row)):
                flat[start : start + len(row)] = row[: len(flat) - start].to(value.dtype)
    for name, value in buffers.items():
        part.get_buffer(name).copy_(value)


class Watched:
    """A pipeline that notes how long it and its VAE's decoder are at work, and what it is called with."""

    def __init__(self, pipe: Any) -> None:
        object.__setattr__(self, "pipe", pipe)
        object.__setattr__(self, "within_s", [])
        object.__setattr__(self, "given", {})
        decode = pipe.vae.decode

        def timed(*given: Any, **named: Any) -> Any:
            start = now()
            made = decode(*given, **named)
            self.within_s.append(now() - start)
            return made

        pipe.vae.decode = timed

    def __getattr__(self, name: str) -> Any:
        return getattr(self.pipe, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.pipe, name, value)

    def __call__(self, **given: Any) -> Any:
        object.__setattr__(self, "given", given)
        start = now()
        made = self.pipe(**given)
        self.within_s.append(now() - start)
        return made


def now() -> float:
    """Seconds, when all that was asked of the GPU is done."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter()


def backend_on(rung: Any, name: str) -> Any:
    """Backend ``wan-vace`` on one rung, with random weights."""
    import torch

    from anix_cli.generate.diffusion.holding import place
    from anix_cli.generate.vace.backend import WanVaceBackend
    from anix_cli.generate.vace.models import MODELS
    from anix_cli.generate.vace.pipeline import Loaded

    class OnRandomWeights(WanVaceBackend):
        model = MODELS["14b" if name == "14b" else "1.3b"]

        def ways(self, *_: Any) -> tuple[Any, ...]:
            return (rung,)

        def place(self, weights: str) -> Any:
            from anix_cli.model.places import Placed
            from anix_cli.model.registry import weights_called

            return Placed(weights_called(weights), None, None, local=True)  # type: ignore[arg-type]

        def holding(self, model: Any, settings: Any, *, precise: bool, asked: Any = None) -> Any:
            return self.holder.get(model, settings.distilled, precise=precise, load=self.load)

        def load(self, on: Any) -> Any:
            pipe = built(name, getattr(torch, on.dtype))
            place(pipe, on)
            return Loaded(Watched(pipe), on, None)

    return OnRandomWeights()


def request(size_px: tuple[int, int], frames: int, options: dict[str, Any]) -> Any:
    """A clip: someone walks through a checkered field."""
    from anix_cli.core.clip import Cast, ClipRequest
    from anix_cli.core.plan import Subject

    width, height = size_px
    across, down = np.meshgrid(np.arange(width), np.arange(height))
    picture = np.stack([across % 256, down % 256, (across // 32 + down // 32) % 2 * 200], -1).astype(np.uint8)
    x = np.linspace(0.25, 0.6, frames) * width
    box = np.stack([x, np.full(frames, 0.2 * height), x + 0.15 * width, np.full(frames, 0.9 * height)], -1)
    anchor = np.zeros((frames, height, width), dtype=bool)
    for mask, (left, top, right, bottom) in zip(anchor, box.astype(int), strict=True):
        mask[top:bottom, left:right] = True
    poses = np.tile(np.diag([-1.0, -1.0, 1.0, 1.0]), (frames, 1, 1))
    poses[:, :3, 3] = (0, 1.4, -6)
    k = np.tile(np.array([[width, 0, width / 2], [0, width, height / 2], [0, 0, 1.0]]), (frames, 1, 1))
    zeros = np.zeros(frames)
    root = np.stack([np.linspace(1, -1, frames), zeros, zeros], -1)
    who = Subject("walker", root, zeros - 1.57, zeros + 1, zeros, box, np.ones(frames, bool), zeros)
    view = np.zeros((512, 256, 4), np.uint8)
    view[60:, 80:176] = (180, 60, 40, 255)
    names = ("front", "left", "right", "back")
    return ClipRequest(
        prompt="walks; a courier in a red coat; a plaza at noon", negative="", size_px=size_px, frames=frames,
        fps=Fraction(16), seed=1, guide=np.tile(picture, (frames, 1, 1, 1)),
        depth=np.full((frames, height, width), 20, np.float32), anchor=anchor,
        tail=np.empty((0, height, width, 3), np.uint8),
        cast={"walker": Cast(dict.fromkeys(names, view), 1.7, "a courier in a red coat", "walker")},
        blocking=(who,), world_from_camera=poses, intrinsics=k, options=options, scene=_nothing, near_m=0.05,
    )  # fmt: skip


def _nothing() -> Any:
    raise RuntimeError("the scene is not drawn here")


def measure(name: str, rung_name: str, size_px: tuple[int, int], frames: int, options: dict[str, Any],
            repeat: int) -> dict[str, Any]:  # fmt: skip
    """One way to hold a model: its figures, or why there are none."""
    import torch

    from anix_cli.generate.diffusion.holding import out_of_memory

    rung = rung_called(name, rung_name)
    if rung.device == "cpu":
        torch.set_num_threads(1)  # so small layers take longer on several
    row: dict[str, Any] = {"model": name, "rung": rung.name, "size": f"{size_px[0]}x{size_px[1]}",
                           "frames": frames, **options}  # fmt: skip
    backend = backend_on(rung, name)
    try:
        row.update(
            _timed(backend, request(size_px, frames, {**options, "model": backend.model.name}), repeat)
        )
    except Exception as error:
        if not (out_of_memory(error) or "E558" in str(error)):
            raise
        row["failed"] = "out of memory"
    row.update(memory())
    return row


def _timed(backend: Any, asked: Any, repeat: int) -> dict[str, float]:
    """Medians over ``repeat`` clips, after one that is not counted, and the bare call beside each."""
    whole: list[float] = []
    outside: list[float] = []
    bare: list[float] = []
    steps: list[float] = []
    start = now()
    backend.holding(backend.model, _Distilled(), precise=False)
    loaded_s = now() - start
    for turn in range(repeat + 1):
        ticks: list[float] = []
        pipe = backend.holder.loaded.pipe
        pipe.within_s.clear()
        start = now()
        backend.generate(asked, lambda *_, to=ticks: to.append(now()))
        took = now() - start
        within = sum(pipe.within_s)
        start = now()
        pipe.pipe(**{**pipe.given, "callback_on_step_end": None, "output_type": "np"})
        alone = now() - start
        if turn:
            whole.append(took)
            outside.append(took - within)
            bare.append(alone)
            steps += np.diff(ticks[: asked.options["steps"]]).tolist()
    return {
        "load_s": loaded_s, "clip_s": median(whole), "bare_s": median(bare),
        "step_s": median(steps) if steps else float("nan"),
        "layer_s": median(outside), "overhead": median(outside) / (median(whole) - median(outside)),
    }  # fmt: skip


class _Distilled:
    distilled = False


def memory() -> dict[str, float]:
    """The most that was held, in GiB."""
    import resource

    import torch

    found = {"ram_gib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20}
    if torch.cuda.is_available():
        found["vram_gib"] = torch.cuda.max_memory_allocated() / 2**30
        found["vram_reserved_gib"] = torch.cuda.max_memory_reserved() / 2**30
    return found


def rungs(name: str) -> tuple[Any, ...]:
    """Ways to hold a model; of the tiny one, those that a processor has."""
    from anix_cli.generate.diffusion.ladder import Rung, ways
    from anix_cli.generate.vace.models import MODELS

    if name == "tiny":
        plain = Rung("cpu", dtype="float32", device="cpu")
        return (plain, replace(plain, name="cpu fp8", fp8=True), replace(plain, name="cpu tiled", tiled=True))
    return ways(MODELS[name])


def rung_called(name: str, rung: str) -> Any:
    """One of them."""
    return next(one for one in rungs(name) if one.name == rung)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", metavar="NAME,NAME", help="1.3b, 14b, tiny; else what this machine can")
    parser.add_argument("--rungs", metavar="NAME,NAME", help="ways to hold it; else all")
    parser.add_argument("--size", metavar="WxH", help="832x480; tiny: 192x112")
    parser.add_argument("--frames", type=int, metavar="N", help="81; tiny: 17")
    parser.add_argument("--steps", type=int, default=4, metavar="N")
    parser.add_argument("--repeat", type=int, default=2, metavar="N", help="clips that are counted")
    parser.add_argument("--motion", default="text", choices=("text", "pose", "depth"))
    parser.add_argument("--parity", action="store_true", help="then `anix bench --device gsplat`")
    parser.add_argument("--json", action="store_true", help="print one JSON list")
    parser.add_argument("--one", metavar="RUNG", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    given = _arguments()
    import torch

    on_gpu = torch.cuda.is_available()
    names = given.model.split(",") if given.model else (["1.3b", "14b"] if on_gpu else ["tiny"])
    for name in names:
        if name not in CONFIGS:
            sys.exit(f"there is no model {name!r}: {', '.join(CONFIGS)}")
        if name != "tiny" and not on_gpu:
            sys.exit(f"{name} needs a CUDA GPU, and PyTorch finds none; --model tiny runs on the processor")
    options = {"steps": given.steps, "motion": given.motion}
    if given.one:
        size = tuple(map(int, given.size.split("x")))
        sys.stdout.write(
            json.dumps(measure(names[0], given.one, size, given.frames, options, given.repeat)) + "\n"  # type: ignore[arg-type]
        )
        return
    rows = [row for name in names for row in _rows(name, given)]
    if given.json:
        sys.stdout.write(json.dumps(rows, indent=2) + "\n")
    if given.parity:
        subprocess.run([sys.executable, "-m", "anix_cli", "bench", "--device", "gsplat"], check=False)


def _rows(name: str, given: argparse.Namespace) -> list[dict[str, Any]]:
    """Each way in a process of its own, told as it comes."""
    size, frames = (
        given.size or ("192x112" if name == "tiny" else "832x480"),
        given.frames or (17 if name == "tiny" else 81),
    )
    chosen = given.rungs.split(",") if given.rungs else [rung.name for rung in rungs(name)]
    made = []
    for rung in chosen:
        command = [
            sys.executable, "-m", "benchmarks.generation", "--model", name, "--one", rung, "--size", size,
            "--frames", str(frames), "--steps", str(given.steps), "--repeat", str(given.repeat),
            "--motion", given.motion,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["without a word"])[-1]
            row: dict[str, Any] = {"model": name, "rung": rung, "failed": last[:200]}
        else:
            row = json.loads(done.stdout.splitlines()[-1])
        made.append(row)
        sys.stderr.write(told(row) + "\n")
        sys.stderr.flush()
    return made


def told(row: dict[str, Any]) -> str:
    """One line of a row."""
    held = f"{row['vram_gib']:.1f} GiB VRAM" if "vram_gib" in row else f"{row.get('ram_gib', 0):.1f} GiB RAM"
    if "failed" in row:
        return f"{row['model']:>5} {row['rung']:<14} {row['failed']}"
    return (
        f"{row['model']:>5} {row['rung']:<14} {row['size']}, {row['frames']} frames: {held}, "
        f"{row['step_s']:.3f} s a step, {row['clip_s']:.2f} s a clip of {row['steps']} steps, "
        f"bare {row['bare_s']:.2f} s, layer {1000 * row['layer_s']:.0f} ms ({100 * row['overhead']:.1f} %)"
    )


if __name__ == "__main__":
    main()
