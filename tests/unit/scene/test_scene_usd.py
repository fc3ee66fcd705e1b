"""Gaussians in OpenUSD: text, binary and packages; frames, units, placements; what is refused."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reading import scan
from splat_files import covariances

from anix_cli.core.errors import AnixError
from anix_cli.core.gaussians import Gaussians
from anix_cli.core.screenplay import ScaleReference, SceneSpec
from anix_cli.scene import open_scene, probe, read_splats, transform
from anix_cli.scene.formats import usd

needs_usd = pytest.mark.skipif(find_spec("pxr") is None, reason="usd-core is not installed")
MINIMAL = b'#usda 1.0\ndef ParticleField3DGaussianSplat "a"\n{\n point3f[] positions = [(0, 0, 0)]\n}\n'


def stage_of(path: Path, *prims: Callable[[Any], None], **metadata: Any) -> Path:
    from pxr import Usd

    path.parent.mkdir(exist_ok=True)
    stage = Usd.Stage.CreateNew(str(path))
    for name, value in metadata.items():
        stage.SetMetadata(name, value)
    for prim in prims:
        prim(stage)
    stage.GetRootLayer().Save()
    return path


def splats(scene: Gaussians, name: str = "/world/scan", matrix: Any = None, half: bool = False) -> Any:
    """Defines a prim of Gaussians under a transform, in columns."""

    def define(stage: Any) -> None:
        from pxr import Gf, UsdGeom, UsdVol, Vt

        UsdGeom.Xform.Define(stage, "/world")
        field = UsdVol.ParticleField3DGaussianSplat.Define(stage, name)
        prim, h = field.GetPrim(), "h" if half else ""
        if matrix is not None:
            UsdGeom.Xformable(prim).AddTransformOp().Set(Gf.Matrix4d(np.asarray(matrix, float).T.tolist()))
        kind = np.float16 if half else np.float32
        vec, quat, flat = (
            (Vt.Vec3hArray, Vt.QuathArray, Vt.HalfArray)
            if half
            else (Vt.Vec3fArray, Vt.QuatfArray, Vt.FloatArray)
        )

        def put(attribute: str, array: Any, values: Any) -> None:
            prim.GetAttribute(attribute + h).Set(array.FromNumpy(np.ascontiguousarray(values, kind)))

        put("positions", vec, scene.means)
        put("orientations", quat, scene.quats[:, [1, 2, 3, 0]])
        put("scales", vec, scene.scales)
        put("opacities", flat, scene.opacities)
        prim.GetAttribute("radiance:sphericalHarmonicsDegree").Set(int(scene.sh.shape[1] ** 0.5) - 1)
        put("radiance:sphericalHarmonicsCoefficients", vec, scene.sh.reshape(-1, 3))

    return define


def refused(path: Path, code: str, *, deep: bool = False) -> str:
    with pytest.raises(AnixError, match=code) as caught:
        read_splats(path)
    if not deep:
        with pytest.raises(AnixError, match=code):
            probe(path)
    return str(caught.value)


@needs_usd
@pytest.mark.parametrize("suffix", ["usda", "usdc", "usdz"])
@pytest.mark.parametrize("degree", [0, 3])
def test_what_is_written_is_read(tmp_path: Path, suffix: str, degree: int) -> None:
    scene = scan(17, degree)
    path = stage_of(tmp_path / f"a.{'usdc' if suffix == 'usdz' else suffix}", splats(scene))
    if suffix == "usdz":
        from pxr import Sdf, UsdUtils

        path = tmp_path / "a.usdz"
        assert UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(str(tmp_path / "a.usdc")), str(path))
    strange = tmp_path / "content decides.ply"
    strange.write_bytes(path.read_bytes())
    for file in (path, strange):
        got = read_splats(file)
        assert (got.info.format, got.info.count, got.info.sh_degree) == ("OpenUSD", 17, degree)
        assert probe(file) == got.info
        assert got.info.frame == "+y up (OpenUSD's default; the stage does not say)"
        assert got.notes == ()
        for field in ("means", "quats", "scales", "opacities", "sh"):
            np.testing.assert_allclose(
                getattr(got.gaussians, field), getattr(scene, field), rtol=1e-6, atol=1e-6
            )


@needs_usd
def test_half_precision_and_what_is_not_filled(tmp_path: Path) -> None:
    scene = scan(9, 1)
    got = read_splats(stage_of(tmp_path / "a.usdc", splats(scene, half=True))).gaussians
    for field in ("means", "quats", "scales", "opacities", "sh"):
        np.testing.assert_allclose(getattr(got, field), getattr(scene, field), rtol=1e-3, atol=1e-3)
    (tmp_path / "b.usda").write_bytes(MINIMAL)
    bare = read_splats(tmp_path / "b.usda")
    assert bare.info.sh_degree == 0
    assert bare.gaussians.opacities.tolist() == [1]
    assert bare.gaussians.scales.tolist() == [[1, 1, 1]]
    assert bare.gaussians.quats.tolist() == [[1, 0, 0, 0]]
    assert bare.gaussians.sh.tolist() == [[[0, 0, 0]]]


@needs_usd
def test_prims_are_merged_where_they_stand_in_metres(tmp_path: Path) -> None:
    first, second = scan(9, 2), scan(5, 0)
    turned = np.array([[2, 0, 0, 100], [0, 0, -2, 200], [0, 2, 0, 300], [0, 0, 0, 1]], float)

    def hidden(stage: Any) -> None:
        from pxr import UsdGeom

        splats(first, "/world/hidden")(stage)
        UsdGeom.Imageable(stage.GetPrimAtPath("/world/hidden")).MakeInvisible()

    prims = (splats(first, "/world/a", turned), splats(second, "/world/b"), hidden)
    path = stage_of(tmp_path / "a.usda", *prims, upAxis="Z", metersPerUnit=0.01)
    got = read_splats(path)
    assert (got.info.count, got.info.sh_degree, got.info.unit) == (14, 2, 0.01)
    assert got.info.frame == "+z up (as its stage says)"
    assert [note.code for note in got.notes] == ["W315"]
    assert probe(path) == got.info
    wanted = transform(first, np.diag([0.01, 0.01, 0.01, 1]) @ turned)
    a = got.gaussians.take(np.arange(9))
    np.testing.assert_allclose(a.means, wanted.means, atol=1e-5)
    np.testing.assert_allclose(a.sh, wanted.sh, atol=1e-5)
    np.testing.assert_allclose(covariances(a), covariances(wanted), rtol=1e-4, atol=1e-7)
    b = got.gaussians.take(np.arange(9, 14))
    np.testing.assert_allclose(b.means, second.means * 0.01, atol=1e-6)
    np.testing.assert_array_equal(b.sh[:, :1], second.sh)
    assert not b.sh[:, 1:].any()
    codes = [note.code for note in open_scene(SceneSpec(path)).stage.notes]
    assert "W315" in codes
    assert "W302" not in codes, "the size is known"


@needs_usd
def test_what_is_written_about_the_place_is_in_units_of_the_file(tmp_path: Path) -> None:
    scene = scan(9, 0)
    path = stage_of(tmp_path / "a.usda", splats(scene), metersPerUnit=0.01)
    told = open_scene(SceneSpec(path, up="+y", origin=(3, 4, 5)))
    np.testing.assert_allclose(told.gaussians.means, 0.01 * (scene.means - [3, 4, 5]), atol=1e-6)
    other = open_scene(SceneSpec(path, up="+y", scale=2.0, origin=(3, 4, 5)))
    assert "W315" not in [note.code for note in other.stage.notes], "what is written settles it"
    np.testing.assert_allclose(other.gaussians.means, 2 * (scene.means - [3, 4, 5]), rtol=1e-5, atol=1e-5)
    door = ScaleReference(((0, 0, 0), (0, 4, 0)), 2.0)
    by = open_scene(SceneSpec(path, up="+y", scale=door))
    np.testing.assert_allclose(by.gaussians.means, 0.5 * scene.means, rtol=1e-5, atol=1e-5)


@needs_usd
def test_transforms_that_mirror_or_skew_are_refused(tmp_path: Path) -> None:
    shear = np.eye(4)
    shear[0, 1] = 0.5
    for index, matrix in enumerate((np.diag([1, 1, -1, 1]), shear, np.diag([0, 0, 0, 1]))):
        path = stage_of(tmp_path / f"{index}.usda", splats(scan(4, 0), matrix=matrix))
        assert "mirrors" in refused(path, "E305", deep=True)


@needs_usd
def test_transforms_may_stretch(tmp_path: Path) -> None:
    scene = scan(20, 1)
    path = stage_of(tmp_path / "a.usda", splats(scene, matrix=np.diag([1, 2, 0.5, 1])))
    got, linear = read_splats(path).gaussians, np.diag([1, 2, 0.5])
    np.testing.assert_allclose(got.means, scene.means @ linear, atol=1e-5)
    np.testing.assert_allclose(covariances(got), linear @ covariances(scene) @ linear, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(got.sh, scene.sh, atol=1e-6)


@needs_usd
def test_a_stage_far_away_keeps_its_precision(tmp_path: Path) -> None:
    scene, move = scan(12, 0), np.eye(4)
    move[:3, 3] = 4_210_520.25, 1_020_300.5, 4_660_120.75
    got = read_splats(stage_of(tmp_path / "a.usdc", splats(scene, matrix=move)))
    np.testing.assert_allclose(
        got.gaussians.means + np.array(got.offset), scene.means + move[:3, 3], atol=1e-5
    )


@needs_usd
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('def Xform "a" {}', "E304"),
        ('def ParticleField3DGaussianSplat "a" {}', "E309"),
        ('def ParticleField3DGaussianSplat "a" { point3f[] positions = [(nan, 0, 0)] }', "E309 deep"),
        ('def ParticleField3DGaussianSplat "a" { point3f[] positions = [(0, 0', "E307"),
        (
            'def ParticleField3DGaussianSplat "a" { point3f[] positions = [(0, 0, 0), (1, 1, 1)]\n'
            "float[] opacities = [1] }",
            "E307",
        ),
        (
            'def ParticleField3DGaussianSplat "a" { point3f[] positions = [(0, 0, 0)]\n'
            "uniform int radiance:sphericalHarmonicsDegree = 99 }",
            "E307",
        ),
        (
            'def ParticleField "a" (prepend apiSchemas = ["ParticleFieldPositionAttributeAPI", '
            '"ParticleFieldKernelGaussianSurfletAPI"]) { point3f[] positions = [(0, 0, 0)] }',
            "E305",
        ),
        ('def Xform "a" (prepend references = @../other.usda@) {}', "E305"),
        ('def Xform "a" (prepend payload = @/etc/scene.usda@) {}', "E305"),
    ],
)
def test_refusals(tmp_path: Path, text: str, code: str) -> None:
    path = tmp_path / "a.usda"
    path.write_text(
        f"#usda 1.0\n{text}\n".replace(") {", ")\n{").replace("{ ", "{\n").replace(" }", "\n}"), "utf-8"
    )
    refused(path, code.removesuffix(" deep"), deep="deep" in code)


@needs_usd
def test_too_many_and_a_unit_of_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stage_of(tmp_path / "a.usdc", splats(scan(9, 0)), splats(scan(9, 0), "/world/b"))
    monkeypatch.setattr(usd, "MAX_GAUSSIANS", 17)
    assert "18 Gaussians" in refused(path, "E312")
    monkeypatch.undo()
    refused(stage_of(tmp_path / "b.usda", splats(scan(2, 0)), metersPerUnit=0.0), "E307")


@needs_usd
def test_packages_that_are_cut_or_mixed(tmp_path: Path) -> None:
    scene = stage_of(tmp_path / "a.usdc", splats(scan(9, 1))).read_bytes()
    for length in range(8, len(scene), len(scene) // 6):
        (tmp_path / "cut.usdc").write_bytes(scene[:length])
        refused(tmp_path / "cut.usdc", "E307")
    with zipfile.ZipFile(tmp_path / "a.usdz", "w") as package:
        package.writestr("a.usda", "#usda 1.0\n(subLayers = [@b.usda@])\n")
    assert "b.usda" in refused(tmp_path / "a.usdz", "E305")


@needs_usd
def test_changed_bytes_crash_nothing(tmp_path: Path) -> None:
    whole = stage_of(tmp_path / "a.usdc", splats(scan(9, 1))).read_bytes()
    draw, path = np.random.default_rng(3), tmp_path / "b.usdc"
    for _ in range(12):
        data = bytearray(whole)
        for at in draw.integers(8, len(whole), 5):
            data[at] = draw.integers(256)
        path.write_bytes(data)
        try:
            got = read_splats(path).gaussians
        except AnixError as error:
            assert error.diagnostics[0].code.startswith("E3")
        else:
            assert np.isfinite(got.means).all()


def test_without_the_package_its_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.usda").write_bytes(MINIMAL)
    monkeypatch.setattr(usd, "find_spec", lambda _name: None)
    message = refused(tmp_path / "a.usda", "E316")
    assert "usd-core" in message
    with pytest.raises(AnixError) as caught:
        probe(tmp_path / "a.usda")
    assert "anix[usd]" in (caught.value.diagnostics[0].hint or "")
