"""Reads files twice, looked through and whole, and compares Gaussians in steps of their containers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from splat_files import random_gaussians

from anix_cli.core.errors import AnixError
from anix_cli.core.gaussians import Gaussians
from anix_cli.scene import SplatFile, probe, read_splats

HALF = 0.502
"""Half a step and what float32 adds."""


def scan(count: int, degree: int, seed: int = 0) -> Gaussians:
    """Gaussians with colours that bytes can hold."""
    scene = random_gaussians(count, degree, seed)
    return replace(scene, sh=scene.sh * np.float32(0.9))


def read(path: Path, data: bytes) -> SplatFile:
    path.write_bytes(data)
    scene = read_splats(path)
    info = probe(path)
    assert (info.format, info.count, info.sh_degree) == (
        scene.info.format,
        scene.info.count,
        scene.info.sh_degree,
    )
    return scene


def error(path: Path, data: bytes, code: str, *, deep: bool = False) -> str:
    """The message of reading; of probing as well, unless only decoding can find it."""
    path.write_bytes(data)
    with pytest.raises(AnixError, match=code) as caught:
        read_splats(path)
    if not deep:
        with pytest.raises(AnixError) as quick:
            probe(path)
        assert quick.value.diagnostics == caught.value.diagnostics
    return str(caught.value)


def near(got: np.ndarray, wanted: np.ndarray, step: float | np.ndarray) -> None:
    assert got.shape == wanted.shape
    excess = np.abs(got.astype(np.float64) - wanted.astype(np.float64)) / np.asarray(step)
    assert excess.max(initial=0) <= HALF


def same_turn(got: Gaussians, wanted: Gaussians, degrees: float) -> None:
    same = np.abs(np.einsum("ij,ij->i", got.quats.astype(np.float64), wanted.quats))
    assert np.degrees(2 * np.arccos(np.minimum(same, 1))).max() < degrees
    np.testing.assert_allclose(np.linalg.norm(got.quats, axis=1), 1, atol=1e-6)
