"""Entry point of the ``anix`` command and of ``python -m anix_cli``."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and exits with a documented code."""
    from anix_cli.cli.main import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
