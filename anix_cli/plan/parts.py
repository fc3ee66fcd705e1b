"""Time inside a shot: how long each of several camera moves lasts, and whether a transition fits."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from ..core.plan import Transition
from ..core.screenplay import CameraSpec, Screenplay, ShotSpec
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


def transition_trouble(screenplay: Screenplay, index: int, fps: Fraction) -> Trouble | None:
    """E128 where a transition does not fit into its shot or the one before, in frames of this rate."""
    transition = screenplay.shots[index].transition
    if transition is None:
        return None
    if transition.kind == "dissolve":
        return _dissolve_trouble(screenplay, index, fps)
    half = transition.length.seconds(fps) * fps / 2
    for at, which in ((index, "this shot"), (index - 1, "the shot before")):
        frames = screenplay.shots[at].duration.frames(fps) if at >= 0 else None
        if frames is not None and half > frames:
            text = f"Half of a fade of {transition.length} is {float(half):g} frames; {which} has {frames}."
            return Trouble("E128", text, "Shorten the fade.")
    return None


def transition_of(shot: ShotSpec, fps: Fraction) -> Transition | None:
    """As the plan has it: the length of a dissolve is rounded to frames."""
    written = shot.transition
    if written is None:
        return None
    seconds = written.length.seconds(fps)
    if written.kind == "dissolve":
        seconds = written.length.frames(fps) / fps
    return Transition(written.kind, float(seconds), written.colour_rgb)


def dissolve_frames(screenplay: Screenplay, index: int, fps: Fraction) -> int:
    """How many frames of a shot are blended with the end of the shot before."""
    transition = screenplay.shots[index].transition
    if transition is None or transition.kind != "dissolve":
        return 0
    return transition.length.frames(fps)


def _dissolve_trouble(screenplay: Screenplay, index: int, fps: Fraction) -> Trouble | None:
    """Of the shot before and of this one, each must have frames of its own beside all that is blended."""
    length = dissolve_frames(screenplay, index, fps)
    for at, which in ((index, "this shot"), (index - 1, "the shot before")):
        if at < 0:
            return Trouble("E138", "There is no shot before the first one.", "Remove the dissolve.")
        frames = screenplay.shots[at].duration.frames(fps)
        other = at + 1 if at == index else at
        blended = length + (dissolve_frames(screenplay, other, fps) if other < len(screenplay.shots) else 0)
        if blended >= frames:
            text = f"Dissolves take {blended} frames of {which}, which has {frames}."
            return Trouble("E128", text, "Shorten the dissolves, or lengthen the shot.")
    return None
