"""Pictures: anything that a person would call a picture becomes sRGB RGBA; arrays become PNG files."""

from __future__ import annotations

import io
import os
import secrets
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import AnixError, Diagnostic, fail
from ..core.limits import MAX_PICTURE_PX

if TYPE_CHECKING:
    from PIL.Image import Image

_FORMATS = ("PNG", "JPEG", "WEBP", "TIFF", "BMP", "GIF", "AVIF", "PPM", "TGA", "MPO", "JPEG2000")

_HEIC, _AVIF = "an HEIC", "an AVIF"
_FTYP = {
    **dict.fromkeys((b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"), _HEIC),
    **dict.fromkeys((b"avif", b"avis"), _AVIF),
}
"""Major brands of ISO/IEC 23008-12 (HEIF) and of AVIF."""


def read_image(path: Path) -> NDArray[np.uint8]:
    """A picture as [h, w, 4] uint8 sRGB with straight alpha.

    Content decides the type, not the name. EXIF orientation is applied once; 16-bit and float values are
    scaled, not clipped; an embedded profile (CMYK, Display P3, …) is honoured; palette, grey and
    transparent-colour pictures get a true alpha; of an animation the first frame counts, which
    :func:`picture_notes` tells.

    Raises:
        AnixError: E391, it cannot be read; E392, it has too many pixels (found from the header alone).
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with warnings.catch_warnings(), path.open("rb") as stream:
            warnings.simplefilter("ignore")
            with Image.open(stream, formats=_known(Image)) as picture:
                width, height = picture.size
                if width * height > MAX_PICTURE_PX:
                    raise _too_large(path, f"{width}x{height}, {width * height / 1e6:.0f} million pixels")
                picture.load()
                return _rgba(ImageOps.exif_transpose(picture))
    except AnixError:
        raise
    except Image.DecompressionBombError as error:
        raise _too_large(path, "far more than that") from error
    except FileNotFoundError as error:
        raise _unreadable(path, "it does not exist") from error
    except UnidentifiedImageError as error:
        raise _unreadable(path, _unknown(path)) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise _unreadable(path, reason[:1].lower() + reason[1:]) from error
    except (ValueError, SyntaxError, EOFError, IndexError, TypeError, OverflowError, MemoryError) as error:
        # Pillow's decoders answer a damaged file with any of these.
        raise _unreadable(path, "it is damaged") from error


def picture_notes(path: Path) -> tuple[Diagnostic, ...]:
    """What a director should know of a picture that can be read: W391, it holds more than one.

    Only the header is read. Of a file that cannot be read this says nothing; :func:`read_image` does.
    """
    from PIL import Image

    try:
        with warnings.catch_warnings(), path.open("rb") as stream:
            warnings.simplefilter("ignore")
            with Image.open(stream, formats=_known(Image)) as picture:
                kind, several = picture.format, bool(getattr(picture, "is_animated", False))
    except Exception:  # any decoder's way to say that the file is damaged
        return ()
    if not several or kind == "MPO":  # a photograph with its preview
        return ()
    what = "has several pages: the first page" if kind == "TIFF" else "is animated: its first frame"
    return (
        Diagnostic(
            "W391",
            f"The picture {path} {what} is used.",
            file=path,
            hint="Save the one that you mean as PNG or JPEG.",
        ),
    )


def _unknown(path: Path) -> str:
    """Why a file is no picture that is read here; the pictures of phones are named."""
    with suppress(OSError), path.open("rb") as stream:
        head = stream.read(12)
        kind = _FTYP.get(head[8:12]) if head[4:8] == b"ftyp" else None
        if kind:
            return f"it is {kind} picture, which is not read here; save it as PNG or JPEG"
    return "it is not a picture of a known kind"


def _known(image: Any) -> list[str]:
    image.init()
    return [name for name in _FORMATS if name in image.OPEN]


def _rgba(picture: Image) -> NDArray[np.uint8]:
    """Any mode of Pillow → [h, w, 4] uint8 sRGB."""
    profile = picture.info.get("icc_profile")
    if picture.mode.startswith("I") or picture.mode == "F":
        picture = _scaled(picture)
    if picture.mode == "LAB":
        return np.asarray(_from_lab(picture).convert("RGBA"), dtype=np.uint8)
    if picture.mode in ("P", "PA", "1", "La", "RGBa", "HSV") or "transparency" in picture.info:
        grey = picture.mode in ("1", "L", "La", "LA")
        picture = picture.convert("RGBA") if not grey else _grey_with_alpha(picture)
    alpha = picture.getchannel("A") if picture.mode in ("LA", "RGBA") else None
    colour = picture.convert({"LA": "L", "RGBA": "RGB"}[picture.mode]) if alpha is not None else picture
    rgb = _to_srgb(colour, profile)
    pixels = np.empty((rgb.height, rgb.width, 4), dtype=np.uint8)
    pixels[..., :3] = np.asarray(rgb)
    pixels[..., 3] = 255 if alpha is None else np.asarray(alpha)
    return pixels


def _grey_with_alpha(picture: Image) -> Image:
    return picture.convert("RGBA").convert("LA")


def _scaled(picture: Image) -> Image:
    """A picture of 16-bit, 32-bit or float grey values as 8-bit grey over the range of its type."""
    from PIL import Image

    values = np.asarray(picture).astype(np.float64)
    sixteen = picture.mode.startswith("I;16") or (picture.mode == "I" and values.max(initial=0) <= 65535)
    full = 1.0 if picture.mode == "F" else 65535.0 if sixteen else float(2**31 - 1)
    grey = np.clip(np.nan_to_num(values) / full, 0, 1) * 255 + 0.5
    scaled = Image.fromarray(grey.astype(np.uint8), "L")
    key = picture.info.get("transparency")
    if isinstance(key, int):
        alpha = np.where(values == key, 0, 255).astype(np.uint8)
        scaled.putalpha(Image.fromarray(alpha, "L"))
    return scaled


def _to_srgb(colour: Image, profile: bytes | None) -> Image:
    """An opaque L, RGB, CMYK or YCbCr picture as sRGB, through its profile if it has a usable one."""
    from PIL import ImageCms

    if profile and colour.mode in ("L", "RGB", "CMYK"):
        with suppress(ImageCms.PyCMSError, OSError, ValueError):  # a broken profile: as without one
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            if source.profile.xcolor_space.strip() == {"L": "GRAY"}.get(colour.mode, colour.mode):
                target = ImageCms.createProfile("sRGB")
                converted = ImageCms.profileToProfile(colour, source, target, outputMode="RGB")
                if converted is not None:
                    return converted
    return colour.convert("RGB")


def _from_lab(picture: Image) -> Image:
    from PIL import ImageCms

    lab, srgb = ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB")
    converted = ImageCms.profileToProfile(picture, lab, srgb, outputMode="RGB")
    if converted is None:
        raise ValueError("a Lab picture could not be converted")
    return converted


def write_png(path: Path, array: NDArray[Any]) -> None:
    """Writes [h, w] (uint8, uint16 or bool), [h, w, 3] or [h, w, 4] uint8 as a PNG, in one step.

    The same array gives the same bytes.

    Raises:
        AnixError: E412, the place cannot be written; E411, the disk is full.
    """
    from PIL import Image

    if array.dtype == np.bool_:
        array = array.astype(np.uint8) * np.uint8(255)
    deep = array.dtype == np.uint16 and array.ndim == 2
    flat = array.dtype == np.uint8 and (array.ndim == 2 or (array.ndim == 3 and array.shape[2] in (3, 4)))
    if not (deep or flat):
        raise ValueError(f"not a picture: {array.dtype} {array.shape}")
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(array)).save(buffer, format="PNG", compress_level=6)
    partial = path.with_name(f".{os.getpid()}-{secrets.token_hex(4)}.partial.png")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as stream:
            stream.write(buffer.getbuffer())
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(path)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        code = "E411" if "space" in reason or "quota" in reason else "E412"
        raise fail(code, f"{path} cannot be written: {reason}.", file=path) from error
    finally:
        with suppress(OSError):
            partial.unlink()


def _unreadable(path: Path, why: str) -> AnixError:
    return fail(
        "E391",
        f"The picture {path} cannot be read: {why}.",
        file=path,
        hint="Save it as PNG or JPEG.",
    )


def _too_large(path: Path, what: str) -> AnixError:
    return fail(
        "E392",
        f"The picture {path} is too large ({what}); at most {MAX_PICTURE_PX // 10**6} megapixels are read.",
        file=path,
        hint="Save it smaller: 2000 pixels on the long side are plenty.",
    )
