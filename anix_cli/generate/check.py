"""The shape of a request, checked once for all backends."""

from __future__ import annotations

from anix_cli.core.clip import ClipRequest


def check_request(request: ClipRequest) -> None:
    """Holds a request's arrays against its sizes.

    Raises:
        ValueError: something does not fit; a fault of the program, not of the director.
    """
    width, height = request.size_px
    tail, frames = len(request.tail), request.frames
    if frames < 1:
        raise ValueError(f"a clip of {frames} frames")
    total = tail + frames
    expected = {
        "guide": (total, height, width, 3),
        "depth": (total, height, width),
        "anchor": (total, height, width),
        "tail": (tail, height, width, 3),
        "world_from_camera": (total, 4, 4),
        "intrinsics": (total, 3, 3),
    }
    for name, shape in expected.items():
        found = getattr(request, name).shape
        if found != shape:
            raise ValueError(f"{name} has the shape {found}, expected {shape}")
    for subject in request.blocking:
        if len(subject.root) != total:
            raise ValueError(f"{subject.character} is blocked over {len(subject.root)} frames, not {total}")
        if subject.character not in request.cast:
            raise ValueError(f"{subject.character} is not in the cast: {', '.join(request.cast) or 'nobody'}")
