"""How loud a sound is: EBU R128 (ITU-R BS.1770-4), as ffmpeg's ebur128 filter measures it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

from .beside import CHANNELS, RATE
from .process import as_input, launch, output_of

SILENCE_LUFS = -70.0
"""The absolute gate of R128: what is softer is silence."""

_VALUE = re.compile(rb"lavfi\.r128\.(I|true_peak)=(\S+)")
# Less than one block of 400 ms has no loudness: a very short sound is followed by silence.
_METER = "apad=whole_dur=0.5,ebur128=metadata=1:peak=true,ametadata=print:file=-"


@dataclass(frozen=True)
class Loudness:
    """Integrated loudness and the highest true peak; both None for silence."""

    integrated_lufs: float | None = None
    true_peak_dbtp: float | None = None


def measure(raw: Path) -> Loudness:
    """Of raw samples, little-endian float32, left and right in turn, 48 kHz. Raises E402."""
    source = as_input(raw, format="f32le", ar=RATE, ac=CHANNELS)
    meter = launch(source.output("pipe:1", af=_METER, format="null"), "measuring", raw, stdout=True)
    ended, said = output_of(meter)
    last = {name: float(value) for name, value in _VALUE.findall(said)}
    if ended.code != 0 or b"I" not in last:
        raise meter.failure(ended)
    if last[b"I"] <= SILENCE_LUFS:
        return Loudness()
    peak = last.get(b"true_peak", 0.0)
    return Loudness(round(last[b"I"], 2), round(20 * math.log10(peak), 2) if peak > 0 else None)
