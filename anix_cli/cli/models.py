"""``anix models list|pull|verify|path``"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ..core.errors import ExitCode
from .options import Json, encodable, say, say_json

Name = Annotated[str, typer.Argument(metavar="NAME", help="As in `anix models list`.")]


def register(app: typer.Typer) -> None:
    models = typer.Typer(
        name="models",
        help="The weights that generation needs: what there is, and what of it is here.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    models.command("list", epilog="Example:  anix models list --json")(list_models)
    models.command(epilog="Example:  anix models pull wan2.1-vace-1.3b")(pull)
    models.command(epilog="Example:  anix models verify wan2.1-vace-14b --deep")(verify)
    models.command(epilog="Example:  anix models path wan2.1-vace-1.3b")(path)
    models.command(
        epilog="Example:  anix models convert hunyuancustom-editing mp_rank_00_model_states.pt --from-pickle"
    )(convert)
    app.add_typer(models)


def list_models(as_json: Json = False) -> None:
    """List the weights that anix knows, with their licences, and what of them is on this machine."""
    from ..model.registry import WEIGHTS

    rows = [_record(name) for name in WEIGHTS]
    if as_json:
        say_json({"models": rows})
        return
    for row in rows:
        size = f"{row['bytes'] / 1e9:.1f} GB" if row["bytes"] else "size: asked before a download"
        say(encodable(f"{row['name']}\n  {row['holds']}\n  {row['repo']} · {size}"))
        say(encodable(f"  {row['licence']}: {row['note']}\n  {_where(row)}"))


def pull(
    name: Name,
    revision: Annotated[
        str | None,
        typer.Option("--revision", metavar="COMMIT", help="This commit, and from now on; 40 digits."),
    ] = None,
) -> None:
    """Fetch weights from the Hugging Face hub; prints their folder or file.

    The licence is shown first, and what is here already is not fetched again.
    """
    from ..model.fetch import pull as fetch
    from ..model.registry import weights_called

    weights = weights_called(name)
    sys.stderr.write(encodable(f"{weights.repo}: {weights.licence}: {weights.note}") + "\n")
    sys.stderr.flush()
    say(str(fetch(weights, revision).path))


def verify(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Else all that are here.")] = None,
    deep: Annotated[
        bool, typer.Option("--deep", help="Compare digests that are known; reads every byte.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check that weights are whole: no half download, no Git LFS pointer, no pickle."""
    from ..core.errors import fail
    from ..model.places import find
    from ..model.registry import WEIGHTS, weights_called
    from ..model.whole import problems

    asked = [weights_called(name)] if name else list(WEIGHTS.values())
    placed = [one for one in map(find, asked) if one is not None]
    if name and not placed:
        raise fail(
            "E474",
            f"the weights {name} are not on this machine",
            hint=f"run `anix models pull {name}`",
        )
    found = {one.weights.name: problems(one, deep=deep) for one in placed}
    if as_json:
        say_json({key: [{"file": p.file, "what": p.what} for p in value] for key, value in found.items()})
    elif not found:
        say("no weights are on this machine")
    else:
        for key, value in found.items():
            say(encodable("\n".join([f"{key}: {p.file} {p.what}" for p in value] or [f"{key}: whole"])))
    if any(found.values()):
        raise typer.Exit(ExitCode.ENVIRONMENT)


def path(name: Name) -> None:
    """Print where weights lie; where they are not here, where anix would look first (exit code 4)."""
    from ..model.places import find, weights_root
    from ..model.registry import weights_called

    weights = weights_called(name)
    placed = find(weights)
    say(str(placed.path if placed else weights_root() / weights.name))
    if placed is None:
        raise typer.Exit(ExitCode.ENVIRONMENT)


def convert(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="As published.")],
    from_pickle: Annotated[
        bool, typer.Option("--from-pickle", help="Yes: read a pickle, by torch.load with weights_only.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make weights that are published as a pickle ready for anix: safetensors, in the folder of weights.

    Prints the folder, and how many tensors matched. The file is read by torch's restricted unpickler, which
    builds tensors and calls nothing; anix never reads a pickle otherwise.
    """
    from ..core.errors import fail
    from ..run.convertweights import convert_weights

    if not from_pickle:
        raise fail("E475", f"{file} is a pickle", file=file, hint="pass --from-pickle to read it anyway")
    folder, report = convert_weights(name, file)
    if as_json:
        say_json({
            "path": str(folder), "matched": len(report.matched), "missing": list(report.missing),
            "unexpected": list(report.unexpected),
        })  # fmt: skip
        return
    say(encodable(f"{folder}\n{len(report.matched)} tensors matched, {len(report.missing)} are new"))


def _record(name: str) -> dict[str, Any]:
    from ..model.places import find, pinned
    from ..model.registry import WEIGHTS

    weights = WEIGHTS[name]
    placed = find(weights)
    return {
        "name": name,
        "holds": weights.holds,
        "repo": weights.repo,
        "revision": pinned(weights),
        "bytes": weights.bytes,
        "licence": weights.licence,
        "note": weights.note,
        "path": str(placed.path) if placed else None,
        "used_revision": placed.revision if placed else None,
    }


def _where(row: dict[str, Any]) -> str:
    if row["path"] is None:
        return "not on this machine"
    commit = f" (commit {row['used_revision'][:12]})" if row["used_revision"] else ""
    return f"in {row['path']}{commit}"
