"""The AniX transformer on both bases: equality with the base, an oracle, and what each condition does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("diffusers")

from anix_models import BASES, FRAMES, HIGH, WIDE, anix, asked, base, given, latents, velocity  # noqa: E402

both = pytest.mark.parametrize("kind", BASES)


@both
def test_untrained_it_is_the_base_to_the_last_bit(kind: str) -> None:
    stock, ours = base(kind), anix(kind, trained=False)
    lacking = ours.load_state_dict(stock.state_dict(), strict=False)
    assert not lacking.unexpected_keys
    assert set(lacking.missing_keys) == {
        "bg_in.proj.weight", "bg_in.proj.bias", "bg_proj.weight", "bg_proj.bias",
    }  # fmt: skip
    call = asked(kind, 2)
    expected = velocity(stock, call)
    assert (velocity(ours, call) - expected).abs().max() == 0
    scene = given(2, views=None, preceding=None, memory=None)
    assert (velocity(ours, call, scene) - expected).abs().max() == 0


def _as_one(kind: str, ours: Any) -> Any:
    """The stock class that does the same: scene, masks and a flag for the target as further channels of its
    patches, all tokens along the frames, and RoPE at our places."""
    names = ("x_embedder.proj", "bg_in.proj") if kind == "hunyuan" else ("patch_embedding", "bg_in.proj")
    clean = {"image_condition_type": "token_replace"} if kind == "hunyuan" else {}
    stock = base(kind, in_channels=49, out_channels=16, **clean)
    ours_state = ours.state_dict()
    stock.load_state_dict(
        {k: v for k, v in ours_state.items() if not k.startswith(("bg_", names[0]))}, strict=False
    )
    patch, added = ours_state[f"{names[0]}.weight"], ours_state[f"{names[1]}.weight"]
    linear = ours_state["bg_proj.weight"]
    mixed = torch.einsum("ij,jcdhw->icdhw", linear, added)
    constant = linear @ ours_state[f"{names[1]}.bias"] + ours_state["bg_proj.bias"]
    flag = constant[:, None, None, None, None].expand(-1, 1, *patch.shape[2:]) / patch[0, 0].numel()
    own = stock.get_submodule(names[0])
    with torch.no_grad():
        own.weight.copy_(torch.cat([patch, mixed, flag], dim=1))
        own.bias.copy_(ours_state[f"{names[0]}.bias"])
    return stock


def _stacked(call: dict[str, Any], conditions: Any) -> Any:
    """[preceding | views | target] along the frames, 49 channels."""
    target = torch.cat(
        [call["hidden_states"], conditions.scene, conditions.masks, torch.ones(1, 1, FRAMES, HIGH, WIDE)], 1
    )
    others = torch.cat([conditions.preceding, conditions.views.transpose(1, 2)], dim=2)
    bare = torch.cat([others, torch.zeros(1, 33, *others.shape[2:])], dim=1)
    return torch.cat([bare, target], dim=2)


@both
def test_an_oracle_made_of_the_stock_class_gives_the_same(kind: str) -> None:
    from anix_cli.model.anix.packing import angles, grid

    ours = anix(kind)
    stock = _as_one(kind, ours)
    conditions = replace(given(memory=None), preceding=latents(13, 1, 16, 1, HIGH, WIDE))
    rows, columns = HIGH // 2, WIDE // 2
    places = torch.cat(
        [grid(1, rows, columns)]
        + [grid(1, rows, columns, (-1 - view, rows, columns)) for view in range(4)]
        + [grid(FRAMES, rows, columns, (1, 0, 0))]
    )
    call = asked(kind)
    if kind == "hunyuan":
        stock.rope.forward = lambda _: angles(places, (4, 6, 6), 256.0, torch.float32)
        times = call["timestep"]
    else:
        sizes = (stock.rope.t_dim, stock.rope.h_dim, stock.rope.w_dim)
        cos, sin = angles(places, sizes, 10000.0, torch.float64)
        stock.rope.forward = lambda _: (cos[None, :, None], sin[None, :, None])
        times = torch.full((1, len(places)), 300.0)
        times[:, : 5 * rows * columns] = 0  # preceding and views are clean
    found = velocity(ours, call, conditions)
    stacked = {**call, "hidden_states": _stacked(call, conditions), "timestep": times}
    expected = velocity(stock, stacked)[:, :, -FRAMES:]
    assert (found - expected).abs().max() < 2e-6
    assert found.std() > 0.01


@both
@pytest.mark.parametrize("name", ["scene", "masks", "views", "preceding", "memory"])
def test_each_condition_changes_what_comes_out(kind: str, name: str) -> None:
    ours, call, every = anix(kind), asked(kind), given()
    moved = replace(every, **{name: getattr(every, name) + 0.5})
    assert (velocity(ours, call, moved) - velocity(ours, call, every)).abs().max() > 1e-4


@both
def test_scene_and_masks_go_through_the_projector_alone(kind: str) -> None:
    ours, call, every = anix(kind, trained=False), asked(kind), given()
    moved = replace(every, scene=every.scene * 3, masks=every.masks - 1)
    assert (velocity(ours, call, moved) - velocity(ours, call, every)).abs().max() == 0
    moved = replace(every, views=every.views * 3)
    assert (velocity(ours, call, moved) - velocity(ours, call, every)).abs().max() > 1e-4


@both
def test_scene_can_be_dropped_for_one_clip_of_a_batch(kind: str) -> None:
    ours, call, every = anix(kind), asked(kind, 2), given(2)
    dropped = velocity(ours, call, replace(every, scene_kept=torch.tensor([True, False])))
    kept = velocity(ours, call, every)
    without = velocity(ours, call, replace(every, scene=None, masks=None))
    assert torch.equal(dropped[0], kept[0])
    assert torch.equal(dropped[1], without[1])


@both
def test_views_are_told_apart_by_their_places_not_their_order(kind: str) -> None:
    ours, call, every = anix(kind), asked(kind), given()
    order = [2, 0, 3, 1]
    expected = velocity(ours, call, every)
    swapped = replace(every, views=every.views[:, order])
    assert (velocity(ours, call, swapped) - expected).abs().max() > 1e-3
    renamed = replace(swapped, view_times=tuple(-1 - index for index in order))
    assert (velocity(ours, call, renamed) - expected).abs().max() < 2e-6


def test_names_of_views_give_their_places() -> None:
    from anix_cli.model.anix.packing import view_times

    assert view_times(["front", "back"]) == (-1, -4)
    assert view_times(["left", "right"], character=1) == (-6, -7)


@both
def test_the_past_stands_at_time_zero_whatever_the_step(kind: str) -> None:
    """What enters the first block's attention for the preceding tokens is the same at every step."""
    ours, call, every = anix(kind), asked(kind), given(memory=None, views=None)
    block = ours.transformer_blocks[0] if kind == "hunyuan" else ours.blocks[0]
    layer, seen = (block.attn if kind == "hunyuan" else block.attn1), []
    layer.register_forward_pre_hook(
        lambda _, args, named: seen.append(args[0] if args else named["hidden_states"]), with_kwargs=True
    )
    for time in (300.0, 900.0):
        velocity(ours, {**call, "timestep": torch.tensor([time])}, every)
    past = 2 * HIGH // 2 * WIDE // 2
    assert torch.equal(seen[0][:, :past], seen[1][:, :past])
    assert not torch.equal(seen[0][:, past:], seen[1][:, past:])


