"""Backends that make clips, found by entry point in the group ``anix.backends``. Importing this is light."""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from anix_cli.core.capabilities import Capabilities
from anix_cli.core.errors import AnixError, Diagnostic

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

    from anix_cli.core.clip import Backend

GROUP = "anix.backends"
OURS = {
    "animatic": ("anix_cli.generate.animatic", "AnimaticBackend"),
    "anix": ("anix_cli.generate.anix.backend", "AnixBackend"),
    "wan-vace": ("anix_cli.generate.vace.backend", "WanVaceBackend"),
    "wan-animate": ("anix_cli.generate.animate.backend", "WanAnimateBackend"),
    "wan-animate-2": ("anix_cli.generate.driven.backend", "WanAnimate2Backend"),
    "cogvideox": ("anix_cli.generate.firstframe.backend", "CogVideoXBackend"),
    "hunyuan-video": ("anix_cli.generate.firstframe.backend", "HunyuanVideoBackend"),
    "wan-i2v": ("anix_cli.generate.firstframe.backend", "WanI2VBackend"),
    "matrix-game-2": ("anix_cli.generate.worlds.backend", "MatrixGame2Backend"),
    "hunyuan-gamecraft": ("anix_cli.generate.worlds.backend", "GameCraftBackend"),
    "deepverse": ("anix_cli.generate.worlds.deepverse", "DeepVerseBackend"),
}
"""Those of anix itself are entry points like any other, but known without looking through all that is
installed, which takes longer than to check a screenplay."""
FOR_TESTS = {
    "faulty": ("anix_cli.generate.faulty", "FaultyBackend"),
    "anix-hunyuan-noise": ("anix_cli.generate.anix.noise", "AnixHunyuanNoise"),
    "anix-noise": ("anix_cli.generate.anix.noise", "AnixNoise"),
    "wan-vace-noise": ("anix_cli.generate.vace.noise", "WanVaceNoise"),
    "wan-animate-noise": ("anix_cli.generate.animate.noise", "WanAnimateNoise"),
    "wan-animate-2-noise": ("anix_cli.generate.driven.noise", "WanAnimate2Noise"),
    "cogvideox-noise": ("anix_cli.generate.firstframe.noise", "CogVideoXNoise"),
    "hunyuan-video-noise": ("anix_cli.generate.firstframe.noise", "HunyuanVideoNoise"),
    "wan-i2v-noise": ("anix_cli.generate.firstframe.noise", "WanI2VNoise"),
    "matrix-game-2-noise": ("anix_cli.generate.worlds.noise", "MatrixGame2Noise"),
    "hunyuan-gamecraft-noise": ("anix_cli.generate.worlds.noise", "GameCraftNoise"),
    "deepverse-noise": ("anix_cli.generate.worlds.noise", "DeepVerseNoise"),
}
"""On random weights, or broken on demand; only where the environment says ``ANIX_TEST_NOISE=1``."""

__all__ = ["GROUP", "backends", "capabilities", "get", "nearest", "use_gpus", "vram_gib"]

_gpus_per_clip = 1


def backends() -> tuple[str, ...]:
    """Names of the installed backends, sorted. Nothing of theirs is imported."""
    return tuple(sorted(_found()))


def get(name: str) -> Backend:
    """A new instance of a backend; ``close`` it after use.

    Raises:
        AnixError: E501, no backend has that name; E502, it is installed but cannot be loaded; E480, several
            GPUs for a clip are asked for, and it makes each on one.
    """
    kind = _load(name)
    try:
        made = cast("Backend", kind())
    except AnixError:
        raise
    except Exception as error:
        raise _broken(name, error) from error
    if _gpus_per_clip > 1:
        _share(made, name)
    return made


def use_gpus(per_clip: int) -> None:
    """From now on backends make each clip on so many GPUs."""
    global _gpus_per_clip  # noqa: PLW0603  (as the rasteriser's device: one choice for a process)
    _gpus_per_clip = per_clip


def _share(backend: Backend, name: str) -> None:
    take = getattr(backend, "use_gpus", None)
    if take is None:
        raise AnixError(
            Diagnostic("E480", f"{name} makes a clip on one GPU", hint="leave --gpus-per-clip out")
        )
    take(_gpus_per_clip)


def capabilities(name: str) -> Capabilities:
    """What a backend can do, without making one.

    Raises:
        AnixError: E501 or E502, as :func:`get`.
    """
    kind = _load(name)
    found = getattr(kind, "capabilities", None)
    if not isinstance(found, Capabilities):
        raise _broken(name, TypeError("it declares no capabilities"))
    return found


def vram_gib(name: str, options: Sequence[Mapping[str, Any]]) -> tuple[float, float] | None:
    """What must be free on the GPU for clips with such options: at least, and to be quickest. None for a
    backend that tells nothing of it, as one that needs no GPU.

    Raises:
        AnixError: E501 or E502, as :func:`get`.
    """
    tell = getattr(_load(name), "vram_gib", None)
    if tell is None or not options:
        return None
    found: tuple[float, float] = tell(_load(name)(), options)
    return found


def nearest(name: str, known: Collection[str] | None = None) -> str | None:
    """The one of ``known`` (None: the installed backends) that is spelt nearly so, if any is."""
    near = difflib.get_close_matches(name.lower(), backends() if known is None else known, n=1, cutoff=0.7)
    return near[0] if near else None


def entry_points(group: str) -> EntryPoints:
    """Of all installed distributions. Reading them is slow, and importing what reads them is as well."""
    from importlib import metadata

    return metadata.entry_points(group=group)


def _found() -> dict[str, EntryPoint]:
    """Entry points by name; of two with one name, the first that is not replaced: ours."""
    points: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        if point.name not in points or point.value.startswith("anix_cli."):
            points[point.name] = point
    return points


def _load(name: str) -> type:
    ours = {**OURS, **(FOR_TESTS if os.environ.get("ANIX_TEST_NOISE") == "1" else {})}
    if name in ours:
        module, attribute = ours[name]
        return cast(type, getattr(import_module(module), attribute))
    points = _found()
    if name not in points:
        near = nearest(name, points)
        known = ", ".join(sorted(points)) or "none"
        raise AnixError(
            Diagnostic(
                "E501",
                f"there is no backend called {name!r}; installed: {known}",
                found=name,
                expected=known,
                nearest=near,
                hint=f"did you mean {near}?" if near else "choose one of the installed backends",
            )
        )
    try:
        return cast(type, points[name].load())
    except Exception as error:  # a plug-in may fail in any way; it must not take the others with it
        raise _broken(name, error) from error


def _broken(name: str, error: Exception) -> AnixError:
    reason = f"{type(error).__name__}: {error}".splitlines()[0]
    message = f"the backend {name!r} is installed but cannot be loaded ({reason})"
    return AnixError(Diagnostic("E502", message, hint="reinstall the package that provides it"))
