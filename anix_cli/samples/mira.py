"""Mira, the sample courier: a clothed figure of 1.72 m in a relaxed A-pose, facing +Z, her left at +X."""

from __future__ import annotations

import numpy as np

from .looks import MIRA, Look
from .solids import BAND, BOX, CONE, ELLIPSOID, RING, Body, Solid, both_sides

HEIGHT_M = 1.72

SKIN, HAIR, JACKET, TRIM, TROUSERS, SHOE, SOLE, BAG, FLAP, STRAP, CAP, BRIM, EYE, LASH, METAL, TIE = range(16)

EYE_CENTRES = ((0.040, 1.581), (-0.040, 1.581))
STRAP_PLANE = (0.8, 0.6, 0.0, 0.745)


def build(look: Look = MIRA) -> Body:
    """The whole figure; the group of the torso comes first, because the bag's strap lies on it."""
    body = Body()
    _jacket(body, look)
    _legs(body)
    _head(body, look)
    _hair(body, look)
    if look.cap:
        _cap(body)
    _bag(body, look)
    return body


def _hung(look: Look, *solids: Solid) -> list[Solid]:
    """What hangs on the side of the bag, modelled on the left."""
    return [solid if look.bag_left else solid.mirrored() for solid in solids]


def _jacket(body: Body, look: Look) -> None:
    torso = [
        Solid(ELLIPSOID, JACKET, (0, 1.235, 0.002), (0.140, 0.165, 0.106)),
        Solid(ELLIPSOID, JACKET, (0, 1.06, 0.0), (0.122, 0.15, 0.098)),
        Solid(CONE, JACKET, (0.112, 1.338, -0.012), (-0.112, 1.338, -0.012), 0.050, 0.050),
        Solid(CONE, JACKET, (0, 1.29, -0.012), (0, 1.372, -0.012), 0.070, 0.052),
    ]
    body.group(0.05, torso)
    body.group(0.02, [Solid(ELLIPSOID, TRIM, (0, 0.955, 0.0), (0.136, 0.034, 0.108))])
    collar = [
        Solid(RING, JACKET, (0, 1.407, -0.006), r1=0.053, r2=0.021, turn_deg=(16, 0, 0)),
        Solid(RING, TRIM, (0, 1.428, -0.008), r1=0.052, r2=0.014, turn_deg=(16, 0, 0)),
    ]
    body.group(0.01, collar)
    hood = [Solid(ELLIPSOID, TRIM, (0, 1.375, -0.098), (0.078, 0.052, 0.040), turn_deg=(-24, 0, 0))]
    body.group(0.01, hood)
    sleeve = both_sides(
        Solid(CONE, JACKET, (0.140, 1.335, -0.012), (0.262, 1.100, -0.018), 0.053, 0.046),
        Solid(CONE, JACKET, (0.262, 1.100, -0.018), (0.358, 0.900, 0.022), 0.047, 0.043),
    )
    body.group(0.03, sleeve)
    cuff = both_sides(Solid(CONE, TRIM, (0.360, 0.895, 0.023), (0.371, 0.870, 0.028), 0.038, 0.035))
    body.group(0.005, cuff)
    fingers = ((0.026, 0.006, 0.002), (0.009, 0.0, 0.0), (-0.009, 0.003, 0.002), (-0.025, 0.014, 0.004))
    hand = both_sides(
        Solid(ELLIPSOID, SKIN, (0.388, 0.826, 0.036), (0.024, 0.044, 0.033), turn_deg=(-8, 0, 22)),
        Solid(CONE, SKIN, (0.368, 0.846, 0.060), (0.370, 0.806, 0.078), 0.013, 0.010),
        *(
            Solid(
                CONE,
                SKIN,
                (0.397, 0.810, 0.036 + z),
                (0.412 - curl, 0.750 + up, 0.040 + 1.15 * z),
                0.0115,
                0.009,
            )
            for z, up, curl in fingers
        ),
    )
    body.group(0.014, hand)
    strap = Solid(BAND, STRAP, (0, 0, 0), r1=0.010, r2=0.019, cut=STRAP_PLANE)
    body.group(0.0, _hung(look, strap))


