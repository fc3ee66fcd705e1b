"""A problem or a remark about a shot, before it has its place in the screenplay."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Trouble:
    """As :class:`anix_cli.core.errors.Diagnostic`, without a file and a place in it yet."""

    code: str
    message: str
    hint: str | None = None
    nearest: str | None = None
