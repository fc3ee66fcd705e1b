"""A carved body stays one piece however it goes, and is seen again as its views show it."""

from __future__ import annotations

from pathlib import Path

import figure
import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from anix_cli.character import VIEW_NAMES, hull, read_views
from anix_cli.character.body import CarvedBody
from anix_cli.character.gestures import Act
from anix_cli.character.measure import view_frames
from anix_cli.character.moment import Moment
from anix_cli.character.pose import rig
from anix_cli.character.tread import STEPS
from anix_cli.core.camera import look_at
from anix_cli.splat import render
from benchmarks.characters import courses, moment_of

SAMPLE = Path(__file__).parents[3] / "screenplays" / "courier"
HEIGHT_M = 1.7
NEXT_M = 0.04
"""Four cells: Gaussians that are further apart do not touch."""
FAR_M = 200.0
TOWARDS = {"front": (0, 0, 1), "back": (0, 0, -1), "left": (1, 0, 0), "right": (-1, 0, 0)}

ROBE = ((0, 0.9, 0), (0, 0.2, 0), 0.16, 0.2, figure.BOOTS)
# Legs of a fifth of the height, a head of half of it, arms that hang to the ground.
TOON = [
    ((0, 1.3, 0), (0, 1.35, 0), 0.36, 0.34, figure.SKIN),
    ((0, 0.95, 0), (0, 0.5, 0), 0.1, 0.16, None),
    ((0.12, 0.9, 0), (0.3, 0.65, 0), 0.05, 0.04, figure.SKIN),
    ((-0.12, 0.9, 0), (-0.3, 0.65, 0), 0.05, 0.04, figure.SKIN),
    ((0.3, 0.65, 0), (0.36, 0.3, 0.1), 0.04, 0.08, figure.SKIN),
    ((-0.3, 0.65, 0), (-0.36, 0.3, 0.1), 0.04, 0.08, figure.SKIN),
    ((0.12, 0.4, 0), (0.13, 0.05, 0), 0.06, 0.05, figure.BOOTS),
    ((-0.12, 0.4, 0), (-0.13, 0.05, 0), 0.06, 0.05, figure.BOOTS),
]


@pytest.fixture(scope="module")
def mira():
    return read_views({name: SAMPLE / f"mira_{name}.png" for name in VIEW_NAMES})


def _views(name: str, mira):
    drawn = {"person": figure.CAPSULES, "robe": [*figure.CAPSULES, ROBE], "toon": TOON}
    return mira if name == "mira" else figure.views(capsules=drawn[name])


def _loose(means) -> int:
    """How many Gaussians hang together with none of the largest piece."""
    pairs = cKDTree(means).query_pairs(NEXT_M, output_type="ndarray")
    graph = coo_matrix((np.ones(len(pairs)), pairs.T), shape=(len(means), len(means)))
    labels = connected_components(graph, directed=False)[1]
    return len(means) - int(np.bincount(labels).max())


@pytest.mark.parametrize("name", ["mira", "person", "robe", "toon"])
def test_nothing_comes_loose(name, mira):
    body = CarvedBody(rig(hull(_views(name, mira), HEIGHT_M)))
    ways = dict(courses(STEPS))
    moments = [moment_of(ways["run"], frame) for frame in (21, 24, 27, 30, 33)]
    moments += [moment_of(ways["walk"], frame) for frame in (24, 28, 32)]
    moments += [moment_of(ways["turn"], 22)]
    acts = (("wave", "both"), ("pray", None), ("pick_up", None))
    moments += [Moment(np.zeros(3), 0.0, acts=(Act(action, 1.2, 3.0, side),)) for action, side in acts]
    for now in moments:
        assert _loose(body.at(now).means) == 0, now


def test_a_wide_brim_does_not_rise_with_the_arms():
    brim = [((-x, 1.6, 0), (x, 1.6, 0), 0.03, 0.03, figure.BOOTS) for x in (0.3,)]
    bones = rig(hull(figure.views(capsules=[*figure.CAPSULES, *brim]), HEIGHT_M))
    assert all(bones.arms)
    high = bones.body.means[:, 1] > 1.5
    assert all(arm.whole[high].max() == 0 for arm in bones.arms)


def test_a_toon_has_no_persons_joints(mira):
    bones = rig(hull(_views("toon", mira), HEIGHT_M))
    assert bones.arms == (None, None) and bones.stride < 0.5


def test_the_sample_is_seen_again_as_its_views_show_it(mira):
    body = hull(mira, HEIGHT_M)
    for name, frame in view_frames(mira, HEIGHT_M).items():
        height, width = mira[name].shape[:2]
        focal = FAR_M / frame.metres_per_px
        level = frame.foot_px - HEIGHT_M / 2 / frame.metres_per_px
        intrinsics = np.array([[focal, 0, frame.axis_px], [0, focal, level], [0, 0, 1]])
        eye = np.array(TOWARDS[name]) * FAR_M + (0, HEIGHT_M / 2, 0)
        pose = look_at(eye, (0, HEIGHT_M / 2, 0))
        seen = render([body], pose, intrinsics, (width, height), near=1.0).alpha >= 0.5
        shown = mira[name][..., 3] >= 128
        assert (seen & shown).sum() / (seen | shown).sum() > 0.96, name
