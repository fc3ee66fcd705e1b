"""Whatever the bytes: a scene or an AnixError, never another exception, and never much memory."""

from __future__ import annotations

import gzip
import io
import json
import os
import tracemalloc
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import containers as make
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from splat_files import gz, names, ply, random_gaussians, rows, spz_payload

from anix_cli.core.errors import AnixError
from anix_cli.scene import SplatFile, probe, read_splats, scene_files

MEMORY = 64 << 20
"""Bytes that reading one of these files, of a few kB, may take at its peak."""

COLUMNS = np.random.default_rng(0).bytes(4 * 65)
LISTS = ("element face 2", ["property list uchar int vertex_indices"], b"\x01" + bytes(4) + b"\x00")
AMONG = ply(rows(0, 0), names(0), count=4).replace(
    b"end_header", b"property list uchar short near\nend_header"
)
V3 = spz_payload(4, version=3, degree=3, columns=COLUMNS, flags=2)
SOG_1, SOG_2 = (make.sog(random_gaussians(5, 1), version=version) for version in (1, 2))
TREE, BUFFER = make.gltf([({"scale": [2, 2, 2]}, make.splat_attributes(random_gaussians(4, 1)))])
STRETCHED = make.gltf([({"scale": [1, 2, 3]}, make.splat_attributes(random_gaussians(4, 1)))])
TEXT = ply(rows(0, 0), names(0), order="a", count=3).replace(
    b"end_header", b"property list uchar int near\nend_header"
) + b"".join(" ".join(map(repr, row.tolist())).encode() + b" 2 7 7\n" for row in rows(3, 0))
SMOOTH = ply(np.column_stack([rows(4, 0), np.full(4, 0.1)]), [*names(0), "filter_3D"])
CLOUD = {"points": np.eye(3), "colors": np.eye(3, dtype=np.uint8)}

SEEDS = {
    "binary.ply": ply(rows(4, 1), names(1), comments=["comment antialiased 1"]),
    "mixed.ply": ply(rows(4, 0), names(0), types=["double"] * 3 + ["float"] * 11),
    "ascii.ply": ply(rows(3, 0), names(0), order="a"),
    "flat.ply": ply(rows(4, 0)[:, :13], [name for name in names(0) if name != "scale_2"]),
    "lists.ply": ply(rows(4, 0), names(0), before=[LISTS]),
    "among.ply": AMONG + b"".join(row.astype("<f4").tobytes() + b"\x01\x02\x03" for row in rows(4, 0)),
    "textlists.ply": TEXT,
    "smooth.ply": SMOOTH,
    "prefixed.ply": ply(rows(4, 0), [f"scalar_{name}" if "_" in name else name for name in names(0)]),
    "points.ply": ply(np.eye(6), ["x", "y", "z", "red", "green", "blue"]),
    "compressed.ply": make.compressed_ply(random_gaussians(5, 1)),
    "v2.spz": gz(spz_payload(4, degree=3, columns=COLUMNS[: 4 * 64])),
    "v3.spz": gz(V3 + b"\x03\x00\xbe\xad"),
    "v4.spz": make.spz4(V3, [4 * size for size in (9, 1, 3, 3, 4, 45)], extensions=b"\x03\x00\xbe\xad"),
    "one.sog": make.zipped(SOG_1),
    "two.sog": make.zipped(SOG_2, packed=True),
    "rows.splat": make.splat(random_gaussians(9, 0)),
    "level0.ksplat": make.ksplat([random_gaussians(5, 1)], level=0),
    "level2.ksplat": make.ksplat([random_gaussians(5, 2), random_gaussians(3, 0)], level=2, block=20.0),
    "model.glb": make.glb(TREE, BUFFER),
    "stretched.glb": make.glb(*STRETCHED),
    "model.gltf": make.gltf_text(TREE, BUFFER),
    "cloud.npz": make.npz(**CLOUD),
}
EXAMPLES = int(os.environ.get("ANIX_FUZZ_EXAMPLES", "30"))
"""Changed files a kind; more of them search longer."""

quick = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(autouse=True)
def watched() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def survives(path: Path) -> None:
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            assert scene_files(path)
            scene = read_splats(path)
        except AnixError as error:
            assert all(problem.code.startswith("E3") for problem in error.diagnostics)
            return
        finally:
            assert tracemalloc.get_traced_memory()[1] - before < MEMORY
        assert isinstance(scene, SplatFile)
        assert 0 < len(scene.gaussians) == probe(path).count - scene.dropped
        for column in (scene.gaussians.means, scene.gaussians.quats, scene.gaussians.scales):
            assert np.isfinite(column).all()
        assert ((scene.gaussians.opacities >= 0) & (scene.gaussians.opacities <= 1)).all()


