"""The sample scene: a sunny square with houses on three sides, a fountain, and a view over a parapet."""

from __future__ import annotations

from anix_cli.core.gaussians import Gaussians

from .backdrop import groves, hills, land, sky
from .fountain import fountain
from .furniture import balustrade, bench, cafe_table, lamp, market_stall
from .greenery import planter, tree, tree_grate
from .ground import ground
from .layout import BENCHES, FAR_TREES, LAMPS, TREES
from .light import bake
from .street import houses
from .surfaces import Surfels, join


def plaza() -> Gaussians:
    """The whole scene on the stage: +Y up, metres, ground at y = 0, SH degree 2, stored sRGB."""
    return bake(join([*ground(), *houses(), *things(), *beyond()]))


def things() -> list[Surfels]:
    """Everything that stands on the square."""
    parts = [fountain(), balustrade()]
    for x, z, height, crown, seed in TREES:
        parts += [tree(x, z, height, crown, seed), tree_grate(x, z)]
    parts += [bench(x, z, yaw) for x, z, yaw in BENCHES]
    parts += [lamp(x, z) for x, z in LAMPS]
    parts.append(market_stall(-8.0, 8.6, 125.0))
    parts.append(cafe_table(12.6, 1.0, (206, 84, 62)))
    parts.append(cafe_table(12.4, -2.2, (206, 84, 62)))
    parts.append(cafe_table(10.9, -0.6, (206, 84, 62), parasol=False))
    parts += [
        planter(x, z, 70 + k)
        for k, (x, z) in enumerate(
            ((-3.9, 16.0), (5.9, 16.0), (-11.8, 0.6), (13.8, 7.6), (-4.6, -11.2), (6.6, -11.2))
        )
    ]
    return parts


def beyond() -> list[Surfels]:
    """Sky, hills, land and the trees behind the parapet."""
    far = [tree(x, z, h, crown, seed, leaves=120, leaf_m=0.125, y=-1.6) for x, z, h, crown, seed in FAR_TREES]
    return [sky(), hills(), land(), groves(), *far]
