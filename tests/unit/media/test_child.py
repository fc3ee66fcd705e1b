"""Programs that hang, chatter, crash or lie: each ends in a clear error, and none is left over."""

from __future__ import annotations

import os
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from anix_cli.core.errors import AnixError
from anix_cli.media import child as children
from anix_cli.media import ffmpeg as finder
from anix_cli.media.child import Child
from anix_cli.media.ffmpeg import ffmpeg_version, find_ffmpeg, use_ffmpeg
from anix_cli.media.process import running
from anix_cli.media.video import VideoWriter, count_frames, probe, read_frames

SIZE, FPS = (64, 48), Fraction(16)
RNG = np.random.default_rng(5)


@pytest.fixture(params=[True, False], ids=["pidfd", "plain"])
def impatient(monkeypatch, request):
    monkeypatch.setattr(children, "STALL_S", 0.6)
    if not request.param:
        monkeypatch.setattr(children, "_exit_handle", lambda pid: None)


@pytest.fixture
def fake(tmp_path: Path, monkeypatch):
    """Puts a shell script in ffmpeg's place, which has the real one as $REAL; questions are answered."""
    monkeypatch.setattr(finder, "_choice", [])
    finder._find.cache_clear()
    real = find_ffmpeg()
    numbers = iter(range(100))

    def put(body: str) -> Path:
        path = tmp_path / f"fake-{next(numbers)}"
        questions = 'case "$*" in *-encoders*|*-version*) exec $REAL "$@";; esac'
        path.write_text(f"#!/bin/sh\nREAL='{real}'\n{questions}\n{body}\n")
        path.chmod(0o755)
        return use_ffmpeg(path)

    yield put
    finder._find.cache_clear()


def noise(frames: int) -> np.ndarray:
    return RNG.integers(0, 256, (frames, SIZE[1], SIZE[0], 3), dtype=np.uint8)


def written(path: Path, frames: np.ndarray) -> Path:
    with VideoWriter(path, SIZE, FPS, "master") as video:
        video.write(frames)
    return path


def error_of(act) -> tuple[str, str]:
    with pytest.raises(AnixError) as caught:
        act()
    (diagnostic,) = caught.value.diagnostics
    return diagnostic.code, diagnostic.message


def ends(pid_file: Path) -> bool:
    """Whether a process ends, soon: a kill takes a moment."""
    stat = Path(f"/proc/{int(pid_file.read_text())}/stat")
    for _ in range(200):
        try:
            state = stat.read_text().rsplit(")", 1)[1].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(
    "body",
    [
        "exec sleep 100",
        "cat > /dev/null; exec sleep 100",
        "sleep 100; exit 0",
        'echo $$ > "$0.pid"; sleep 100 & echo $! > "$0.pid"; wait',
    ],
    ids=["reads nothing", "does not exit", "in a child", "in the background"],
)
def test_an_encoder_that_hangs_is_ended(tmp_path: Path, impatient, fake, body: str) -> None:
    program = fake(body)
    code, message = error_of(lambda: written(tmp_path / "v.mkv", noise(400)))
    assert code == "E402"
    assert message.startswith("ffmpeg did nothing for 0.6 seconds while writing")
    assert not (tmp_path / "v.mkv").exists()
    if (pid := Path(f"{program}.pid")).exists():
        assert ends(pid)


def test_a_decoder_that_hangs_is_ended(tmp_path: Path, impatient, fake) -> None:
    path = written(tmp_path / "v.mkv", noise(3))
    fake('case "$*" in *pipe:1*) exec sleep 100;; esac; exec $REAL "$@"')
    for act in (lambda: read_frames(path), lambda: count_frames(path)):
        code, message = error_of(act)
        assert code == "E402"
        assert "while reading" in message
    fake("exec sleep 100")
    assert error_of(lambda: probe(path))[0] == "E402"


def test_what_a_program_leaves_in_the_background_holds_nothing_up(tmp_path: Path, impatient, fake) -> None:
    program = fake('sleep 20 & echo $! > "$0.pid"; exec $REAL "$@"')
    frames = noise(40)
    path = written(tmp_path / "v.mkv", frames)
    np.testing.assert_array_equal(read_frames(path), frames)
    if hasattr(os, "pidfd_open") and children._exit_handle(os.getpid()) is not None:
        assert ends(Path(f"{program}.pid"))


