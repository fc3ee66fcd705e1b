"""What every backend keeps to, whatever it draws. Run over all that are installed and need no weights, and
over those that ``ANIX_CONTRACT_BACKENDS`` names, on a machine that has what they need."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from anix_cli.core.clip import Capabilities
from anix_cli.core.errors import AnixError
from anix_cli.generate import FOR_TESTS, backends, capabilities, get

_spec = importlib.util.spec_from_file_location(
    "scenery", Path(__file__).parents[1] / "unit" / "generate" / "scenery.py"
)
scenery = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(scenery)

CONDITIONS = {
    "prompt", "negative", "seed", "guide", "depth", "anchor", "tail", "views", "blocking", "scene", "memory",
}  # fmt: skip


def _ready() -> list[str]:
    names = []
    for name in backends():
        try:
            if not capabilities(name).weights:
                names.append(name)
        except AnixError:
            continue
    if all(importlib.util.find_spec(name) for name in ("torch", "diffusers", "peft", "ftfy")):
        # All of the real ones but their weights.
        names += sorted(name for name in FOR_TESTS if name.endswith("-noise"))
    return [*names, *os.environ.get("ANIX_CONTRACT_BACKENDS", "").split()]


@pytest.fixture(scope="module", params=_ready())
def backend(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANIX_TEST_NOISE", "1")
        made = get(request.param)
        yield made
        made.close()


def _count(limits: Capabilities, least: int) -> int:
    """The smallest frame count of a call that the backend works in, from ``least`` on."""
    return next(n for n in range(least, limits.max_frames + 1) if (n - 1) % limits.frame_step == 0)


def _asked(limits: Capabilities, *, tail: int):
    step = limits.size_multiple
    size = limits.sizes[0] if limits.sizes else tuple(-(-n // step) * step for n in (96, 64))
    total = _count(limits, tail + 2)
    root = np.stack([np.linspace(-0.3, 0.3, total), np.zeros(total), np.zeros(total)], axis=1)
    who = scenery.subject(root, yaw=np.pi / 2, speed=1.4, phase=np.arange(total) / 8)
    pose = scenery.look_at((0, 1.2, 4.0), (0, 0.8, 0))
    k = scenery.intrinsics_from_fov_y(40, size)
    asked = scenery.request([who], [pose] * total, tail=tail, size_px=size, intrinsics=k)
    return dataclasses.replace(asked, fps=limits.fps if limits.fps is not None else Fraction(16))


def test_its_capabilities_make_sense(backend):
    limits = backend.capabilities
    assert limits == capabilities(backend.name)
    assert limits.uses and limits.uses <= CONDITIONS
    assert limits.version
    assert limits.frame_step >= 1 and limits.size_multiple >= 1
    assert 0 <= limits.tail < limits.max_frames
    assert (limits.max_frames - 1) % limits.frame_step == 0
    assert 1 <= limits.max_views <= 4


@pytest.mark.parametrize("chained", [False, True])
def test_it_returns_exactly_the_new_frames(backend, chained):
    limits = backend.capabilities
    asked = _asked(limits, tail=limits.tail if chained else 0)
    frames = backend.generate(asked, lambda done, total: None)
    width, height = asked.size_px
    assert frames.shape == (asked.frames, height, width, 3)
    assert frames.dtype == np.uint8


def test_it_tells_its_progress(backend):
    asked = _asked(backend.capabilities, tail=0)
    told = []
    backend.generate(asked, lambda done, total: told.append((done, total)))
    done = [a for a, _ in told]
    assert told and len({total for _, total in told}) == 1
    assert done == sorted(set(done))
    assert told[-1][0] == told[-1][1]


def test_the_same_request_gives_the_same_bytes(backend):
    asked = _asked(backend.capabilities, tail=backend.capabilities.tail)
    first, second = (backend.generate(asked, lambda done, total: None) for _ in range(2))
    assert first.tobytes() == second.tobytes()
    fresh = get(backend.name)
    assert fresh.generate(asked, lambda done, total: None).tobytes() == first.tobytes()
    fresh.close()


def test_it_leaves_the_request_as_it_was(backend):
    asked = _asked(backend.capabilities, tail=0)
    names = ("guide", "depth", "anchor", "tail", "world_from_camera", "intrinsics")
    before = {name: getattr(asked, name).copy() for name in names}
    backend.generate(asked, lambda done, total: None)
    for name in names:
        np.testing.assert_array_equal(getattr(asked, name), before[name])


def test_what_it_does_not_use_does_not_change_its_pixels(backend):
    asked = _asked(backend.capabilities, tail=0)
    others = {
        "prompt": {"prompt": "something else"},
        "negative": {"negative": "nothing"},
        "seed": {"seed": asked.seed + 1},
        "anchor": {"anchor": ~asked.anchor},
    }
    frames = backend.generate(asked, lambda done, total: None)
    for name in others.keys() - backend.capabilities.uses:
        changed = dataclasses.replace(asked, **others[name])
        np.testing.assert_array_equal(backend.generate(changed, lambda done, total: None), frames)


def test_it_works_again_after_close(backend):
    asked = _asked(backend.capabilities, tail=0)
    first = backend.generate(asked, lambda done, total: None)
    backend.close()
    np.testing.assert_array_equal(backend.generate(asked, lambda done, total: None), first)
