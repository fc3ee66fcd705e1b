"""Plain commands read as a first assistant director would: text → ordered beats, by rules.

Data files under ``data/`` hold the words; the modules hold a small grammar. Pure, and without numbers'
libraries: a command is read in well under a millisecond a word.
"""

from __future__ import annotations

from .phrasing import in_words, joined_phrases
from .pieces import Lost
from .problems import Complaint, complaint
from .reading import spoken, understand
from .results import Corrected, Problem, Reading, Taken

__all__ = [
    "Complaint",
    "Corrected",
    "Lost",
    "Problem",
    "Reading",
    "Taken",
    "complaint",
    "in_words",
    "joined_phrases",
    "spoken",
    "understand",
]
