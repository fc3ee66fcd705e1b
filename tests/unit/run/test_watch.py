"""``anix watch``: what is served to whom, and that an edit is shown before its film is made."""

from __future__ import annotations

import http.client
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

from anix_cli.core.errors import AnixError
from anix_cli.media.video import read_frames
from anix_cli.report.diagnostics import as_text
from anix_cli.report.filmpage import film_page
from anix_cli.report.watchpage import watch_page
from anix_cli.run.watch.board import Board
from anix_cli.run.watch.changes import files_of, look_at
from anix_cli.run.watch.server import serving
from anix_cli.run.watch.watching import Watcher, draft_size
from anix_cli.screenplay import load
from tests.film.test_chain import edit, film  # noqa: F401  (a fixture)


class Client:
    """A browser, as far as it matters."""

    def __init__(self, address: str) -> None:
        self.place = urlsplit(address).netloc
        self.version = -1

    def get(self, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
        link = http.client.HTTPConnection(self.place, timeout=120)
        link.request(method, path, headers=headers)
        answer = link.getresponse()
        found = answer.status, {key.lower(): value for key, value in answer.getheaders()}, answer.read()
        link.close()
        return found

    def until(self, true: Any) -> dict[str, Any]:
        """The first state for which that holds."""
        while True:
            state = json.loads(self.get(f"/state?after={self.version}")[2])
            self.version = state["version"]
            if true(state):
                return state


@pytest.fixture
def board() -> Iterator[Board]:
    board = Board()
    yield board
    board.close()


def test_only_what_is_on_the_board_is_served_and_to_this_machine_only(board: Board, tmp_path: Path) -> None:
    file = tmp_path / "film.mp4"
    file.write_bytes(bytes(range(100)))
    page, policy = watch_page("<script>alert(1)</script>.yaml")
    with serving(board, page, policy, 0) as address:
        assert address.startswith("http://127.0.0.1:")
        client = Client(address)
        status, headers, body = client.get("/")
        assert status == 200 and b"<script>alert" not in body and b"&lt;script&gt;alert" in body
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff" and headers["cache-control"] == "no-store"
        where = board.put_file("film", file, "video/mp4")
        board.tell(film=where)
        other = tmp_path / "other"
        other.write_bytes(b"a new film")
        other.replace(file)
        assert client.get(where)[2] == bytes(range(100)), "what was shown stays whole"
        assert client.get("/film.mp4")[2] == bytes(range(100))
        assert client.get(where, "HEAD")[1]["content-length"] == "100"
        for asked, got, told in [
            ("bytes=10-19", bytes(range(10, 20)), "bytes 10-19/100"),
            ("bytes=90-", bytes(range(90, 100)), "bytes 90-99/100"),
            ("bytes=-5", bytes(range(95, 100)), "bytes 95-99/100"),
            ("bytes=0-1000", bytes(range(100)), "bytes 0-99/100"),
        ]:
            status, headers, body = client.get(where, Range=asked)
            assert (status, headers["content-range"], body) == (206, told, got)
        assert client.get(where, Range="bytes=100-")[0] == 416
        assert client.get(where, Range="lines=1-2")[0] == 200
        for path in ("/etc/passwd", "/../film.yaml", "/film.mp4.json", "/frame-1.webp", "/%2e%2e/x"):
            assert client.get(path)[0] == 404
        assert client.get("/", "POST")[0] == 501
        for host in ("evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1"):
            assert client.get("/", Host=host)[0] == 403
            assert client.get("/state", Host=host)[0] == 403
        localhost = f"localhost:{client.place.split(':')[1]}"
        assert client.get("/", Host=localhost)[0] == 200
        port = int(client.place.split(":")[1])
        with pytest.raises(AnixError) as caught, serving(board, page, policy, port):
            pass
        assert caught.value.diagnostics[0].code == "E447"


def test_old_versions_are_let_go(board: Board) -> None:
    places = []
    for number in range(4):
        places.append(board.put_bytes("frame", ".webp", "image/webp", bytes([number])))
        board.tell(frame=places[-1])
    assert [board.shown(place) is None for place in places] == [True, True, False, False]
    assert board.after(-1, 0)["frame"] == places[-1]


def test_a_question_waits_for_the_next_state(board: Board) -> None:
    found: list[Any] = []
    asking = threading.Thread(target=lambda: found.append(board.after(0, 60)))
    asking.start()
    board.tell(phase="drawing")
    asking.join(60)
    assert found[0]["phase"] == "drawing" and found[0]["version"] == 1


def test_drafts_are_small_and_of_the_same_form() -> None:
    assert draft_size((832, 480)) == (416, 240)
    assert draft_size((128, 96)) == (128, 96)
    assert draft_size((1080, 1920)) == (234, 416)
    assert draft_size((4096, 64)) == (416, 64)


def test_all_files_that_a_film_depends_on(film: Path) -> None:  # noqa: F811
    files = files_of(load(Path("film.yaml")))
    assert {file.name for file in files} >= {"film.yaml", "yard.ply", "front.png", "back.png"}
    before = look_at(files)
    assert look_at(files) == before
    os.utime(film / "back.png", (1, 1))
    assert look_at(files) != before
    (film / "yard.ply").unlink()
    assert look_at(files)[film / "yard.ply"] is None


def test_an_edit_is_shown_and_only_it_is_made_again(film: Path, board: Board) -> None:  # noqa: F811
    events: list[Any] = []
    watcher = Watcher(Path("film.yaml"), board, events.append, film_page(), as_text)
    watching = threading.Thread(target=watcher.watch)
    with serving(board, *watch_page("film.yaml"), 0) as address:
        client = Client(address)
        watching.start()
        try:
            state = client.until(lambda now: now["phase"] == "ready")
            assert state["title"] == "Small" and "W203" in state["problems"][0]
            assert client.get(state["film"])[2][4:8] == b"ftyp"
            assert b"anix-report" in client.get(state["report"])[2]
            (film / "first.mp4").write_bytes(client.get(state["film"])[2])
            before = read_frames(film / "first.mp4", kind="delivery")

            events.clear()
            edit(film, "he stops and waves", "he stops and bows")
            state = client.until(lambda now: now["shot"] == "wave")
            assert state["phase"] != "ready", "the frame is shown before the film is made"
            frame = picture(client.get(state["frame"])[2])
            state = client.until(lambda now: now["phase"] == "ready")
            made = [event.shot for event in events if type(event).__name__ == "ClipFinished"]
            assert made == ["wave", "orbit"], "what continues from it is made again, and nothing else"
            (film / "second.mp4").write_bytes(client.get(state["film"])[2])
            after = read_frames(film / "second.mp4", kind="delivery")
            assert np.abs(frame - after[12].astype(int)).mean() < 4, "it is the very frame of the film"
            np.testing.assert_array_equal(before[:12], after[:12])

            edit(film, "he stops and bows", "he stops and quxes")
            state = client.until(lambda now: now["phase"] == "stopped by an error")
            assert "E201" in state["problems"][0] and "film.yaml:17" in state["problems"][0]
            assert client.get(state["film"])[0] == 200, "the film that there was is still shown"
            edit(film, "he stops and quxes", "he stops and bows")
            client.until(lambda now: now["phase"] == "ready" and "E201" not in now["problems"][0])
        finally:
            watcher.stopped.set()
            watching.join(60)
    assert sorted(file.name for file in film.iterdir() if file.suffix in (".mp4", ".json", ".html")) == [
        "first.mp4", "second.mp4",
    ]  # fmt: skip


def picture(data: bytes) -> np.ndarray:
    import io

    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert("RGB")).astype(int)


def test_a_save_while_it_is_made_begins_anew(film: Path, board: Board) -> None:  # noqa: F811
    started: list[str] = []
    edited = threading.Event()

    def emit(event: Any) -> None:
        started.append(type(event).__name__)
        if type(event).__name__ == "ClipFinished" and not edited.is_set():
            edited.set()
            edit(film, "duration: 1.5", "duration: 1.25")

    watcher = Watcher(Path("film.yaml"), board, emit, film_page(), as_text)
    watching = threading.Thread(target=watcher.watch)
    watching.start()
    try:
        version = 0
        while board.state.phase != "ready":
            version = board.after(version, 60)["version"]
    finally:
        watcher.stopped.set()
        watching.join(60)
    assert started.count("RunStarted") == 2 and started.count("FilmFinished") == 1
