"""Lengths as a person reads them: as many digits as the size of what is measured asks for."""

from __future__ import annotations

import math

_MOST_DECIMALS, _MOST_DIGITS = 8, 7
_UNITS = ((1000.0, 1000.0, "km"), (0.1, 1.0, "m"), (0.01, 0.01, "cm"), (1e-5, 0.001, "mm"))
"""From which length on, and how long, a unit is."""


def metres(value: float, span: float) -> str:
    """A coordinate or a height to about a thousandth of ``span``, the size of the scene, without the unit.

    "-3.42" where the scene is 20 m wide, "0.00042" where it is 5 cm.
    """
    if not (math.isfinite(span) and span > 0):
        span = abs(value) or 1.0
    decimals = max(0, 3 - math.floor(math.log10(span) + 1e-9))
    if decimals > _MOST_DECIMALS or max(abs(value), span) >= 10.0**_MOST_DIGITS:
        return f"{value + 0.0:.4g}"
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


def short(value: float, span: float) -> str:
    """The same without noughts at its end: "0.5" for "0.500"."""
    text = metres(value, span)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def length(value: float) -> str:
    """A length with the unit that suits it: "0.2 mm", "5 m", "2 km"."""
    for least, size, name in _UNITS:
        if value >= least * (1 - 1e-9):
            return f"{value / size:.4g} {name}"
    return f"{value:.3g} m"
