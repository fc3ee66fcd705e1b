"""Commands → beats; blocking; camera moves; clips, seeds, keys → Plan. Pure but for the plan's own files."""

from __future__ import annotations

from .build import build
from .commands import read_commands
from .planfile import plan_document, read_plan, write_plan
from .summary import summary, summary_text

__all__ = ["build", "plan_document", "read_commands", "read_plan", "summary", "summary_text", "write_plan"]
