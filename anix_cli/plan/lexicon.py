"""The words that commands are made of. Data only; :mod:`.words` reads it.

Typical durations and speeds are our own estimates of everyday movement; walking at 1.4 m/s is the usual
preferred speed of adults.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Verb:
    """One sense of a verb.

    Attributes:
        category: locomotion, gesture, object or camera.
        action: canonical name; for the camera, the move.
        typical_s: how long it usually takes; for locomotion without an amount, its least share of a shot.
        speed_mps: pace of locomotion, 0 where it stays on the spot.
        direction: what it implies where none is said.
        speed: "slow" or "fast" where the word implies it.
    """

    category: str
    action: str
    typical_s: float = 2.0
    speed_mps: float = 0.0
    direction: str | None = None
    speed: str | None = None


def _go(action: str, speed_mps: float, direction: str | None = "forward", speed: str | None = None) -> Verb:
    return Verb("locomotion", action, 1.5, speed_mps, direction, speed)


def _spot(action: str, typical_s: float = 1.2, direction: str | None = None) -> Verb:
    return Verb("locomotion", action, typical_s, 0.0, direction)


def _do(action: str, typical_s: float = 2.0, direction: str | None = None) -> Verb:
    return Verb("gesture", action, typical_s, 0.0, direction)


def _use(action: str, typical_s: float = 2.0) -> Verb:
    return Verb("object", action, typical_s)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _film(move: str, direction: str | None = None) -> Verb:
    return Verb("camera", move, 0.0, 0.0, direction)


WALK, JOG, RUN, SPRINT = 1.4, 2.5, 4.0, 6.0

LOCOMOTION: dict[str, Verb] = {
    "walk": _go("walk", WALK), "go": _go("walk", WALK), "move": _go("walk", WALK),
    "come": _go("walk", WALK), "step": _go("step", 1.1), "stride": _go("walk", 1.7),
    "pace": _go("walk", WALK), "stroll": _go("walk", 1.0), "amble": _go("walk", 1.0),
    "wander": _go("walk", 1.0), "march": _go("march", 1.5), "goose-step": _go("march", 1.3),
    "parade": _go("march", 1.3), "sneak": _go("sneak", 0.8), "creep": _go("sneak", 0.7),
    "tiptoe": _go("tiptoe", 0.7), "shuffle": _go("shuffle", 0.6), "limp": _go("limp", 0.8),
    "stagger": _go("stagger", 0.8), "stumble": _go("stumble", 0.8),
    "trudge": _go("walk", 0.9, "forward", "slow"), "hike": _go("walk", WALK), "swagger": _go("walk", 1.2),
    "strut": _go("walk", 1.3), "hurry": _go("walk", 2.0, "forward", "fast"), "advance": _go("walk", WALK),
    "approach": _go("approach", WALK), "head": _go("walk", WALK), "proceed": _go("walk", WALK),
    "continue": _go("walk", WALK), "enter": _go("walk", WALK), "exit": _go("exit", WALK),
    "leave": _go("walk", WALK), "retreat": _go("walk", 1.2, "backward"), "cross": _go("walk", WALK),
    "return": _go("walk", WALK, "back"), "circle": _go("circle", WALK, "around"), "jog": _go("jog", JOG),
    "trot": _go("trot", JOG), "skip": _go("skip", 2.2), "lope": _go("jog", JOG), "run": _go("run", RUN),
    "rush": _go("run", RUN, "forward", "fast"), "race": _go("run", 5.0), "dash": _go("sprint", SPRINT),
    "sprint": _go("sprint", SPRINT), "bolt": _go("sprint", SPRINT), "charge": _go("run", 5.0),
    "gallop": _go("gallop", 5.0), "flee": _go("run", 5.0), "sidestep": _go("sidestep", 1.0, None),
    "moonwalk": _go("moonwalk", 0.9, "backward"), "climb": _go("climb", 0.5, "up"),
    "descend": _go("descend", 0.8, "down"), "ascend": _go("climb", 0.8, "up"),
    "shin": _go("climb", 0.5, "up"), "scale": _go("climb", 0.5, "up"), "crawl": _go("crawl", 0.5),
    "swim": _go("swim", 1.0), "ride": _go("ride", 4.0), "cycle": _go("ride", 4.0),
    "skate": _go("skate", 3.0), "drive": _go("drive", 8.0), "turn": _spot("turn"),
    "spin": _spot("spin", 1.2, "around"), "rotate": _spot("turn"), "pivot": _spot("turn"),
    "twirl": _spot("spin", 1.2, "around"), "swivel": _spot("turn"), "face": _spot("turn"),
    "jump": _spot("jump"), "hop": _spot("hop", 1.0), "leap": _spot("jump"), "land": _spot("land", 0.8),
    "crouch": _spot("crouch", 1.2), "squat": _spot("squat", 1.5), "duck": _spot("crouch", 0.8),
    "kneel": _spot("kneel", 1.6), "fall": _spot("fall", 1.5, "down"), "roll": _spot("roll", 1.5),
}  # fmt: skip

GESTURES: dict[str, Verb] = {
    "wave": _do("wave"), "bow": _do("bow", 1.8), "curtsy": _do("curtsy"), "nod": _do("nod", 1.2),
    "point": _do("point", 1.6), "salute": _do("salute", 1.6), "shrug": _do("shrug", 1.2),
    "stand": _do("stand"), "look": _do("look", 1.6), "gaze": _do("look"), "glance": _do("look", 1.0),
    "stare": _do("look"), "peer": _do("look"), "watch": _do("look"), "sit": _do("sit", 1.8),
    "dance": _do("dance", 4.0), "clap": _do("clap"), "applaud": _do("clap"), "cheer": _do("cheer"),
    "stretch": _do("stretch", 2.5), "stop": _do("stop", 1.0), "halt": _do("stop", 1.0),
    "pause": _do("stop", 1.0), "freeze": _do("stop", 1.0), "wait": _do("wait"), "idle": _do("idle"),
    "rest": _do("idle"), "stay": _do("idle"), "remain": _do("idle"), "hold": _do("idle"),
    "breathe": _do("breathe"), "sigh": _do("sigh", 1.4), "smile": _do("smile", 1.4), "laugh": _do("laugh"),
    "cry": _do("cry"), "frown": _do("frown", 1.4), "wink": _do("wink", 0.8), "blink": _do("blink", 0.6),
    "yawn": _do("yawn"), "cough": _do("cough", 1.2), "sneeze": _do("sneeze", 1.2),
    "whistle": _do("whistle"), "sing": _do("sing", 3.0), "talk": _do("talk", 3.0),
    "speak": _do("talk", 3.0), "say": _do("talk"), "shout": _do("shout", 1.6), "yell": _do("shout", 1.6),
    "whisper": _do("whisper"), "beckon": _do("beckon"), "greet": _do("wave"), "gesture": _do("gesture"),
    "listen": _do("listen"), "think": _do("think"), "pray": _do("pray", 3.0), "raise": _do("raise", 1.4),
    "lower": _do("lower", 1.4), "cross-arms": _do("cross_arms"), "shiver": _do("shiver"),
    "tremble": _do("shiver"), "lean": _do("lean"), "stoop": _do("stoop"), "bend": _do("bend"),
    "twist": _do("twist"), "flinch": _do("flinch", 0.8), "blow": _do("blow", 1.4), "lie": _do("lie_down"),
    "sleep": _do("sleep", 3.0), "rise": _do("stand_up", 1.4), "shake": _do("shake", 1.6),
    "scratch": _do("scratch"), "rub": _do("rub"), "fidget": _do("fidget"), "punch": _do("punch", 1.0),
    "box": _do("punch"), "react": _do("react"), "pose": _do("pose"),
}  # fmt: skip

OBJECTS: dict[str, Verb] = {
    "drink": _use("drink", 2.5), "sip": _use("drink"), "eat": _use("eat", 3.0), "bite": _use("eat"),
    "open": _use("open"), "close": _use("close"), "shut": _use("close"), "push": _use("push"),
    "pull": _use("pull"), "drag": _use("pull"), "kick": _use("kick", 1.2), "throw": _use("throw", 1.4),
    "toss": _use("throw", 1.4), "catch": _use("catch", 1.2), "read": _use("read", 3.0),
    "write": _use("write", 3.0), "lift": _use("lift"), "carry": _use("carry", 3.0),
    "grab": _use("grab", 1.4), "take": _use("take", 1.6), "give": _use("give", 1.8),
    "hand": _use("give", 1.8), "pass": _use("give", 1.6), "drop": _use("drop", 1.0),
    "put": _use("put", 1.6), "place": _use("put", 1.6), "pour": _use("pour"), "play": _use("play", 4.0),
    "sweep": _use("sweep", 3.0), "mop": _use("sweep", 3.0), "clean": _use("clean", 3.0),
    "wash": _use("wash", 3.0), "wipe": _use("wipe"), "cut": _use("cut"), "chop": _use("chop", 3.0),
    "cook": _use("cook", 4.0), "stir": _use("stir"), "hit": _use("hit", 1.0), "knock": _use("knock", 1.4),
    "ring": _use("ring", 1.2), "press": _use("press", 1.2), "swing": _use("swing", 1.4),
    "film": _use("film", 3.0), "photograph": _use("photograph"), "type": _use("type", 3.0),
    "wear": _use("wear"), "remove": _use("remove"), "collect": _use("pick_up"), "gather": _use("pick_up"),
    "unlock": _use("unlock"), "lock": _use("lock"), "paint": _use("paint", 3.0), "draw": _use("draw"),
    "dig": _use("dig", 3.0), "hug": _use("hug"), "kiss": _use("kiss", 1.4), "light": _use("light", 1.6),
    "inspect": _use("inspect"), "touch": _use("touch", 1.4), "pat": _use("pat", 1.4),
    "stroke": _use("stroke"), "hammer": _use("hammer"), "juggle": _use("juggle", 3.0), "show": _use("show"),
    "fold": _use("fold"), "tie": _use("tie"), "dribble": _use("dribble"), "fetch": _use("take"),
}  # fmt: skip

CAMERA: dict[str, Verb] = {
    "orbit": _film("orbit"), "circle": _film("orbit"), "arc": _film("orbit"), "follow": _film("follow"),
    "track": _film("follow"), "trail": _film("follow"), "stay": _film("stationary"),
    "hold": _film("stationary"), "rest": _film("stationary"), "stop": _film("stationary"),
    "stand": _film("stationary"), "crane": _film("crane", "up"), "rise": _film("crane", "up"),
    "ascend": _film("crane", "up"), "boom": _film("pedestal"), "pedestal": _film("pedestal"),
    "lower": _film("pedestal", "down"), "pan": _film("pan"), "tilt": _film("tilt"), "roll": _film("roll"),
    "zoom": _film("zoom", "in"), "dolly": _film("dolly", "in"), "push": _film("dolly", "in"),
    "pull": _film("dolly", "out"), "truck": _film("truck"), "move": _film("dolly"), "go": _film("dolly"),
    "shake": _film("handheld"), "whip": _film("whip"), "fly": _film("fly"), "drift": _film("truck"),
    "swing": _film("orbit"), "turn": _film("pan"), "look": _film("pan"), "rotate": _film("pan"),
    "focus": _film("rack_focus"), "rack": _film("rack_focus"), "spin": _film("roll"),
    "glide": _film("dolly"),
}  # fmt: skip
"""Verbs whose subject is the camera."""

CAMERA_ALONE = frozenset(
    {"orbit", "arc", "pan", "tilt", "zoom", "dolly", "truck", "pedestal", "boom", "crane"}
)
"""Camera verbs that need no "the camera" before them where they begin a command without another subject."""

PHRASES: dict[tuple[str, str], Verb] = {
    ("pick", "up"): _use("pick_up", 1.8), ("put", "down"): _use("put_down", 1.8),
    ("set", "down"): _use("put_down", 1.8), ("put", "on"): _use("put_on"),
    ("take", "off"): _use("take_off"), ("hand", "over"): _use("hand_over", 1.8),
    ("hand", "out"): _use("give"), ("turn", "on"): _use("turn_on", 1.4),
    ("turn", "off"): _use("turn_off", 1.4), ("switch", "on"): _use("turn_on", 1.4),
    ("switch", "off"): _use("turn_off", 1.4), ("give", "back"): _use("give"), ("pick", "out"): _use("take"),
    ("sit", "down"): _do("sit", 1.8), ("stand", "up"): _do("stand_up", 1.6),
    ("get", "up"): _do("stand_up", 1.6), ("lie", "down"): _do("lie_down"), ("stand", "still"): _do("stand"),
    ("look", "around"): _do("look", 2.0, "around"), ("give", "bow"): _do("bow", 1.8),
    ("take", "bow"): _do("bow", 1.8), ("take", "step"): _go("step", 1.1),
    ("take", "pace"): _go("step", 1.1), ("take", "seat"): _do("sit", 1.8),
    ("take", "look"): _do("look", 1.6), ("back", "away"): _go("walk", 1.2, "backward"),
    ("back", "up"): _go("walk", 1.2, "backward"), ("back", "off"): _go("walk", 1.2, "backward"),
    ("shake", "head"): _do("shake_head", 1.6), ("raise", "arms"): _do("raise_arms", 1.4),
    ("raise", "hands"): _do("raise_arms", 1.4), ("lift", "arms"): _do("raise_arms", 1.4),
    ("kneel", "down"): _spot("kneel", 1.6), ("crouch", "down"): _spot("crouch", 1.2),
    ("bend", "down"): _do("bend"), ("squat", "down"): _spot("squat", 1.5),
    ("push", "in"): _film("dolly", "in"), ("pull", "back"): _film("dolly", "out"),
    ("pull", "out"): _film("dolly", "out"), ("dolly", "out"): _film("dolly", "out"),
    ("zoom", "out"): _film("zoom", "out"), ("zoom", "in"): _film("zoom", "in"),
    ("stop", "moving"): _do("stop", 1.0), ("come", "stop"): _do("stop", 1.0),
    ("come", "halt"): _do("stop", 1.0),
}  # fmt: skip
"""A verb with its particle or noun; the second word may stand after the object ("picks the box up")."""

ONLY_IN_PHRASES = frozenset({"pick", "back", "get", "set", "switch"})

IRREGULAR: dict[str, str] = {
    "ran": "run", "went": "go", "gone": "go", "came": "come", "left": "leave", "crept": "creep",
    "fled": "flee", "leapt": "leap", "knelt": "kneel", "fell": "fall", "fallen": "fall", "swam": "swim",
    "rode": "ride", "stood": "stand", "sat": "sit", "drank": "drink", "ate": "eat", "threw": "throw",
    "thrown": "throw", "caught": "catch", "wrote": "write", "took": "take", "taken": "take", "gave": "give",
    "given": "give", "spun": "spin", "held": "hold", "said": "say", "spoke": "speak", "sang": "sing",
    "rose": "rise", "lay": "lie", "lying": "lie", "bent": "bend", "shook": "shake", "swung": "swing",
    "drew": "draw", "dug": "dig", "swept": "sweep", "hid": "hide", "got": "get", "bit": "bite",
    "wore": "wear", "blew": "blow", "lit": "light", "froze": "freeze", "slept": "sleep", "drove": "drive",
    "stole": "steal", "tying": "tie", "rang": "ring",
}  # fmt: skip

DIRECTIONS: dict[str, str] = {
    "forward": "forward", "forwards": "forward", "ahead": "forward", "onward": "forward",
    "onwards": "forward", "straight": "forward", "backward": "backward", "backwards": "backward",
    "back": "backward", "left": "left", "leftward": "left", "leftwards": "left", "right": "right",
    "rightward": "right", "rightwards": "right", "up": "up", "upward": "up", "upwards": "up",
    "down": "down", "downward": "down", "downwards": "down", "around": "around", "round": "around",
    "away": "away", "in": "in", "out": "out", "clockwise": "clockwise", "cw": "clockwise",
    "anticlockwise": "counterclockwise", "past": "past", "counterclockwise": "counterclockwise",
    "counter-clockwise": "counterclockwise", "ccw": "counterclockwise",
    "anti-clockwise": "counterclockwise", "closer": "in", "nearer": "in", "sideways": "sideways",
    "along": "along",
}  # fmt: skip

PREPOSITIONS: dict[str, str | None] = {
    "to": "toward", "toward": "toward", "towards": "toward", "into": "toward", "onto": "toward", "at": None,
    "from": None, "past": "past", "by": None, "along": "along", "across": "across", "through": "through",
    "over": "over", "under": "under", "on": None, "upon": None, "with": None, "behind": None, "off": None,
    "near": None, "beside": None, "against": None, "about": None, "above": None, "below": None, "of": None,
    "for": None, "until": "toward", "beyond": "past", "inside": None, "outside": None, "between": None,
}  # fmt: skip

SPEEDS: dict[str, str] = {
    "slow": "slow", "slowly": "slow", "gently": "slow", "leisurely": "slow", "carefully": "slow",
    "cautiously": "slow", "quickly": "fast", "fast": "fast", "faster": "fast", "briskly": "fast",
    "rapidly": "fast", "swiftly": "fast", "hurriedly": "fast", "slower": "slow", "quick": "fast",
}  # fmt: skip

UNITS: dict[str, str] = {
    "m": "m", "metre": "m", "metres": "m", "meter": "m", "meters": "m", "foot": "ft", "feet": "ft",
    "ft": "ft", "yard": "yd", "yards": "yd", "cm": "cm", "centimetres": "cm", "centimeters": "cm",
    "step": "steps", "steps": "steps", "pace": "steps", "paces": "steps", "degree": "deg", "degrees": "deg",
    "deg": "deg", "°": "deg", "turn": "turns", "turns": "turns", "second": "s", "seconds": "s", "s": "s",
    "sec": "s", "secs": "s", "time": "times", "times": "times", "km": "km", "circles": "turns",
    "circle": "turns",
}  # fmt: skip
METRES = {"ft": 0.3048, "yd": 0.9144, "cm": 0.01, "km": 1000.0}

_COUNT = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
NUMBERS: dict[str, float] = {"½": 0.5, "¼": 0.25, "¾": 0.75} | {
    word: float(value)
    for value, word in enumerate(_COUNT)
} | {
    "thirty": 30.0, "forty": 40.0, "forty-five": 45.0, "fifty": 50.0, "sixty": 60.0, "seventy": 70.0,
    "eighty": 80.0, "ninety": 90.0, "hundred": 100.0, "half": 0.5, "a": 1.0, "an": 1.0, "couple": 2.0,
}  # fmt: skip
ONCE = {"once": 1.0, "twice": 2.0, "thrice": 3.0}

SUBJECTS = _words("""
    i you he she it they we him her them his their its the a an this that himself herself themselves
    itself man woman boy girl person character hero heroine actor actress figure guy lady one both
