"""The three rows of houses round the square."""

from __future__ import annotations

from .facade import Floor, House, house
from .layout import EAST_M, NORTH_M, WEST_M
from .roof import chimney
from .surfaces import Surfels
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

NORTH = (  # middle along the row, house
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
)
WEST = (  # middle along the row, house
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
)
EAST = (  # middle along the row, house
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
)

CHIMNEYS_M = (
    (-17.0, 8.6, 15.2),
    (-17.2, 11.2, 6.4),
    (-16.6, 8.4, -4.0),
    (19.0, 11.4, 10.4),
    (18.6, 8.6, 5.4),
    (19.2, 11.2, -8.0),
    (-12.0, 11.4, 20.8),
)


def houses() -> list[Surfels]:
    """Rows of houses in the north (facing −Z), west (facing +X) and east (facing −X)."""
    parts = [house(spec).placed((x, 0, NORTH_M), 180) for x, spec in NORTH]
    parts += [house(spec).placed((WEST_M, 0, z), 90) for z, spec in WEST]
    parts += [house(spec).placed((EAST_M, 0, z), -90) for z, spec in EAST]
    parts.append(town_hall().placed((1.0, 0, NORTH_M), 180))
    for x, y, z in CHIMNEYS_M:
        parts += chimney(x, y, z)
    return parts