def _legs(body: Body) -> None:
    legs = [
        Solid(ELLIPSOID, TROUSERS, (0, 0.90, -0.004), (0.142, 0.095, 0.108)),
        *both_sides(
            Solid(CONE, TROUSERS, (0.078, 0.87, 0.0), (0.108, 0.49, 0.012), 0.086, 0.060),
            Solid(CONE, TROUSERS, (0.108, 0.49, 0.012), (0.128, 0.135, -0.014), 0.061, 0.047),
        ),
    ]
    body.group(0.035, legs)
    cuffs = both_sides(Solid(RING, TROUSERS, (0.129, 0.128, -0.015), r1=0.040, r2=0.015))
    body.group(0.006, cuffs)
    ankles = both_sides(Solid(CONE, SKIN, (0.130, 0.13, -0.016), (0.131, 0.075, -0.018), 0.034, 0.036))
    body.group(0.01, ankles)
    shoes = both_sides(
        Solid(ELLIPSOID, SHOE, (0.131, 0.062, -0.030), (0.043, 0.050, 0.062), cut=(0, -1, 0, -0.016)),
        Solid(
            ELLIPSOID,
            SHOE,
            (0.140, 0.043, 0.070),
            (0.046, 0.040, 0.092),
            turn_deg=(6, 9, 0),
            cut=(0, -1, 0, -0.016),
        ),
        Solid(CONE, SHOE, (0.131, 0.082, -0.012), (0.137, 0.060, 0.058), 0.036, 0.030),
    )
    body.group(0.03, shoes)
    soles = both_sides(
        Solid(BOX, SOLE, (0.1345, 0.016, 0.012), (0.044, 0.016, 0.085), 0.015, turn_deg=(0, 4, 0)),
        Solid(
            ELLIPSOID,
            SOLE,
            (0.1405, 0.016, 0.088),
            (0.049, 0.0185, 0.078),
            turn_deg=(0, 9, 0),
            cut=(0, -1, 0, 0),
        ),
        Solid(ELLIPSOID, SOLE, (0.131, 0.016, -0.045), (0.047, 0.0185, 0.055), cut=(0, -1, 0, 0)),
    )
    body.group(0.008, soles)


def _head(body: Body, look: Look) -> None:
    head = [
        Solid(ELLIPSOID, SKIN, (0, 1.600, -0.002), (0.100, 0.106, 0.106)),
        Solid(ELLIPSOID, SKIN, (0, 1.535, 0.020), (0.072, 0.066, 0.074)),
        Solid(ELLIPSOID, SKIN, (0, 1.490, 0.058), (0.020, 0.016, 0.020)),
    ]
    body.group(0.040, head)
    nose = [
        Solid(ELLIPSOID, SKIN, (0, 1.5505, 0.1045), (0.0105, 0.0105, 0.0125)),
        Solid(CONE, SKIN, (0, 1.580, 0.095), (0, 1.553, 0.102), 0.004, 0.007),
    ]
    body.group(0.008, nose)
    body.group(0.02, [Solid(CONE, SKIN, (0, 1.385, -0.012), (0, 1.50, -0.004), 0.043, 0.040)])
    ears = both_sides(
        Solid(ELLIPSOID, SKIN, (0.100, 1.568, -0.006), (0.013, 0.028, 0.019), turn_deg=(0, -20, 0))
    )
    body.group(0.012, ears)
    eyes = both_sides(
        Solid(ELLIPSOID, EYE, (0.041, 1.581, 0.078), (0.0265, 0.0280, 0.0205), turn_deg=(0, 20, 0))
    )
    body.group(0.002, eyes)
    lashes = both_sides(
        Solid(CONE, LASH, (0.017, 1.594, 0.0985), (0.039, 1.6085, 0.0975), 0.0020, 0.0036),
        Solid(CONE, LASH, (0.039, 1.6085, 0.0975), (0.063, 1.598, 0.0850), 0.0036, 0.0034),
        Solid(CONE, LASH, (0.063, 1.598, 0.0850), (0.072, 1.604, 0.0820), 0.0030, 0.0010),
    )
    if look.lashes:
        body.group(0.003, lashes)
    brows = both_sides(
        Solid(CONE, HAIR, (0.020, 1.6205, 0.0990), (0.044, 1.6285, 0.0935), 0.0032, 0.0036),
        Solid(CONE, HAIR, (0.044, 1.6285, 0.0935), (0.067, 1.6215, 0.0790), 0.0036, 0.0018),
    )
    body.group(0.004, brows)


