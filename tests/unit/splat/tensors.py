"""Just so much of PyTorch, over numpy, that the gsplat rasteriser's own code runs where neither is installed.

``stand_in`` puts it and a gsplat in place whose ``rasterization`` holds every argument against what gsplat
1.5.3 asserts of it, and draws with the float64 rasteriser.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from anix_cli.core.gaussians import Gaussians
from anix_cli.splat.exact import render_exact


class Tensor(np.ndarray):
    """A numpy array with the methods of a tensor that are used."""

    def to(self, device: str) -> Tensor:
        assert device == "cuda"
        return self

    def cpu(self) -> Tensor:
        return self

    def numpy(self) -> np.ndarray:
        return np.asarray(self)

    def half(self) -> Tensor:
        return self.astype(np.float16)

    def float(self) -> Tensor:
        return self.astype(np.float32)

    def clone(self) -> Tensor:
        return self.copy()

    def contiguous(self) -> Tensor:
        return np.ascontiguousarray(self).view(Tensor)

    def expand(self, *shape: int) -> Tensor:
        return np.broadcast_to(self, shape, subok=True)

    def clamp(self, min: Any = None, max: Any = None) -> Tensor:
        return np.clip(self, min, max).view(Tensor)

    def norm(self, dim: int, keepdim: bool) -> Tensor:
        return np.linalg.norm(self, axis=dim, keepdims=keepdim).view(Tensor)

    def unbind(self, dim: int) -> list[Tensor]:
        return [one.view(Tensor) for one in np.moveaxis(self, dim, 0)]

    def square(self) -> Tensor:
        return self**2


def _pad(values: Tensor, widths: tuple[int, ...]) -> Tensor:
    pairs = list(zip(widths[::2], widths[1::2], strict=True))[::-1]
    return np.pad(values, [(0, 0)] * (values.ndim - len(pairs)) + pairs).view(Tensor)


def fake_torch() -> ModuleType:
    torch = ModuleType("torch")
    torch.__dict__.update(
        inf=np.float32(np.inf),
        cuda=SimpleNamespace(is_available=lambda: True),
        inference_mode=nullcontext,
        from_numpy=lambda array: array.view(Tensor),
        cat=lambda tensors, dim=0: np.concatenate(list(tensors), axis=dim).view(Tensor),
        stack=lambda tensors, dim=0: np.stack(tensors, axis=dim).view(Tensor),
        zeros=lambda shape, device: np.zeros(shape, np.float32).view(Tensor),
        full_like=np.full_like,
        where=lambda test, a, b: np.where(test, a, b).astype(np.float32).view(Tensor),
        sqrt=np.sqrt,
        linalg=SimpleNamespace(cross=lambda a, b: np.cross(a, b).view(Tensor)),
        nn=SimpleNamespace(functional=SimpleNamespace(pad=_pad)),
    )
    return torch


class FakeGsplat(ModuleType):
    """``calls`` holds the arguments of every call."""

    def __init__(self, version: str = "1.5.3") -> None:
        super().__init__("gsplat")
        self.__version__ = version
        self.__spec__ = SimpleNamespace(name="gsplat")
        self.calls: list[dict[str, Any]] = []

    def rasterization(self, **given: Any) -> tuple[Tensor, Tensor, dict[str, Any]]:
        self.calls.append(given)
        count, cameras = len(given["means"]), len(given["viewmats"])
        shapes = {
            "means": (count, 3), "quats": (count, 4), "scales": (count, 3), "opacities": (count,),
            "colors": (count, (given["sh_degree"] + 1) ** 2, 3), "viewmats": (cameras, 4, 4),
            "Ks": (cameras, 3, 3), "backgrounds": (cameras, 3),
        }  # fmt: skip
        for name, shape in shapes.items():
            assert (given[name].shape, given[name].dtype) == (shape, np.float32), name
        assert given["packed"] and given["render_mode"] == "RGB+ED" and given["near_plane"] > 0
        antialiased = {"classic": False, "antialiased": True}[given["rasterize_mode"]]
        columns = (np.asarray(given[name]) for name in ("means", "quats", "scales", "opacities", "colors"))
        scene = Gaussians(*columns, antialiased)
        rgbd, alpha = [], []
        for view, lens, background in zip(given["viewmats"], given["Ks"], given["backgrounds"], strict=True):
            pose = np.linalg.inv(np.asarray(view, np.float64))
            picture = render_exact(
                scene, pose, np.asarray(lens), (given["width"], given["height"]),
                near=given["near_plane"], background=tuple(background), eps2d=given["eps2d"],
            )  # fmt: skip
            depth = np.where(np.isfinite(picture.depth), picture.depth, 0)
            rgbd.append(np.concatenate([picture.rgb, depth[..., None]], axis=-1))
            alpha.append(picture.alpha[..., None])
        return np.float32(rgbd).view(Tensor), np.float32(alpha).view(Tensor), {}


def stand_in(monkeypatch: Any, version: str = "1.5.3") -> FakeGsplat:
    """Puts both in the place of the real ones."""
    torch, gsplat = fake_torch(), FakeGsplat(version)
    torch.__spec__ = SimpleNamespace(name="torch")  # type: ignore[assignment]
    for name in [name for name in sys.modules if name.partition(".")[0] in ("torch", "gsplat")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "gsplat", gsplat)
    return gsplat