""")
ARTICLES = _words("the a an his her their its my your this that these those some")
PRONOUNS = _words("he she it they him her them himself herself themselves")
FILLERS = _words("""
    is are was were be been being starts start starting begins begin beginning keeps keep continues just
    please now again there here also so only very suddenly finally immediately first next slowly
    politely happily sadly proudly gracefully calmly nervously casually quietly softly loudly angrily
    eagerly straight directly still slightly little bit degrees over and own gets does
""")
CAMERA_NOUNS = frozenset({"camera", "cam", "shot", "lens", "view", "drone"})
SUPPORTED_MOVES = frozenset({"orbit", "follow", "stationary", "crane"})
NEGATIONS = _words("""
    not don't dont doesn't doesnt didn't never without cannot can't cant no won't almost
""")
"""Words that cancel something. What they cancel must not be done: a command with one is refused for now."""

REFERENCES = frozenset({"again", "same", "repeat"})

SIDED = frozenset({"hand", "arm", "leg", "foot", "shoulder", "knee", "eye", "hands", "arms", "legs", "feet"})
FACING_KEPT = frozenset({"step", "sidestep", "moonwalk", "shuffle"})
"""Locomotion to the side or back that keeps facing forward instead of turning there."""

OFF_GROUND = frozenset({"climb", "descend", "swim", "ride", "skate", "drive", "roll", "fall"})
"""Read, but blocked as plain movement over the ground for now; the plan warns."""


def all_verbs() -> frozenset[str]:
    """Every lemma."""
    return (
        frozenset(LOCOMOTION) | frozenset(GESTURES) | frozenset(OBJECTS) | frozenset(CAMERA) | ONLY_IN_PHRASES
    )
