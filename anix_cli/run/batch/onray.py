"""Workers on a Ray cluster: an actor on some node keeps a worker process there, and hands on what it says.

The process is the one that a batch has on its own machine; the actor only brings the node, and its GPUs.
Films, scenes and stores are reached by the same paths from every node: a shared folder. When a node is lost,
what its worker finished is in the store, and the task goes to another.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from ...core.errors import AnixError, Diagnostic, fail
from .local import ENDING_S, Local, Said
from .machine import COMMAND, CORES_EACH
from .orders import Order

LISTEN_S = 1.0
"""So long an actor waits for something to hand on before it answers."""
ROOM_S = 300.0
"""So long a batch waits for a node that has room for any worker."""


class Post:
    """What the actor is: a worker process on its node. Runs there; methods are called from afar."""

    def __init__(self, folder: str) -> None:
        os.chdir(folder)
        self._heard = SimpleQueue[Said]()
        self._local = Local(0, self._heard, COMMAND)

    def here(self) -> str:
        """The node's name, when the actor has started."""
        return socket.gethostname()

    def give(self, line: str) -> None:
        self._local.give(Order.of(line))

    def listen(self) -> list[Any]:
        """Events since the last time; None is the end of the process."""
        found: list[Any] = []
        with suppress(Empty):
            found.append(self._heard.get(timeout=LISTEN_S).event)
            while True:
                found.append(self._heard.get_nowait().event)
        return found

    def how_it_ended(self, doing: str) -> Diagnostic:
        return self._local.how_it_ended(doing)

    def end(self) -> None:
        self._local.end()

    def kill(self) -> None:
        self._local.kill()


@dataclass
class OnRay:
    """One place of work in the cluster: an actor, and another one, maybe elsewhere, after it has been lost.

    Args:
        heard: where all that workers tell arrives.
        needs: of Ray's resources: num_cpus, num_gpus.
    """

    number: int
    heard: SimpleQueue[Said]
    needs: dict[str, float]
    run: int = 0
    _actor: Any = None
    _started: Any = None
    _why: Diagnostic | None = field(default=None)

    @property
    def ready(self) -> bool:
        """Whether a node has room for it; looks for one where there is none yet."""
        import ray

        if self._actor is None:
            kind = ray.remote(Post).options(max_concurrency=4, **self.needs)
            self._actor = kind.remote(str(Path.cwd()))
            self._started = self._actor.here.remote()
            self.run += 1
        done, _ = ray.wait([self._started], timeout=0)
        if done and self._why is None:
            try:
                ray.get(done[0])
            except Exception:  # the node went before the actor stood
                self._actor = None
                return False
        return bool(done)

    def give(self, order: Order) -> None:
        """Hands over an order to the actor, which is ready."""
        self._why = None
        actor = self._actor
        with suppress(Exception):  # it has just gone: its end is told by who listens
            actor.give.remote(order.line())
        threading.Thread(target=self._attend, args=(actor, self.run), daemon=True).start()

    def end(self) -> None:
        """Asks the process to end, as cleanly as SIGTERM does."""
        if self._actor is not None:
            with suppress(Exception):
                self._actor.end.remote()

    def kill(self) -> None:
        """Ends process and actor at once."""
        actor, self._actor = self._actor, None
        if actor is None:
            return
        import ray

        with suppress(Exception):
            ray.get(actor.kill.remote(), timeout=5)
        with suppress(Exception):
            ray.kill(actor)

    def wait(self, seconds: float = ENDING_S) -> None:
        """Gives the process so long to end, then ends it."""
        if self._actor is None:
            return
        import ray

        until = time.monotonic() + max(seconds, 0.0)
        with suppress(Exception):
            while time.monotonic() < until:
                if None in ray.get(self._actor.listen.remote(), timeout=max(until - time.monotonic(), 0.1)):
                    break
        self.kill()

    def how_it_ended(self, doing: str) -> Diagnostic:
        """Why a process that was doing something is gone (E561)."""
        if self._why is not None:
            return Diagnostic("E561", f"{doing}: {self._why.message}", hint=self._why.hint)
        import ray

        try:
            found: Diagnostic = ray.get(self._actor.how_it_ended.remote(doing), timeout=5)
        except Exception:
            found = _gone(doing)
        self.kill()
        return found

    def _attend(self, actor: Any, run: int) -> None:
        """Hands on what the actor hears, until its worker has done the order or is gone."""
        import ray

        from ...core.events import TaskFailed, TaskFinished

        try:
            while actor is self._actor:
                for event in ray.get(actor.listen.remote()):
                    self.heard.put(Said(self.number, run, event))
                    if event is None or isinstance(event, (TaskFailed, TaskFinished)):
                        return
        except Exception:
            if actor is self._actor:
                self._why, self._actor = Diagnostic("E561", "its node or its actor is gone", hint=_KEPT), None
                self.heard.put(Said(self.number, run, None))


