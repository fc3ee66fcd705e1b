"""Fetches weights from the hub: after asking how much it is, and whether there is room."""

from __future__ import annotations

import shutil
from fnmatch import fnmatch
from typing import Any

from ..core.errors import AnixError, fail
from .places import Placed, check_commit, find, hub_cache, offline, pin, pinned
from .registry import Weights
from .whole import check

SPARE_BYTES = 2_000_000_000
"""To stay free beside a download."""


def resolve(weights: Weights) -> Placed:
    """The weights on this machine, whole: a local folder, the hub's cache, or fetched now.

    Only what is freely licensed is fetched unasked.

    Raises:
        AnixError: E474, they are not here and can't be fetched unasked; E475, they are not whole; E477, no
            room; E478, the download failed.
    """
    placed = look(weights)
    if placed is None:
        placed = pull(weights)
        check(placed)
    return placed


def look(weights: Weights) -> Placed | None:
    """As :func:`resolve`, but fetches nothing: None where it would be fetched.

    Raises:
        AnixError: E474, E475.
    """
    placed = find(weights)
    if placed is not None:
        check(placed)
        return placed
    if weights.made_with:
        raise _to_be_made(weights)
    if offline() or not weights.free:
        why = "the network is switched off (HF_HUB_OFFLINE)" if offline() else f"licence: {weights.licence}"
        raise fail(
            "E474",
            f"the weights {weights.name} ({weights.repo}) are not on this machine; {why}",
            hint=f"run `anix models pull {weights.name}` where there is a network, "
            f"or put them into the folder that `anix models path {weights.name}` tells",
        )
    return None


def pull(weights: Weights, revision: str | None = None) -> Placed:
    """Fetches weights into the hub's cache; what is there, or in the user's own folder, is not fetched.

    Args:
        revision: 40 hexadecimal digits, which are pinned; None takes the pin, else the newest.

    Raises:
        AnixError: E471, huggingface_hub is not installed; E474, offline; E475, the user's folder is not
            whole; E477, no room; E478, it failed; E479, that is no revision.
    """
    own = find(weights) if revision is None else None
    if own is not None and own.local:  # it comes first, so that what is fetched would not be used
        check(own)
        return own
    if weights.made_with:
        raise _to_be_made(weights)
    if offline():
        raise fail(
            "E474",
            f"the weights {weights.name} cannot be fetched: the network is switched off (HF_HUB_OFFLINE)",
            hint="unset HF_HUB_OFFLINE, or copy them from another machine",
        )
    if revision is not None:
        check_commit(revision)
    hub = _hub()
    try:
        wanted = revision or pinned(weights)
        listing = hub.HfApi().model_info(weights.repo, revision=wanted, files_metadata=True)
        if revision is not None:
            pin(weights, revision)  # it exists
        room(weights, needed_bytes(weights, listing.siblings))
        # By a branch's name, so that the cache notes which commit it is; a pin is a commit itself.
        asked = pinned(weights) or "main"
        hub.snapshot_download(weights.repo, revision=asked, allow_patterns=list(weights.files))
    except AnixError:
        raise
    except Exception as error:  # the network may fail in any way
        reason = f"{type(error).__name__}: {error}".strip().splitlines()[0]
        raise fail(
            "E478",
            f"the weights {weights.name} could not be fetched ({reason})",
            hint=_REFUSED.get(type(error).__name__, "run the same command again: what arrived is kept"),
        ) from error
    placed = find(weights)
    if placed is None:
        raise fail("E478", f"the weights {weights.name} were fetched, but are not in {hub_cache()}")
    check(placed)
    return placed


_REFUSED = {
    "GatedRepoError": "accept its terms on the hub, then sign in with `hf auth login`, or set HF_TOKEN",
    "RepositoryNotFoundError": "it was removed, or is private: sign in with `hf auth login`",
    "RevisionNotFoundError": "take a commit from the history of the repository on the hub",
}
"""What trying again does not mend, by the names of the hub's own errors."""


def _to_be_made(weights: Weights) -> AnixError:
    """E474: weights that are published as a pickle."""
    return fail(
        "E474",
        f"the weights {weights.name} are not on this machine; {weights.repo} publishes them as a pickle",
        hint=f"download its .pt, then run `anix models convert {weights.name} FILE.pt --from-pickle`",
    )


def needed_bytes(weights: Weights, siblings: Any) -> int:
    """Bytes of those files of a repository that are fetched: ``siblings`` have ``rfilename`` and ``size``."""
    return sum(
        int(file.size or 0)
        for file in siblings or ()
        if any(fnmatch(file.rfilename, pattern) for pattern in weights.files)
    )


def room(weights: Weights, needed: int) -> None:
    """Raises AnixError E477 where the cache's disk has no room for so many bytes."""
    folder = hub_cache().absolute()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if needed + SPARE_BYTES > free:
        raise fail(
            "E477",
            f"the weights {weights.name} take {needed / 1e9:.1f} GB in {hub_cache()}, "
            f"and {free / 1e9:.1f} GB are free",
            hint="free some space, or set HF_HOME to a folder on a larger disk",
        )


def _hub() -> Any:
    try:
        import huggingface_hub
    except ImportError as error:
        raise missing_extra("huggingface_hub") from error
    return huggingface_hub


def missing_extra(module: str) -> AnixError:
    """E471: what generation needs is not installed."""
    return fail(
        "E471",
        f"generation needs the Python package {module}, which is not installed",
        hint="pip install 'anix[generate]'",
    )
