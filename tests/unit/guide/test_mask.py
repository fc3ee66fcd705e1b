"""Anchor masks hold the whole subject, and only the picture."""

import numpy as np

from anix_cli.guide.mask import FOOT_MARGIN, MARGIN, anchor_mask


def test_box_grows_by_its_margins():
    mask = anchor_mask([np.array([40.0, 20.0, 60.0, 70.0])], (100, 120))
    rows, columns = np.where(mask)
    margin = MARGIN * 50
    assert (columns.min(), columns.max()) == (40 - margin, 60 + margin - 1)
    assert (rows.min(), rows.max()) == (20 - margin, 70 + FOOT_MARGIN * 50 - 1)


def test_boxes_unite_and_are_clipped_to_the_picture():
    mask = anchor_mask([np.array([-50.0, -50.0, 5, 5]), np.array([90.0, 70, 300, 300])], (100, 80))
    assert mask.shape == (80, 100)
    assert mask[0, 0] and mask[-1, -1] and not mask[40, 50]


def test_a_box_outside_or_none_leaves_the_mask_empty():
    assert not anchor_mask([np.array([-50.0, 10, -20, 60])], (64, 64)).any()
    assert not anchor_mask([], (64, 64)).any()