def test_slow_work_is_no_stall(tmp_path: Path, impatient) -> None:
    """Taking bytes, giving bytes and a growing file: each for far longer than the patience."""
    slow = "import os, sys, time\nfor _ in range(6):\n    time.sleep(0.15)\n    "
    for act, options in {
        "sys.stdin.buffer.read(1 << 20)": {"stdin": True},
        "os.write(1, b'x')": {"stdout": True},
        f"open({str(tmp_path / 'out')!r}, 'a').write('x')": {"watched": tmp_path / "out"},
    }.items():
        child = Child([sys.executable, "-c", slow + act], "testing", tmp_path, **options)
        with running(child):
            if "stdin" in options:
                child.write(np.zeros(6 << 20, np.uint8))
            if "stdout" in options:
                assert len(child.read(100)) == 6
            assert child.finish().code == 0


@pytest.mark.parametrize("clock", [-3600.0, 3600.0])
def test_a_clock_that_is_set_ends_nothing(tmp_path: Path, impatient, monkeypatch, clock: float) -> None:
    true = time.time
    monkeypatch.setattr(time, "time", lambda: true() + clock)
    np.testing.assert_array_equal(read_frames(written(tmp_path / "v.mkv", np.zeros((9, 48, 64, 3), "u1"))), 0)


CHATTER = {
    "a loader": "echo \"ERROR: ld.so: object '/nope.so' cannot be preloaded: ignored.\" >&2",
    "lines": "yes warning | head -c 262144 >&2",
    "one line": "head -c 262144 /dev/zero | tr '\\0' x >&2",
}


@pytest.mark.parametrize("chatter", CHATTER.values(), ids=CHATTER.keys())
def test_chatter_is_no_damage_and_hides_none(tmp_path: Path, fake, chatter: str) -> None:
    fake(f'{chatter}\nexec $REAL "$@"')
    frames = noise(12)
    path = written(tmp_path / "v.mkv", frames)
    np.testing.assert_array_equal(read_frames(path), frames)
    assert count_frames(path) == 12
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    for act in (lambda: read_frames(path), lambda: count_frames(path)):
        code, message = error_of(act)
        assert code == "E541"
        assert "CRC" in message
        assert len(message) < 400 + len(str(path))


def test_a_decoder_that_crashes_blames_no_file(tmp_path: Path, fake) -> None:
    path = written(tmp_path / "v.mkv", noise(3))
    fake('case "$*" in *pipe:1*) kill -SEGV $$;; esac; exec $REAL "$@"')
    code, message = error_of(lambda: read_frames(path))
    assert code == "E402"
    assert "signal 11 while reading" in message


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("cat > /dev/null", "it wrote nothing"),
        ('cat > /dev/null; for last; do :; done; : > "${last#file:}"', "it wrote nothing"),
        ('cat > /dev/null; for last; do :; done; echo x > "${last#file:}"', "cannot be read back"),
    ],
    ids=["no file", "empty", "no video"],
)
def test_an_encoder_that_says_all_is_well_and_is_wrong(tmp_path: Path, fake, body: str, why: str) -> None:
    fake(f'case "$*" in *pipe:1*) exec $REAL "$@";; esac; {body}')
    code, message = error_of(lambda: written(tmp_path / "v.mkv", noise(3)))
    assert code == "E402"
    assert why in message
    assert not (tmp_path / "v.mkv").exists()


def test_messages_stay_short(tmp_path: Path, fake) -> None:
    fake("head -c 9000 /dev/zero | tr '\\0' x >&2; exit 3")
    code, message = error_of(lambda: written(tmp_path / "v.mkv", noise(3)))
    assert code == "E402"
    assert "ended with code 3" in message
    assert message.endswith("xx…")
    assert len(message) < 400 + len(str(tmp_path))


def test_questions_are_answered_in_time_or_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(children, "ASK_S", 0.3)
    mute = tmp_path / "mute"
    encoders = "echo ' V libx264 x'; echo ' V ffv1 x'"
    mute.write_text("#!/bin/sh\nsleep 100 &\nwait\n")
    half = tmp_path / "half"
    half.write_text(f'#!/bin/sh\ncase "$*" in *-version*) exec sleep 100;; esac\n{encoders}\n')
    half.chmod(0o755)
    mute.chmod(0o755)
    monkeypatch.setattr(finder, "_choice", [])
    for act in (
        lambda: use_ffmpeg(mute),
        lambda: use_ffmpeg(half),
        lambda: ffmpeg_version(mute),
        lambda: ffmpeg_version(tmp_path / "no"),
    ):
        assert error_of(act)[0] == "E401"
