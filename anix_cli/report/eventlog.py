"""The event stream as lines of JSON in a file or on standard output."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import IO

from ..core.events import Event
from ..core.eventstream import document_of

Told = Callable[[Event, str | None, int | None], None]
"""Hears an event with the screenplay and the take that it is about."""


def event_lines(stream: IO[str]) -> Told:
    """Writes each event at once. A reader that has gone or a full disk ends the lines, not the run."""
    open_ = [True]

    def told(event: Event, film: str | None = None, take: int | None = None) -> None:
        if not open_[0]:
            return
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        try:
            stream.write(json.dumps(document_of(event, at=at, film=film, take=take)) + "\n")
            stream.flush()
        except (OSError, ValueError):
            open_[0] = False
            with suppress(OSError, ValueError):
                stream.close()

    return told
