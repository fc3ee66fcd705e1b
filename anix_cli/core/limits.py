"""Limits that several parts share."""

from __future__ import annotations

MAX_PICTURE_PX = 50_000_000
"""Pixels of the largest picture that is read: enough for any camera, too few for a bomb."""
