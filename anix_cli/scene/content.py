"""What a scene's content is, wherever it lies: the digest that keys and plans go by."""

from __future__ import annotations

from pathlib import Path

from anix_cli.core.keys import file_digest, fingerprint

from .structure import scene_files


def scene_digest(path: Path) -> str:
    """SHA-256 of the file, or of all files that a scene of several consists of, hexadecimal.

    Raises:
        AnixError: as ``scene_files``.
    """
    digests = [file_digest(file) for file in scene_files(path)]
    return digests[0] if len(digests) == 1 else fingerprint({"scene files": digests})
