"""Serves a watched film to a browser on this machine, and to nobody else.

Bound to 127.0.0.1. A page of another site whose name leads here (DNS rebinding) names its own host, and is
refused; nothing is read but what is on the board, and nothing is written.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from ...core.errors import fail
from .board import Board, Shown

HOST = "127.0.0.1"
WAIT_S = 20.0
"""How long a question for the next state stays open."""

_PIECE = 1 << 20
_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


@contextmanager
def serving(board: Board, page: str, policy: str, port: int) -> Iterator[str]:
    """The address of the page, which is served as long as the block lasts.

    Args:
        page: HTML of ``/``; it asks for ``/state?after=N``.
        policy: its Content-Security-Policy.
        port: 0 for any that is free.

    Raises:
        AnixError: E447, the port is taken.
    """
    handler = type("Handler", (_Handler,), {"board": board, "page": page.encode(), "policy": policy})
    assert issubclass(handler, _Handler)  # noqa: S101  (for the type checker)
    try:
        server = ThreadingHTTPServer((HOST, port), handler)
    except (OSError, OverflowError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise fail(
            "E447", f"port {port} of {HOST} cannot be used: {reason}", hint="name another one, or --port 0"
        ) from error
    server.daemon_threads = True
    handler.hosts = tuple(f"{name}:{server.server_port}" for name in (HOST, "localhost"))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    board: Board
    page: bytes
    policy: str
    hosts: tuple[str, ...] = ()
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "anix", ""

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads who asked for what."""

    def _answer(self, *, body: bool) -> None:
        host = str(self.headers.get("Host", ""))
        if host not in self.hosts:
            self._send(HTTPStatus.FORBIDDEN, "text/plain", b"", body=body)
            return
        address = urlsplit(self.path)
        if address.path == "/":
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.page, body=body)
        elif address.path == "/state":
            after = parse_qs(address.query).get("after", [""])[0]
            known = int(after) if after.isdecimal() and len(after) < 12 else -1
            state = json.dumps(self.board.after(known, WAIT_S)).encode()
            self._send(HTTPStatus.OK, "application/json", state, body=body)
        elif (shown := self.board.shown(self._latest(address.path))) is not None:
            self._show(shown, body=body)
        else:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", b"", body=body)

    def _latest(self, path: str) -> str:
        """The report links the film by its name."""
        return self.board.state.film if path == "/film.mp4" else path

    def _show(self, shown: Shown, *, body: bool) -> None:
        """All of it, or the range that was asked for: players seek so (RFC 9110, 14)."""
        start, stop = 0, shown.size
        asked = _RANGE.fullmatch(self.headers.get("Range", ""))
        if asked and (asked[1] or asked[2]):
            start = int(asked[1]) if asked[1] else max(0, shown.size - int(asked[2]))
            stop = min(stop, int(asked[2]) + 1) if asked[1] and asked[2] else stop
            if start >= stop:
                self.send_response(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
                self.send_header("Content-Range", f"bytes */{shown.size}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
        self.send_response(HTTPStatus.PARTIAL_CONTENT if asked else HTTPStatus.OK)
        if asked:
            self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{shown.size}")
        self.send_header("Accept-Ranges", "bytes")
        self._headers(shown.kind, stop - start)
        while body and start < stop:
            piece = shown.read(start, min(_PIECE, stop - start))
            if not piece:
                break
            self.wfile.write(piece)
            start += len(piece)

    def _send(self, status: HTTPStatus, kind: str, data: bytes, *, body: bool) -> None:
        self.send_response(status)
        if kind.startswith("text/html"):
            self.send_header("Content-Security-Policy", self.policy)
        self._headers(kind, len(data))
        if body:
            self.wfile.write(data)

    def _headers(self, kind: str, length: int) -> None:
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.end_headers()

    def handle(self) -> None:
        with suppress(OSError):  # the browser went away, or the film was closed meanwhile
            super().handle()
