"""Runs in the environment of ``fastvideo``, never in anix's: makes clips of game worlds on request.

A line of JSON in, lines of JSON out, on the descriptors that it was started with; whatever libraries print
goes to standard error. Pictures go through files: the first frame as PNG, the result as .npy.

    {"do": "hello"}                                → {"done": {"fastvideo": "0.2.1"}}
    {"do": "make", "world": …, "first": …, "out": …} → {"done": {"frames": 57}} or {"failed": "why"}
"""

import json
import os
import sys
from typing import Any


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # a library that prints must not speak in between
    held: dict[str, Any] = {}
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            told: dict[str, Any] = {"done": hello() if asked["do"] == "hello" else make(asked, held)}
        except Exception as error:
            told = {"failed": f"{type(error).__name__}: {error}".splitlines()[0][:500]}
        answers.write(json.dumps(told) + "\n")
        answers.flush()


def hello() -> dict[str, Any]:
    import fastvideo

    return {"fastvideo": getattr(fastvideo, "__version__", "unknown")}


def make(asked: dict[str, Any], held: dict[str, Any]) -> dict[str, Any]:
    import numpy as np

    video = generator(asked["model"], held)
    width, height = asked["size"]
    made = video.generate_video(
        prompt=asked["prompt"],
        negative_prompt=asked["negative"],
        image_path=asked["first"],
        num_frames=asked["frames"],
        height=height,
        width=width,
        seed=asked["seed"],
        num_inference_steps=asked["steps"],
        save_video=False,
        return_frames=True,
        **conditions(asked),
    )
    frames = np.stack([np.asarray(frame) for frame in made["frames"]])
    np.save(asked["out"], frames, allow_pickle=False)
    return {"frames": len(frames)}


def generator(model: str, held: dict[str, Any]) -> Any:
    """Loaded once, and held until another is asked for."""
    if model not in held:
        from fastvideo import VideoGenerator

        for name in list(held):
            held.pop(name).shutdown()
        held[model] = VideoGenerator.from_pretrained(
            model, num_gpus=1, use_fsdp_inference=False, dit_cpu_offload=True, text_encoder_cpu_offload=True
        )
    return held[model]


def conditions(asked: dict[str, Any]) -> dict[str, Any]:
    """Keys and mouse for Matrix-Game, rays of a camera for GameCraft."""
    import torch

    if asked["world"] == "matrix-game-2":
        width, height = asked["size"]
        latents = (asked["frames"] - 1) // 4 + 1
        return {
            "keyboard_cond": torch.tensor(asked["keyboard"], dtype=torch.float32).unsqueeze(0),
            "mouse_cond": torch.tensor(asked["mouse"], dtype=torch.float32).unsqueeze(0),
            "grid_sizes": torch.tensor([latents, height // 8, width // 8]),
        }
    from fastvideo.models.camera import create_camera_trajectory

    width, height = asked["size"]
    rays = create_camera_trajectory(
        action=asked["action"], height=height, width=width, num_frames=asked["frames"],
        action_speed=asked["amount"], dtype=torch.bfloat16,
    )  # fmt: skip
    return {"camera_states": rays, "guidance_scale": asked["guidance"]}


if __name__ == "__main__":
    main()
