"""Kills a rendering run at random moments, restarts it, and looks whether anything was lost.

    python -m benchmarks.chaos [--kills 50] [--flips 0] [--enospc 0] [--seed 1] [--json]

A film of 12 short shots is rendered with SIGKILL to its whole process group at random moments, and begun
again until it is finished; then the next film, in a store of its own, until so many kills are done.
"identical" is whether the frames of every finished film equal those of an undisturbed one, bit for bit;
"clips_rendered" counts how often a clip was put into a store, "clips_needed" how often that was needed. With
--flips, bits of stored clips and guides are turned over between runs: those clips are made again, "redone";
what no run has needed since is removed in the end by `anix cache verify --discard`, and made again. With
--enospc, so many runs find their disk full at a random moment (a small tmpfs that holds store, film, report,
events and metrics, and a file that takes what is free): each must end by itself and say so, with exit code 4,
or have made its film ("told"); then there is room again. Needs Linux with user namespaces (unshare).
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from anix_cli.media.video import iter_frames

ROOT = Path(__file__).resolve().parent.parent
SHOTS = 12
FILLER, DISK_BYTES, FULL_A_FILM = "filler", 64_000_000, 8
NAMESPACE = "ANIX_CHAOS_NAMESPACE"
LONGEST_S = 2.0
"""A kill comes at most so long after what it waits for."""

HEAD = """\
anix: 1
film: {{size: 160x96, fps: 8, seed: 7}}
scene: {{file: {assets}/plaza.spz, up: +y, scale: 1}}
characters:
  mira:
    views: {{front: {assets}/mira_front.png, left: {assets}/mira_left.png, right: {assets}/mira_right.png,
      back: {assets}/mira_back.png}}
    height: 1.72
    description: a courier
anchors:
  fountain: {{at: [4, 9]}}
  alley: {{at: [-0.6, -7]}}
  corner: {{at: [-5, 1], face: fountain}}
defaults: {{character: mira}}
shots:
"""
TAKE = (
    "command: she walks forward, cut: true, anchor: {place}, duration: 1.5",
    "command: she waves, camera: stationary, duration: 1",
    'command: "", camera: {{move: orbit, degrees: 40}}, duration: 1',
)


@dataclass
class Store:
    """What was ever put into one film's store, each time by the folder that it got."""

    folder: Path
    seen: set[tuple[str, int, int]] = field(default_factory=set)

    def look(self) -> None:
        for place in (self.folder / "v1" / "clips").glob("??/*"):
            try:
                stat = place.stat()
            except FileNotFoundError:
                continue
            self.seen.add((place.name, stat.st_ino, stat.st_ctime_ns))

    @property
    def rendered(self) -> int:
        return len(self.seen)

    @property
    def count(self) -> int:
        """How many clips there are now."""
        return sum(1 for _ in (self.folder / "v1" / "clips").glob("??/*"))

    def flip(self, chance: random.Random) -> bool:
        """Turns over one bit of a stored file; whether there is any."""
        files = sorted(
            file for kind in ("clips", "guides") for file in (self.folder / "v1" / kind).glob("??/*/*.m??")
        )
        if not files:
            return False
        file = chance.choice(files)
        with file.open("r+b") as stream:
            at = chance.randrange(file.stat().st_size)
            stream.seek(at)
            value = stream.read(1)[0]
            stream.seek(at)
            stream.write(bytes([value ^ (1 << chance.randrange(8))]))
        return True


