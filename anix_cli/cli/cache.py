"""``anix cache ls|gc|verify``"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..core.errors import ExitCode, fail
from .options import Json, say, say_json

if TYPE_CHECKING:
    from ..store.store import Store
    from ..store.upkeep import Kept

Place = Annotated[
    Path | None,
    typer.Argument(
        metavar="[FILM.YAML|DIR]",
        readable=False,
        help="Whose store: a screenplay, or a folder with one; default: ANIX_CACHE_DIR, else here.",
    ),
]
_SIZES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_TIMES_S = {"m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}


def register(app: typer.Typer) -> None:
    cache = typer.Typer(
        name="cache",
        help="The store of guides, clips and packed scenes: all of it can be made again.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    cache.command("ls", epilog="Example:  anix cache ls film.yaml")(list_store)
    cache.command("gc", epilog="Example:  anix cache gc film.yaml --unused 30d --keep 50GB")(collect)
    cache.command("verify", epilog="Example:  anix cache verify film.yaml --discard")(verify_store)
    app.add_typer(cache)


def list_store(place: Place = None, as_json: Json = False) -> None:
    """Say how much of what lies in the store, and how long nobody has used it."""
    from ..store.upkeep import kept

    store = _store(place)
    groups: dict[str, list[Kept]] = {}
    for one in kept(store):
        groups.setdefault(one.entry.kind, []).append(one)
    rows = [_group(kind, found) for kind, found in groups.items()]
    if as_json:
        say_json({"store": str(store.root), "kinds": rows})
        return
    say(str(store.root))
    for row in rows:
        age = f"unused {_age(row['last_used_s'])} to {_age(row['first_used_s'])}"
        say(f"{row['kind']}\t{row['entries']}\t{_size(row['bytes'])}\t{age}")


def collect(
    place: Place = None,
    unused: Annotated[
        str | None, typer.Option("--unused", metavar="TIME", help="What nobody used for so long goes: 30d.")
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option("--keep", metavar="SIZE", help="No more than this stays, lately used first: 50GB."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go, and keep it.")] = False,
    as_json: Json = False,
) -> None:
    """Remove what has not been used for long, or what is too much; what dead runs left goes in any case.

    What was used within the last hour stays.
    """
    from ..store.upkeep import kept, remove, sweep_all, too_old

    unused_s, most_bytes = _seconds(unused), _bytes(keep)
    store = _store(place)
    gone = too_old(kept(store), unused_s=unused_s, most_bytes=most_bytes)
    left_over = 0
    if not dry_run:
        left_over = sweep_all(store)
        remove(store, gone, lambda one: None)
    size = sum(one.bytes for one in gone)
    if as_json:
        names = [f"{one.entry.kind}/{one.entry.key}" for one in gone]
        say_json({"store": str(store.root), "removed": names, "bytes": size, "left_over": left_over})
    else:
        say(f"{'would remove' if dry_run else 'removed'} {len(gone)} entries, {_size(size)}")


def verify_store(
    place: Place = None,
    discard: Annotated[
        bool, typer.Option("--discard", help="Remove what is damaged; it is made again when it is needed.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Read everything in the store and compare it with its checksums; exit code 1 if anything is damaged."""
    from ..store.upkeep import damaged, remains

    store = _store(place)
    found: list[dict[str, Any]] = []
    for entry, problems in damaged(store):
        found.append({"entry": f"{entry.kind}/{entry.key}", "problems": problems})
        if discard:
            store.discard(entry)
    found += [
        {"entry": str(folder.relative_to(store.root)), "problems": ["is not whole, and is not used"]}
        for folder in remains(store)
    ]
    if as_json:
        say_json({"store": str(store.root), "clean": not found, "damaged": found})
    for one in () if as_json else found:
        say(f"{one['entry']}\t{'; '.join(one['problems'])}")
    if not as_json and not found:
        say("clean")
    if found:
        if discard:
            sys.stderr.write("anix: what was damaged is removed\n")
        raise typer.Exit(ExitCode.SHOTS_FAILED)


def _store(place: Path | None) -> Store:
    """The store that was meant.

    Raises:
        AnixError: E416, there is none.
    """
    from ..run.layout import store_root
    from ..store.store import VERSION, Store

    if place is None or place.suffix.lower() in (".yaml", ".yml"):
        root = store_root(place or Path("film.yaml"))
    else:
        root = place if (place / f"v{VERSION}").is_dir() else place / ".anix"
    if not root.is_dir():
        raise fail(
            "E416",
            f"there is no store in {root}",
            file=root,
            hint="name a screenplay that has been rendered, its folder, or set ANIX_CACHE_DIR",
        )
    return Store(root)


def _group(kind: str, found: list[Kept]) -> dict[str, Any]:
    ages = [one.unused_s for one in found]
    return {
        "kind": kind,
        "entries": len(found),
        "bytes": sum(one.bytes for one in found),
        "last_used_s": round(min(ages)),
        "first_used_s": round(max(ages)),
    }


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([mhdw])", text.strip().lower(), re.ASCII)
    if found is None:
        raise typer.BadParameter(f"{text!r} is no time; write 12h, 30d or 8w", param_hint="'--unused'")
    return float(found[1]) * _TIMES_S[found[2]]


def _bytes(text: str | None) -> int | None:
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)b?", text.strip().lower(), re.ASCII)
    if found is None:
        raise typer.BadParameter(f"{text!r} is no size; write 500MB or 50GB", param_hint="'--keep'")
    return round(float(found[1]) * _SIZES[found[2]])


def _age(seconds: float) -> str:
    unit, length = next(
        ((name, s) for name, s in (("d", 86400), ("h", 3600), ("min", 60)) if seconds >= s), ("s", 1)
    )
    return f"{seconds / length:.0f} {unit}"


def _size(count: float) -> str:
    unit, name = next(((u, n) for u, n in ((1e9, "GB"), (1e6, "MB")) if count >= u), (1e3, "kB"))
    return f"{count / unit:.3g} {name}"
