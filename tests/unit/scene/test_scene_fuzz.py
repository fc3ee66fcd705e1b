"""Whatever the bytes: a scene or an AnixError, never another exception."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from splat_files import gz, names, ply, rows, spz_payload

from anix_cli.core.errors import AnixError
from anix_cli.scene import SplatFile, probe, read_splats

COLUMNS = np.random.default_rng(0).bytes(4 * 65)
SEEDS = {
    "binary.ply": ply(rows(4, 1), names(1), comments=["comment antialiased 1"]),
    "mixed.ply": ply(rows(4, 0), names(0), types=["double"] * 3 + ["float"] * 11),
    "ascii.ply": ply(rows(3, 0), names(0), order="a"),
    "v2.spz": gz(spz_payload(4, degree=3, columns=COLUMNS[: 4 * 64])),
    "v3.spz": gz(spz_payload(4, version=3, degree=3, columns=COLUMNS, flags=2) + b"\x03\x00\xbe\xad"),
}


def survives(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            scene = read_splats(path)
        except AnixError as error:
            assert all(problem.code.startswith("E3") for problem in error.diagnostics)
            return
        assert isinstance(scene, SplatFile)
        assert 0 < len(scene.gaussians) == probe(path).count - scene.dropped
        for column in (scene.gaussians.means, scene.gaussians.quats, scene.gaussians.scales):
            assert np.isfinite(column).all()
        assert ((scene.gaussians.opacities >= 0) & (scene.gaussians.opacities <= 1)).all()


@pytest.mark.parametrize("name", SEEDS)
def test_cut_anywhere(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    whole = SEEDS[name]
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        if name == "ascii.ply":
            survives(path)
            continue
        with pytest.raises(AnixError, match=r"E30[3467]|E311"):
            read_splats(path)


edits = st.lists(st.tuples(st.integers(0, 4000), st.binary(min_size=0, max_size=4)), min_size=1, max_size=6)


def changed(data: bytes, where: list[tuple[int, bytes]]) -> bytes:
    for at, new in where:
        start = at % max(1, len(data))
        data = data[:start] + new + data[start + (len(new) or 3) :]
    return data


@pytest.mark.parametrize("name", SEEDS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=edits)
def test_changed_bytes(tmp_path: Path, name: str, where: list[tuple[int, bytes]]) -> None:
    path = tmp_path / name
    path.write_bytes(changed(SEEDS[name], where))
    survives(path)


@pytest.mark.parametrize("name", ["v2.spz", "v3.spz"])
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=edits)
def test_changed_bytes_inside_the_compression(
    tmp_path: Path, name: str, where: list[tuple[int, bytes]]
) -> None:
    path = tmp_path / name
    path.write_bytes(gz(changed(gzip.decompress(SEEDS[name]), where)))
    survives(path)
