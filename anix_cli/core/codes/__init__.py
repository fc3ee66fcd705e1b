"""The register of problem codes: what each means and which exit code it leads to.

``E1xx`` the screenplay as written · ``E2xx`` planning · ``E3xx`` scene, character and sound files ·
``E4xx`` the machine: outputs, ffmpeg, disk · ``E5xx`` generation · ``W…`` warnings in the same ranges.
A test holds that every code raised is registered and that every registered code is raised.
"""

from __future__ import annotations

from ..errors import Diagnostic, ExitCode
from .code import Code
from .inputs import CHARACTER, SCENE, SOUND
from .machine import MACHINE, OUTPUT
from .plan import PLAN
from .run import GENERATION, RUN
from .screenplay import SCREENPLAY, SCREENPLAY_FILE
from .weights import WEIGHTS

__all__ = ["CODES", "Code", "exit_code_of"]

CODES: dict[str, Code] = {
    **SCREENPLAY_FILE,
    **SCREENPLAY,
    **PLAN,
    **SCENE,
    **CHARACTER,
    **SOUND,
    **MACHINE,
    **OUTPUT,
    **GENERATION,
    **RUN,
    **WEIGHTS,
}


def exit_code_of(diagnostics: tuple[Diagnostic, ...]) -> ExitCode:
    """The exit code for a set of problems: that of the first error; 3 for a warning that counts as one."""
    for diagnostic in diagnostics:
        if diagnostic.strict:
            return ExitCode.INVALID
        if diagnostic.severity == "error":
            return CODES[diagnostic.code].exit_code if diagnostic.code in CODES else ExitCode.BUG
    return ExitCode.OK
