"""``python -m anix_cli.samples DIR [NAME …]``: writes sample scenes and views of sample characters."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import ASSETS, write_samples


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m anix_cli.samples", description=__doc__)
    parser.add_argument("directory", type=Path, help="where to write")
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"what to write, of {', '.join(ASSETS)}; without names: plaza.spz and mira_*.png",
    )
    wanted = parser.parse_args(arguments)
    if unknown := [name for name in wanted.names if name not in ASSETS]:
        parser.error(f"there is no asset {unknown[0]}; there are {', '.join(ASSETS)}")
    names = tuple(wanted.names)
    files = write_samples(wanted.directory, names) if names else write_samples(wanted.directory)
    sys.stdout.writelines(f"{path}\n" for path in files)
    return 0


if __name__ == "__main__":
    sys.exit(main())
