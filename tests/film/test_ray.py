"""A batch on a Ray cluster of two nodes on this machine, one of which is lost in the middle."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anix_cli.cli.main import run

from .test_batch import events, films, write  # noqa: F401  (a fixture)

pytest.importorskip("ray")


@pytest.fixture
def cluster(films):  # noqa: F811
    """A head without cores and two nodes with room for one worker each, which know the tests' environment."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    nodes = [made.add_node(num_cpus=2) for _ in range(2)]
    made.wait_for_nodes()
    yield made, nodes
    made.shutdown()


def parents(pid: int) -> list[int]:
    """Of a process, from its own parent on."""
    found = []
    while pid > 1:
        stat = Path(f"/proc/{pid}/stat").read_text()
        pid = int(stat.rpartition(")")[2].split()[1])
        found.append(pid)
    return found


def clips(folder: Path, name: str) -> list[str]:
    manifest = json.loads((folder / f"{name}.mp4.json").read_text())
    return [clip["files"]["frames.mkv"] for shot in manifest["shots"] for clip in shot["clips"]]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds the lost node's processes in /proc")
def test_a_node_that_is_lost_costs_nothing_that_was_finished(films, cluster, monkeypatch):  # noqa: F811
    made, nodes = cluster
    names = ("a.yaml", "b.yaml")
    write(films, "a.yaml", defect="hang", takes=2)
    write(films, "b.yaml", seed=2, takes=3)
    command = [
        sys.executable, "-m", "anix_cli", "batch", *names, "--out", "out", "--backend", "faulty",
        "--no-report", "--ray", made.address, "--events", "night.ndjson",
    ]  # fmt: skip
    batch = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        until = time.monotonic() + 120
        while not (hanging := list((films / "faults").glob("hang-*"))) or not hanging[0].read_text():
            assert batch.poll() is None and time.monotonic() < until, batch.communicate()
            time.sleep(0.2)
        above = parents(int(hanging[0].read_text()))
        raylets = {node.all_processes["raylet"][0].process.pid: node for node in nodes}
        lost = next(node for pid, node in raylets.items() if pid in above)
        while not (films / "out" / "b.mp4").exists():  # all that the other node does by itself
            assert batch.poll() is None and time.monotonic() < until, batch.communicate()
            time.sleep(0.2)
        made.remove_node(lost, allow_graceful=False)
        out, err = batch.communicate(timeout=120)
    finally:
        batch.kill()
    assert batch.returncode == 0, err
    assert "Traceback" not in err and out.count("made") >= 2
    told = events(films / "night.ndjson")
    failed = [one for one in told if one["event"] == "task_failed"]
    assert [(one["film"], one["again"], one["problems"][0]["code"]) for one in failed] == [
        ("a.yaml", True, "E561")
    ]
    finished = [(one["film"], one["shot"], one["clip"]) for one in told if one["event"] == "clip_finished"]
    assert len(finished) == len(set(finished)) == 5
    disturbed = [clips(films / "out", name) for name in ("a", "b")]
    monkeypatch.setenv("ANIX_CACHE_DIR", str(films / "elsewhere"))
    assert run(["batch", *names, "--out", "calm", "--backend", "faulty", "--no-report"]) == 0
    assert [clips(films / "calm", name) for name in ("a", "b")] == disturbed
    assert (
        run(["batch", *names, "--out", "out", "--backend", "faulty", "--no-report", "--ray", made.address])
        == 0
    )


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_sigterm_ends_it_all_and_the_same_command_goes_on(films, cluster):  # noqa: F811
    made, _ = cluster
    write(films, "a.yaml", defect="hang")
    command = [
        sys.executable, "-m", "anix_cli", "batch", "a.yaml", "--out", "out", "--backend", "faulty",
        "--no-report", "--ray", made.address,
    ]  # fmt: skip
    batch = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        until = time.monotonic() + 60
        while not (hanging := list((films / "faults").glob("hang-*"))) or not hanging[0].read_text():
            assert batch.poll() is None and time.monotonic() < until, batch.communicate()
            time.sleep(0.2)
        batch.send_signal(signal.SIGTERM)
        _, err = batch.communicate(timeout=60)
    finally:
        batch.kill()
    assert batch.returncode == 75 and "Traceback" not in err
    until = time.monotonic() + 20
    while Path(f"/proc/{hanging[0].read_text()}").exists():
        assert time.monotonic() < until, "the worker goes on"
        time.sleep(0.2)
    assert subprocess.run(command, capture_output=True, timeout=120).returncode == 0  # noqa: PLW1510


def test_without_a_cluster_or_room_for_a_worker(films, capsys, monkeypatch):  # noqa: F811
    write(films, "a.yaml")
    asked = ["batch", "a.yaml", "--out", "out", "--backend", "faulty", "--no-report", "--ray"]
    assert run([*asked, "127.0.0.1:1"]) == 1
    assert "E564" in capsys.readouterr().err
    monkeypatch.setattr("anix_cli.run.batch.onray.find_spec", lambda name: None)
    assert run([*asked, "auto"]) == 1
    said = capsys.readouterr().err
    assert "E564" in said and "anix[cluster]" in said
    assert not (films / "out" / "a.mp4").exists()


def test_the_rooms_of_a_cluster():
    from anix_cli.run.batch.onray import no_room

    problem = no_room({"num_cpus": 1.0, "num_gpus": 2.0}, {"CPU": 4.0}).diagnostics[0]
    assert problem.code == "E565" and "1 CPU, 2 GPU" in problem.message and "4 CPU, 0 GPU" in problem.message
