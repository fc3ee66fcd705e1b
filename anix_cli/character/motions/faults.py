"""What is wrong with a motion file, in words that all its parts share."""

from __future__ import annotations

from pathlib import Path

from anix_cli.core.errors import AnixError, fail

MAX_BYTES = 256 << 20
MAX_JOINTS = 500
MAX_NUMBERS = 20_000_000
"""Of all frames together."""


def no_motion(path: Path, what: str, hint: str | None = None) -> AnixError:
    """E361."""
    hint = hint or "Export the motion as BVH, or convert it to GLB."
    return fail("E361", f"{path.name} {what}", file=path, hint=hint)


def truncated(path: Path, what: str) -> AnixError:
    """E362."""
    return fail("E362", f"{path.name} is truncated: {what}", file=path, hint="Fetch or export it again.")


def damaged(path: Path, what: str) -> AnixError:
    """E363."""
    return fail("E363", f"{path.name} is damaged: {what}", file=path, hint="Export it again.")


def too_large(path: Path, what: str, most: str) -> AnixError:
    """E364."""
    hint = "Cut the motion to what is needed, and export it again."
    return fail("E364", f"{path.name} promises {what}; anix reads at most {most}", file=path, hint=hint)