def _hair(body: Body, look: Look) -> None:
    hair = [
        Solid(ELLIPSOID, HAIR, (0, 1.580, -0.024), (0.108, 0.104, 0.106), cut=(0, 0, 0.94, 0.012)),
        *both_sides(
            Solid(CONE, HAIR, (0.094, 1.622, 0.032), (0.090, 1.525, 0.046), 0.019, 0.004),
            Solid(ELLIPSOID, HAIR, (0.058, 1.640, 0.078), (0.046, 0.013, 0.020), turn_deg=(0, 30, -22)),
        ),
        *both_sides(Solid(ELLIPSOID, HAIR, (0.088, 1.622, 0.012), (0.024, 0.030, 0.050))),
        Solid(ELLIPSOID, HAIR, (-0.018, 1.645, 0.096), (0.042, 0.010, 0.014), turn_deg=(0, -8, 8)),
    ]
    if look.tail:
        body.group(0.02, hair)
        _tail(body)
        return
    crop = [
        Solid(ELLIPSOID, HAIR, (0, 1.612, -0.016), (0.109, 0.106, 0.113), cut=_above(1.628, 0.40)),
        Solid(ELLIPSOID, HAIR, (0, 1.575, -0.026), (0.106, 0.088, 0.102), cut=(0, 0, 0.94, -0.004)),
        Solid(ELLIPSOID, HAIR, (-0.020, 1.690, 0.064), (0.066, 0.026, 0.040), turn_deg=(28, -10, 8)),
        Solid(ELLIPSOID, HAIR, (0.040, 1.682, 0.062), (0.046, 0.022, 0.036), turn_deg=(28, 18, -14)),
    ]
    body.group(0.016, crop)


def _tail(body: Body) -> None:
    tail = [
        Solid(CONE, HAIR, (0, 1.618, -0.130), (0.006, 1.600, -0.178), 0.022, 0.040),
        Solid(CONE, HAIR, (0.006, 1.600, -0.178), (0.010, 1.490, -0.196), 0.040, 0.046),
        Solid(CONE, HAIR, (0.010, 1.490, -0.196), (0.004, 1.365, -0.172), 0.044, 0.008),
    ]
    body.group(0.03, tail)
    body.group(0.002, [Solid(RING, TIE, (0, 1.618, -0.133), r1=0.020, r2=0.009, turn_deg=(-80, 0, 0))])


def _above(height_m: float, slope: float) -> tuple[float, float, float, float]:
    """A cut that keeps what lies above a plane, which rises by ``slope`` towards the front."""
    level = float(np.hypot(1.0, slope))
    return (0.0, -1.0 / level, slope / level, -height_m / level)


def _cap(body: Body) -> None:
    cap = [
        Solid(ELLIPSOID, CAP, (0, 1.606, -0.012), (0.115, 0.1105, 0.122), cut=_above(1.640, 0.22)),
        Solid(ELLIPSOID, CAP, (0, 1.715, -0.012), (0.011, 0.005, 0.011)),
    ]
    body.group(0.006, cap)
    brim = Solid(
        ELLIPSOID, BRIM, (0, 1.658, 0.108), (0.090, 0.008, 0.090), turn_deg=(4, 0, 0), cut=(0, 0, -1, -0.05)
    )
    body.group(0.01, [brim])


def _bag(body: Body, look: Look) -> None:
    """The messenger bag on one hip: the one thing that tells the left side from the right."""
    lean = (0.0, 0.0, 5.0)
    pouch = Solid(BOX, BAG, (0.186, 0.885, -0.012), (0.044, 0.100, 0.138), 0.030, turn_deg=lean)
    body.group(0.01, _hung(look, pouch))
    flap = Solid(BOX, FLAP, (0.195, 0.925, -0.012), (0.048, 0.070, 0.146), 0.025, turn_deg=lean)
    body.group(0.01, _hung(look, flap))
    hanger = Solid(BOX, STRAP, (0.154, 1.018, -0.004), (0.008, 0.062, 0.019), 0.004, turn_deg=(0, 0, 22))
    buckle = Solid(BOX, METAL, (0.158, 1.003, -0.004), (0.012, 0.010, 0.025), 0.004, turn_deg=(0, 0, 22))
    body.group(0.002, _hung(look, hanger, buckle))
    for z in (-0.082, 0.058):
        band = Solid(BOX, STRAP, (0.246, 0.868, z), (0.006, 0.045, 0.013), 0.004, turn_deg=lean)
        clasp = Solid(BOX, METAL, (0.251, 0.855, z), (0.005, 0.013, 0.018), 0.003, turn_deg=lean)
        body.group(0.002, _hung(look, band))
        body.group(0.002, _hung(look, clasp))
