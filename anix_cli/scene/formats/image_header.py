"""Size of a WebP or PNG picture from its first bytes, so that nothing large is unpacked unseen."""

from __future__ import annotations

from dataclasses import dataclass

HEAD = 64
"""Bytes of a file that ``picture_size`` needs."""


@dataclass(frozen=True)
class PictureSize:
    """What a header tells.

    Attributes:
        bytes_needed: length of the whole file, 0 where the header does not tell.
        rgb: whether pixels are three or four bytes.
    """

    width: int
    height: int
    lossless: bool
    bytes_needed: int
    rgb: bool = True

    @property
    def pixels(self) -> int:
        return self.width * self.height


def picture_size(head: bytes) -> PictureSize | None:
    """The size that the first ``HEAD`` bytes tell; None for anything but a still WebP or PNG picture.

    WebP as in RFC 9649; PNG's IHDR.
    """
    if head[:8] == b"\x89PNG\r\n\x1a\n" and head[12:16] == b"IHDR" and len(head) >= 26:
        width, height = int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
        return PictureSize(width, height, True, 0, head[24] == 8 and head[25] in {2, 6})
    if head[:4] != b"RIFF" or head[8:12] != b"WEBP" or len(head) < 30:
        return None
    needed = int.from_bytes(head[4:8], "little") + 8
    kind = head[12:16]
    if kind == b"VP8L" and head[20] == 0x2F:
        bits = int.from_bytes(head[21:25], "little")
        return PictureSize((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, True, needed)
    if kind == b"VP8X" and not head[20] & 2:  # bit 1: an animation
        width, height = (int.from_bytes(head[at : at + 3], "little") + 1 for at in (24, 27))
        return PictureSize(width, height, head[30:34] not in {b"VP8 ", b"ALPH"}, needed)
    if kind == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        width, height = (int.from_bytes(head[at : at + 2], "little") & 0x3FFF for at in (26, 28))
        return PictureSize(width, height, False, needed)
    return None