@pytest.mark.parametrize("name", SEEDS)
def test_the_seeds_are_sound(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(SEEDS[name])
    assert len(read_splats(path).gaussians) > 2


@pytest.mark.parametrize("name", SEEDS)
def test_cut_anywhere(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    whole = SEEDS[name]
    lengths = {*range(0, len(whole), max(1, len(whole) // 60)), *range(len(whole) - 12, len(whole))}
    for length in sorted(lengths):
        path.write_bytes(whole[:length])
        if name in {"ascii.ply", "textlists.ply", "points.ply", "rows.splat"}:
            survives(path)
            continue
        with pytest.raises(AnixError, match=r"E30[34567]|E311"):
            read_splats(path)


edits = st.lists(st.tuples(st.integers(0, 4000), st.binary(min_size=0, max_size=4)), min_size=1, max_size=6)


def changed(data: bytes, where: list[tuple[int, bytes]], reach: int | None = None) -> bytes:
    for at, new in where:
        start = at % max(1, min(len(data), reach or len(data)))
        data = data[:start] + new + data[start + (len(new) or 3) :]
    return data


@pytest.mark.parametrize("name", SEEDS)
@quick
@given(where=edits)
def test_changed_bytes(tmp_path: Path, name: str, where: list[tuple[int, bytes]]) -> None:
    path = tmp_path / name
    # The long headers of .ksplat are mostly empty: edits there go to the numbers.
    places = (
        [(at % 44 + 4096 * (at % 3 > 0), new) for at, new in where] if name.endswith(".ksplat") else where
    )
    path.write_bytes(changed(SEEDS[name], places))
    survives(path)


@pytest.mark.parametrize("name", ["v2.spz", "v3.spz"])
@quick
@given(where=edits)
def test_changed_bytes_inside_the_compression(
    tmp_path: Path, name: str, where: list[tuple[int, bytes]]
) -> None:
    path = tmp_path / name
    path.write_bytes(gz(changed(gzip.decompress(SEEDS[name]), where)))
    survives(path)


@pytest.mark.parametrize("files", [SOG_1, SOG_2, {"points.npy": b"", "colors.npy": b""}])
@quick
@given(member=st.integers(0, 7), where=edits)
def test_changed_members_of_archives(
    tmp_path: Path, files: dict[str, bytes], member: int, where: list[tuple[int, bytes]]
) -> None:
    if "points.npy" in files:
        files = {}
        for name, array in CLOUD.items():
            buffer = io.BytesIO()
            np.save(buffer, array)
            files[f"{name}.npy"] = buffer.getvalue()
    name = sorted(files)[member % len(files)]
    path = tmp_path / "a.zip"
    path.write_bytes(make.zipped({**files, name: changed(files[name], where)}))
    survives(path)


odd = st.sampled_from(
    [None, True, -1, 0, 1, 3, 2**31, 10**30, 1e300, float("nan"), "", "x", "..", [], [1], {}, {"files": []}]
)


def replaced(tree: Any, picks: list[int], value: Any) -> Any:
    """A copy in which what lies along a path of random turns is another value."""
    if not picks or not isinstance(tree, dict | list) or not tree:
        return value
    keys = sorted(tree) if isinstance(tree, dict) else range(len(tree))
    key = list(keys)[picks[0] % len(keys)]
    new = dict(tree) if isinstance(tree, dict) else list(tree)
    new[key] = replaced(tree[key], picks[1:], value)
    return new


@pytest.mark.parametrize("kind", ["sog1", "sog2", "glb"])
@quick
@given(picks=st.lists(st.integers(0, 1000), min_size=1, max_size=6), value=odd)
def test_changed_descriptions(tmp_path: Path, kind: str, picks: list[int], value: Any) -> None:
    path = tmp_path / "a"
    if kind == "glb":
        path.write_bytes(make.glb(replaced(TREE, picks, value), BUFFER))
    else:
        files = SOG_1 if kind == "sog1" else SOG_2
        meta = replaced(json.loads(files["meta.json"]), picks, value)
        path.write_bytes(make.zipped({**files, "meta.json": json.dumps(meta).encode()}))
    survives(path)


@quick
@given(
    data=st.binary(max_size=400),
    start=st.sampled_from([b"", b"ply\n", b"NGSP\x04\0\0\0", b"PK\x03\x04", b"{", b"glTF"]),
)
def test_noise(tmp_path: Path, data: bytes, start: bytes) -> None:
    path = tmp_path / "a.splat"
    path.write_bytes(start + data)
    survives(path)
