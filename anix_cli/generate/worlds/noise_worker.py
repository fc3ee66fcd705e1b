"""The program in the other environment, as tests run it: its own code, and in place of ``fastvideo``, and of
DeepVerse's checkout, a tiny network with random weights behind the same calls. What it makes is noise."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from PIL import Image
from safetensors.torch import load_file
from torch.nn import functional

KEYS = 6
"""Channels of what is pressed, or how the camera stands, at each latent frame."""


class Network(torch.nn.Module):  # type: ignore[misc]
    """Noise, first frame and keys in, a video out."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.into = torch.nn.Conv3d(3 + 3 + KEYS, 8, 3, padding=1)
        self.out = torch.nn.Conv3d(8, 3, 3, padding=1)
        self.load_state_dict(load_file(f"{folder}/transformer/diffusion_pytorch_model.safetensors"))

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def video(self, first: str, keys: Any, frames: int, size: tuple[int, int], steps: int, seed: int) -> Any:
        """[1, 3, N, H, W] in −1 … 1; ``keys``: [T, up to KEYS] of any rate."""
        width, height = size
        grid = ((frames - 1) // 4 + 1, height // 8, width // 8)
        picture = torch.from_numpy(np.asarray(Image.open(first).convert("RGB"))).float() / 127.5 - 1
        seen = functional.interpolate(picture.permute(2, 0, 1)[None, :, None], grid)
        pressed = torch.zeros(1, KEYS, *grid)
        held = functional.interpolate(torch.as_tensor(keys).float().T[None], grid[0])[0]
        pressed[0, : len(held)] = held[:, :, None, None]
        made = torch.randn(1, 3, *grid, generator=torch.Generator().manual_seed(seed))
        for _ in range(steps):
            told = torch.cat([made, seen, pressed], dim=1)
            made = made - self.out(functional.silu(self.into(told))) / steps
        video = functional.interpolate(made, (frames, height, width), mode="trilinear").tanh()
        video[:, :, 0] = picture.permute(2, 0, 1)
        return video


class VideoGenerator:
    """Called as ``fastvideo.VideoGenerator``."""

    def __init__(self, network: Network) -> None:
        self.network = network

    @classmethod
    def from_pretrained(cls, folder: str, **_: Any) -> "VideoGenerator":
        return cls(Network(folder))

    def shutdown(self) -> None:
        """Nothing is held."""

    def generate_video(self, *, prompt: str, image_path: str, seed: int, **asked: Any) -> dict[str, Any]:
        """Frames of a first frame, words (of which their number counts), and keys or a camera."""
        if "keyboard_cond" in asked:
            keys = torch.cat([asked["keyboard_cond"][0], asked["mouse_cond"][0]], dim=1)
        else:
            keys = asked["camera_states"][0].float().mean(dim=(2, 3))
        size = (asked["width"], asked["height"])
        steps = min(2, asked["num_inference_steps"])
        video = self.network.video(image_path, keys, asked["num_frames"], size, steps, seed + len(prompt))
        levels = ((video[0].permute(1, 2, 3, 0) + 1) * 127.5).round().to(torch.uint8)
        return {"frames": list(levels.numpy())}


class InferencePipeline:
    """Called as that of DeepVerse's checkout."""

    def __init__(self, model_cfg: dict[str, Any], **_: Any) -> None:
        self.network = Network(model_cfg["text_encoder_config"]["model_path"])

    def generate(self, given: dict[str, Any]) -> dict[str, Any]:
        """The video of what ``run.prepare_input_data`` gave."""
        moves = torch.tensor([[ord(sign) % 7 - 3 for sign in move] for move in given["moves"]])
        size = (given["width"], given["height"])
        return {
            "pred_img": self.network.video(given["image"], moves, given["frames"], size, 2, given["seed"])
        }


def camera(action: str, height: int, width: int, num_frames: int, action_speed: float, dtype: Any) -> Any:
    """Called as fastvideo's: [1, N, 6, H/16, W/16], here of the action's name and speed."""
    told = torch.tensor([(sum(map(ord, action)) * n) % 11 / 11 - 0.5 for n in range(1, 7)])
    way = torch.linspace(0, float(action_speed), num_frames)[:, None] * told
    return way[None, :, :, None, None].expand(1, -1, -1, height // 16, width // 16).to(dtype)


def stand_in() -> None:
    """Puts all of this where the worker looks for the libraries."""
    seed = [0]

    def prepare(image: str, frames: int, height: int, width: int, _: str, moves: str) -> dict[str, Any]:
        told = moves.strip("()").split(")(")
        return {"image": image, "frames": frames, "height": height, "width": width, "moves": told,
                "seed": seed[0]}  # fmt: skip

    def settings() -> dict[str, Any]:
        return {"dit_config": {}, "vae_config": {}, "text_encoder_config": {}}

    known: dict[str, dict[str, Any]] = {
        "fastvideo": {"VideoGenerator": VideoGenerator, "__version__": "stand-in, random weights"},
        "fastvideo.models": {},
        "fastvideo.models.camera": {"create_camera_trajectory": camera},
        "pipeline": {"InferencePipeline": InferencePipeline},
        "run": {
            "set_seed": lambda given: seed.__setitem__(0, given),
            "create_model_config": settings,
            "prepare_input_data": prepare,
        },
    }
    for name, holds in known.items():
        module = ModuleType(name)
        vars(module).update(holds)
        sys.modules[name] = module


if __name__ == "__main__":
    torch.set_num_threads(1)
    stand_in()
    sys.path.insert(0, str(Path(__file__).parent))  # no package in that environment
    import_module("worker").main()
