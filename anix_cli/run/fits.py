"""Whether a backend can make what a screenplay asks for: sizes, rates, options, the length of prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from textwrap import shorten
from typing import Any

from .. import generate
from ..core.capabilities import Capabilities
from ..core.errors import Diagnostic
from ..core.screenplay import PathInFile, Screenplay
from ..generate.diffusion.words import cut
from ..model.tokens import counter
from ..plan.camerawords import camera_words
from ..plan.commands import read_command, reading_of_shot
from ..plan.prompt import prompt_of, tokens_estimate
from ..plan.said import said_of


def fits(screenplay: Screenplay, backend: str, capabilities: Capabilities) -> Iterator[Diagnostic]:
    """What the backend cannot make (E191 … E194) or will not see (W191 … W193)."""
    yield from _size(screenplay, backend, capabilities)
    if capabilities.cannot:
        yield screenplay.diagnostic(
            (),
            "W193",
            f"{backend} cannot take all that is planned; what does not reach it: "
            f"{', '.join(capabilities.cannot)}",
        )
    if "memory" not in capabilities.uses and (
        screenplay.film.memory or any(shot.memory for shot in screenplay.shots)
    ):
        yield screenplay.diagnostic(
            ("film", "memory"), "W193", f"{backend} remembers no earlier clips; memory does not reach it"
        )
    if capabilities.fps and screenplay.film.fps not in (None, capabilities.fps):
        yield screenplay.diagnostic(
            ("film", "fps"),
            "E192",
            f"the backend {backend} makes {capabilities.fps} frames a second; "
            "other rates are not supported yet",
            hint=f"leave film.fps out, or write {capabilities.fps}",
        )
    yield from _options(screenplay, backend, capabilities)
    if capabilities.prompt_tokens is not None:
        yield from _prompts(screenplay, backend, capabilities, capabilities.prompt_tokens)


def no_rig(screenplay: Screenplay, where: PathInFile, character: str, backend: str) -> Diagnostic:
    """E195: a character whose body has no joints, for a backend that moves them by theirs."""
    return screenplay.diagnostic(
        where,
        "E195",
        f"{backend} moves characters by their skeletons, and {character} has no rig that is known",
        hint="export the model with its rig, give four views, or take another backend",
    )


def _size(screenplay: Screenplay, backend: str, capabilities: Capabilities) -> Iterator[Diagnostic]:
    width, height = screenplay.film.size_px
    step = capabilities.size_multiple
    if capabilities.sizes:
        if (width, height) not in capabilities.sizes:
            only = " or ".join(f"{w}x{h}" for w, h in capabilities.sizes)
            yield screenplay.diagnostic(
                ("film", "size"),
                "E191",
                f"size {width}x{height}: {backend} makes no other size than {only}",
                found=f"{width}x{height}",
                expected=only,
            )
        return
    if width % step == 0 and height % step == 0:
        return
    below = (max(width // step, 1) * step, max(height // step, 1) * step)
    above = (-(-width // step) * step, -(-height // step) * step)
    near = list(dict.fromkeys(f"{w}x{h}" for w, h in (below, above)))
    yield screenplay.diagnostic(
        ("film", "size"),
        "E191",
        f"size {width}x{height}: {backend} needs multiples of {step}; use {' or '.join(near)}",
        found=f"{width}x{height}",
        expected=f"multiples of {step}",
    )


def _options(screenplay: Screenplay, backend: str, capabilities: Capabilities) -> Iterator[Diagnostic]:
    """Options of this backend by what it takes; those of others as far as the others are known."""
    asked = {name for shot in screenplay.shots for name in shot.options}
    known = {name: capabilities if name == backend else None for name in asked}
    installed = generate.backends() if asked - {backend} else ()
    said: set[tuple[str, str]] = set()
    for index, shot in enumerate(screenplay.shots):
        for name, options in shot.options.items():
            where = _place(screenplay, index, name)
            if name in installed and known[name] is None:
                known[name] = generate.capabilities(name)
            takes = known[name]
            if takes is None:
                if (name, "") not in said:
                    said.add((name, ""))
                    yield _not_installed(screenplay, where, name, installed)
                continue
            yield from _values(screenplay, where, name, options, takes)


def _place(screenplay: Screenplay, index: int, backend: str) -> PathInFile:
    """Where a shot's options for a backend are written: in the shot, or under the defaults."""
    own = ("shots", index, "options")
    return (*own, backend) if own in screenplay.positions else ("defaults", "options", backend)


def _not_installed(
    screenplay: Screenplay, where: PathInFile, name: str, installed: tuple[str, ...]
) -> Diagnostic:
    near = generate.nearest(name)
    code = "E193" if near else "W191"
    return screenplay.diagnostic(
        where,
        code,
        f'no backend "{name}" is installed, so its options are not checked',
        expected=f"one of {', '.join(installed)}",
        nearest=near,
    )


def _values(
    screenplay: Screenplay, where: PathInFile, backend: str, options: Mapping[str, Any], takes: Capabilities
) -> Iterator[Diagnostic]:
    for name, value in options.items():
        option = takes.options.get(name)
        if option is None:
            yield screenplay.diagnostic(
                (*where, name),
                "E193",
                f'{backend} has no option "{name}"',
                expected=f"one of {', '.join(takes.options)}" if takes.options else "no options",
                nearest=generate.nearest(name, takes.options),
            )
        elif not option.takes(value):
            shown = str(value).lower() if isinstance(value, bool) else value
            yield screenplay.diagnostic(
                (*where, name),
                "E194",
                f'the option "{name}" of {backend} cannot be {shown}',
                expected=option.expected,
                hint=option.description,
            )


def _prompts(
    screenplay: Screenplay, backend: str, capabilities: Capabilities, most: int
) -> Iterator[Diagnostic]:
    """W192 where an encoder would cut words off: counted by its tokenizer where that is on this machine, else
    estimated."""
    count: Callable[[str], int] | None = None
    exactly = False
    for index, shot in enumerate(screenplay.shots):
        beats, cameras, _ = read_command(screenplay, index)
        character = screenplay.characters.get(shot.character or "")
        if shot.character is None or character is None:
            continue
        prompt = prompt_of(
            shot,
            shot.character,
            character,
            beats,
            said_of(shot, reading_of_shot(screenplay, shot)),
            camera=camera_words(cameras, beats),
            scene=screenplay.scene.description,
        )
        if tokens_estimate(prompt) <= most:  # on the high side: the tokenizer need not be asked
            continue
        if count is None:
            found = counter(capabilities.tokenizers)
            count, exactly = found or tokens_estimate, found is not None
        _, lost = cut(prompt, count, most)
        if lost:
            yield screenplay.diagnostic(
                ("shots", index, "prompt"),
                "W192",
                f"the words for this shot make {'' if exactly else 'about '}{count(prompt)} tokens, and "
                f"{backend} reads {most}: lost would be “{shorten(lost, 90, placeholder=' …')}”",
                hint="shorten the prompt, the command, or a description",
            )
