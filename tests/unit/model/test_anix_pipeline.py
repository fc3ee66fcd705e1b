"""The AniX pipelines on tiny random weights: frames and latents, sampling, words with pictures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("diffusers")
pytest.importorskip("transformers")

from anix_cli.generate.anix import noise  # noqa: E402
from anix_cli.generate.anix import pipeline as loading  # noqa: E402
from anix_cli.generate.anix.models import BASES  # noqa: E402
from anix_cli.generate.diffusion.ladder import Rung  # noqa: E402
from anix_cli.model.anix import pictures, sampling, text  # noqa: E402
from anix_cli.model.anix.pictures import Shown, View  # noqa: E402

every_base = pytest.mark.parametrize("name", ["hunyuancustom", "hunyuan", "wan-1.3b"])


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


_HELD: dict[str, Any] = {}


def pipe_of(name: str) -> Any:
    if name not in _HELD:
        base = BASES[name]
        rung = Rung("cpu", dtype="float32", device="cpu")
        _HELD[name] = loading.load(noise.tiny_weights(base.weights), rung, base, None).pipe
    return _HELD[name]


def frames(seed: int, count: int, height: int = 32, width: int = 48) -> Any:
    return np.random.default_rng(seed).integers(0, 256, (count, height, width, 3), dtype=np.uint8)


def shown(new: int = 4, past: int = 5, **more: Any) -> Shown:
    count = new + past
    masks = np.zeros((1, count, 32, 48), dtype=bool)
    masks[:, :, 8:24, 10:20] = True
    views = [
        View(name, frames(9 + at, 1, 20, 12)[0]) for at, name in enumerate(("front", "left", "right", "back"))
    ]
    made = Shown(frames(1, count), masks, views, frames(2, past) if past else None)
    return replace(made, **more)


def call(pipe: Any, clip: Shown, **more: Any) -> Any:
    given = {"num_inference_steps": 2, "guidance_scale": 1.0, **more}
    return pipe("walks", clip, generator=torch.Generator("cpu").manual_seed(3), **given)


@pytest.mark.parametrize(
    ("past", "new", "before", "target", "decoded"),
    [(0, 93, 0, 24, 93), (33, 96, 9, 24, 129), (5, 4, 2, 1, 9), (1, 96, 1, 24, 97)],
)
def test_frames_and_latents_are_those_of_the_paper(
    past: int, new: int, before: int, target: int, decoded: int
) -> None:
    clip = shown(new, past)
    assert pictures.target_latents(clip) == target
    assert (pictures.latent_frames(past) if past else 0) == before
    assert (before + target - 1) * 4 + 1 == decoded == past + new


@pytest.mark.parametrize("name", ["hunyuan", "wan-1.3b"])
def test_the_vae_counts_as_we_do(name: str) -> None:
    """And cuts in silence what is not 4n + 1: 96 frames give 24 latents, which decode to 93."""
    vae = pipe_of(name).vae
    for count, latents in ((1, 1), (33, 9), (93, 24), (129, 33)):
        found = vae.encode(torch.zeros(1, 3, count, 16, 16)).latent_dist.mode()
        assert found.shape[2] == latents == pictures.latent_frames(count)
        assert vae.decode(found, return_dict=False)[0].shape[2] == count
    cut = vae.encode(torch.zeros(1, 3, 96, 16, 16)).latent_dist.mode()
    assert cut.shape[2] == 24 and vae.decode(cut, return_dict=False)[0].shape[2] == 93
    with pytest.raises(ValueError, match="96 frames are not 4n"):
        pictures.latent_frames(96)


@every_base
def test_new_frames_come_back_in_number_and_size(name: str) -> None:
    pipe = pipe_of(name)
    for past, new in ((0, 9), (5, 8)):
        clip = shown(new, past)
        latents = call(pipe, clip)
        assert latents.shape[2:] == (pictures.target_latents(clip), 4, 6)
        assert pipe.decoded(latents, clip.preceding).shape == (1, 3, new, 32, 48)


@every_base
def test_the_same_seed_gives_the_same_and_each_condition_counts(name: str) -> None:
    pipe, clip = pipe_of(name), shown()
    first = call(pipe, clip)
    assert torch.equal(call(pipe, clip), first)
    moved = replace(clip, views=[*clip.views[1:], replace(clip.views[0], picture=clip.views[0].picture // 2)])
    assert not torch.equal(call(pipe, moved), first)
    earlier = replace(clip, preceding=frames(77, 5))
    assert not torch.equal(call(pipe, earlier), first)
    remembered = replace(clip, memory=[frames(78, 5)])
    assert not torch.equal(call(pipe, remembered), first)
    darker = replace(clip, guide=clip.guide // 2)
    assert torch.equal(call(pipe, darker), first) == (name != "hunyuancustom")  # others have no projector yet


@every_base
def test_guidance_keeps_away_from_the_negative_words(name: str) -> None:
    pipe, clip = pipe_of(name), shown()
    alone = call(pipe, clip)
    same = call(pipe, clip, guidance_scale=4.0, negative_prompt="walks")
    away = call(pipe, clip, guidance_scale=4.0, negative_prompt="blurred")
    assert torch.allclose(same, alone, atol=1e-3)
    assert (away - alone).abs().max() > 1e-4


def test_guidance_is_what_it_says() -> None:
    told, untold = (lambda latents, time: latents * 3), (lambda latents, time: latents)
    one = torch.ones(1)
    assert sampling.guided(1.0, told, untold)(one, one) == 3
    assert sampling.guided(2.5, told, untold)(one, one) == 1 + 2.5 * 2


def test_a_teacher_goes_through_the_bases_shifted_levels_once() -> None:
    """diffusers' set_timesteps(N) shifts twice."""
    times: list[float] = []

    def velocity(latents: Any, time: Any) -> Any:
        times.append(float(time))
        return torch.full_like(latents, 2.0)

    made, gone_through = sampling.euler(torch.full((1, 2), 7.0), velocity, 4, 5.0, lambda done, latents: None)
    levels = [sampling.shifted(one, 5.0) for one in (1.0, 0.75, 0.5, 0.25)]
    assert levels == pytest.approx([1.0, 0.9375, 0.8333, 0.625], abs=1e-4)
    assert gone_through == pytest.approx([*levels, 0.0])
    assert times == pytest.approx([1000 * one for one in levels], abs=0.01)
    assert made[0].tolist() == pytest.approx([5.0, 5.0])  # noise − v: straight to the data


