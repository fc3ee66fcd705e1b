"""A run's metrics, read back by Prometheus' own parser."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families as parsed

from anix_cli.core.errors import Diagnostic
from anix_cli.core.events import (
    BatchStarted,
    ClipFinished,
    FilmFailed,
    FilmFinished,
    FilmLeft,
    FramesDone,
    GuideFinished,
    Noted,
    RunStarted,
    TaskFailed,
    TaskFinished,
    TaskStarted,
)
from anix_cli.report import metrics as module
from anix_cli.report.metrics import Metrics


def samples(text: str) -> dict[tuple[str, frozenset], float]:
    found = {}
    for family in parsed(text):
        assert family.documentation and family.type in ("counter", "gauge", "summary")
        for sample in family.samples:
            key = sample.name, frozenset(sample.labels.items())
            assert key not in found
            found[key] = sample.value
    return found


def at(found: dict, name: str, **labels: str) -> float:
    return found[name, frozenset(labels.items())]


PROBLEM = Diagnostic("E555", "it failed")


def test_a_night_is_counted():
    metrics = Metrics("batch", "animatic", ["a.yaml", "b.yaml", "c.yaml", "d.yaml", "e.yaml"])
    told = [
        (BatchStarted(5, 6, 2), None),
        (FilmLeft("d.yaml", 9.0), "d.yaml"),
        (TaskStarted("a.yaml", 0, 0), "a.yaml"),
        (TaskStarted("b.yaml", 0, 1), "b.yaml"),
        (TaskStarted("e.yaml", 0, 1), "e.yaml"),
        (GuideFinished("s", "k", 1.5), "a.yaml"),
        (FramesDone("guide", "s", 8), "a.yaml"),
        (FramesDone("generate", "s", 5, 0, 1, 2), "a.yaml"),
        (FramesDone("generate", "s", 3, 0, 2, 2), "a.yaml"),
        (ClipFinished("s", 0, "k", 8, 2.0), "a.yaml"),
        (ClipFinished("s", 1, "k", 8, 0.25), "a.yaml"),
        (TaskFinished("a.yaml", 0, 0, 4.0), "a.yaml"),
        (FilmFinished("a.mp4", 8, 1000, 1.0, reused=False), "a.yaml"),
        (TaskFailed("b.yaml", 0, 1, True, (PROBLEM,)), "b.yaml"),
        (TaskFailed("b.yaml", 0, 1, False, (PROBLEM,)), "b.yaml"),
        (FilmFailed("b.yaml", (PROBLEM,)), "b.yaml"),
        (Noted(Diagnostic("W302", "hm")), "c.yaml"),
    ]
    for event, film in told:
        metrics(event, film, None)
    found = samples(metrics.text())
    states = {"waiting": 1, "running": 1, "made": 1, "reused": 0, "failed": 1, "left": 1}
    assert {name: at(found, "anix_films", state=name) for name in states} == states
    assert at(found, "anix_film_state", film="b.yaml", state="failed") == 1
    tasks = {"all": 6, "running": 1, "done": 1}
    assert {name: at(found, "anix_tasks", state=name) for name in tasks} == tasks
    assert at(found, "anix_workers") == 2
    assert at(found, "anix_frames_total", stage="generate") == 8
    assert at(found, "anix_clip_duration_seconds_count") == 2
    assert at(found, "anix_clip_duration_seconds_sum") == 2.25
    assert at(found, "anix_guide_duration_seconds_sum") == 1.5
    assert at(found, "anix_task_failures_total", code="E555", again="true") == 1
    assert at(found, "anix_warnings_total", code="W302") == 1
    assert ("anix_run_exit_code", frozenset()) not in found


def test_the_end_and_the_last_sign_of_life_are_told(monkeypatch):
    now = SimpleNamespace(at=1e9)
    monkeypatch.setattr(module.time, "time", lambda: now.at)
    metrics = Metrics("render", "animatic", ["a.yaml"], started=1e9)
    now.at = 1e9 + 5
    metrics(RunStarted("", 1, 1, 1, 1, 0))
    found = samples(metrics.text())
    assert at(found, "anix_film_state", film="a.yaml", state="running") == 1
    now.at = 1e9 + 7
    metrics(FilmFinished("a.mp4", 1, 1, 1.0, reused=True))
    metrics.finish(0)
    found = samples(metrics.text())
    assert at(found, "anix_run_start_timestamp_seconds") == 1e9
    assert (
        at(found, "anix_last_event_timestamp_seconds")
        == at(found, "anix_run_end_timestamp_seconds")
        == 1e9 + 7
    )
    assert at(found, "anix_run_exit_code") == 0 and at(found, "anix_films", state="reused") == 1
    assert at(found, "anix_run_info", command="render", backend="animatic") == 1


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_any_name_comes_back(name):
    found = samples(Metrics("batch", "animatic", [name]).text())
    assert at(found, "anix_film_state", film=name, state="waiting") == 1


@pytest.mark.parametrize(
    ("raw", "told"), [(b"a\xff.yaml", "a\\udcff.yaml"), (b'{x="1"}\n%s 7 \\n', '{x="1"}\n%s 7 \\n')]
)
def test_bytes_that_are_no_text_and_names_like_a_sample(raw, told):
    text = Metrics("batch", "animatic", [os.fsdecode(raw)]).text()
    text.encode("utf-8")
    assert at(samples(text), "anix_film_state", film=told, state="waiting") == 1
