"""How a film's file is encoded: codec and quality, and which files they go into.

Byte for byte the same on any number of cores: x264's output depends on its number of threads and x265's on
its number of frame threads, so both are fixed; SVT-AV1 is given as many threads everywhere; ProRes, FFV1 and
pictures are coded frame by frame. x265's note of its
settings (with the processor's features in it) is left out.
"""

from __future__ import annotations

from typing import Any

from ..core.plan import FilmOutput

CONTAINERS = {".mp4": "mp4", ".m4v": "mp4", ".mov": "mov", ".mkv": "matroska", ".webm": "webm"}
"""Names of films, and ffmpeg's names of what they hold."""

_EVERYWHERE = (".mp4", ".m4v", ".mov", ".mkv")
SUFFIXES = {
    "h264": _EVERYWHERE,
    "h265": _EVERYWHERE,
    "av1": (".mp4", ".mkv", ".webm"),
    "prores": (".mov", ".mkv"),
    "ffv1": (".mkv",),
}
"""Which of them hold which codec, the usual one first."""

PICTURES = ("png", "exr")
"""Codecs that make a folder with a file a frame."""

CODEC_NAMES = {
    "h264": "H.264", "h265": "H.265", "av1": "AV1", "prores": "ProRes", "ffv1": "FFV1", "png": "PNG",
    "exr": "OpenEXR",
}  # fmt: skip

_TAGS = "setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709"
_TO_TV = "scale=in_range=pc:out_range=tv:out_color_matrix=bt709:flags=bicubic+accurate_rnd+full_chroma_int"

# No B-frames: picture order is file order, so that files concatenate by stream copy with exact time stamps
# whatever their length.
_H264: dict[str, Any] = {"vcodec": "libx264", "preset": "medium", "bf": 0, "threads": 4}
_H264_CRF = {"draft": 28, "good": 16, "best": 10}

_H265: dict[str, Any] = {
    "vcodec": "libx265",
    "preset": "medium",
    "x265-params": "log-level=error:pools=4:frame-threads=2:info=0",
}
_H265_CRF = {"draft": 31, "good": 19, "best": 12}

_AV1: dict[str, Any] = {"vcodec": "libsvtav1", "preset": 6, "svtav1-params": "lp=4"}
_AV1_CRF = {"draft": 42, "good": 26, "best": 16}

_PRORES: dict[str, Any] = {"vcodec": "prores_ks", "vendor": "apl0", "threads": 4}
_PRORES_PROFILE = {"draft": "proxy", "good": "standard", "best": "hq"}

FFV1: dict[str, Any] = {"vcodec": "ffv1", "level": 3, "g": 1, "slices": 4, "slicecrc": 1}
"""Level 3, one key frame after the other, a fixed number of slices and a checksum in each: any frame can be
read by itself, a damaged one is noticed, and the bytes do not depend on the number of cores."""
_SRGB = "setparams=range=pc:colorspace=gbr:color_primaries=bt709:color_trc=iec61966-2-1"

_PIXELS = {"prores": "yuv422p10le", "av1": "yuv420p10le"}

_PIXEL_BYTES = {
    "h264": {"draft": 0.04, "good": 0.15, "best": 0.33},
    "h265": {"draft": 0.03, "good": 0.11, "best": 0.22},
    "av1": {"draft": 0.03, "good": 0.1, "best": 0.2},
    "prores": {"draft": 0.22, "good": 0.75, "best": 1.1},
    "ffv1": dict.fromkeys(("draft", "good", "best"), 1.5),
    "png": dict.fromkeys(("draft", "good", "best"), 2.5),
    "exr": dict.fromkeys(("draft", "good", "best"), 5.0),
}
"""The sample film took 0.013, 0.053 and 0.107 with h264; 0.009, 0.034 and 0.070 with h265; 0.15, 0.50 and
0.74 with ProRes, which grows less with noise."""


def pixel_bytes(output: FilmOutput) -> float:
    """Bytes a pixel and frame to have free for a film."""
    return _PIXEL_BYTES[output.codec][output.quality]


def is_of_clips(output: FilmOutput) -> bool:
    """Whether a film is encoded as the clips' delivery files are, so that they need only be copied."""
    return (output.codec, output.quality) == (FilmOutput.codec, FilmOutput.quality)


def is_lossless(output: FilmOutput) -> bool:
    """Whether the sound goes into the film as it is: where the film is for further editing."""
    return output.codec in ("prores", "ffv1", *PICTURES)


def encoder_options(output: FilmOutput, container: str) -> dict[str, Any]:
    """ffmpeg's output options for the picture; frames come in as full-range RGB."""
    if output.codec == "ffv1":
        return {**FFV1, "vf": f"format=bgr0,{_SRGB}"}
    pixels = _PIXELS.get(output.codec, "yuv420p")
    options: dict[str, Any] = {"vf": f"{_TO_TV},format={pixels},{_TAGS}"}
    if output.codec == "h264":
        options |= {**_H264, "crf": _H264_CRF[output.quality]}
    elif output.codec == "h265":
        options |= {**_H265, "crf": _H265_CRF[output.quality]}
        if container in ("mp4", "mov"):
            options["tag:v"] = "hvc1"  # Apple's players take no other
    elif output.codec == "av1":
        options |= {**_AV1, "crf": _AV1_CRF[output.quality]}
    else:
        options |= {**_PRORES, "profile:v": _PRORES_PROFILE[output.quality]}
    if container in ("mp4", "mov"):
        options["movflags"] = "+faststart"
    return options


def picture_encoder(codec: str) -> dict[str, Any]:
    """ffmpeg's output options for a folder of pictures; PNG from RGB bytes, EXR from linear floats."""
    if codec == "png":
        return {"vcodec": "png", "vf": f"format=rgb24,{_SRGB.replace(':colorspace=gbr', '')}"}
    return {"vcodec": "exr", "format:v": "half", "compression": "zip16"}
