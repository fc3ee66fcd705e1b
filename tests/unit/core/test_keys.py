"""Fingerprints follow content and nothing else; seeds depend on four things."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anix_cli.core.keys import array_digest, clip_seed, file_digest, fingerprint


def test_key_order_and_container_type_do_not_matter():
    assert fingerprint({"a": 1, "b": [1, 2]}) == fingerprint({"b": (1, 2), "a": 1})


@pytest.mark.parametrize("other", [{"a": 2}, {"a": 1, "b": None}, {"b": 1}, [1], {"a": "1"}])
def test_other_content_is_another_key(other):
    assert fingerprint({"a": 1}) != fingerprint(other)


def test_paths_are_refused_since_they_are_not_content():
    with pytest.raises(TypeError, match="path"):
        fingerprint({"file": Path("x")})
    with pytest.raises(ValueError, match=r"[Oo]ut of range|JSON"):
        fingerprint({"x": float("nan")})


def test_fractions_and_arrays_count_by_value():
    assert fingerprint(Fraction(2, 4)) == fingerprint(Fraction(1, 2))
    assert array_digest(np.array([0.0, 1.0])) == array_digest(np.array([-0.0, 1.0 + 1e-12]))
    assert array_digest(np.zeros((2, 3))) != array_digest(np.zeros((3, 2)))
    assert array_digest(np.zeros(4, np.uint8)) != array_digest(np.zeros(4, np.int8))


def test_file_digest_is_sha256(tmp_path):
    (tmp_path / "f").write_bytes(b"abc")
    assert file_digest(tmp_path / "f") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@given(st.integers(0, 2**40), st.text(max_size=8), st.integers(0, 50))
def test_seeds_are_32_bits_and_differ_by_every_argument(film, shot, clip):
    seed = clip_seed(film, shot, clip)
    assert 0 <= seed < 2**32
    assert seed == clip_seed(film, shot, clip, 0)
    assert len({seed, clip_seed(film + 1, shot, clip), clip_seed(film, shot, clip + 1),
                clip_seed(film, shot, clip, 1), clip_seed(film, shot + "x", clip)}) == 5  # fmt: skip


@dataclass(frozen=True)
class _Thing:
    name: str
    values: np.ndarray
    inner: "_Thing | None" = None


_GRID = np.arange(12.0).reshape(3, 4) / 7 - 1


@pytest.mark.parametrize(
    ("value", "digest"),
    [
        (None, "74234e98afe7498f"),
        ("é\n", "ec7b29f422dcd347"),
        ([True, 1, 1.0, -0.5, 10**20, 1e300], "6f86aac4eaacd9f2"),
        ({"b": (Fraction(24000, 1001), None), "a": {2: "x", "1": [[], {}]}}, "6b0741bfd6455595"),
        (_Thing("mira", _GRID, _Thing("", _GRID[:, ::2].T)), "99f3ff7ee5fcc79c"),
        ([np.float64(0.1), np.zeros((0, 3)), np.array(2.5), _GRID.astype(np.float32)], "e55a5ae98daefe7e"),
        (
            {"seen": _GRID > 0, "byte": np.arange(3, dtype=np.uint8), "order": np.asfortranarray(_GRID)},
            "7d9599f29509fc73",
        ),
    ],
)
def test_digests_stay_what_they_are_since_stores_are_addressed_by_them(value, digest):
    assert fingerprint(value)[:16] == digest
