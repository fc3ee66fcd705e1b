"""Depth levels round trip, and say where there is nothing."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anix_cli.guide import depth


@given(
    st.lists(st.floats(0.0, 200.0, width=32), min_size=1, max_size=50),
    st.floats(1.0, 100.0),
)
def test_round_trip_is_exact_to_half_a_level_within_range(values, far_m):
    metres = np.array(values, dtype=np.float32)
    scale = depth.scale_for(far_m)
    back = depth.decode(depth.encode(metres, scale), scale)
    inside = (metres <= far_m) & (metres >= scale)
    assert np.all(np.abs(back - metres)[inside] <= 0.5 * scale + 1e-6 * metres[inside])
    assert np.all(back[metres > far_m * 1.001] >= far_m * 0.999)


def test_no_surface_is_level_zero_and_infinite():
    metres = np.array([[np.inf, 0.0, 1.0]], dtype=np.float32)
    levels = depth.encode(metres, 0.001)
    assert levels.tolist() == [[0, 1, 1000]]
    assert np.isinf(depth.decode(levels, 0.001)[0, 0])
