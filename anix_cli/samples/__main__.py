"""``python -m anix_cli.samples DIR``: writes the sample scene and the four views of the sample character."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import write_samples


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m anix_cli.samples", description=__doc__)
    parser.add_argument("directory", type=Path, help="where to write plaza.spz and mira_*.png")
    files = write_samples(parser.parse_args(arguments).directory)
    sys.stdout.writelines(f"{path}\n" for path in files)
    return 0


if __name__ == "__main__":
    sys.exit(main())
