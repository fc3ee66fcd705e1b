"""A store behind the local one: fetched once, sent once, held against its digests, and never in the way."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

pytest.importorskip("fsspec")

from anix_cli.store import remote as behind
from anix_cli.store.store import Store, verify

KEY = "ab" * 32
KINDS = ["memory://anix-test", "file"]


@pytest.fixture(params=KINDS)
def url(request, tmp_path, monkeypatch):
    import fsspec

    fsspec.filesystem("memory").store.clear()
    found = f"file://{tmp_path}/far" if request.param == "file" else request.param
    monkeypatch.setenv(behind.VARIABLE, found)
    behind._at.cache_clear()
    yield found
    behind._at.cache_clear()


def put(store: Store, text: str = "pixels", kind: str = "clips", key: str = KEY) -> None:
    with store.writing(kind, key) as partial:
        (partial.path / "frames.mkv").write_text(text)
        (partial.path / "sub").mkdir()
        (partial.path / "sub" / "more.txt").write_text("more")
        partial.commit({"frames": 3})


def far(url: str, name: str):
    import fsspec

    return fsspec.core.url_to_fs(f"{url}/v1/clips/{KEY[:2]}/{KEY}/{name}")


def test_what_one_machine_made_another_has(url, tmp_path):
    put(Store(tmp_path / "one"))
    entry = Store(tmp_path / "two").get("clips", KEY)
    assert entry is not None and entry.record == {"frames": 3} and not verify(entry, deep=True)
    assert (
        entry.file("frames.mkv").read_text() == "pixels" and entry.file("sub/more.txt").read_text() == "more"
    )
    assert entry.path.is_relative_to(tmp_path / "two")
    storage, path = far(url, "frames.mkv")
    storage.rm_file(path)  # it is here now
    assert Store(tmp_path / "two").get("clips", KEY) is not None


def test_what_is_damaged_there_is_made_anew_and_sent_again(url, tmp_path):
    put(Store(tmp_path / "one"))
    storage, path = far(url, "frames.mkv")
    storage.pipe_file(path, b"pixelz")
    two = Store(tmp_path / "two")
    assert two.get("clips", KEY) is None and two.trouble() is None
    put(two, "pixels")
    assert Store(tmp_path / "three").get("clips", KEY).file("frames.mkv").read_text() == "pixels"


def test_half_an_upload_is_no_entry(url, tmp_path):
    put(Store(tmp_path / "one"))
    storage, path = far(url, "entry.json")
    storage.rm_file(path)
    assert Store(tmp_path / "two").get("clips", KEY) is None
    storage, path = far(url, "frames.mkv")
    storage.rm_file(path)
    put(Store(tmp_path / "two"))
    assert Store(tmp_path / "three").get("clips", KEY) is not None


@pytest.mark.parametrize("name", ["../../escaped", "/etc/escaped", "a/../../escaped", "a\\b", ""])
def test_names_that_lead_elsewhere_are_refused(url, tmp_path, name):
    put(Store(tmp_path / "one"))
    storage, path = far(url, "entry.json")
    content = json.loads(storage.cat_file(path))
    content["files"] = {name: {"bytes": 6, "sha256": "0" * 64}}
    storage.pipe_file(path, json.dumps(content).encode())
    two = Store(tmp_path / "two")
    assert two.get("clips", KEY) is None
    assert not list(tmp_path.rglob("escaped"))
    put(two)
    assert Store(tmp_path / "three").get("clips", KEY) is not None


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"files": {}}', None])
def test_an_entry_that_is_none_is_made_anew_and_sent_again(url, tmp_path, text):
    put(Store(tmp_path / "one"))
    storage, path = far(url, "frames.mkv" if text is None else "entry.json")
    storage.rm_file(path)
    if text is not None:
        storage.pipe_file(path, text)
    two = Store(tmp_path / "two")
    assert two.get("clips", KEY) is None and two.trouble() is None
    put(two)
    assert Store(tmp_path / "three").get("clips", KEY).file("frames.mkv").read_text() == "pixels"


def test_only_what_takes_long_goes_there_and_nothing_without_the_setting(url, tmp_path, monkeypatch):
    put(Store(tmp_path / "one"), kind="cast")
    assert Store(tmp_path / "two").get("cast", KEY) is None
    monkeypatch.delenv(behind.VARIABLE)
    put(Store(tmp_path / "one"))
    monkeypatch.setenv(behind.VARIABLE, url)
    assert Store(tmp_path / "two").get("clips", KEY) is None


def test_one_that_fails_is_told_of_once_and_left_alone(tmp_path, monkeypatch):
    monkeypatch.setenv(behind.VARIABLE, "nosuch://bucket")
    behind._at.cache_clear()
    store = Store(tmp_path / "one")
    put(store)
    assert store.get("clips", KEY) is not None
    problem = store.trouble()
    assert problem.code == "W415" and "nosuch" in problem.message and store.trouble() is None
    calls = []
    monkeypatch.setattr(behind.Remote, "_open", lambda self: calls.append(1))
    put(store, key="cd" * 32)
    assert store.get("clips", "ef" * 32) is None and not calls
    behind._at.cache_clear()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_local_store_that_is_only_read_fetches_nothing(url, tmp_path):
    put(Store(tmp_path / "one"))
    (tmp_path / "two").mkdir(mode=0o500)
    assert Store(tmp_path / "two").get("clips", KEY) is None


def test_a_film_of_another_machine_is_not_rendered_again(url, tmp_path, monkeypatch):
    """The whole chain: an empty local store, and everything fetched."""
    from anix_cli.core.events import ClipFinished
    from anix_cli.run.render import render_film
    from anix_cli.screenplay import load

    here = Path(__file__).parents[3] / "screenplays" / "courier.yaml"
    text = here.read_text().replace("832x480", "64x64").replace("courier/", f"{here.parent}/courier/")
    head, _, shots = text.partition("shots:\n")
    first = next(line for line in shots.splitlines() if "id: run" in line)
    first = first.replace("duration: 3", "duration: 0.5")
    (tmp_path / "film.yaml").write_text(f"{head}shots:\n{first}\n")
    made: list[list[str]] = []
    for machine in ("one", "two"):
        monkeypatch.setenv("ANIX_CACHE_DIR", str(tmp_path / machine))
        heard: list[str] = []

        def emit(event, heard=heard):
            if isinstance(event, ClipFinished):
                heard.append(event.key)

        film = load(tmp_path / "film.yaml")
        render_film(film, tmp_path / f"{machine}.mp4", backend="animatic", emit=emit)
        made.append(heard)
    assert made[0] and made[1] == []
    assert (tmp_path / "one.mp4").read_bytes() == (tmp_path / "two.mp4").read_bytes()
