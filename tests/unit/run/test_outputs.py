"""What a plan's output may replace."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anix_cli.core.errors import AnixError
from anix_cli.run.outputs import check_plan_output

PLAN = '{"plan": 1, "takes": []}'


def refused(path: Path) -> str:
    with pytest.raises(AnixError) as caught:
        check_plan_output(path, overwrite=False)
    check_plan_output(path, overwrite=True)
    (found,) = caught.value.diagnostics
    assert found.code == "E433" and found.hint and "--overwrite" in found.hint
    return found.message


def test_foreign_arrays_beside_a_plan_are_kept(tmp_path: Path) -> None:
    path, arrays = tmp_path / "x.json", tmp_path / "x.npz"
    np.savez(arrays, measured=np.arange(3))
    assert "x.npz exists already and does not belong to a plan x.json" in refused(path)
    path.write_text(PLAN)
    for content in (arrays.read_bytes(), b"", b"PK cut off"):
        arrays.write_bytes(content)
        assert "x.npz exists already" in refused(path)


def test_a_plan_may_be_made_again(tmp_path: Path) -> None:
    path, arrays = tmp_path / "x.json", tmp_path / "x.npz"
    check_plan_output(path, overwrite=False)
    path.write_text(PLAN)
    check_plan_output(path, overwrite=False)
    np.savez(arrays, world_from_camera=np.zeros((0, 4, 4)), intrinsics=np.zeros((0, 3, 3)))
    check_plan_output(path, overwrite=False)
    path.unlink()
    assert "x.npz" in refused(path)


def test_what_is_no_plan_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for text in ("{}", "[" * 9999, "words"):
        path.write_text(text)
        assert "is not a plan" in refused(path)
