"""A change of codec, quality, caption or sound makes only the film again; what it needs is asked first."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from anix_cli.core.errors import AnixError
from anix_cli.core.keys import file_digest
from anix_cli.core.plan import FilmOutput, Plan, Sound, Take
from anix_cli.core.schemas import schema
from anix_cli.film.publish import captions_of, check_means, publish, room_needed
from anix_cli.media import ffmpeg as finder
from anix_cli.media.inspect import _describe
from anix_cli.media.video import probe
from tests.planned_film import a_plan, made
from tests.sound_files import tone, write_wav


@pytest.fixture
def film(tmp_path: Path):
    plan = a_plan(tmp_path)
    (tmp_path / "clips").mkdir()
    return plan, *made(plan, tmp_path / "clips"), tmp_path / "film.mov"


def with_shot(plan: Plan, **changes) -> Plan:
    """The plan with another first shot."""
    first, *others = (shot for take in plan.takes for shot in take.shots)
    return replace(plan, takes=(Take((replace(first, **changes), *others)),))


def a_sound(path: Path, hertz: float = 1000.0) -> Sound:
    write_wav(path, tone(1.0, hertz=hertz))
    return Sound(path, file_digest(path))


def test_every_change_of_the_outputs_makes_the_film_again_and_only_it(film, tmp_path: Path) -> None:
    plan, segments, facts, output = film
    one, two = a_sound(tmp_path / "a.wav"), a_sound(tmp_path / "b.wav", 500.0)
    plans = [
        plan,
        replace(plan, output=FilmOutput("h264", "draft")),
        replace(plan, output=FilmOutput("h265", "draft")),
        replace(plan, output=FilmOutput("prores", "best")),
        with_shot(plan, caption="Hi"),
        with_shot(plan, caption="Ho"),
        with_shot(plan, sound=one),
        with_shot(plan, sound=two),
    ]
    digests = set()
    for each in plans:
        written, reused = publish(each, segments, facts, output)
        assert not reused
        jsonschema.validate(written, schema("manifest-v1"))
        digests.add(file_digest(output))
        assert publish(each, segments, facts, output) == (written, True)
    assert len(digests) == len(plans)
    assert written["shots"][0]["sound"] == two.digest
    assert (written["encoding"]["codec"], written["encoding"]["quality"]) == ("h264", "good")


def test_a_sound_under_another_name_is_the_same_sound(film, tmp_path: Path) -> None:
    plan, segments, facts, output = film
    sound = a_sound(tmp_path / "a.wav")
    publish(with_shot(plan, sound=sound), segments, facts, output)
    moved = replace(sound, file=sound.file.rename(tmp_path / "moved.wav"))
    assert publish(with_shot(plan, sound=moved), segments, facts, output)[1]


def test_tracks_and_codec_as_planned(film, tmp_path: Path) -> None:
    plan, segments, facts, output = film
    plan = with_shot(plan, caption=" Good\nmorning ", sound=a_sound(tmp_path / "a.wav"))
    assert [(one.start, one.stop) for one in captions_of(plan)] == [(0, 5)]
    publish(replace(plan, output=FilmOutput("prores")), segments, facts, output)
    told = _describe(output)
    assert "Video: prores" in told and "Audio: pcm_s24le" in told and "Subtitle: mov_text" in told
    assert probe(output).pix_fmt == "yuv422p10le"


@pytest.fixture
def forget_ffmpeg(monkeypatch) -> Iterator[None]:
    monkeypatch.setattr(finder, "_choice", [])
    finder._find.cache_clear()
    yield
    finder._find.cache_clear()


def code_of(plan: Plan, output: Path) -> tuple[str, str]:
    with pytest.raises(AnixError) as caught:
        check_means(plan, output)
    return caught.value.diagnostics[0].code, caught.value.diagnostics[0].message


def test_an_ffmpeg_without_what_the_film_needs_is_refused_before_the_work(
    film, tmp_path: Path, forget_ffmpeg
) -> None:
    plan, _, _, output = film
    program = tmp_path / "ffmpeg"
    program.write_text(
        f'#!{sys.executable}\nprint("ffmpeg version 9")\nprint(" V libx264 x")\nprint(" V ffv1 x")\n'
    )
    program.chmod(0o755)
    finder.use_ffmpeg(program)
    check_means(plan, output)
    cases = {
        "cannot write H.265": replace(plan, output=FilmOutput("h265")),
        "cannot write ProRes": replace(plan, output=FilmOutput("prores")),
        "cannot write subtitles": with_shot(plan, caption="Hi"),
        "cannot write sound": with_shot(plan, sound=a_sound(tmp_path / "a.wav")),
    }
    for words, each in cases.items():
        code, message = code_of(each, output)
        assert code == "E403" and words in message and str(program) in message


def test_sounds_are_tried_before_the_work(film, tmp_path: Path) -> None:
    plan, _, _, output = film
    sound = a_sound(tmp_path / "a.wav")
    plan = with_shot(plan, sound=sound)
    check_means(plan, output)
    write_wav(sound.file, tone(0.7))
    assert code_of(plan, output)[0] == "E454"
    sound.file.write_bytes(b"noise")
    plan = with_shot(plan, sound=replace(sound, digest=file_digest(sound.file)))
    assert code_of(plan, output)[0] == "E381"
    sound.file.unlink()
    code, message = code_of(plan, output)
    assert code == "E381" and "does not exist" in message


def test_a_name_that_does_not_hold_the_codec_is_refused_first(film) -> None:
    plan, *_ = film
    plan = replace(plan, output=FilmOutput("prores"))
    assert code_of(plan, Path("film.mp4"))[0] == "E434"


def test_room_grows_with_codec_quality_and_sound(film, tmp_path: Path) -> None:
    plan, *_ = film
    rooms = [
        room_needed(replace(plan, output=FilmOutput(codec, quality)))
        for codec, quality in [("h264", "draft"), ("h264", "good"), ("h264", "best"), ("prores", "best")]
    ]
    assert rooms == sorted(rooms) and rooms[0] > 0
    assert room_needed(with_shot(plan, sound=a_sound(tmp_path / "a.wav"))) > rooms[1] + 9 / 16 * 384_000
