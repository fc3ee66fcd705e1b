"""Public checkpoints against the full-size model, on the meta device; a base's weights into ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("diffusers")

from anix_models import BASES, HUNYUAN, WAN, anix, asked, base, velocity  # noqa: E402

from anix_cli.model.anix import checkpoints  # noqa: E402

KEYS = Path(__file__).parent.parent / "generate" / "keys"


def published(name: str) -> dict[str, Any]:
    """Every tensor of a public checkpoint, without its values."""
    rows = [line.split("\t") for line in (KEYS / name).read_text("utf-8").splitlines()[1:]]
    return {key: torch.empty([int(one) for one in shape.split("x")], device="meta") for key, shape in rows}


@pytest.mark.parametrize(
    ("name", "count", "missing"),
    [
        ("hunyuancustom_720P.tsv", 852, set(checkpoints.PROJECTOR)),
        ("hunyuancustom_editing_720P.tsv", 856, set()),
    ],
)
def test_hunyuancustom_at_full_size(name: str, count: int, missing: set[str]) -> None:
    state = published(name)
    assert len(state) == count
    with torch.device("meta"):
        model = checkpoints.classes("hunyuan")()
    found = checkpoints.report(model, checkpoints.from_original({"module": state}))
    assert found.whole and not found.unexpected and not found.reshaped
    assert set(found.missing) == missing
    assert len(found.matched) == len(model.state_dict()) - len(missing)
    own = sum(one.numel() for key, one in model.state_dict().items() if key not in missing)
    assert own == sum(one.numel() for one in state.values())


def test_the_adapter_of_the_paper_at_full_size() -> None:
    """440 layers, 275 M weights at rank 64; the projector's 9.8 M (counted once outside this project)."""
    from anix_cli.model.anix.adapter import lora_layers

    with torch.device("meta"):
        model = checkpoints.classes("hunyuan")()
    layers = lora_layers(model)
    assert len(layers) == 440
    sizes = [model.get_submodule(name).weight.shape for name in layers]
    assert sum(64 * (out + wide) for out, wide in sizes) == pytest.approx(275e6, rel=0.01)
    projector = sum(model.state_dict()[name].numel() for name in checkpoints.PROJECTOR)
    assert projector == pytest.approx(9.8e6, rel=0.01)


@pytest.mark.parametrize("kind", BASES)
def test_a_base_becomes_ours_and_stays_itself(kind: str) -> None:
    stock = base(kind)
    made, found = checkpoints.build(kind, dict(stock.config), stock.state_dict(), dtype=torch.float32)
    assert set(found.missing) == set(checkpoints.PROJECTOR) and found.whole
    assert not any(one.is_meta for one in [*made.parameters(), *made.buffers()])
    call = asked(kind, 2)
    assert torch.equal(velocity(made, call), velocity(stock, call))
    assert made.bg_proj.weight.abs().max() == 0 and made.bg_in.proj.weight.std() > 0


def test_ours_is_read_back_from_its_folder(tmp_path: Path) -> None:
    ours = anix("wan", characters=2)
    ours.save_pretrained(tmp_path, safe_serialization=True)
    made, found = checkpoints.build("wan", *checkpoints.read(tmp_path), dtype=torch.float32)
    assert not found.missing and made.config.characters == 2
    assert torch.equal(velocity(made, asked("wan")), velocity(ours, asked("wan")))


def test_a_projector_of_one_character_serves_two() -> None:
    one = anix("hunyuan")
    made, found = checkpoints.build(
        "hunyuan", {**HUNYUAN, "characters": 2}, one.state_dict(), dtype=torch.float32
    )
    assert found.whole and not found.missing
    assert torch.equal(made.bg_in.proj.weight[:, :32], one.bg_in.proj.weight)
    assert made.bg_in.proj.weight[:, 32:].abs().max() == 0


def test_a_base_with_a_hole_is_refused() -> None:
    state = base("wan").state_dict()
    del state["blocks.0.attn1.to_q.weight"]
    with pytest.raises(ValueError, match=r"lacks 1 tensors, blocks\.0\.attn1\.to_q\.weight"):
        checkpoints.build("wan", WAN, state, dtype=torch.float32)
