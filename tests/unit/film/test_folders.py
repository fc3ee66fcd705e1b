"""A film as a folder of pictures: every pixel, the sound and captions beside, and what may be replaced."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anix_cli.core.errors import AnixError
from anix_cli.core.keys import file_digest
from anix_cli.core.plan import FilmOutput, Sound
from anix_cli.film import sequence
from anix_cli.film.captions import Caption
from anix_cli.film.manifest import check_output
from anix_cli.film.naming import check_name
from anix_cli.film.publish import publish
from anix_cli.film.sequence import linear, write_sequence
from anix_cli.film.soundtrack import Cue, Soundtrack
from anix_cli.media.ffmpeg import find_ffmpeg
from tests.grey_clips import FPS, SIZE, clips, picture
from tests.planned_film import a_plan, made
from tests.sound_files import heard, tone, write_wav

LENGTHS = (5, 1, 3)


@pytest.fixture(scope="module")
def segments(tmp_path_factory):
    return clips(tmp_path_factory.mktemp("clips"), LENGTHS)


def write(segments, output: Path, codec: str, **options):
    return write_sequence(segments, output, fps=FPS, size_px=SIZE, encoding=FilmOutput(codec), **options)


def code_of(action) -> str:
    with pytest.raises(AnixError) as caught:
        action()
    return caught.value.diagnostics[0].code


def test_png_is_the_film_to_the_pixel_with_its_sound_and_captions(segments, tmp_path: Path) -> None:
    wav = write_wav(tmp_path / "t.wav", tone(2))
    cue = Cue(Sound(wav, file_digest(wav)), 0, 9)
    folder = tmp_path / "out.of [it]_png"
    told: list[int] = []
    result = write(
        segments, folder, "png", sound=Soundtrack([cue]), captions=[Caption("Hi", 2, 6)], advance=told.append
    )
    names = [f"frame.{n:06d}.png" for n in range(9)]
    assert sorted(file.name for file in folder.iterdir()) == ["captions.srt", *names, "sound.wav"]
    for number, name in enumerate(names):
        with Image.open(folder / name) as image:
            np.testing.assert_array_equal(np.asarray(image), picture(number))
            assert image.mode == "RGB" and image.info.get("srgb") is not None
    assert (result.frames, sum(told)) == (9, 9)
    assert result.bytes == sum(file.stat().st_size for file in folder.iterdir())
    assert abs(len(heard(folder / "sound.wav")) / 48_000 - 9 / 16) < 1e-4
    assert "00:00:00,125 --> 00:00:00,375\nHi" in (folder / "captions.srt").read_text()
    assert [item.name for item in tmp_path.iterdir() if item.name.startswith(".")] == []


def test_exr_is_the_same_in_linear_light(segments, tmp_path: Path) -> None:
    folder = tmp_path / "film_exr"
    write(segments, folder, "exr")
    command = [str(find_ffmpeg()), "-loglevel", "error", "-i", str(folder / "frame.000004.exr")]
    found = subprocess.run(
        [*command, "-f", "rawvideo", "-pix_fmt", "gbrpf32le", "-"], check=True, capture_output=True
    ).stdout
    planes = np.frombuffer(found, "<f4").reshape(3, SIZE[1], SIZE[0])
    value = (20 + 3 * 4) / 255
    np.testing.assert_allclose(planes, ((value + 0.055) / 1.055) ** 2.4, rtol=2**-10)
    colours = np.array([[[[0, 10, 255]]]], dtype=np.uint8)
    np.testing.assert_allclose(linear(colours)[0, :, 0, 0], [10 / 255 / 12.92, 1.0, 0.0], atol=1e-6)


def test_the_same_film_has_the_same_files(segments, tmp_path: Path) -> None:
    for codec in ("png", "exr"):
        for name in "ab":
            write(segments, tmp_path / f"{name}_{codec}", codec)
        for file in (tmp_path / f"a_{codec}").iterdir():
            assert file.read_bytes() == (tmp_path / f"b_{codec}" / file.name).read_bytes()


def test_a_folder_is_replaced_as_a_whole_or_not_at_all(segments, tmp_path: Path, monkeypatch) -> None:
    folder = tmp_path / "film_png"
    write(segments, folder, "png")
    write(segments[:1], folder, "png")
    assert len(list(folder.iterdir())) == 5, "no frame of the longer film is left"
    (folder / "notes.txt").write_text("mine")
    assert code_of(lambda: write(segments, folder, "png")) == "E412"
    assert code_of(lambda: check_name(folder, "png")) == "E412"
    (folder / "notes.txt").unlink()
    monkeypatch.setattr(sequence, "count_pictures", lambda *_: 3)
    assert code_of(lambda: write(segments, folder, "png")) == "E542"
    assert len(list(folder.iterdir())) == 5
    assert [item.name for item in tmp_path.iterdir()] == ["film_png"]


def test_a_writer_that_was_killed_leaves_nothing_for_long(segments, tmp_path: Path) -> None:
    folder = tmp_path / "film_png"
    dead = tmp_path / ".film_png.1-abc-0.partial"
    for name in (".folder", ".old.folder"):
        dead.with_name(dead.name + name).mkdir()
        (dead.with_name(dead.name + name) / "frame.000000.png").write_bytes(b"x")
    write(segments[:1], folder, "png")
    assert [item.name for item in tmp_path.iterdir()] == ["film_png"]
    assert len(list(folder.iterdir())) == 5


def test_names_of_folders(tmp_path: Path) -> None:
    assert check_name(tmp_path / "film_png", "png") == "png"
    for name in ("film.mp4", "film.png", "film.EXR"):
        assert code_of(lambda name=name: check_name(tmp_path / name, "png")) == "E434"
    assert code_of(lambda: check_name(Path("/"), "exr")) == "E432"
    assert code_of(lambda: check_name(tmp_path / ("x" * 255), "exr")) == "E432"
    (tmp_path / "file").write_text("mine")
    assert code_of(lambda: check_name(tmp_path / "file", "png")) == "E412"


def test_the_manifest_knows_a_folder_and_whose_it_is(tmp_path: Path) -> None:
    plan = a_plan(tmp_path)
    from dataclasses import replace

    plan = replace(plan, output=FilmOutput("png"))
    (tmp_path / "clips").mkdir()
    segments, facts = made(plan, tmp_path / "clips")
    folder = tmp_path / "film_png"
    written, reused = publish(plan, segments, facts, folder)
    assert not reused and publish(plan, segments, facts, folder) == (written, True)

    def check(**other) -> None:
        asked = {"screenplay": plan.screenplay, "title": plan.title, "codec": "png", **other}
        check_output(folder, **asked)

    check()
    assert code_of(lambda: check(screenplay=tmp_path / "another.yaml")) == "E431"
    check(screenplay=tmp_path / "another.yaml", overwrite=True)
    Image.new("RGB", SIZE).save(folder / "frame.000001.png")
    assert code_of(check) == "E431"
    assert publish(plan, segments, facts, folder)[1] is False
    check()