def screenplay(folder: Path) -> Path:
    assets = os.path.relpath(ROOT / "screenplays" / "courier", folder)
    lines = []
    for index in range(SHOTS):
        line = TAKE[index % len(TAKE)].format(place=("alley", "corner", "fountain")[index // 3 % 3])
        lines.append(f"  - {{id: s{index:02}, {line}}}\n")
    path = folder / "film.yaml"
    path.write_text(HEAD.format(assets=assets) + "".join(lines), encoding="utf-8")
    return path


def started(film: Path, output: Path, store: Path, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "anix_cli", "render", str(film), "-o", str(output), *options],
        env={**os.environ, "ANIX_CACHE_DIR": str(store)}, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT,
    )  # fmt: skip


def ended(process: subprocess.Popen[bytes], store: Store, kill: bool, chance: random.Random) -> bool:
    """Whether a run came to its end; else it was killed at random: before it rendered, or some time after it
    had finished so many clips, so that the load of the machine does not decide what is hit."""
    threading.Thread(target=process.communicate, daemon=True).start()
    if not kill:
        process.wait()
        return True
    if over_at_a_random_moment(process, store, chance):
        return True
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return False


def over_at_a_random_moment(process: subprocess.Popen[bytes], store: Store, chance: random.Random) -> bool:
    """Waits for a random moment; whether the run was over by then."""
    clips, moment_s = store.count + chance.choice((-1, 0, 0, 1, 2)), chance.random() * LONGEST_S
    while process.poll() is None and store.count < clips:
        time.sleep(0.02)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(moment_s)
        return True
    return False


def fill(disk: Path, leave: int) -> None:
    """Takes what is free on a disk but for some bytes."""
    found = os.statvfs(disk)
    free = found.f_bavail * found.f_frsize - leave
    with (disk / FILLER).open("wb") as stream:
        if free > 0:
            os.posix_fallocate(stream.fileno(), 0, free)


def told_of_full_disk(code: int, said: str) -> bool:
    """Whether a run on a disk that became full ended as it should: with the film, or with what is wrong."""
    return "Traceback" not in said and (code == 0 or (code == 4 and ("E411" in said or "E461" in said)))


def frames_digest(film: Path) -> str:
    digest = hashlib.sha256()
    for frame in iter_frames(film, kind="delivery"):
        digest.update(frame.tobytes())
    return digest.hexdigest()


def run_through(film: Path, output: Path, store: Path) -> int:
    """The exit code of a run that is not disturbed."""
    process = started(film, output, store, "--no-report")
    process.communicate()
    return process.returncode


def clean(store: Path, *options: str) -> bool:
    """Whether everything in the store is what was put there, once what dead runs left has been swept up."""
    anix = [sys.executable, "-m", "anix_cli", "cache"]
    subprocess.run([*anix, "gc", str(store)], check=True, capture_output=True, cwd=ROOT)
    found = subprocess.run(
        [*anix, "verify", str(store), *options], check=False, capture_output=True, cwd=ROOT
    )
    # The lock of a writer that had just begun is left for a minute.
    left = [path for path in (store / "v1" / "tmp").glob("*") if path.suffix != ".lock"]
    return found.returncode == 0 and not left


def measure(kills: int, flips: int, seed: int) -> dict[str, object]:
    chance = random.Random(seed)  # noqa: S311
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        film = screenplay(folder)
        first = Store(folder / "reference")
        if run_through(film, folder / "reference.mp4", first.folder):
            raise SystemExit("the undisturbed film could not be made")
        first.look()
        wanted, needed = frames_digest(folder / "reference.mp4"), first.rendered
        done = flipped = rounds = rendered = 0
        identical = tidy = True
        while done < kills or rounds == 0:
            store, output = Store(folder / f"store{rounds}"), folder / f"film{rounds}.mp4"
            while not ended(
                process := started(film, output, store.folder, "--no-report"), store, done < kills, chance
            ):
                done += 1
                store.look()
                if flipped < flips and chance.random() < 0.5:
                    flipped += store.flip(chance)
            store.look()
            code = process.wait()
            if flips and not clean(store.folder, "--discard"):
                code = max(code, run_through(film, output, store.folder))
                store.look()
            identical &= code == 0 and frames_digest(output) == wanted
            tidy &= clean(store.folder)
            rendered += store.rendered
            rounds += 1
    found: dict[str, object] = {
        "kills": done,
        "identical": identical,
        "clips_rendered": rendered,
        "clips_needed": needed * rounds,
        "store_clean": tidy,
        "films": rounds,
    }
    return {**found, "flips": flipped, "redone": rendered - needed * rounds} if flips else found


def measure_full(times: int, seed: int) -> dict[str, object]:
    """As :func:`measure`, but disks become full."""
    chance = random.Random(seed)  # noqa: S311
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        film = screenplay(folder)
        first = Store(folder / "reference")
        if run_through(film, folder / "reference.mp4", first.folder):
            raise SystemExit("the undisturbed film could not be made")
        first.look()
        wanted, needed = frames_digest(folder / "reference.mp4"), first.rendered
        disk = folder / "disk"
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "none", disk], check=True)  # noqa: S607
        told = identical = tidy = True
        full = rounds = rendered = 0
        stopped = 0
        while full < times or rounds == 0:
            store, output = Store(disk / f"store{rounds}"), disk / f"film{rounds}.mp4"
            options = ("--events", str(disk / "events.ndjson"), "--metrics", str(disk / "anix.prom"))
            for _ in range(FULL_A_FILM):
                process = started(film, output, store.folder, *options)
                said: list[bytes] = []
                reader = threading.Thread(
                    target=lambda p=process, s=said: s.append(p.communicate()[1]), daemon=True
                )
                reader.start()
                over = over_at_a_random_moment(process, store, chance)
                if not over:
                    fill(disk, chance.choice((0, 0, 4096, 20_000, 100_000)))
                    full += 1
                process.wait(120)
                reader.join()
                told &= told_of_full_disk(process.returncode, said[0].decode(errors="replace"))
                stopped += not over and process.returncode != 0
                (disk / FILLER).unlink(missing_ok=True)
                store.look()
            code = run_through(film, output, store.folder)
            store.look()
            identical &= code == 0 and frames_digest(output) == wanted
            tidy &= clean(store.folder)
            rendered += store.rendered
            rounds += 1
            shutil.rmtree(store.folder)
        subprocess.run(["umount", disk], check=False)  # noqa: S607
    return {
        "full": full, "stopped": stopped, "told": told, "identical": identical,
        "clips_rendered": rendered, "clips_needed": needed * rounds, "store_clean": tidy, "films": rounds,
    }  # fmt: skip


def in_a_namespace() -> None:
    """Begins this program anew where it may mount a file system that nobody else sees."""
    if os.environ.get(NAMESPACE):
        return
    program = shutil.which("unshare")
    if program is None:
        raise SystemExit("--enospc needs unshare (util-linux), to make a small disk")
    again = [program, "--user", "--map-root-user", "--mount", sys.executable, "-m", "benchmarks.chaos"]
    os.execve(program, [*again, *sys.argv[1:]], {**os.environ, NAMESPACE: "1"})  # noqa: S606


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--flips", type=int, default=0)
    parser.add_argument("--enospc", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if asked.enospc:
        in_a_namespace()
        found = measure_full(asked.enospc, asked.seed)
    else:
        found = measure(asked.kills, asked.flips, asked.seed)
    if asked.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:<15}{value}")


if __name__ == "__main__":
    main()
