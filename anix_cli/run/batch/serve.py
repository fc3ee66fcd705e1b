"""The life of a worker process: orders from standard input until that ends, events to standard output."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from queue import SimpleQueue
from typing import IO

from ...core.errors import AnixError, Diagnostic
from ...core.events import Event, TaskFailed, TaskFinished
from ...core.eventstream import document_of
from ..signals import attentive
from .orders import Order
from .work import Pages, Worker


def serve(orders: IO[str], told: IO[str], pages: Pages | None = None) -> None:
    """Does what comes in, line by line, until ``orders`` ends: whoever gave them is gone then.

    Raises:
        Terminated: that happened in the middle of a task, or SIGTERM came.
    """
    worker, waiting = Worker(pages), SimpleQueue[str | None]()
    threading.Thread(target=_listen, args=(orders, waiting), daemon=True).start()
    try:
        while (line := waiting.get()) is not None:
            _do(worker, Order.of(line), told)
    finally:
        worker.close()


def _do(worker: Worker, order: Order, told: IO[str]) -> None:
    film, started = str(order.screenplay), time.monotonic()

    def emit(event: Event) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        told.write(json.dumps(document_of(event, at=at, film=film, take=order.take)) + "\n")
        told.flush()

    try:
        _use(order)
        worker.do(order, attentive(emit))
    except AnixError as error:
        emit(TaskFailed(film, order.take, 0, again=False, problems=error.diagnostics))
    except Exception as error:  # a bug of ours must not take the night with it
        emit(TaskFailed(film, order.take, 0, again=False, problems=(_bug(error),)))
    else:
        emit(TaskFinished(film, order.take, 0, time.monotonic() - started))


def _use(order: Order) -> None:
    if order.device is not None:
        from ...splat.choose import use_device

        use_device(order.device)
    if order.gpus_per_clip > 1:
        from ...generate import use_gpus

        use_gpus(order.gpus_per_clip)


def _bug(error: Exception) -> Diagnostic:
    import traceback

    sys.stderr.write("".join(traceback.format_exception(error)))
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}:{place.lineno}"
    return Diagnostic(
        "E563",
        f"this is a bug in anix, not in your screenplay: {type(error).__name__}: {error} ({where})",
        hint="please report it with the traceback above; finished clips are kept",
    )


def _listen(orders: IO[str], waiting: SimpleQueue[str | None]) -> None:
    """Passes orders on; at their end, stops what is being done, as nobody waits for it."""
    with suppress(OSError, ValueError):
        for line in orders:
            waiting.put(line)
    waiting.put(None)
    os.kill(os.getpid(), signal.SIGTERM)
