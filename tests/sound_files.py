"""Sound files that tests make: tones and clicks in WAV, and what ffmpeg makes of them."""

from __future__ import annotations

import subprocess
import wave
from pathlib import Path

import numpy as np

from anix_cli.media.ffmpeg import find_ffmpeg


def tone(seconds: float, rate: int = 44_100, hertz: float = 1000.0, level: float = 0.5) -> np.ndarray:
    """[n] float64."""
    return level * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)


def write_wav(path: Path, samples: np.ndarray, rate: int = 44_100) -> Path:
    """A 16-bit WAV of samples [n] or [n, channels] in −1 … 1."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1 if samples.ndim == 1 else samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.round(samples * 32767).astype("<i2").tobytes())
    return path


def converted(source: Path, target: Path, *options: str) -> Path:
    """The same sound in another format, by the target's suffix."""
    command = [str(find_ffmpeg()), "-loglevel", "error", "-y", "-i", str(source), *options, str(target)]
    subprocess.run(command, check=True)
    return target


def heard(path: Path) -> np.ndarray:
    """The sound of a film or sound file as ffmpeg plays it: [n, 2] float32 at 48 kHz."""
    command = [str(find_ffmpeg()), "-loglevel", "error", "-i", str(path), "-map", "0:a:0"]
    command += ["-f", "f32le", "-ac", "2", "-ar", "48000", "-"]
    done = subprocess.run(command, check=True, capture_output=True)
    return np.frombuffer(done.stdout, "<f4").reshape(-1, 2)
