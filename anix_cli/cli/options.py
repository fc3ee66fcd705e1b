"""Arguments and options that several commands share, and how a screenplay or a plan is opened."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..core.errors import fail
from .streams import close_stdout, standard_input

if TYPE_CHECKING:
    from ..core.plan import Plan
    from ..core.screenplay import Screenplay

ScreenplayFile = Annotated[
    Path, typer.Argument(metavar="FILM.YAML", readable=False, help="The screenplay; - reads standard input.")
]
PlanFile = Annotated[
    Path,
    typer.Argument(
        metavar="PLAN.JSON", readable=False, help="What `anix plan -o` wrote; - reads standard input."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress; warnings and errors only.")]
Backend = Annotated[str, typer.Option("--backend", "-b", help="What makes the clips.")]
Ffmpeg = Annotated[
    Path | None,
    typer.Option("--ffmpeg", metavar="PATH", help="Use this ffmpeg instead of the one that came with anix."),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace the output even if another program made it.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Count warnings as errors.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A value in place of the file's: --set film.seed=3."),
]
Preset = Annotated[
    str | None,
    typer.Option(
        "--preset",
        metavar="draft|standard|final",
        help="How long the backend works on a clip, where a shot does not say it itself.",
    ),
]
GpusPerClip = Annotated[
    int,
    typer.Option("--gpus-per-clip", metavar="N", min=1, help="GPUs that work on each clip together."),
]
Device = Annotated[
    str | None,
    typer.Option(
        "--device",
        metavar="auto|cpu|cuda",
        help="What draws the splats: auto takes a GPU where one can be used (also ANIX_DEVICE).",
    ),
]
NoMetadata = Annotated[
    bool,
    typer.Option("--no-metadata", help="Write no title and no word of how it was made into the film's file."),
]
Candidates = Annotated[
    int | None,
    typer.Option(
        "--candidates", min=1, max=16, metavar="N", help="Make N variants of every shot to choose from."
    ),
]
Slate = Annotated[bool, typer.Option("--slate", help="Burn in shot id, command and time code.")]

STDIN = Path("-")
_UNSEEN = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def open_screenplay(path: Path, settings: Sequence[str] = ()) -> Screenplay:
    """Reads a screenplay from a file, or from standard input for ``-``; ``settings`` win over it."""
    from ..screenplay import load

    return load(path, text=standard_input() if path == STDIN else None, settings=settings)


def work_on(gpus_per_clip: int) -> None:
    """From now on clips are generated on so many GPUs each."""
    if gpus_per_clip > 1:
        from ..generate import use_gpus

        use_gpus(gpus_per_clip)


def preset_in(settings: Sequence[str] | None, backend: str, preset: str | None) -> tuple[str, ...]:
    """Values of ``--set`` with that of ``--preset`` before them, so that a written one wins."""
    given = () if preset is None else (f"defaults.options.{backend}.preset={preset}",)
    return (*given, *(settings or ()))


def open_plan(path: Path) -> Plan:
    """Reads a plan from a file, or from standard input for ``-``, and looks into the store again."""
    from ..plan.planfile import read_plan
    from ..run.stale import annotate
    from ..store.store import Store

    plan = read_plan(path, text=standard_input()) if path == STDIN else read_plan(path)
    return annotate(plan, Store(plan.store))


def draw_on(device: str | None) -> None:
    """From now on splats are drawn on what ``--device`` says; where it says nothing, on what there is.

    Raises:
        AnixError: E404, the GPU that was asked for cannot be used.
    """
    if device is None:
        return
    from ..splat.choose import DEVICES, use_device

    if device not in DEVICES:
        raise typer.BadParameter(f"{device!r} is not one of {', '.join(DEVICES)}", param_hint="'--device'")
    use_device(device)


def say(text: str) -> None:
    """A line of result on standard output.

    Raises:
        AnixError: E414, standard output can't be written (a full disk); BrokenPipeError, nobody reads it.
    """
    with _writing():
        sys.stdout.write(text + "\n")


def say_bytes(data: bytes) -> None:
    """Bytes on standard output, as they are whatever its encoding. Raises as :func:`say`."""
    with _writing():
        sys.stdout.flush()
        sys.stdout.buffer.write(data)


def say_json(value: Any) -> None:
    """One JSON document on standard output, in plain ASCII where that is not UTF-8. Raises as :func:`say`.

    What a terminal would obey, or show as nothing, is escaped even so.
    """
    text = json.dumps(value, indent=2, ensure_ascii=not unicode_stdout())
    say(_UNSEEN.sub(lambda found: f"\\u{ord(found.group()):04x}", text))


def unicode_stdout() -> bool:
    """Whether standard output takes UTF-8."""
    return (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"


def encodable(text: str) -> str:
    """A text of several lines with what standard output lacks written in plain signs."""
    from ..report.diagnostics import encoding_of
    from ..report.terminal import escaped

    return "\n".join(escaped(line, encoding_of(sys.stdout)) for line in text.split("\n"))


def flush() -> None:
    """Hands what was said to the system. Raises as :func:`say`."""
    with _writing():
        sys.stdout.flush()


@contextmanager
def unread() -> Iterator[None]:
    """What is said in the block is handed on; whether anybody reads it changes nothing."""
    try:
        yield
        flush()
    except BrokenPipeError:
        close_stdout()


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        close_stdout()
        reason = (error.strerror or str(error)).lower()
        raise fail("E414", f"standard output cannot be written: {reason}") from error
