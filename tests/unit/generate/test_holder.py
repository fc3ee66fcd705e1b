"""What holds a model: memory that runs out while it is loaded, and weights that are another's."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from anix_cli.core.errors import AnixError  # noqa: E402
from anix_cli.generate.diffusion.holder import Holder  # noqa: E402
from anix_cli.generate.diffusion.ladder import OneModel, Rung  # noqa: E402

MODEL = OneModel("toy", "toy", "toy", 1.0, 1.0)
WAYS = (Rung("whole"), Rung("parts"), Rung("layers"))


def holder(fits: int = 3) -> Holder:
    """On a machine where the first ``fits`` ways are offered; what runs out of memory may go further."""
    return Holder(lambda model, precise, ever: WAYS if ever else WAYS[-fits:])


def loads(fails: int, error: type[Exception] = torch.OutOfMemoryError):
    tried = []

    def load(rung: Rung) -> str:
        tried.append(rung.name)
        if len(tried) <= fails:
            raise error("CUDA out of memory")
        return f"held {rung.name}"

    return load, tried


def code(raised) -> str:
    return raised.value.diagnostics[0].code


@pytest.mark.parametrize("error", [torch.OutOfMemoryError, MemoryError])
def test_memory_that_runs_out_at_loading_goes_down_and_stays_there(error):
    held, (load, tried) = holder(), loads(1, error)
    assert held.get(MODEL, "", precise=False, load=load) == "held parts"
    assert held.get(MODEL, "other", precise=False, load=load) == "held parts"
    assert tried == ["whole", "parts", "parts"]
    held.step_down(MODEL, precise=False)
    assert held.get(MODEL, "other", precise=False, load=load) == "held layers"


def test_no_way_that_loads_is_an_error():
    load, tried = loads(9)
    with pytest.raises(AnixError) as raised:
        holder().get(MODEL, "", precise=False, load=load)
    assert code(raised) == "E558" and tried == ["whole", "parts", "layers"]


def test_weights_of_another_model_are_told_as_that():
    def load(rung: Rung) -> str:
        raise ValueError("expected shape [64, 24], but got [3, 3]\nmore")

    with pytest.raises(AnixError) as raised:
        holder().get(MODEL, "", precise=False, load=load)
    assert code(raised) == "E475" and "[3, 3])" in str(raised.value) and "more" not in str(raised.value)


def test_a_fault_of_the_program_stays_one():
    def load(rung: Rung) -> str:
        raise AttributeError("a bug")

    with pytest.raises(AttributeError):
        holder().get(MODEL, "", precise=False, load=load)
