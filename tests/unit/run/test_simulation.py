"""The benchmark that simulates a large batch drives the real queue: nothing is left undone."""

from __future__ import annotations

import pytest

from benchmarks.simulation import simulate


@pytest.mark.parametrize("mtbf_h", [1.0, 1e6])
def test_all_films_are_made_and_failures_lose_parts_of_clips_alone(mtbf_h: float) -> None:
    found = simulate(400, 40, mtbf_h, seed=3)
    assert found["films_made"] == found["films"] == 100
    assert found["idle_while_work_was_ready_share"] == 0
    assert found["hours"] >= found["hours_at_best"]
    if mtbf_h > 1e3:
        assert found["failures"] == 0 and found["lost_share"] == 0
    else:
        # A failure loses at most the clip that was being made: two minutes in an hour, half of it on average.
        assert found["failures"] > 50 and 0.005 < found["lost_share"] < 0.05