def test_the_target_goes_on_where_the_preceding_clip_ends() -> None:
    from anix_cli.model.anix.packing import pack

    def tokens(one: Any) -> Any:
        return one.flatten(2).transpose(1, 2)[:, : one.shape[2] * 24]

    packed = pack(tokens, torch.zeros(1, 72, 16), (3, 4, 6), given(), (1, 2, 2), "both")
    times = packed.places[:, 0].reshape(-1, 24)[:, 0].tolist()
    assert times == [-5, 0, 1, -1, -2, -3, -4, 2, 3, 4]
    assert (packed.past, packed.views, packed.target) == (72, 96, 72)
    views = packed.places[72 : 72 + 24]
    assert views[0].tolist() == [-1, 4, 6] and views[-1].tolist() == [-1, 7, 11]


def test_views_may_be_shifted_along_the_width_alone() -> None:
    ours, wide = anix("hunyuan"), anix("hunyuan", view_shift="width")
    call, every = asked("hunyuan"), given()
    assert (velocity(ours, call, every) - velocity(wide, call, every)).abs().max() > 1e-4


def test_texts_of_a_ragged_batch_do_not_see_their_padding() -> None:
    ours, call, every = anix("hunyuan"), asked("hunyuan", 2), given(2)
    call["encoder_attention_mask"][1, 4:] = 0
    together = velocity(ours, call, every)
    alone = {name: value[1:] for name, value in call.items()}
    for name in ("encoder_hidden_states", "encoder_attention_mask"):
        alone[name] = alone[name][:, :4]
    parts = {name: getattr(every, name)[1:] for name in ("scene", "masks", "views", "preceding", "memory")}
    apart = velocity(ours, alone, replace(every, **parts))
    assert (together[1:] - apart).abs().max() < 2e-6
    noise = {**call, "encoder_hidden_states": call["encoder_hidden_states"].clone()}
    noise["encoder_hidden_states"][1, 4:] += 10
    assert (velocity(ours, noise, every)[1] - together[1]).abs().max() < 2e-6


