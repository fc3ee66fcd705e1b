"""Where things lie in the arrays that the kernels share.

A *block* is 256 Gaussians that lie near each other, and is culled as one; a *group* is 16 of them, one for
each lane of a vector, and is projected as one.
"""

from __future__ import annotations

import math

LANES = 16
BLOCK = 256
GROUPS = BLOCK // LANES

# Groups: [G, 16, 16] float32, row r of a group for its 16 lanes. AXES are R·S by rows: where the local axes,
# scaled by their standard deviations, lie in the frame of the means. Unlike a covariance, which squares them,
# they keep the thickness of a needle in float32. PEAK is ln(opacity), −inf where a lane is empty.
X, Y, Z, AXES, PEAK, DC = 0, 1, 2, 3, 12, 13
GROUP_SIZE = 16 * LANES

# Bounds of a block: [B, 9] float32: lowest and highest mean, then most of REACH standard deviations per axis.
LOW, HIGH, EXTENT, BOUNDS = 0, 3, 6, 9

ALPHA_CUT = 1.0 / 255.0
# alpha ≥ 1/255 nowhere beyond √(2 ln 255) = 3.3290 standard deviations.
REACH = 3.34
# Exponents are kept in this unit: exp is the eighth power of a polynomial, whose argument is scaled so that
# its first coefficient is 1 (``blending``).
UNIT = 0.4238035259039718 / 8
CUT = -math.log(255.0) * UNIT

# The camera as one float64 vector: camera_from_world rotation by rows, the camera's centre, focal lengths,
# principal point, near plane, dilation, the limits of x/z and y/z in the Jacobian, the picture's size; then
# four planes of six numbers for culling (see ``render``).
ROTATION, CENTRE, FX, FY, CX, CY, NEAR, EPS2D = 0, 9, 12, 13, 14, 15, 16, 17
LOW_X, HIGH_X, LOW_Y, HIGH_Y, WIDTH, HEIGHT, PLANES, CAMERA = 18, 19, 20, 21, 22, 23, 24, 48

# Records: [M, 16] float32, a cache line each. With (dx, dy) in pixels from (MX, MY), the exponent is
# TOP − (UX·dx + UY·dy)² − (VY·dy)², a Cholesky factor of the inverse covariance, which does not cancel as a
# quadratic form does. HALF_Y and LEAN: the splat is 2·HALF_Y pixels high, and its rightmost point lies LEAN
# below its centre. INDEX and PART say which Gaussian it is (int32 bits), to break ties in depth.
# TILE: for a splat that reaches no more than 2 × 2 tiles, the first of them (column, and row · 65536), and
# in the place of HALF_Y and LEAN the blocks that it touches: UPPER and LOWER, the masks of two tiles side by
# side, 16 bits each. −1 for larger ones.
MX, MY, UX, UY, VY, TOP, RED, GREEN, BLUE, DEPTH, HALF_Y, LEAN, WIDTH_OVER, INDEX, PART, TILE = range(16)
UPPER, LOWER = HALF_Y, LEAN
RECORD = 16

# Pixels of a tile; it is 4 × 4 blocks of 4 × 4, and a mask says which blocks a splat touches, by rows.
TILE_PX = 16
# Ellipses are taken a little too large where blocks are chosen, so that no pixel is lost to rounding.
SLACK, SLACK_PX = 1e-5, 1e-3