_KEPT = "finished clips are kept; the task goes to another node, or the same command goes on from here"


def _gone(doing: str) -> Diagnostic:
    return Diagnostic("E561", f"{doing}: its node or its actor is gone", hint=_KEPT)


class Cluster:
    """A connection to a Ray cluster, closed when the block ends.

    Args:
        address: "auto" for the one that this machine belongs to, or where its head listens.

    Raises:
        AnixError: E564, Ray is not installed, or there is no such cluster.
    """

    def __init__(self, address: str) -> None:
        self._address = address

    def __enter__(self) -> Cluster:
        if find_spec("ray") is None:
            raise fail("E564", "Ray is not installed", hint="pip install 'anix[cluster]', on every node")
        os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
        import ray

        handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            _listens(self._address)
            ray.init(self._address, namespace="anix", log_to_driver=False, logging_level=logging.ERROR)
        except Exception as error:
            said = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            raise fail(
                "E564",
                f"there is no Ray cluster at {self._address}: {said}",
                hint="start one with `ray start --head`, or give the address of its head, as 10.0.0.1:6379",
            ) from error
        finally:
            for number, handler in handlers.items():  # Ray puts its own in their place
                signal.signal(number, handler)
        return self

    def __exit__(self, *_: object) -> None:
        import ray

        ray.shutdown()

    def places(self, jobs: int | None, heard: SimpleQueue[Said], *, gpus_each: int) -> Sequence[OnRay]:
        """Workers of the cluster: ``jobs``, else as many as it has room for.

        Raises:
            AnixError: E565, it has not room for one.
        """
        import ray

        needs = {"num_cpus": 1.0 if gpus_each else float(CORES_EACH), "num_gpus": float(gpus_each)}
        there: dict[str, Any] = ray.cluster_resources()
        room = min(
            int(there.get(name, 0.0) // needs[key])
            for name, key in (("CPU", "num_cpus"), ("GPU", "num_gpus"))
            if needs[key]
        )
        if room < 1:
            raise no_room(needs, there)
        return [OnRay(number, heard, needs) for number in range(jobs or room)]


def _listens(address: str) -> None:
    """Raises OSError where nobody listens at host:port: Ray itself would try for minutes."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host.removeprefix("ray://"), int(port)), timeout=10).close()


def no_room(needs: dict[str, float], there: dict[str, Any]) -> AnixError:
    """E565: no node can take a worker."""
    words = {"num_cpus": "CPU", "num_gpus": "GPU"}
    wanted = ", ".join(f"{value:g} {words[key]}" for key, value in needs.items() if value)
    held = ", ".join(f"{there.get(name, 0):g} {name}" for name in ("CPU", "GPU"))
    return fail(
        "E565",
        f"the Ray cluster has no room for a worker: it needs {wanted}, the cluster has {held}",
        hint="add a node, or take a backend that needs less",
    )
