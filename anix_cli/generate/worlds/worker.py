"""Runs in another environment, never in anix's: makes clips of game worlds on request.

That environment has ``fastvideo``; or, where a folder is given as argument, what the code there needs
(DeepVerse, which is no package).

A line of JSON in, lines of JSON out, on the descriptors that it was started with; whatever libraries print
goes to standard error. Pictures go through files: the first frame as PNG, the result as .npy.

    {"do": "hello"}                                → {"done": {"version": "fastvideo 0.2.1"}}
    {"do": "make", "world": …, "first": …, "out": …} → {"done": {"frames": 57}} or {"failed": "why"}
"""

import json
import os
import sys
from importlib import import_module
from typing import Any


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # a library that prints must not speak in between
    held: dict[str, Any] = {}
    if sys.argv[1:]:
        os.chdir(sys.argv[1])  # the code there looks for its own files below
        sys.path.insert(0, sys.argv[1])
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            told: dict[str, Any] = {"done": hello() if asked["do"] == "hello" else make(asked, held)}
        except Exception as error:
            told = {"failed": f"{type(error).__name__}: {error}".splitlines()[0][:500]}
        answers.write(json.dumps(told) + "\n")
        answers.flush()


def hello() -> dict[str, Any]:
    if sys.argv[1:]:
        import_module("pipeline")
        import_module("run")
        return {"version": f"checkout {sys.argv[1]}"}
    import fastvideo

    return {"version": f"fastvideo {getattr(fastvideo, '__version__', 'unknown')}"}


def make(asked: dict[str, Any], held: dict[str, Any]) -> dict[str, Any]:
    import numpy as np

    if asked["world"] == "deepverse":
        frames = deepverse(asked, held)
        np.save(asked["out"], frames, allow_pickle=False)
        return {"frames": len(frames)}
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


def deepverse(asked: dict[str, Any], held: dict[str, Any]) -> Any:
    """As the checkout's own run.py does it, but for the file that it writes."""
    import torch

    pipeline, run = import_module("pipeline"), import_module("run")
    run.set_seed(asked["seed"])
    if asked["model"] not in held:
        settings = run.create_model_config()
        settings["use_motion_prompt"] = True
        settings["dit_config"]["model_path"] = f"{asked['model']}/transformer"
        settings["vae_config"]["pretrained_model_name_or_path"] = f"{asked['model']}/causal_video_vae"
        settings["text_encoder_config"]["model_path"] = asked["model"]
        held[asked["model"]] = pipeline.InferencePipeline(
            model_cfg=settings, device="cuda", torch_dtype=torch.bfloat16
        )
    width, height = asked["size"]
    given = run.prepare_input_data(asked["first"], asked["frames"], height, width, "action", asked["actions"])
    with torch.no_grad():
        made = held[asked["model"]].generate(given)["pred_img"].squeeze(0)
    levels = (made.permute(1, 2, 3, 0).float().cpu().numpy() + 1) / 2
    return (levels.clip(0, 1) * 255).round().astype("uint8")


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
