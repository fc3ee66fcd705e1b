"""SPZ version 4 holds what version 3 holds; damage is named."""

from __future__ import annotations

import gzip
import struct
import sys
from pathlib import Path

import containers as make
import numpy as np
import pytest
from reading import error, read, scan

from anix_cli.core.errors import AnixError
from anix_cli.scene import (
    probe,
    read_splats,
    write_spz,
)

SIZES = {0: (9, 1, 3, 3, 4), 1: (9, 1, 3, 3, 4, 9), 3: (9, 1, 3, 3, 4, 45)}


@pytest.mark.parametrize("degree", [0, 1, 3])
def test_spz_4_holds_what_version_3_holds(tmp_path: Path, degree: int) -> None:

    write_spz(tmp_path / "a.spz", scan(40, degree), version=3, antialiased=True)
    payload = gzip.decompress((tmp_path / "a.spz").read_bytes())
    data = make.spz4(payload, [40 * size for size in SIZES[degree]])
    three, four = read_splats(tmp_path / "a.spz"), read(tmp_path / "b.spz", data)
    assert (four.info.format, four.info.frame) == ("SPZ v4", "+y up (SPZ specification)")
    assert four.gaussians.antialiased
    for field in ("means", "quats", "scales", "opacities", "sh"):
        np.testing.assert_array_equal(getattr(three.gaussians, field), getattr(four.gaussians, field))
    down = struct.pack("<III", 0xADBE0003, 4, 6)
    assert (
        read(tmp_path / "c.spz", make.spz4(payload, [40 * s for s in SIZES[degree]], extensions=down)).info.up
        == "-y"
    )


def spz_header(count: int) -> bytes:
    return struct.pack("<4sIIBBBB", b"NGSP", 3, count, 0, 12, 0, 0)


def test_broken_spz_4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, path = np.random.default_rng(0), tmp_path / "a.spz"
    payload = spz_header(40) + rng.bytes(40 * 20)
    sizes = [40 * size for size in SIZES[0]]
    data = make.spz4(payload, sizes)
    message = error(path, data[:-1], "E306")
    assert f"40 Gaussians = {len(data):,} bytes" in message
    error(path, data[:20], "E306")
    error(path, data[:100], "E306")
    assert [note.code for note in read(path, data + b"12").notes] == ["W305"]

    def changed(at: int, pattern: str, *values: int) -> bytes:
        new = bytearray(data)
        struct.pack_into(pattern, new, at, *values)
        return bytes(new)

    error(path, changed(4, "<I", 5), "E305")
    error(path, changed(4, "<I", 3), "E307")
    error(path, changed(8, "<I", 0), "E309")
    error(path, changed(8, "<I", 41), "E307")
    error(path, changed(8, "<I", 2**31), "E312")
    error(path, changed(12, "<B", 5), "E310")
    error(path, changed(12, "<B", 1), "E307")
    error(path, changed(13, "<B", 99), "E307")
    error(path, changed(16, "<I", 8), "E307")
    error(path, changed(16, "<I", 2**32 - 1), "E306")
    error(path, changed(32, "<Q", 2**63), "E306")
    error(path, changed(40, "<Q", 2**63), "E307")
    error(path, changed(32 + 5 * 16, "<Q", 2**63), "E311", deep=True)
    # Few bytes of nothing but zeros may claim any number of Gaussians.
    many = spz_header(2_000_000) + bytes(2_000_000 * 20)
    assert "do not hold" in error(path, make.spz4(many, [2_000_000 * size for size in SIZES[0]]), "E307")
    # A column that unpacks to more, or to less, than its Gaussians take.
    for size in (200, 10_000_000):
        longer = make.spz4(payload[:16] + bytes(360) + bytes(size) + payload[416:], [360, size, *sizes[2:]])
        fixed = bytearray(longer)
        struct.pack_into("<Q", fixed, 32 + 16 + 8, 40)
        error(path, bytes(fixed), "E311", deep=True)
    path.write_bytes(data)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(AnixError, match="zstandard") as caught:
        read_splats(path)
    assert caught.value.diagnostics[0].code == "E316"
    assert probe(path).count == 40
