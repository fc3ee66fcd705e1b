"""What is wrong with a model file, in words that all its parts share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from anix_cli.core.errors import AnixError, Diagnostic, fail

MAX_VERTICES = 4_000_000
"""Most vertices or triangles that are read, instances counted each."""

_CONTRADICTIONS = (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
_AS_MODEL = {"E304": "E351", "E306": "E352", "E307": "E353"}


def no_model(path: Path, what: str) -> AnixError:
    """E351."""
    hint = "Export the character as GLB; glTF and VRM are read as well."
    return fail("E351", f"{path.name} {what}", file=path, hint=hint)


def truncated(path: Path, what: str) -> AnixError:
    """E352."""
    hint = "Fetch or export the file again."
    return fail("E352", f"{path.name} is truncated: {what}", file=path, hint=hint)


def damaged(path: Path, what: str) -> AnixError:
    """E353."""
    return fail("E353", f"{path.name} is damaged: {what}", file=path, hint="Export or download it again.")


def unsupported(path: Path, what: str) -> AnixError:
    """E354."""
    hint = "Export it again as plain GLB (glTF 2.0), without compression."
    return fail("E354", f"{path.name} {what}, which is not supported", file=path, hint=hint)


def too_large(path: Path, what: str, most: str) -> AnixError:
    """E355."""
    hint = "Reduce the model (decimate it, or leave parts out), and export it again."
    return fail("E355", f"{path.name} promises {what}; anix reads at most {most}", file=path, hint=hint)


@contextmanager
def as_model(path: Path) -> Iterator[None]:
    """Tells what the glTF structure reader of scenes finds wrong in the words and codes of models."""
    try:
        yield
    except AnixError as error:
        raise AnixError([_translated(path, found) for found in error.diagnostics]) from error
    except _CONTRADICTIONS as error:
        raise damaged(path, "its description contradicts itself") from error


def _translated(path: Path, found: Diagnostic) -> Diagnostic:
    if found.code == "E305":
        what = found.message.removeprefix(f"{path.name} ").partition(", which is not supported")[0]
        return unsupported(path, what).diagnostics[0]
    if found.code == "E304":
        return no_model(path, "is no 3D model that can be read").diagnostics[0]
    code = _AS_MODEL.get(found.code, found.code)
    return Diagnostic(code, found.message, file=path, hint=found.hint)
