"""Whoever is to be told of the end gets it as it is, and can do no harm."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from anix_cli.run.notify import lacking, notify

SUMMARY = {
    "exit_code": 1, "seconds": 2.5, "made": 9, "up_to_date": 0, "failed": 2, "invalid": 1, "left": 0,
    "unfinished": 0, "text": "nine; $(touch gone) `x` %s {made}", "films": [{"screenplay": "\udcff'\n.yaml"}],
}  # fmt: skip
TELL = """\
import json, os, sys
told = {"stdin": json.load(sys.stdin), "arguments": sys.argv[2:], "text": os.environ["ANIX_TEXT"],
        "failed": os.environ["ANIX_FAILED"]}
open(sys.argv[1], "w").write(json.dumps(told))
print("to nobody")
"""


def test_all_three_ways_in_which_it_is_told(tmp_path, capfd):
    place = tmp_path / "told.json"
    command = [sys.executable, "-c", TELL, str(place), "a b", "{failed}/{exit_code} {other} {", "{text}"]
    assert notify(command, SUMMARY) is None
    told = json.loads(place.read_text())
    assert told["stdin"] == SUMMARY and told["text"] == SUMMARY["text"] and told["failed"] == "2"
    assert told["arguments"] == ["a b", "2/1 {other} {", SUMMARY["text"]]
    out, err = capfd.readouterr()
    assert (out, err) == ("", "to nobody\n")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["false"], "exit code 1"),
        (["/nowhere/at all"], "no such file"),
        (["/"], "permission"),
        (["sh", "-c", "kill -9 $$"], "exit code -9"),
        (["a\0b"], "null"),
    ],
)
def test_what_fails_is_a_warning(command, words):
    problem = notify(command, SUMMARY)
    assert problem is not None and (problem.code, problem.severity) == ("W413", "warning")
    assert words in problem.message


def test_who_does_not_read_is_no_failure():
    assert notify(["true"], SUMMARY | {"films": ["x" * 10**6]}) is None


def test_what_hangs_is_ended_with_all_that_it_started(tmp_path):
    child = tmp_path / "pid"
    started = time.monotonic()
    problem = notify(
        ["sh", "-c", f"sleep 60 & echo $! > {child}; wait"], SUMMARY | {"films": ["x" * 10**6]}, longest_s=0.5
    )
    assert problem is not None and "longer than 0.5 s" in problem.message
    assert time.monotonic() - started < 30  # not the minute that it would have taken
    until = time.monotonic() + 10
    while _runs(int(child.read_text())) and time.monotonic() < until:
        time.sleep(0.02)
    assert not _runs(int(child.read_text()))


def test_a_program_that_is_not_there_is_said_before(tmp_path):
    assert lacking(["sh", "-c", "x"]) is None
    problem = lacking([str(tmp_path / "tell me")])
    assert problem is not None and "tell me" in problem.message


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
