"""How a machine is shared out among workers."""

from __future__ import annotations

from dataclasses import replace
from queue import SimpleQueue

import pytest

from anix_cli import generate
from anix_cli.run.batch import machine

DRAWN = generate.capabilities("animatic")
MODEL = replace(DRAWN, weights="some/model")


@pytest.fixture
def eight(monkeypatch):
    monkeypatch.setattr(machine, "cores", lambda: list(range(10, 18)))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1, 2,GPU-ab,4")


@pytest.mark.parametrize(
    ("capabilities", "jobs", "each", "count"),
    [
        (DRAWN, None, 1, 4),
        (DRAWN, 3, 1, 3),
        (MODEL, None, 1, 5),
        (MODEL, None, 2, 2),
        (MODEL, None, 8, 1),
        (MODEL, 7, 1, 7),
    ],
)
def test_how_many_workers(eight, capabilities, jobs, each, count):
    assert machine.workers_for(capabilities, jobs, each) == count


def test_a_model_without_a_gpu_has_one_worker(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    assert machine.workers_for(MODEL, None) == 1
    assert machine.places_for(1, SimpleQueue(), gpus_each=1)[0].environment == {}


def test_cores_are_shared_out_evenly(eight):
    shares = [place.cores for place in machine.places_for(3, SimpleQueue(), gpus_each=0)]
    assert shares == [[10, 11], [12, 13, 14], [15, 16, 17]]
    assert [place.cores for place in machine.places_for(9, SimpleQueue(), gpus_each=0)] == [()] * 9


def test_gpus_are_taken_in_turn(eight):
    def seen(count: int, each: int) -> list[str]:
        places = machine.places_for(count, SimpleQueue(), gpus_each=each)
        return [place.environment["CUDA_VISIBLE_DEVICES"] for place in places]

    assert seen(6, 1) == ["0", "1", "2", "GPU-ab", "4", "0"]
    assert seen(2, 2) == ["0,1", "2,GPU-ab"]
    assert seen(1, 9) == ["0,1,2,GPU-ab,4"]
