"""Which task of a batch is next."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from anix_cli.run.batch.tasks import Queue, Task


def test_a_film_is_joined_when_all_its_takes_are_made():
    queue = Queue([[0, 2]])
    first, second = queue.start(), queue.start()
    assert (first, second) == (Task(0, 0), Task(0, 2))
    assert queue.start() is None and not queue.finished
    queue.done(first)
    assert queue.start() is None
    queue.done(second)
    assert queue.start() == Task(0, None)
    assert not queue.finished
    queue.done(Task(0, None))
    assert queue.finished


def test_a_worker_goes_on_with_the_film_that_it_has_loaded():
    queue = Queue([[0, 1], [0, 1]])
    assert queue.start() == Task(0, 0)
    assert queue.start(near=1) == Task(1, 0)
    assert queue.start(near=1) == Task(1, 1)
    assert queue.start(near=1) == Task(0, 1)


def test_a_lost_task_is_tried_again_as_often_as_asked_for():
    queue = Queue([[0]], retries=2)
    for _ in range(2):
        assert queue.start() == Task(0, 0)
        assert queue.lost(Task(0, 0), retry=True)
    assert queue.start() == Task(0, 0)
    assert not queue.lost(Task(0, 0), retry=True)
    assert queue.failed(0) and queue.finished


def test_a_failure_ends_its_film_or_only_what_depends_on_it():
    for keep_going, left in ((False, None), (True, Task(0, 1))):
        queue = Queue([[0, 1]], keep_going=keep_going)
        queue.start()
        assert not queue.lost(Task(0, 0), retry=False)
        assert queue.start() == left
        if left:
            queue.done(left)
        assert queue.finished  # the film is not joined


def test_what_was_begun_is_finished_and_the_rest_left():
    queue = Queue([[0, 1], [0], None, []])
    first = queue.start()
    assert queue.leave_unbegun() == [1, 3]
    assert queue.failed(1) and queue.failed(3) and not queue.failed(0)
    second = queue.start()
    queue.done(first)
    queue.done(second)
    assert [second, queue.start()] == [Task(0, 1), Task(0, None)]
    queue.done(Task(0, None))
    assert queue.finished and queue.leave_unbegun() == []


def test_what_cannot_be_made_has_no_tasks():
    queue = Queue([None, []])
    assert len(queue) == 1
    assert queue.start() == Task(1, None)


@given(
    takes=st.lists(st.none() | st.lists(st.integers(0, 9), unique=True, max_size=4), max_size=5),
    workers=st.integers(1, 4),
    keep_going=st.booleans(),
    retries=st.integers(0, 2),
    data=st.data(),
)
def test_every_batch_ends_and_joins_only_whole_films(takes, workers, keep_going, retries, data):
    queue = Queue(takes, retries, keep_going)
    running: list[Task] = []
    done: list[Task] = []
    tries: dict[Task, int] = {}
    for _ in range(400):
        while len(running) < workers and (task := queue.start()) is not None:
            running.append(task)
            tries[task] = tries.get(task, 0) + 1
            if task.take is None:
                assert {t.take for t in done if t.film == task.film} == set(takes[task.film])
        if not running:
            break
        task = running.pop(data.draw(st.integers(0, len(running) - 1)))
        fate = data.draw(st.sampled_from(("done", "done", "retry", "fail")))
        if fate == "done":
            queue.done(task)
            done.append(task)
        else:
            queue.lost(task, retry=fate == "retry")
    assert queue.finished and not running
    assert all(count <= retries + 1 for count in tries.values())
    for index, wanted in enumerate(takes):
        assert (Task(index, None) in done) == (wanted is not None and not queue.failed(index))
