"""Which of a model's clips, and of a screenplay's motions, shows an action: by the words of its name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from difflib import SequenceMatcher

from .model import Clip
from .roles import words

IDLE, WALK, RUN = "idle", "walk", "run"

_HANDLED = (
    "close give grab inspect knock light lock open press put put_down ring show take touch turn_off turn_on "
    "unlock use wipe"
)

_WORDS: Mapping[str, tuple[str, ...]] = {
    IDLE: ("idle", "breathing", "standing", "stand", "rest"),
    WALK: ("walk", "walking", "walkcycle", "stroll"),
    RUN: ("run", "running", "runcycle", "sprint", "sprinting", "jog", "jogging"),
    "beckon": ("beckon", "come here"),
    "bow": ("bow", "bowing"),
    "catch": ("catch", "catching"),
    "cheer": ("cheer", "cheering", "celebrate", "victory", "happy"),
    "clap": ("clap", "clapping", "applaud"),
    "crouch": ("crouch", "crouching", "duck"),
    "cry": ("cry", "crying", "sad"),
    "dance": ("dance", "dancing"),
    "drink": ("drink", "drinking", "use item"),
    "eat": ("eat", "eating"),
    "fall": ("death", "die", "dying", "fall", "falling", "defeat"),
    "flinch": ("hit", "flinch", "hurt", "recieve hit"),
    "hit": ("attack", "melee attack", "slash", "chop", "slice", "punch", "hit"),
    "hop": ("hop", "jump"),
    "jump": ("jump", "jumping", "leap"),
    "kick": ("kick", "kicking"),
    "kneel": ("kneel", "kneeling"),
    "laugh": ("laugh", "laughing"),
    "lie_down": ("lie down", "lie", "lying", "sleep", "laying"),
    "look": ("look", "looking", "look around"),
    "nod": ("nod", "yes", "nodding", "agree"),
    "pick_up": ("pickup", "pick up", "picking up", "gather"),
    "point": ("point", "pointing"),
    "pray": ("pray", "praying"),
    "punch": ("punch", "punching", "boxing"),
    "push": ("push", "pushing"),
    "roll": ("roll", "dodge"),
    "salute": ("salute", "saluting"),
    "shake_head": ("no", "shake head", "headshake", "disagree"),
    "shrug": ("shrug",),
    "sit": ("sit", "sitting", "sit down", "seated"),
    "sleep": ("sleep", "sleeping", "lie down", "lie", "lying"),
    "sneak": ("sneak", "sneaking", "crouch walk"),
    "squat": ("squat", "crouch"),
    "stand_up": ("stand up", "standup", "get up", "standing"),
    "stretch": ("stretch", "stretching"),
    "swim": ("swim", "swimming"),
    "talk": ("talk", "talking", "speak", "conversation"),
    "throw": ("throw", "throwing"),
    "wave": ("wave", "waving", "greet", "greeting", "hello", "hi"),
    **dict.fromkeys(
        _HANDLED.split(),
        ("interact", "use item", "use"),
    ),
    **dict.fromkeys(("chop", "cut", "swing", "hammer"), ("chop", "slash", "slice", "swing", "attack")),
}
"""What clips of an action are called, best first."""

_OTHER = (
    "left right backward backwards back strafe strafing turn attack shoot shooting aim aiming gun rifle "
    "pistol sword bow injured hurt crouch crouching sneak sneaking jump hit death die block stop start land "
    "crawl carry holding hold reload ranged melee damage swim climb zombie drunk old angry sad tired "
    "pose end loop up down out floor chair standup spin dodge"
)
_ODD = frozenset(_OTHER.split())
"""Words that make an action another one, unless it is called by them itself."""
_ADDED = "a b c one normal basic default unarmed full short inplace in place cycle anim"
_PLAIN = frozenset(_ADDED.split())
_FIGHT = frozenset({"attack", "shoot", "shooting", "aim", "aiming", "reload"})
_LEAST = 0.55


def clip_for(action: str, clips: Sequence[Clip]) -> Clip | None:
    """The clip whose name fits an action best; None where none does.

    ``Running_A`` and ``CharacterArmature|Run`` are a run; ``Running_Strafe_Left`` and ``Run_Attack`` less so.
    """
    scored = [(_score(action, clip), -number, clip) for number, clip in enumerate(clips)]
    if not scored:
        return None
    best = max(scored, key=lambda each: each[:2])
    return best[2] if best[0] >= _LEAST else None


def motion_for(action: str, names: Collection[str]) -> str | None:
    """The name that stands for an action: the same word, a like one (``Waving`` for wave), or one that all
    words of are in it (``moonwalk`` for "perform the moonwalk"); None where there is none."""
    spoken = words(action)
    if not spoken:
        return None
    for name in names:
        if words(name) == spoken:
            return name
    if action in (WALK, RUN, IDLE):  # a moonwalk is no walk
        names = [name for name in names if not set(_WORDS[action]).isdisjoint(words(name))]
    found = clip_for(action, [Clip(name, 0.0, 1.0, ()) for name in names])
    if found is not None:
        return found.name
    within = [name for name in names if words(name) and set(words(name)) <= set(spoken)]
    return max(within, key=lambda name: len(words(name)), default=None)


def kind_of(name: str) -> str:
    """ "walk", "run" or "idle" for a motion by such a name, "" for any other: a gesture."""
    for kind in (WALK, RUN, IDLE):
        if motion_for(kind, [name]) == name:
            return kind
    return ""


def _score(action: str, clip: Clip) -> float:
    if clip.duration_s < 0.05 and action not in ("pose",):
        return 0.0
    named = words(clip.name.rpartition("|")[2])
    own = set(_WORDS.get(action, ())) | {action}
    spoken = {word for phrase in own for word in phrase.replace("_", " ").split()}
    best = 0.0
    for rank, phrase in enumerate((*_WORDS.get(action, ()), action.replace("_", " "))):
        wanted = phrase.split()
        fits = _similar(wanted, named)
        best = max(best, fits - 0.02 * rank)
    odd = sum(1 for word in named if word in _ODD and word not in spoken)
    more = sum(1 for word in named if not word.isdigit() and word not in spoken and word not in _PLAIN)
    fights = any(word in _FIGHT and word not in spoken for word in named)
    return best - 0.12 * odd - 0.04 * max(more - odd, 0) - (0.4 if fights else 0.0)


def _similar(wanted: Sequence[str], named: Sequence[str]) -> float:
    """1 where all wanted words are in a name, less where they are only nearly so; 0 where one is missing."""
    total = 0.0
    for word in wanted:
        best = max((_alike(word, other) for other in named), default=0.0)
        joined = 1.0 if len(word) > 3 and word in "".join(named) else 0.0
        best = max(best, 0.9 * joined)
        if best < 0.8:
            return 0.0
        total += best
    return total / len(wanted)


def _alike(word: str, other: str) -> float:
    if word == other:
        return 1.0
    if min(len(word), len(other)) < 4:
        return 0.0
    if other.startswith(word) and len(other) - len(word) <= 4:  # jump, jumping
        return 0.95
    return SequenceMatcher(None, word, other).ratio() - 0.05
