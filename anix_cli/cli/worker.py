"""The process of one worker of ``anix batch``; not a command."""

from __future__ import annotations

import os
import sys

from ..report.filmpage import film_page
from ..run.batch.ready import READY, answer
from ..run.batch.serve import serve
from ..run.signals import Terminated, interruptible


def main() -> int:
    """Serves until standard input ends, or says whether a backend can be used; what anything prints goes to
    standard error."""
    told = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    orders = os.fdopen(os.dup(0), encoding="ascii")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # what the worker starts reads no orders
    try:
        with interruptible():
            if sys.argv[1:] == [READY]:
                answer(orders.read(), told)
            else:
                serve(orders, told, film_page)
    except (Terminated, KeyboardInterrupt):
        return 75
    except BrokenPipeError:
        return 75
    return 0


if __name__ == "__main__":
    sys.exit(main())
