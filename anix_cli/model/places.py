"""Where weights lie on this machine: a local folder first, then the hub's cache. Asks no network.

A local folder is ``$ANIX_WEIGHTS_DIR/<name>`` (else ``~/.cache/anix/weights/<name>``): copied there by hand,
a link, or a folder that another program fetched. The hub's cache has the layout of ``huggingface_hub``:
``models--<owner>--<name>/refs/<branch>`` names the commit, ``snapshots/<commit>`` holds its files.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import fail
from ..store import atomic
from .registry import WEIGHTS, Weights

PINS = "pins.json"
_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class Placed:
    """Weights on this machine.

    Attributes:
        folder: that holds their files.
        revision: the hub's commit, None where the folder does not tell.
        local: whether it is the user's own folder.
    """

    weights: Weights
    folder: Path
    revision: str | None
    local: bool

    @property
    def path(self) -> Path:
        """The folder of a pipeline, or the one file."""
        return self.folder / self.weights.file if self.weights.file else self.folder


def weights_root() -> Path:
    """``ANIX_WEIGHTS_DIR``, else ``anix/weights`` in the user's cache."""
    chosen = os.environ.get("ANIX_WEIGHTS_DIR")
    if chosen:
        return Path(chosen).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path("~/.cache").expanduser()) / "anix" / "weights"


def hub_cache() -> Path:
    """Where ``huggingface_hub`` keeps what it fetched."""
    for name, below in (
        ("HF_HUB_CACHE", ""),
        ("HUGGINGFACE_HUB_CACHE", ""),
        ("HF_HOME", "hub"),
        ("XDG_CACHE_HOME", "huggingface/hub"),
    ):
        if os.environ.get(name):
            return Path(os.environ[name]).expanduser() / below
    return Path("~/.cache/huggingface/hub").expanduser()


def offline() -> bool:
    """Whether the user forbade the network (``HF_HUB_OFFLINE``, ``TRANSFORMERS_OFFLINE``)."""
    return any(
        os.environ.get(name, "").strip().upper() in ("1", "ON", "YES", "TRUE")
        for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    )


def pinned(weights: Weights) -> str | None:
    """The revision that is to be used: the user's pin, else the registry's, else None."""
    return _pins().get(weights.name) or weights.revision


def check_commit(revision: str) -> None:
    """Raises AnixError E479 where that is no commit."""
    if not _COMMIT.fullmatch(revision):
        raise fail(
            "E479",
            f"{revision!r} is no revision of weights: 40 hexadecimal digits are expected",
            hint="take the full commit from the history of the repository on the hub",
        )


def pin(weights: Weights, revision: str) -> None:
    """Records a revision as the one to use.

    Raises:
        AnixError: E479, it is no commit; E411, E412, it cannot be written.
    """
    check_commit(revision)
    root = weights_root()
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise fail(
            "E412",
            f"{root} cannot be made ({error.strerror})",
            hint="set ANIX_WEIGHTS_DIR to a folder that can be written",
        ) from error
    atomic.write_json(root / PINS, {**_pins(), weights.name: revision})


def find(weights: Weights) -> Placed | None:
    """Where the weights lie, None where they don't. Whether they are whole is another question."""
    own = weights_root() / weights.name
    if own.is_dir():
        return Placed(weights, own.resolve(), None, local=True)
    base = hub_cache() / f"models--{weights.repo.replace('/', '--')}"
    revision = pinned(weights) or _newest(base)
    if revision is None:
        return None
    folder = base / "snapshots" / revision
    return Placed(weights, folder, revision, local=False) if folder.is_dir() else None


def signature(*names: str) -> str:
    """Repository and pin of each of the weights, as part of a clip's key.

    Where nothing is pinned it says so, and not which commit this machine has: a plan that was made on a
    machine without weights holds on one that has them. Which they were is in each clip's record.
    """
    return "; ".join(f"{WEIGHTS[name].repo}@{pinned(WEIGHTS[name]) or 'newest'}" for name in names)


def _newest(base: Path) -> str | None:
    try:
        revision = (base / "refs" / "main").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    return revision if _COMMIT.fullmatch(revision) else None


def _pins() -> dict[str, str]:
    try:
        found = json.loads((weights_root() / PINS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        name: value for name, value in found.items() if isinstance(value, str) and _COMMIT.fullmatch(value)
    }