def test_kernels_that_refuse_masks_are_given_none(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, call, every = anix("hunyuan"), asked("hunyuan"), given()
    call["encoder_attention_mask"][0, 5:] = 0
    expected = velocity(ours, call, every)
    seen: list[Any] = []
    for block in ours.single_transformer_blocks:
        block.register_forward_pre_hook(lambda _, args: seen.append(args[3]))
    monkeypatch.setattr(ours, "_takes_no_mask", lambda: True)
    assert (velocity(ours, call, every) - expected).abs().max() < 2e-6
    assert seen == [None, None]


@pytest.mark.parametrize(("theta", "sizes"), [(256.0, (16, 56, 56)), (10000.0, (44, 42, 42))])
def test_angles_are_those_of_the_formula(theta: float, sizes: tuple[int, ...]) -> None:
    import numpy as np

    from anix_cli.model.anix.packing import angles, grid

    places = torch.cat([grid(2, 3, 4, (-3, 3, 4)), grid(33, 2, 2)])
    cos, sin = (one.numpy() for one in angles(places, sizes, theta, torch.float64))
    expected = []
    for axis, size in enumerate(sizes):
        rates = theta ** (-np.arange(0, size, 2, dtype=np.float64) / size)
        expected.append(np.repeat(np.outer(places[:, axis].double().numpy(), rates), 2, axis=1))
    turned = np.concatenate(expected, axis=1)
    assert np.abs(cos - np.cos(turned)).max() < 1e-6
    assert np.abs(sin - np.sin(turned)).max() < 1e-6


@both
def test_several_characters_have_mask_channels_of_their_own(kind: str) -> None:
    two = anix(kind, characters=2)
    one = anix(kind)
    state = one.state_dict()
    state["bg_in.proj.weight"] = torch.cat(
        [state["bg_in.proj.weight"], torch.zeros_like(state["bg_in.proj.weight"][:, :16])], dim=1
    )
    two.load_state_dict(state)
    call, every = asked(kind), given()
    assert (velocity(two, call, every) - velocity(one, call, every)).abs().max() < 2e-6
    with torch.no_grad():
        two.bg_in.proj.weight[:, 32:].normal_(std=0.2)
    second = replace(every, masks=torch.cat([every.masks, latents(20, 1, 16, FRAMES, HIGH, WIDE)], dim=1))
    assert (velocity(two, call, second) - velocity(two, call, every)).abs().max() > 1e-4
    with pytest.raises(ValueError, match="room for 16"):
        velocity(one, call, second)


@both
def test_saved_and_loaded_to_the_last_bit(kind: str, tmp_path: Path) -> None:
    ours = anix(kind, characters=2, view_shift="width")
    ours.save_pretrained(tmp_path, safe_serialization=True)
    again = type(ours).from_pretrained(tmp_path, use_safetensors=True).eval()
    assert again.config.characters == 2 and again.config.view_shift == "width"
    call, every = asked(kind), given()
    assert torch.equal(velocity(again, call, every), velocity(ours, call, every))


@both
def test_checkpointing_changes_no_gradient(kind: str) -> None:
    found = []
    for checkpointed in (False, True):
        ours = anix(kind).train()
        if checkpointed:
            ours.enable_gradient_checkpointing()
        ours(**asked(kind), conditions=given()).sample.square().mean().backward()
        found.append({name: one.grad for name, one in ours.named_parameters() if one.grad is not None})
    plain, saved = found
    assert set(plain) == set(saved) and "bg_in.proj.weight" in plain
    assert max(float((plain[name] - saved[name]).abs().max()) for name in plain) < 1e-6
