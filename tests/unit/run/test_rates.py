"""What a plan says of the time it will take, from what was measured before."""

from __future__ import annotations

from pathlib import Path

import pytest

from anix_cli.cli.main import run
from anix_cli.plan.summary import length_told
from anix_cli.run.batch.films import Booked, within
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


@pytest.mark.parametrize(
    ("seconds", "told"), [(5, "a minute"), (89, "a minute"), (90, "2 min"), (3000, "50 min"), (9000, "2.5 h")]
)
def test_how_long_is_told(seconds, told):
    assert length_told(seconds) == told
