"""What a plan says of the time it will take, from what was measured before."""

from __future__ import annotations

from pathlib import Path

import pytest

from anix_cli.cli.main import run
from anix_cli.plan.summary import length_told
from anix_cli.run.batch.films import Booked, seconds_in_all, shortest_first, within
from anix_cli.run.prepare import prepare
from anix_cli.run.rates import GUIDE, clip_work, learn, seconds_for
from anix_cli.screenplay import load
from anix_cli.store.store import Store


def planned(project: Path):
    store = Store(project / ".anix")
    return prepare(load(project / "film.yaml"), backend="animatic", store=store).plan, store


def test_nothing_is_known_before_the_first_time(project):
    plan, store = planned(project)
    assert plan.estimate.seconds is None and plan.estimate.bytes > 0
    learn(store, GUIDE, 3.0, 10, (100, 10))
    assert seconds_for(plan, store) is None  # of clips nothing is known


def test_time_goes_with_pixels_and_frames(project):
    plan, store = planned(project)
    learn(store, GUIDE, 2.0, 10, (100, 20))  # 1e-4 s a pixel
    learn(store, clip_work("animatic"), 6.0, 10, (100, 20))  # 3e-4 s a pixel
    pixels = plan.size_px[0] * plan.size_px[1]
    assert seconds_for(plan, store) == pytest.approx(plan.frames * pixels * 4e-4)
    again, _ = planned(project)
    assert again.estimate.seconds == pytest.approx(plan.frames * pixels * 4e-4, abs=0.05)
    learn(store, clip_work("other"), 1e6, 1, (10, 10))
    assert seconds_for(plan, store) == pytest.approx(plan.frames * pixels * 4e-4)


def test_the_newest_time_counts_three_tenths(project):
    plan, store = planned(project)
    learn(store, GUIDE, 0.0, 1, (10, 10))
    learn(store, clip_work("animatic"), 1.0, 1, (10, 10))
    learn(store, clip_work("animatic"), 2.0, 1, (10, 10))
    pixels = plan.size_px[0] * plan.size_px[1]
    assert seconds_for(plan, store) == pytest.approx(plan.frames * pixels * (0.7 * 0.01 + 0.3 * 0.02))


def test_a_render_teaches_the_next_plan(project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    assert run(["render", "film.yaml", "-o", "film.mp4", "--no-report"]) == 0
    plan, _ = planned(project)
    assert plan.estimate.seconds == 0
    text = (project / "film.yaml").read_text().replace("seed: 7", "seed: 8")
    (project / "film.yaml").write_text(text)
    plan, _ = planned(project)
    assert plan.estimate.seconds > 0
    capsys.readouterr()
    assert run(["plan", "film.yaml"]) == 0
    assert "about a minute as measured here" in capsys.readouterr().out


def test_candidates_that_are_to_be_made_take_time_and_room(project):
    store = Store(project / ".anix")
    learn(store, GUIDE, 0.0, 1, (10, 10))
    learn(store, clip_work("animatic"), 1.0, 1, (128, 96))  # a frame of the film a second
    film = load(project / "film.yaml")

    def estimate(asked: int | None):
        return prepare(film, backend="animatic", store=store, candidates=asked).plan.estimate

    one, three = estimate(None), estimate(3)
    assert (one.candidate_frames, three.candidate_frames) == (0, 2 * one.frames)
    assert (one.seconds, three.seconds) == (one.frames, 3 * one.frames)
    assert three.bytes - one.bytes == 2 * one.frames * 128 * 96 * 1.5
    text = (project / "film.yaml").read_text().replace("id: wave,", "id: wave, candidates: 4,")
    (project / "film.yaml").write_text(text)
    film = load(project / "film.yaml")
    assert estimate(None).candidate_frames == 3 * 8


def test_the_plan_tells_of_candidates_until_they_are_made(project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    text = (project / "film.yaml").read_text().replace("id: wave,", "id: wave, candidates: 3,")
    (project / "film.yaml").write_text(text)
    assert run(["plan", "film.yaml"]) == 0
    assert "16 frames of candidates" in capsys.readouterr().out
    assert run(["render", "film.yaml", "-o", "film.mp4", "--no-report"]) == 0
    capsys.readouterr()
    assert run(["plan", "film.yaml"]) == 0
    assert "to do: 0 of 4 clips (0 frames), 0 guides\n" in capsys.readouterr().out


def test_a_night_too_short_leaves_the_longest(project):
    plan, _ = planned(project)

    def booked(seconds: float | None) -> Booked:
        from dataclasses import replace

        estimate = replace(plan.estimate, seconds=seconds)
        return Booked(Path("a.yaml"), Path("a.mp4"), replace(plan, estimate=estimate), (0,))

    films = [booked(seconds) for seconds in (500.0, 100.0, None, 300.0)]
    assert [one.left for one in within(films, 450.0, 1)] == [True, False, False, False]
    assert [one.left for one in within(films, 399.0, 1)] == [True, False, False, True]
    assert [one.left for one in within(films, 450.0, 2)] == [False, False, False, False]
    assert [one.seconds for one in shortest_first(films)] == [100.0, 300.0, 500.0, None]
    assert seconds_in_all(films) is None and seconds_in_all(films[:2]) == 600.0


@pytest.mark.parametrize(
    ("seconds", "told"), [(5, "a minute"), (89, "a minute"), (90, "2 min"), (3000, "50 min"), (9000, "2.5 h")]
)
def test_how_long_is_told(seconds, told):
    assert length_told(seconds) == told
