"""Characters known by their pictures: read once, and again when a picture is another one."""

from __future__ import annotations

import pytest
from PIL import Image

from anix_cli.core.errors import AnixError
from anix_cli.core.screenplay import VIEW_NAMES, CharacterSpec
from anix_cli.run import identity
from anix_cli.run.identity import identity_of
from anix_cli.store.store import Store


@pytest.fixture
def spec(project):
    return CharacterSpec({name: project / f"{name}.png" for name in VIEW_NAMES}, 1.7)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def test_known_pictures_are_not_decoded(spec, store, monkeypatch):
    first = identity_of(spec, store)
    with monkeypatch.context() as patched:
        patched.setattr(identity, "read_views", None)
        assert identity_of(spec, store) == first
    assert identity_of(CharacterSpec(spec.views, 1.8), store).key != first.key


def test_another_picture_is_another_character(spec, store):
    first = identity_of(spec, store)
    with Image.open(spec.views["left"]) as picture:
        changed = picture.convert("RGBA")
    changed.putpixel((changed.width // 2, changed.height // 2), (1, 2, 3, 255))
    changed.save(spec.views["left"])
    assert identity_of(spec, store).key != first.key


def test_remarks_are_kept_with_their_files(spec, store):
    spec.views["right"].write_bytes(spec.views["left"].read_bytes())
    first = identity_of(spec, store)
    assert [(note.code, note.file) for note in first.remarks] == [("W341", spec.views["right"])]
    assert identity_of(spec, store) == first


def test_what_cannot_be_read_is_not_kept(spec, store):
    spec.views["back"].write_bytes(b"no picture")
    for _ in range(2):
        with pytest.raises(AnixError):
            identity_of(spec, store)
    assert not list(store.root.rglob("identity.json"))


def test_a_damaged_record_is_made_again(spec, store):
    first = identity_of(spec, store)
    (record,) = store.root.rglob("identity.json")
    record.write_text(record.read_text("utf-8").replace('"extent_m"', '"extent"'), "utf-8")
    assert identity_of(spec, store) == first
    assert identity_of(spec, Store(store.root)) == first


def test_a_store_that_cannot_be_written_costs_time_only(spec, tmp_path):
    (tmp_path / "file").write_text("", "utf-8")
    assert identity_of(spec, Store(tmp_path / "file")).extent.height_m == 1.7