def test_a_student_jumps_to_the_data_and_is_noised_afresh() -> None:
    data = torch.full((1, 4), 0.5)
    seen: list[Any] = []

    def velocity(latents: Any, time: Any) -> Any:
        seen.append(latents.clone())
        return (latents - data) / (time / 1000)  # (noise − data) of the right data

    noise_first = torch.randn(1, 4, generator=torch.Generator().manual_seed(0))
    drawn = torch.Generator().manual_seed(8)
    made = sampling.few_steps(noise_first, velocity, [1.0, 0.75, 0.5], drawn, lambda done, latents: None)
    assert torch.allclose(made, data, atol=1e-6)
    again = torch.Generator().manual_seed(8)
    for before, sigma in zip(seen[1:], (0.75, 0.5), strict=True):
        fresh = torch.randn(1, 4, generator=again)
        assert torch.allclose(before, (1 - sigma) * data + sigma * fresh, atol=1e-6)


def test_views_stand_whole_on_white_in_the_size_of_the_film() -> None:
    picture = np.zeros((40, 10, 3), dtype=np.uint8)
    made = pictures.fitted(picture, (32, 48))
    dark = (made < 128).all(axis=-1)
    rows, columns = np.flatnonzero(dark.any(axis=1)), np.flatnonzero(dark.any(axis=0))
    assert (len(rows), len(columns)) == (32, 8)
    assert columns[0] == 20 and made[0, 0].tolist() == [255, 255, 255]


def test_clips_of_other_sizes_or_counts_are_refused() -> None:
    for broken, why in (
        (replace(shown(), guide=frames(1, 10)), "4n"),
        (replace(shown(), preceding=frames(1, 4)), "4n"),
        (replace(shown(), preceding=frames(1, 5, 16)), "a clip before"),
        (replace(shown(), masks=np.zeros((1, 9, 16, 48), dtype=bool)), "masks"),
    ):
        with pytest.raises(ValueError, match=why):
            pictures.conditions(broken, lambda video: video)


def test_pictures_grow_in_the_text_and_the_mask_is_upstreams() -> None:
    pipe = pipe_of("hunyuancustom")
    template = "say: {}"
    views = [frames(1, 1, 28, 28)[0]] * 4
    told = text.prompt_with("walks", ["a courier"], [4])
    assert told == "walks\nA character is a courier: <image><image><image><image>"
    embeds, mask = text.encode(
        pipe.tokenizer, pipe.text_encoder, pipe.image_processor, told, views, template, length=120, crop=5
    )
    each = 4  # 28 px in patches of 14; 576 at 336 px
    assert embeds.shape[1] == mask.shape[1] == 120 + (each - 1) * 4
    bare = len(pipe.tokenizer(template.format(told)).input_ids) - 5
    assert mask[0, :bare].all() and not mask[0, bare:120].any() and mask[0, 120:].all()
    assert int(mask.sum()) == bare + (each - 1) * 4
    with pytest.raises(ValueError, match="no room"):
        text.encode(
            pipe.tokenizer, pipe.text_encoder, pipe.image_processor, "long " * 60 + told, views, template,
            length=120, crop=5,
        )  # fmt: skip


def test_views_go_into_the_text_in_its_own_order() -> None:
    views = [
        View(name, np.full((2, 2, 3), at, np.uint8), 0) for at, name in enumerate(("left", "back", "front"))
    ]
    other = View("right", np.full((2, 2, 3), 9, np.uint8), 1)
    assert [[one[0, 0, 0] for one in who] for who in text.pictures_of([*views, other])] == [[2, 0, 1], [9]]


@every_base
def test_saved_and_loaded_as_any_pipeline(name: str, tmp_path: Path) -> None:
    pipe = pipe_of(name)
    pipe.save_pretrained(tmp_path, safe_serialization=True)
    again = type(pipe).from_pretrained(tmp_path, use_safetensors=True)
    again.set_progress_bar_config(disable=True)
    assert type(again.transformer) is type(pipe.transformer)
    before, after = pipe.transformer.state_dict(), again.transformer.state_dict()
    assert set(before) == set(after) and all(torch.equal(before[key], after[key]) for key in before)
    assert torch.allclose(call(again, shown()), call(pipe, shown()), atol=1e-5)
