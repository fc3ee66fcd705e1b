"""Time inside a shot: how long each of several camera moves lasts, and whether a fade fits."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from ..core.screenplay import CameraSpec, Screenplay
from .trouble import Trouble

HINT = "Change for:, leave it out where a move may take what is left, or make the shot longer."


def frames_of_parts(
    cameras: Sequence[CameraSpec], frames: int, fps: Fraction
) -> tuple[tuple[int, ...], Trouble | None]:
    """Shares the frames of a shot out to its camera moves.

    Moves last as written; those without a length share what is left equally. What is rounded is where moves
    meet, so that lengths that add up in seconds add up in frames.

    Returns:
        As many numbers as there are moves, each at least 1, their sum ``frames``. Where they cannot be met,
        E146; then the moves share the shot as well as may be, and where there are more of them than frames,
        the last ones are left out.
    """
    if len(cameras) == 1 and cameras[0].length is None and frames > 0:
        return (frames,), None
    written = [None if camera.length is None else camera.length.seconds(fps) * fps for camera in cameras]
    taken = sum((length for length in written if length is not None), Fraction(0))
    rest, sharing = frames - taken, sum(length is None for length in written)
    share = rest / sharing if sharing else Fraction(0)
    edges = [0]
    reached = Fraction(0)
    for length in written:
        reached += share if length is None else length
        edges.append(int(reached + Fraction(1, 2)))
    given = tuple(after - before for before, after in pairwise(edges))
    if edges[-1] == frames and min(given) > 0:
        return given, None
    seconds = f"{float(taken / fps):g} s{' and more' if sharing else ''}"
    message = f"The camera moves last {seconds}, the shot {float(frames / fps):g} s."
    if edges[-1] == frames and (rest > 0 or not sharing):
        message = f"The shot has {frames} frames, too few for one of its {len(cameras)} camera moves."
    count = min(len(cameras), frames)
    each, more = divmod(frames, count)
    return tuple(each + (index < more) for index in range(count)), Trouble("E146", message, HINT)


def fade_trouble(screenplay: Screenplay, index: int, fps: Fraction) -> Trouble | None:
    """E128 where half a fade is longer than its shot or the one before, in frames of this rate."""
    fade = screenplay.shots[index].fade
    if fade is None:
        return None
    half = fade.seconds(fps) * fps / 2
    for at, which in ((index, "this shot"), (index - 1, "the shot before")):
        frames = screenplay.shots[at].duration.frames(fps) if at >= 0 else None
        if frames is not None and half > frames:
            text = f"Half of a fade of {fade} is {float(half):g} frames; {which} has {frames}."
            return Trouble("E128", text, "Shorten the fade.")
    return None
