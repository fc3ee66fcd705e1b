"""What a lens and a shutter do to a picture beside projecting it, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]


@dataclass(frozen=True)
class Optics:
    """How a shot's lens and shutter blur.

    Attributes:
        f_stop: the f-number: the lens opens as wide as its focal length by this. None: all is sharp.
        focus_m: distance along the camera's z that is sharp: one for the whole shot, or one for each frame.
        shutter_deg: how long the shutter is open around the frame's time; 360 is a whole frame, 0 an instant.
        samples: a picture is the mean of so many.
    """

    f_stop: float | None = None
    focus_m: tuple[float, ...] = ()
    shutter_deg: float = 0.0
    samples: int = 32

    def __post_init__(self) -> None:
        if self.f_stop is not None and not (self.f_stop > 0 and self.focus_m and min(self.focus_m) > 0):
            raise ValueError("an f-number is above 0 and needs a focus distance above 0")
        if not 0 <= self.shutter_deg <= 360:
            raise ValueError("a shutter is open for 0 to 360 degrees")
        if self.samples < 1:
            raise ValueError("a picture has at least one sample")

    @property
    def blurs(self) -> bool:
        """Whether there is anything to do."""
        return self.f_stop is not None or self.shutter_deg > 0

    def focus_at(self, frame: int) -> float:
        """The focus distance at a frame of the shot, metres; the last one holds."""
        return self.focus_m[min(frame, len(self.focus_m) - 1)]


@dataclass(frozen=True)
class Exposure:
    """The cameras whose mean is one frame.

    Attributes:
        world_from_camera: [S, 4, 4] float64, OpenCV axes.
        intrinsics: [S, 3, 3] float64, pixels.
        times: [S] float64, frames before (< 0) or after the frame's own time.
    """

    world_from_camera: F64
    intrinsics: F64
    times: F64

    def __len__(self) -> int:
        return len(self.times)
