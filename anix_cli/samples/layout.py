"""Where things stand on the square. Stage frame: +Y up, metres, ground at y = 0; "north" is +Z."""

from __future__ import annotations

WEST_M, EAST_M = -14.0, 16.0
SOUTH_M, NORTH_M = -12.0, 18.0
SIDEWALK_M = 1.6
KERB_M = 0.12

FOUNTAIN_XZ = (4.0, 9.0)
PAVED_RADIUS_M = 5.0

# Kept free of anything to 2.2 m: (x0, z0, x1, z1).
FREE_M = {
    "north_run": (-2.2, -10.5, 1.0, 16.0),
    "east_run": (-10.9, -3.5, 9.2, 3.4),
    "forecourt": (-7.5, -9.0, 8.5, 3.4),
}
"""Rectangles on the ground in which a character and a camera can move without touching anything."""

TREES = (  # x, z, height, crown radius, seed
    (-10.4, -9.2, 6.2, 2.0, 11),
    (10.8, -9.4, 6.8, 2.2, 12),
    (-10.2, 13.4, 5.6, 1.9, 13),
    (12.4, 13.6, 5.4, 1.8, 14),
)
FAR_TREES = (
    (-17.5, -16.5, 8.5, 3.0, 21),
    (-6.5, -18.0, 6.5, 2.6, 22),
    (3.2, -21.0, 6.0, 2.6, 23),
    (19.5, -17.0, 8.5, 3.2, 24),
    (11.0, -19.5, 6.5, 2.6, 25),
    (-28.0, -24.0, 9.0, 3.6, 26),
    (30.0, -26.0, 9.5, 3.8, 27),
    (-15.5, -28.0, 7.0, 3.0, 28),
)
BENCHES = ((7.2, 14.3, 211.0), (9.6, 11.4, -115.0), (9.6, 6.0, -62.0), (-9.8, -5.6, 90.0), (-9.8, 5.2, 90.0))
LAMPS = ((-11.6, -7.0), (-11.6, 7.6), (13.6, -7.0), (13.6, 4.9), (-3.6, 15.6), (9.4, 15.6))
