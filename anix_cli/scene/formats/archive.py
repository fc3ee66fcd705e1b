"""The files that make up a scene of several: members of a zip archive, or files of a folder."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Protocol

from anix_cli.core.errors import fail

from .faults import corrupt, damaged

_MEMBERS_LIMIT = 10_000
_END_LIMIT = 65_535 + 22 + 20 + 56
"""Bytes at the end of an archive: the longest comment and what ends the list of contents."""
_ELSEWHERE = 0xFFFF


class Archive(Protocol):
    """Files by name."""

    def size(self, name: str) -> int | None:
        """Bytes of a file, unpacked; None where there is none."""
        ...

    def read(self, name: str, limit: int | None = None) -> bytes:
        """The file, or its first ``limit`` bytes."""
        ...


class Bundle:
    """Members of a zip archive, below ``prefix``.

    Raises:
        AnixError: E306, the archive has no end; E311, a member fails its checksum; E307, other damage.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.prefix = ""
        _check_members(path)
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError) as error:
            text = f"{path.name} is truncated or damaged: its archive has no list of contents at the end"
            hint = "The download or copy was probably cut off: fetch the file again."
            raise fail("E306", text, file=path, hint=hint) from error
        self._members = {member.filename: member for member in self._zip.infolist()}
        self._whole = path.stat().st_size

    def close(self) -> None:
        self._zip.close()

    @property
    def names(self) -> list[str]:
        return list(self._members)

    def size(self, name: str) -> int | None:
        member = self._members.get(self.prefix + name)
        return None if member is None else member.file_size

    def read(self, name: str, limit: int | None = None) -> bytes:
        member = self._members.get(self.prefix + name)
        if member is None:
            raise damaged(self.path, f"“{name[:80]}” in it is missing")
        if member.compress_size > self._whole:  # as much would be allocated
            raise damaged(self.path, f"“{name[:80]}” in it is said to be larger than the whole file")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            # Others are unpacked without a limit.
            raise damaged(self.path, f"“{name[:80]}” in it is neither stored nor deflated")
        try:
            with self._zip.open(member) as stream:
                # A bound in any case: what is packed may be more than its size in the list of contents.
                return stream.read(member.file_size if limit is None else min(limit, member.file_size))
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise corrupt(self.path, f"“{name[:80]}” in it fails its own check") from error
        except (RuntimeError, NotImplementedError, ValueError, MemoryError) as error:
            text = f"“{name[:80]}” in it is encrypted or packed in an unknown way"
            raise damaged(self.path, text) from error


def _check_members(path: Path) -> None:
    """Refuses an archive with so many files that its list alone would take seconds to read (E307).

    The list's end says how many there are (APPNOTE.TXT, 4.3.16), or that a field elsewhere does, as it is
    with 65,535 and more.
    """
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - _END_LIMIT))
        tail = stream.read()
    at = tail.rfind(b"PK\5\6")
    count = int.from_bytes(tail[at + 10 : at + 12], "little") if at >= 0 else 0
    if count == _ELSEWHERE:
        at = tail.rfind(b"PK\6\6")
        count = int.from_bytes(tail[at + 32 : at + 40], "little") if at >= 0 else count
    if count > _MEMBERS_LIMIT:
        raise damaged(path, f"as an archive it has {count:,} files, more than any scene")


class Folder:
    """Files beside a file. Names that lead out of the folder are refused: a scene is untrusted."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def file(self, name: str) -> Path | None:
        """The path of a file below the folder; None where there is none."""
        parts = PurePosixPath(name.replace("\\", "/")).parts
        if not parts or ".." in parts or PurePosixPath(name).is_absolute() or "\0" in name or ":" in name:
            return None
        file = self.path.parent.joinpath(*parts)
        try:
            return file if file.is_file() else None
        except OSError:  # a name longer than the file system allows
            return None

    def size(self, name: str) -> int | None:
        file = self.file(name)
        return None if file is None else file.stat().st_size

    def read(self, name: str, limit: int | None = None) -> bytes:
        file = self.file(name)
        if file is None:
            raise damaged(self.path, f"“{name[:80]}” is missing beside it")
        with file.open("rb") as stream:
            return stream.read() if limit is None else stream.read(limit)
