"""Poster, previews, caption files and timeline: decoded, and only what is ours is replaced."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from urllib.parse import unquote, urlparse

import numpy as np
import opentimelineio as otio
import pytest
from PIL import Image

from anix_cli.core.errors import AnixError
from anix_cli.core.keys import file_digest
from anix_cli.core.plan import FilmOutput, Music, NamedFile, Plan, Sound, Take, Transition
from anix_cli.film.manifest import check_output
from anix_cli.film.previews import frames_at, preview_frames
from anix_cli.film.publish import check_means, overlapping, overlays, publish
from anix_cli.media.video import VideoWriter, read_frames
from tests.planned_film import FPS, SIZE, a_plan, made
from tests.sound_files import tone, write_wav
from tests.unit.film.test_captions import extracted
from tests.unit.film.test_transitions import dissolving


@pytest.fixture
def film(tmp_path: Path):
    """Three shots of levels 40, 200 and 90; the second dissolves, the third fades through white."""
    plan = dissolving(a_plan(tmp_path, ((6,), (2, 8), (4, 4))), s1=4)
    first, second, third = plan.shots()
    third = replace(third, transition=Transition("fade", 0.25, (255, 255, 255)))
    plan = replace(plan, takes=tuple(Take((shot,)) for shot in (first, second, third)))
    folder = tmp_path / "it's 日本"
    folder.mkdir()
    segments, facts = [], []
    for shot, level in zip(plan.shots(), (40, 200, 90), strict=True):
        some, more = made(replace(plan, takes=(Take((shot,)),)), folder, level)
        segments, facts = segments + some, facts + more
    return plan, segments, facts


def code_of(action) -> str:
    with pytest.raises(AnixError) as caught:
        action()
    return caught.value.diagnostics[0].code


def test_single_frames_are_those_of_the_film(film, tmp_path: Path) -> None:
    plan, segments, facts = film
    publish(replace(plan, output=FilmOutput("ffv1")), segments, facts, tmp_path / "film.mkv")
    frames = read_frames(tmp_path / "film.mkv")
    drawn = overlays(plan, slated=False)
    wanted = [0, 19, 3, 2, 5, 11, 12, 4]
    found = np.stack(list(frames_at(overlapping(plan, segments), wanted, FPS, SIZE, drawn)))
    np.testing.assert_allclose(found.astype(int), frames[wanted].astype(int), atol=1)


def test_poster_and_previews_show_the_film(film, tmp_path: Path) -> None:
    plan, segments, facts = film
    output = FilmOutput(also=("poster", "gif", "webp"), poster_frame=8)
    written, _ = publish(replace(plan, output=output), segments, facts, tmp_path / "film.mp4")
    with Image.open(tmp_path / "film.jpg") as poster:
        assert poster.format == "JPEG" and poster.size == SIZE
        np.testing.assert_allclose(np.asarray(poster), 200, atol=2)
        assert not poster.getexif() and "comment" not in poster.info
    for kind in ("gif", "webp"):
        with Image.open(tmp_path / f"film.{kind}") as moving:
            assert moving.format == kind.upper() and moving.size == SIZE and moving.info["loop"] == 0
            levels, at = {}, 0
            for number in range(moving.n_frames):
                moving.seek(number)
                levels[at] = np.asarray(moving.convert("RGB")).mean()
                at += moving.info["duration"]
        assert at == pytest.approx(20 / 16 * 1000, abs=10), "as long as the film"
        assert levels[0] == pytest.approx(40, abs=4)
        shown = levels[max(start for start in levels if start <= 500)]
        assert shown == pytest.approx(200, abs=4)
    assert written["output"]["also"] == {
        name: file_digest(tmp_path / name) for name in ("film.jpg", "film.gif", "film.webp")
    }


@pytest.mark.parametrize("fps", [Fraction(16), Fraction(24000, 1001), Fraction(5), Fraction(120)])
@pytest.mark.parametrize("frames", [1, 7, 500, 100_000])
def test_a_preview_lasts_as_long_as_the_film_or_twenty_seconds(frames: int, fps: Fraction) -> None:
    wanted, lasting = preview_frames(frames, fps)
    assert len(wanted) == len(lasting) <= 160
    assert wanted[0] == 0 and wanted[-1] < frames and wanted == sorted(set(wanted))
    assert all(time % 10 == 0 and time > 0 for time in lasting)
    assert sum(lasting) / 1000 == pytest.approx(min(float(frames / fps), 20), abs=0.02)


def with_captions(plan: Plan) -> Plan:
    shots = [replace(shot, caption=f"<i>{shot.id}</i> & so\non") for shot in plan.shots()]
    return replace(plan, takes=tuple(Take((shot,)) for shot in shots))


def test_captions_as_files(film, tmp_path: Path) -> None:
    plan, segments, facts = film
    plan = replace(with_captions(plan), output=FilmOutput(captions="none", also=("srt", "vtt")))
    publish(plan, segments, facts, tmp_path / "film.mp4")
    assert (tmp_path / "film.srt").read_text() == "", "none are shown, so there are none"
    plan = replace(plan, output=FilmOutput(captions="track", also=("srt", "vtt")))
    publish(plan, segments, facts, tmp_path / "film.mp4")
    told = (tmp_path / "film.vtt").read_text()
    assert told.startswith("WEBVTT\n\n00:00:00.000 --> 00:00:00.250\n&lt;i&gt;s0&lt;/i&gt; &amp; so\non\n\n")
    in_file, in_film = extracted(tmp_path / "film.srt"), extracted(tmp_path / "film.mp4")
    assert [words for _, _, words in in_file] == [words for _, _, words in in_film]
    assert in_film[1] == (pytest.approx(0.25, abs=6e-4), pytest.approx(0.75, abs=6e-4), "<i>s1</i> & so\non")
    assert extracted(tmp_path / "film.vtt") == [
        (start, stop, words.replace("<", "<")) for start, stop, words in in_file
    ]


def test_the_timeline_reads_back_with_ranges_and_media(film, tmp_path: Path) -> None:
    plan, segments, facts = film
    sound = Sound(write_wav(tmp_path / "a b.wav", tone(2)), "", -3.0)
    sound = replace(sound, digest=file_digest(sound.file))
    first, second, third = with_captions(plan).shots()
    shots = [replace(first, sound=sound), second, replace(third, sound=sound)]
    plan = replace(plan, takes=tuple(Take((shot,)) for shot in shots))
    plan = replace(plan, output=FilmOutput(also=("otio",), music=Music(sound)))
    publish(plan, segments, facts, tmp_path / "film.mp4")
    found = otio.adapters.read_from_file(str(tmp_path / "film.otio"))
    assert found.name == "The courier"
    picture, sounds, music = found.tracks
    assert picture.duration() == otio.opentime.RationalTime(20, 16)
    clips = list(picture.find_clips())
    assert [clip.name for clip in clips] == ["s0", "s1 1", "s2 0", "s2 1"]
    told = [(clip.source_range.start_time.value, clip.source_range.duration.value) for clip in clips]
    assert told == [(0, 4), (0, 8), (0, 4), (0, 4)]
    transitions = [item for item in picture if isinstance(item, otio.schema.Transition)]
    assert [(one.transition_type, one.in_offset.value, one.out_offset.value) for one in transitions] == [
        ("SMPTE_Dissolve", 2, 2), ("Custom_Transition", 2, 2),
    ]  # fmt: skip
    assert transitions[1].metadata["anix"]["colour"] == "#ffffff"
    for clip, segment in zip(clips, [segments[0], *segments[2:]], strict=True):
        linked = Path(unquote(urlparse(clip.media_reference.target_url).path))
        assert linked == segment.delivery and linked.is_file()
        assert clip.media_reference.available_range.duration.value == segment.frames
        master = clip.media_references()["master"]
        assert Path(unquote(urlparse(master.target_url).path)) == segment.master
    assert [marker.name for marker in picture.markers] == ["<i>s0</i> & so\non", "<i>s1</i> & so\non",
                                                           "<i>s2</i> & so\non"]  # fmt: skip
    assert [item.duration().value for item in sounds] == [6, 6, 8]
    assert isinstance(sounds[1], otio.schema.Gap)
    assert music[0].duration().value == 20
    assert unquote(urlparse(sounds[0].media_reference.target_url).path) == str(sound.file)


def test_without_opentimelineio_it_is_told_before_the_work(film, tmp_path: Path, monkeypatch) -> None:
    plan, *_ = film
    monkeypatch.setitem(sys.modules, "opentimelineio", None)
    check_means(plan, tmp_path / "film.mp4")
    plan = replace(plan, output=FilmOutput(also=("otio",)))
    assert code_of(lambda: check_means(plan, tmp_path / "film.mp4")) == "E405"


def test_what_lies_beside_and_is_not_ours_is_left_alone(film, tmp_path: Path) -> None:
    plan, segments, facts = film
    plan = replace(with_captions(plan), output=FilmOutput(also=("srt", "poster")))

    def check(codec: str = "h264", suffix: str = ".mp4", **other) -> None:
        asked = {"screenplay": plan.screenplay, "title": plan.title, "also": plan.output.also, **other}
        check_output(tmp_path / f"film{suffix}", codec=codec, **asked)

    (tmp_path / "film.srt").write_text("corrected by hand")
    assert code_of(check) == "E431"
    check(overwrite=True)
    (tmp_path / "film.srt").unlink()
    written, _ = publish(plan, segments, facts, tmp_path / "film.mp4")
    check()
    check("prores", ".mov")  # the same screenplay's film of another kind shares what lies beside
    assert code_of(lambda: check(screenplay=tmp_path / "other.yaml")) == "E431"
    (tmp_path / "film.jpg").unlink()
    assert publish(plan, segments, facts, tmp_path / "film.mp4") == (written, False)
    assert publish(plan, segments, facts, tmp_path / "film.mp4") == (written, True)
    (tmp_path / "film.srt").write_text("corrected by hand")
    assert code_of(check) == "E431"


def burn(plan: Plan, segments, facts, tmp_path: Path, **output) -> np.ndarray:
    plan = replace(plan, output=FilmOutput("ffv1", captions="burnt", **output))
    check_means(plan, tmp_path / "film.mkv")
    publish(plan, segments, facts, tmp_path / "film.mkv")
    return read_frames(tmp_path / "film.mkv")


def big(tmp_path: Path) -> tuple[Plan, list, list]:
    """One shot of 12 frames, 320x192, mid grey."""
    plan = replace(a_plan(tmp_path, ((12,),)), size_px=(320, 192))
    frames = np.full((12, 192, 320, 3), 120, dtype=np.uint8)
    _, facts = made(a_plan(tmp_path, ((12,),)), tmp_path)
    with (
        VideoWriter(tmp_path / "b.mkv", (320, 192), FPS, "master") as a,
        VideoWriter(tmp_path / "b.mp4", (320, 192), FPS, "delivery") as b,
    ):
        a.write(frames)
        b.write(frames)
    from anix_cli.film.segments import Segment

    return plan, [Segment(tmp_path / "b.mkv", tmp_path / "b.mp4", 12)], facts


def test_burnt_captions_are_on_their_frames_in_the_lower_part_only(tmp_path: Path) -> None:
    plan, segments, facts = big(tmp_path)
    vtt = tmp_path / "talk.vtt"
    vtt.write_text("WEBVTT\n\n00:00.250 --> 00:00.500 line:0\n<v Ann>Good <b>morning</b>\n", "utf-8")
    named = NamedFile(vtt, file_digest(vtt))
    frames = burn(plan, segments, facts, tmp_path, subtitles=named)
    changed = (frames != 120).any(axis=(1, 2, 3))
    assert [number for number, yes in enumerate(changed) if yes] == [4, 5, 6, 7]
    lower = frames[5, 150:]
    assert (frames[5, :150] == 120).all()
    assert lower.max() == 255 and lower.min() == 0, "white letters with a dark edge"
    columns = np.flatnonzero((lower != 120).any(axis=(0, 2)))
    assert abs((columns[0] + columns[-1]) / 2 - 160) < 4, "centred"
    vtt.write_text("WEBVTT\n\n00:00.250 --> 00:00.500\nchanged\n", "utf-8")
    assert code_of(lambda: burn(plan, segments, facts, tmp_path, subtitles=named)) == "E454"


def test_letters_that_the_font_lacks_are_told_before_the_work(tmp_path: Path) -> None:
    plan, segments, facts = big(tmp_path)
    (shot,) = plan.shots()
    japanese = replace(plan, takes=(Take((replace(shot, caption="Grüße, 日本"),)),))
    assert code_of(lambda: burn(japanese, segments, facts, tmp_path)) == "E384"
    english = replace(plan, takes=(Take((replace(shot, caption="It's 7 o'clock? (Good.)"),)),))
    assert (burn(english, segments, facts, tmp_path) != 120).any()
    broken = tmp_path / "font.ttf"
    broken.write_bytes(b"no font")
    font = NamedFile(broken, file_digest(broken))
    assert code_of(lambda: burn(english, segments, facts, tmp_path, font=font)) == "E384"


def test_a_slate_and_captions_stand_apart(tmp_path: Path) -> None:
    plan, *_ = big(tmp_path)
    (shot,) = plan.shots()
    plan = replace(plan, takes=(Take((replace(shot, caption="Good morning", command="walks " * 30),)),))
    plan = replace(plan, output=FilmOutput("ffv1", captions="burnt"))
    alone = overlays(replace(plan, output=FilmOutput("ffv1")), slated=True)
    both = overlays(plan, slated=True)
    frame = np.full((1, 192, 320, 3), 120, np.uint8)
    slated = alone[0](frame, 0)
    drawn = both[1](both[0](frame, 0), 0)
    band = (slated != 120).any(axis=(0, 2, 3))
    assert (drawn[:, band] == slated[:, band]).all() and (drawn != slated).any()
    stream = io.BytesIO()
    Image.fromarray(drawn[0]).save(stream, "PNG")


def test_the_file_says_what_made_it_or_nothing(film, tmp_path: Path) -> None:
    plan, segments, facts = film
    publish(plan, segments, facts, tmp_path / "a.mp4")
    told = (tmp_path / "a.mp4").read_bytes()
    assert b"The courier" in told and b"backend animatic (a draft drawn by computer, not generated)" in told
    assert b"seed 7; recipe " in told
    written, _ = publish(plan, segments, facts, tmp_path / "a.mp4", anonymous=True)
    silent = (tmp_path / "a.mp4").read_bytes()
    assert b"The courier" not in silent and b"animatic" not in silent and b"anix" not in silent
    assert written["metadata"] is False
