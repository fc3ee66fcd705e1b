"""What a format cannot hold is told when a scene is written, and refused where nothing could be made out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading import scan

from anix_cli.core.errors import AnixError
from anix_cli.core.gaussians import Gaussians
from anix_cli.scene import read_splats, write_ply, write_sog, write_spz

WRITERS: dict[str, Callable[..., Any]] = {".ply": write_ply, ".spz": write_spz, ".sog": write_sog}


def small(count: int = 200, degree: int = 1) -> Gaussians:
    """Ten units wide, of Gaussians between 1 and 5 cm."""
    scene = scan(count, degree)
    sizes = np.random.default_rng(1).uniform(0.01, 0.05, (count, 3)).astype(np.float32)
    return replace(scene, scales=sizes)


@pytest.mark.parametrize("suffix", WRITERS)
def test_what_fits_is_not_remarked_on(tmp_path: Path, suffix: str) -> None:
    assert WRITERS[suffix](tmp_path / f"a{suffix}", small()) == ()


def test_spz_counts_what_it_cuts(tmp_path: Path) -> None:
    scene = small()
    scales, sh = scene.scales.copy(), scene.sh.copy()
    scales[:7, 2] = 1e-6
    scales[7, 0] = 400.0
    sh[3:6, 0, 1] = -5
    sh[10:12, 2, 0] = 1.5
    (note,) = write_spz(tmp_path / "a.spz", replace(scene, scales=scales, sh=sh))
    assert note.code == "W321"
    assert note.message == (
        "SPZ cuts values of some of the 200 Gaussians to what it can hold: 7 with sizes below 4.5e-05 units, "
        "1 with sizes above 379 units, 3 with colours beyond ±3.33 (f_dc), 2 with harmonics beyond ±1"
    )
    got = read_splats(tmp_path / "a.spz").gaussians
    np.testing.assert_allclose(got.scales[:7, 2], np.exp(-10), rtol=1e-6)
    np.testing.assert_allclose(got.sh[3:6, 0, 1], -0.5 / 0.15, rtol=1e-6)
    # What is not written is not counted.
    (note,) = write_spz(tmp_path / "a.spz", replace(scene, sh=sh), sh_degree=0)
    assert note.message.endswith("to what it can hold: 3 with colours beyond ±3.33 (f_dc)")


def test_the_ends_of_what_spz_holds_are_not_cut(tmp_path: Path) -> None:
    scene = small(4, 1)
    scales, sh = scene.scales.copy(), scene.sh.copy()
    scales[0], scales[1] = np.exp(-10), np.exp(255 / 16 - 10)
    sh[0, 0], sh[1, 0] = -0.5 / 0.15, 0.5 / 0.15
    sh[0, 1:], sh[1, 1:] = -1, 127 / 128
    assert write_spz(tmp_path / "a.spz", replace(scene, scales=scales, sh=sh)) == ()


def test_many_gaussians_too_large_for_spz(tmp_path: Path) -> None:
    scene = small()
    scales = scene.scales.copy()
    scales[:5] = 500.0
    with pytest.raises(
        AnixError, match=r"E314 5 of 200 Gaussians are too large for SPZ.* 379 units"
    ) as caught:
        write_spz(tmp_path / "a.spz", replace(scene, scales=scales))
    assert "--scale" in str(caught.value.diagnostics[0].hint)


def strays(scene: Gaussians, away: float) -> Gaussians:
    means = scene.means.copy()
    means[0, 0] = away
    return replace(scene, means=means)


@pytest.mark.parametrize(
    ("suffix", "away", "verdict"),
    [
        # SPZ has 2²³ steps, each a power of two, to the furthest one.
        (".spz", 1000.0, None),
        (".spz", 5e5, "W322"),
        (".spz", 4e6, "E314"),
        (".spz", 9e6, "E314"),
        # SOG's steps are 1/65,535 of the logarithms: ln(1 + 1e14) is 32.
        (".sog", 1000.0, None),
        (".sog", 1e14, None),
        (".ply", 1e14, None),
    ],
)
def test_strays_make_positions_coarse(tmp_path: Path, suffix: str, away: float, verdict: str | None) -> None:
    scene, path = strays(small(), away), tmp_path / f"a{suffix}"
    if verdict == "E314":
        with pytest.raises(AnixError, match="E314") as caught:
            WRITERS[suffix](path, scene)
        assert "--crop" in str(caught.value.diagnostics[0].hint)
        return
    notes = WRITERS[suffix](path, scene)
    assert [note.code for note in notes] == ([] if verdict is None else [verdict])
    if verdict:
        assert "every 0.0625 units only, where its Gaussians are commonly 0.029" in notes[0].message
        assert notes[0].hint == "Leave out what lies far from the scene with --crop; PLY is the most exact."
    got, wanted = (np.sort(means, axis=0)[:-1] for means in (read_splats(path).gaussians.means, scene.means))
    assert np.abs(got - wanted).max() < 0.05


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize(("shift", "verdict"), [(1e3, None), (1e6, "W322"), (1e8, "E314"), (1e13, "E314")])
def test_far_from_the_origin(tmp_path: Path, suffix: str, shift: float, verdict: str | None) -> None:
    scene = small()
    scene = replace(scene, means=scene.means + np.float32(shift))
    path = tmp_path / f"a{suffix}"
    if verdict == "E314":
        with pytest.raises(AnixError, match="E314") as caught:
            WRITERS[suffix](path, scene)
        assert "--origin" in str(caught.value.diagnostics[0].hint)
        assert not path.exists()
        return
    assert [note.code for note in WRITERS[suffix](path, scene)] == ([] if verdict is None else [verdict])


def test_a_scene_too_small_for_spz(tmp_path: Path) -> None:
    scene = small()
    tiny = replace(scene, means=scene.means * np.float32(1e-7), scales=scene.scales * np.float32(1e-7))
    with pytest.raises(AnixError, match="E314") as caught:
        write_spz(tmp_path / "a.spz", tiny)
    assert "larger --scale" in str(caught.value.diagnostics[0].hint)
    for suffix in (".ply", ".sog"):
        assert WRITERS[suffix](tmp_path / f"a{suffix}", tiny) == ()
        got = read_splats(tmp_path / f"a{suffix}").gaussians
        assert np.abs(np.sort(got.means, axis=0) - np.sort(tiny.means, axis=0)).max() < 1e-10


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("value", [1e16, np.inf, np.nan])
def test_numbers_that_no_reader_could_use(tmp_path: Path, suffix: str, value: float) -> None:
    scene = small()
    for column in ("means", "scales"):
        values = getattr(scene, column).copy()
        values[3, 1] = value
        with pytest.raises(AnixError, match="E314 the scene would reach"):
            WRITERS[suffix](tmp_path / f"a{suffix}", replace(scene, **{column: values}))
        assert not (tmp_path / f"a{suffix}").exists()


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_single_gaussian_has_no_extent(tmp_path: Path, suffix: str) -> None:
    assert WRITERS[suffix](tmp_path / f"a{suffix}", small(1, 0)) == ()


sizes = st.sampled_from([0.0, 1e-30, 1e-9, 1e-4, 1.0, 30.0, 1e4, 1e8, 1e13])


@pytest.mark.parametrize("suffix", WRITERS)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    count=st.sampled_from([1, 2, 3, 17, 100]),
    degree=st.integers(0, 3),
    extent=sizes,
    shift=sizes,
    size=sizes,
    colour=st.sampled_from([0.0, 1e-20, 0.3, 4.0, 1e10]),
    seed=st.integers(0, 99),
)
def test_what_is_written_can_be_read(
    tmp_path: Path, suffix: str, count: int, degree: int, extent: float, shift: float, size: float,
    colour: float, seed: int,
) -> None:  # fmt: skip
    """Whatever the numbers: a file that holds every Gaussian, or E314."""
    scene, random = scan(count, degree, seed), np.random.default_rng(seed)
    scene = replace(
        scene,
        means=(random.uniform(-1, 1, (count, 3)) * extent + shift).astype(np.float32),
        scales=(random.uniform(0, 1, (count, 3)) * size).astype(np.float32),
        sh=(scene.sh * np.float32(colour)),
    )
    path = tmp_path / f"a{suffix}"
    try:
        notes = WRITERS[suffix](path, scene)
    except AnixError as error:
        assert [problem.code for problem in error.diagnostics] == ["E314"]
        return
    got = read_splats(path)
    assert (len(got.gaussians), got.dropped, got.info.sh_degree) == (count, 0, degree)
    if not notes and suffix != ".sog":  # which changes the order
        away = np.abs(got.gaussians.means.astype(np.float64) - scene.means).max(axis=1)
        assert np.median(away) <= np.median(scene.scales)
