"""The page of ``anix watch``: the first new frame, the film, the report, and what is wrong."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

_TEMPLATES = Path(__file__).parent / "templates"


def watch_page(name: str) -> tuple[str, str]:
    """The page, and its Content-Security-Policy: its own style and script, and this server's files alone.

    Args:
        name: of the screenplay.
    """
    from markupsafe import escape

    style, script, body = (
        (_TEMPLATES / file).read_text(encoding="utf-8") for file in ("watch.css", "watch.js", "watch.html")
    )
    page = body.replace("{{ name }}", str(escape(name))).replace("{{ style }}", style)
    policy = (
        f"default-src 'none'; connect-src 'self'; img-src 'self'; media-src 'self'; frame-src 'self'; "
        f"style-src '{_digest(style)}'; script-src '{_digest(script)}'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )
    return page.replace("{{ script }}", script), policy


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
