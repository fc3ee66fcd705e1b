"""What happens where standard output cannot take the result."""

from __future__ import annotations

import errno
import io
import os
import sys

import pytest


class Full(io.StringIO):
    """A device without space: it may take a line and fail when it is flushed, or fail at once."""

    def __init__(self, *, at_once: bool) -> None:
        super().__init__()
        self.at_once = at_once

    def write(self, text: str) -> int:
        if self.at_once:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return len(text)

    def flush(self) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(
    "arguments", [("validate", "film.yaml"), ("validate", "film.yaml", "--json"), ("schema",)]
)
def test_a_full_device_is_told(arguments, at_once, film, anix, monkeypatch):
    monkeypatch.setattr(sys, "stdout", Full(at_once=at_once))
    code, _, err = anix(*arguments)
    assert code == 4
    assert err == "E414 standard output cannot be written: no space left on device\n"


def test_a_reader_that_left_is_no_failure(film, anix, monkeypatch):
    class Left(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(sys, "stdout", Left())
    code, _, err = anix("errors")
    assert (code, err) == (0, "")
