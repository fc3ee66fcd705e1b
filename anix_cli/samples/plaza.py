"""The sample scene: a sunny square with houses on three sides, a fountain, and a view over a parapet."""

from __future__ import annotations

from anix_cli.core.gaussians import Gaussians

from .backdrop import groves, hills, land, sky
from .facade import Floor, House, house
from .fountain import fountain
from .furniture import balustrade, bench, cafe_table, lamp, market_stall
from .greenery import planter, tree, tree_grate
from .ground import ground
from .layout import BENCHES, EAST_M, FAR_TREES, LAMPS, NORTH_M, TREES, WEST_M
from .light import bake
from .roof import chimney
from .surfaces import Surfels, join
from .tower import town_hall
from .windows import Trim

GREEN = Trim(shutter=(62, 104, 92), door=(70, 88, 72), awning=((58, 116, 96), (244, 236, 218)))
BLUE = Trim(
    shutter=(84, 120, 150),
    door=(60, 84, 112),
    flowers=(236, 130, 60),
    awning=((60, 96, 140), (244, 236, 218)),
)
BROWN = Trim(shutter=(122, 78, 52), door=(112, 62, 42), flowers=(226, 84, 130))
WHITE = Trim(shutter=(226, 220, 206), door=(136, 54, 44), flowers=(206, 44, 58), stone=(232, 222, 204))


def plaza() -> Gaussians:
    """The whole scene on the stage: +Y up, metres, ground at y = 0, SH degree 2, stored sRGB."""
    return bake(join([*ground(), *houses(), *things(), *beyond()]))


def houses() -> list[Surfels]:
    """Three rows of houses: north (facing −Z), west (facing +X), east (facing −X)."""
    north = [
        (
            -10.9,
            House(
                6.0,
                (
                    Floor(3.5, ("shop", "door")),
                    Floor(3.0, ("flowers", "window")),
                    Floor(2.7, ("window", "window")),
                ),
                (226, 176, 116),
                GREEN,
            ),
        ),
        (
            12.9,
            House(
                6.4,
                (
                    Floor(3.6, ("door", "shop")),
                    Floor(3.0, ("balcony", "flowers")),
                    Floor(2.8, ("window", "window")),
                ),
                (214, 140, 108),
                WHITE,
                quoins=True,
            ),
        ),
    ]
    west = [
        (
            13.6,
            House(
                8.8,
                (Floor(3.5, ("shop", "door", "shop")), Floor(2.9, ("window", "balcony", "window"))),
                (236, 206, 148),
                BLUE,
                quoins=True,
            ),
        ),
        (
            4.0,
            House(
                8.4,
                (
                    Floor(3.5, ("window", "door", "window")),
                    Floor(3.0, ("flowers", "window", "flowers")),
                    Floor(2.4, ("small", "small", "small")),
                ),
                (204, 130, 98),
                BROWN,
            ),
        ),
        (
            -6.4,
            House(
                8.0,
                (Floor(3.5, ("shop", "door", "window")), Floor(2.9, ("window", "flowers", "window"))),
                (232, 214, 182),
                GREEN,
            ),
        ),
    ]
    east = [
        (
            13.2,
            House(
                9.2,
                (
                    Floor(3.6, ("window", "door", "shop")),
                    Floor(3.0, ("flowers", "balcony", "flowers")),
                    Floor(2.6, ("window", "window", "window")),
                ),
                (238, 200, 140),
                BROWN,
                quoins=True,
            ),
        ),
        (
            3.6,
            House(
                9.4,
                (Floor(3.5, ("shop", "door", "shop")), Floor(3.0, ("window", "window", "flowers"))),
                (222, 160, 124),
                BLUE,
            ),
        ),
        (
            -6.6,
            House(
                8.6,
                (
                    Floor(3.5, ("window", "door", "shop")),
                    Floor(3.0, ("window", "flowers", "window")),
                    Floor(2.6, ("window", "window", "window")),
                ),
                (234, 218, 190),
                GREEN,
                quoins=True,
            ),
        ),
    ]
    parts = [house(spec).placed((x, 0, NORTH_M), 180) for x, spec in north]
    parts += [house(spec).placed((WEST_M, 0, z), 90) for z, spec in west]
    parts += [house(spec).placed((EAST_M, 0, z), -90) for z, spec in east]
    parts.append(town_hall().placed((1.0, 0, NORTH_M), 180))
    for x, y, z in (
        (-17.0, 8.6, 15.2),
        (-17.2, 11.2, 6.4),
        (-16.6, 8.4, -4.0),
        (19.0, 11.4, 10.4),
        (18.6, 8.6, 5.4),
        (19.2, 11.2, -8.0),
        (-12.0, 11.4, 20.8),
    ):
        parts += chimney(x, y, z)
    return parts


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
