"""Entry point of the ``anix`` command and of ``python -m anix_cli``."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

STOPPED = {signal.SIGTERM: 75, signal.SIGINT: 130}


def main() -> None:
    """Runs the command line and exits with a documented code."""
    # Before any import of weight: a signal while modules load must end as cleanly as a later one.
    for number in STOPPED:
        signal.signal(number, _stop_at_once)
    from anix_cli.cli.main import run

    code = run(sys.argv[1:])
    # The result is out: a late signal must not turn Python's own shutdown into a failure.
    for number in STOPPED:
        signal.signal(number, signal.SIG_IGN)
    sys.exit(code)


def _stop_at_once(number: int, frame: FrameType | None) -> None:
    """Nothing has begun yet."""
    os._exit(STOPPED[signal.Signals(number)])


if __name__ == "__main__":
    main()
