"""Results in order, a bounded number under way, and an end whatever happens."""

from __future__ import annotations

import threading
import time
from itertools import count, islice

import numpy as np
import pytest
from clouds import cloud

from anix_cli.splat import pack
from anix_cli.splat.sample import sample_means
from anix_cli.splat.stream import in_order


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_results_come_in_the_order_of_the_jobs(threads):
    def slow_first(job):
        time.sleep(0.02 if job % 4 == 0 else 0)
        return job * job

    assert list(in_order(slow_first, range(30), threads=threads)) == [job * job for job in range(30)]


def test_no_more_are_under_way_than_were_allowed():
    begun, taken = [], 0
    for _ in islice(in_order(lambda job: begun.append(job) or job, count(), threads=3, ahead=2), 20):
        taken += 1
        assert len(begun) <= taken + 3 + 2
    assert taken == 20


def test_work_is_spread():
    both = threading.Barrier(2, timeout=20)
    assert len(list(in_order(lambda job: both.wait(), range(2), threads=2))) == 2


def test_an_error_ends_it_in_its_place():
    def work(job):
        if job == 3:
            raise ValueError("third")
        return job

    got = []
    with pytest.raises(ValueError, match="third"):
        got.extend(in_order(work, range(100), threads=2))
    results = in_order(work, range(100), threads=2)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError):
        next(results)


def test_closing_it_stops_the_work():
    begun = []
    results = in_order(begun.append, count(), threads=2)
    next(results)
    results.close()
    at = len(begun)
    time.sleep(0.05)
    assert len(begun) == at <= 5
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("anix-frames")]


@pytest.mark.parametrize("number", [0, 5, 3000])
def test_a_sample_is_of_the_means_in_whatever_form(number):
    scene = cloud(number, 1) if number else cloud(1, 1).take(np.zeros(1, bool))
    scene.opacities[:] = 0.5
    for part in (scene, pack(scene)):
        every = sample_means(part)
        assert every.shape == (number, 3)
        assert set(map(tuple, every)) == set(map(tuple, scene.means))
        some = sample_means(part, 300)
        assert len(some) <= 600
        assert set(map(tuple, some)) <= set(map(tuple, scene.means))
        if number == 3000:
            assert len(some) >= 200
            assert np.abs(some.mean(axis=0) - scene.means.mean(axis=0)).max() < 0.5
