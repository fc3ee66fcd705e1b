"""What all pages share: one file that needs nothing else, in which nothing from outside is obeyed.

Every value that a template shows is escaped, for terminals and for HTML. A Content-Security-Policy lets the
page's own style and script run, by their digests, and nothing else; pictures come from the page itself.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from .. import __version__
from .drawing import Drawing, svg
from .terminal import escaped

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_TEMPLATES = Path(__file__).parent / "templates"
_SOURCES = ("base.html", "film.html", "index.html", "style.css", "script.js")


@cache
def page_version() -> str:
    """Changes when pages are drawn otherwise."""
    texts = [(_TEMPLATES / name).read_bytes() for name in _SOURCES]
    return f"{__version__} {hashlib.sha256(b''.join(texts)).hexdigest()}"


def render(template: str, stamp: str, **values: Any) -> str:
    """A page by the name of its template.

    Args:
        stamp: kind and digest of what it tells, for a meta element near its beginning.
    """
    from markupsafe import Markup

    style, script = (_source(name) for name in ("style.css", "script.js"))
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    ours = {"style": Markup(style), "script": Markup(script), "policy": Markup(policy)}  # noqa: S704
    page = _environment().get_template(template)
    return page.render(stamp=stamp, version=__version__, **ours, **values)


def seconds(value: float | None) -> str:
    """A time for people: "–", "0.8 s", "3 min 05 s", "2 h 07 min"."""
    if not value:
        return "–"
    if value < 60:
        return f"{value:.1f} s"
    whole = round(value)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole // 60 % 60:02d} min"


def size(count: int) -> str:
    """Bytes for people."""
    unit, name = next(((u, n) for u, n in ((1e9, "GB"), (1e6, "MB")) if count >= u), (1e3, "kB"))
    return f"{count / unit:.3g} {name}"


def link(path: str) -> str:
    """A relative address of a file beside the page; whatever its name is, it leads nowhere else."""
    return "./" + quote(path.encode("utf-8", "surrogateescape"), safe="/")


def webp(data: bytes) -> Markup:
    return _inside("image/webp", data)


def picture_of(drawing: Drawing) -> Markup:
    """A drawing as a picture of its own, in which no script could run."""
    return _inside("image/svg+xml", svg(drawing).encode())


def _inside(kind: str, data: bytes) -> Markup:
    from markupsafe import Markup

    return Markup(f"data:{kind};base64,{base64.b64encode(data).decode()}")  # noqa: S704  (no text of anybody)


def _shown(value: Any) -> Any:
    """What is about to be shown: text of others without control characters, on one line, not endless."""
    if value is None:
        return ""
    return escaped(str(value)) if not hasattr(value, "__html__") else value


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _source(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    shared: Mapping[str, Any] = {
        "seconds": seconds,
        "size": size,
        "link": link,
        "webp": webp,
        "svg": picture_of,
    }
    found.globals.update(shared)
    return found
