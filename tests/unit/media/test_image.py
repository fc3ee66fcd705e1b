"""Pictures of every mode against what their pixels should be."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageCms

from anix_cli.core.errors import AnixError
from anix_cli.media.image import picture_notes, read_image, write_png

RNG = np.random.default_rng(3)


def saved(path: Path, picture: Image.Image, **options) -> np.ndarray:
    picture.save(path, **options)
    return read_image(path)


def test_rgba_comes_back_straight_even_where_it_is_transparent(tmp_path: Path) -> None:
    pixels = RNG.integers(0, 256, (9, 7, 4), dtype=np.uint8)
    pixels[:3, :, 3] = 0
    write_png(tmp_path / "a.png", pixels)
    np.testing.assert_array_equal(read_image(tmp_path / "a.png"), pixels)


def test_an_opaque_picture_gets_full_alpha(tmp_path: Path) -> None:
    pixels = RNG.integers(0, 256, (9, 7, 3), dtype=np.uint8)
    write_png(tmp_path / "a.png", pixels)
    back = read_image(tmp_path / "a.png")
    np.testing.assert_array_equal(back[..., :3], pixels)
    assert (back[..., 3] == 255).all()


@pytest.mark.parametrize(
    ("orientation", "turned"),
    [
        (1, lambda a: a),
        (2, lambda a: a[:, ::-1]),
        (3, lambda a: a[::-1, ::-1]),
        (4, lambda a: a[::-1]),
        (5, lambda a: a.transpose(1, 0, 2)),
        (6, lambda a: np.rot90(a, -1)),
        (7, lambda a: np.rot90(a, 2).transpose(1, 0, 2)),
        (8, np.rot90),
    ],
)
def test_exif_orientation_is_applied_once(tmp_path: Path, orientation: int, turned) -> None:
    pixels = RNG.integers(0, 256, (6, 4, 3), dtype=np.uint8)
    exif = Image.Exif()
    exif[0x112] = orientation
    back = saved(tmp_path / "a.png", Image.fromarray(pixels), exif=exif)
    np.testing.assert_array_equal(back[..., :3], turned(pixels))


def test_16_bit_is_scaled_not_clipped(tmp_path: Path) -> None:
    deep = np.array([[0, 255, 256, 32768, 65535]], dtype=np.uint16)
    write_png(tmp_path / "a.png", deep)
    assert np.asarray(Image.open(tmp_path / "a.png"))[0, 3] == 32768
    np.testing.assert_array_equal(read_image(tmp_path / "a.png")[0, :, 0], [0, 1, 1, 128, 255])


def test_16_bit_colour_png(tmp_path: Path) -> None:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    row = b"\0" + struct.pack(">6H", 65535, 32768, 0, 257, 51400, 65535)
    header = struct.pack(">IIBBBBB", 2, 1, 16, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(row)) + chunk(b"IEND", b"")
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + body)
    back = read_image(tmp_path / "a.png")[0, :, :3].astype(int)
    assert np.abs(back - [[255, 128, 0], [1, 200, 255]]).max() <= 1


def test_float_tiff_is_scaled(tmp_path: Path) -> None:
    picture = Image.fromarray(np.array([[0.0, 0.5, 1.0, 7.0, np.nan]], dtype=np.float32))
    np.testing.assert_array_equal(saved(tmp_path / "a.tif", picture)[0, :, 0], [0, 128, 255, 255, 0])


def test_cmyk_without_a_profile(tmp_path: Path) -> None:
    back = saved(tmp_path / "a.tif", Image.new("CMYK", (2, 2), (0, 255, 255, 0)))
    np.testing.assert_array_equal(back[0, 0], [255, 0, 0, 255])


def _p3_profile() -> bytes:
    """A minimal matrix profile with Display P3's primaries (D50-adapted) and a pure 2.2 gamma."""

    def s15(*values: float) -> bytes:
        return b"".join(struct.pack(">i", round(v * 65536)) for v in values)

    columns = {
        "rXYZ": (0.5151, 0.2412, -0.0011),
        "gXYZ": (0.2920, 0.6922, 0.0419),
        "bXYZ": (0.1571, 0.0666, 0.7841),
    }
    tags = {name: b"XYZ \0\0\0\0" + s15(*xyz) for name, xyz in columns.items()}
    tags["wtpt"] = b"XYZ \0\0\0\0" + s15(0.9642, 1.0, 0.8249)
    curve = b"curv\0\0\0\0" + struct.pack(">IH", 1, round(2.2 * 256)) + b"\0\0"
    tags |= dict.fromkeys(("rTRC", "gTRC", "bTRC"), curve)
    tags["cprt"] = b"text\0\0\0\0none\0\0\0\0"
    tags["desc"] = b"desc\0\0\0\0" + struct.pack(">I", 3) + b"P3\0" + b"\0" * 79 + b"\0\0"
    table, data, at = b"", b"", 128 + 4 + 12 * len(tags)
    for name, body in tags.items():
        table += name.encode() + struct.pack(">II", at + len(data), len(body))
        data += body
    rest = struct.pack(">I", len(tags)) + table + data
    head = bytearray(128)
    head[0:4] = struct.pack(">I", 128 + len(rest))
    head[8:12] = b"\x02\x10\0\0"
    head[12:24] = b"mntrRGB XYZ "
    head[36:40] = b"acsp"
    head[68:80] = s15(0.9642, 1.0, 0.8249)
    return bytes(head) + rest


def test_display_p3_goes_through_its_profile_and_keeps_alpha(tmp_path: Path) -> None:
    profile = _p3_profile()
    ImageCms.ImageCmsProfile(io.BytesIO(profile))
    picture = Image.new("RGBA", (4, 4), (200, 80, 80, 77))
    back = saved(tmp_path / "a.png", picture, icc_profile=profile)[0, 0].astype(int)
    assert back[3] == 77
    assert back[0] > 206, "a P3 red is a stronger red in sRGB"
    assert back[1] < 78
    plain = saved(tmp_path / "b.png", picture)[0, 0]
    np.testing.assert_array_equal(plain, [200, 80, 80, 77])


def test_a_broken_profile_is_passed_over(tmp_path: Path) -> None:
    back = saved(tmp_path / "a.png", Image.new("RGB", (2, 2), (1, 2, 3)), icc_profile=b"no profile at all")
    np.testing.assert_array_equal(back[0, 0], [1, 2, 3, 255])


def test_palette_with_a_transparent_entry(tmp_path: Path) -> None:
    picture = Image.new("P", (2, 1))
    picture.putpalette([10, 20, 30, 40, 50, 60])
    picture.putpixel((1, 0), 1)
    back = saved(tmp_path / "a.png", picture, transparency=1)
    np.testing.assert_array_equal(back[0, 0], [10, 20, 30, 255])
    np.testing.assert_array_equal(back[0, 1], [40, 50, 60, 0])


@pytest.mark.parametrize(
    ("picture", "options", "expected"),
    [
        (Image.new("LA", (2, 2), (100, 50)), {}, (100, 100, 100, 50)),
        (Image.new("L", (2, 2), 100), {}, (100, 100, 100, 255)),
        (Image.new("L", (2, 2), 100), {"transparency": 100}, (100, 100, 100, 0)),
        (Image.new("RGB", (2, 2), (9, 8, 7)), {"transparency": (9, 8, 7)}, (9, 8, 7, 0)),
        (Image.new("1", (2, 2), 1), {}, (255, 255, 255, 255)),
    ],
)
def test_grey_bilevel_and_transparent_colours(tmp_path: Path, picture, options, expected) -> None:
    np.testing.assert_array_equal(saved(tmp_path / "a.png", picture, **options)[0, 0], expected)


def test_lab_and_ycbcr(tmp_path: Path) -> None:
    lab = saved(tmp_path / "a.tif", Image.new("LAB", (2, 2), (128, 128, 128)))[0, 0].astype(int)
    assert np.ptp(lab[:3]) <= 1
    assert abs(lab[0] - 119) <= 2, "CIE L* = 50 is sRGB 119"


def test_the_first_frame_of_an_animation(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (3, 3), colour) for colour in ((255, 0, 0), (0, 0, 255))]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    np.testing.assert_array_equal(read_image(tmp_path / "a.gif")[0, 0], [255, 0, 0, 255])


def test_content_decides_not_the_name(tmp_path: Path) -> None:
    Image.new("RGB", (2, 2), (5, 6, 7)).save(tmp_path / "a.jpg", format="PNG")
    np.testing.assert_array_equal(read_image(tmp_path / "a.jpg")[0, 0], [5, 6, 7, 255])


def test_a_bomb_is_refused_from_its_header(tmp_path: Path) -> None:
    for size in ((11000, 11000), (60000, 60000)):
        buffer = io.BytesIO()
        Image.new("1", (8, 8)).save(buffer, format="PNG")
        data = bytearray(buffer.getvalue())
        data[16:24] = struct.pack(">II", *size)
        data[29:33] = struct.pack(">I", zlib.crc32(bytes(data[12:29])))
        (tmp_path / "a.png").write_bytes(data)
        with pytest.raises(AnixError, match="too large") as caught:
            read_image(tmp_path / "a.png")
        assert caught.value.diagnostics[0].code == "E392"


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    Image.fromarray(RNG.integers(0, 256, (64, 64, 3), dtype=np.uint8)).save(buffer, format="PNG")
    (tmp_path / "cut.png").write_bytes(buffer.getvalue()[:2000])
    (tmp_path / "text.png").write_text("hello")
    (tmp_path / "page.png").write_text("%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n")
    (tmp_path / "empty.png").write_bytes(b"")
    for name in ("cut.png", "text.png", "page.png", "empty.png", "none.png", "."):
        with pytest.raises(AnixError) as caught:
            read_image(tmp_path / name)
        assert caught.value.diagnostics[0].code == "E391"
        assert str(tmp_path / name) in caught.value.diagnostics[0].message


def test_random_damage_is_never_a_crash(tmp_path: Path) -> None:
    for kind in ("PNG", "JPEG", "WEBP", "TIFF", "GIF", "BMP"):
        buffer = io.BytesIO()
        Image.fromarray(RNG.integers(0, 256, (24, 24, 3), dtype=np.uint8)).save(buffer, format=kind)
        for _ in range(25):
            data = bytearray(buffer.getvalue())
            for at in RNG.integers(0, len(data), 4):
                data[at] = RNG.integers(0, 256)
            (tmp_path / "a").write_bytes(data)
            try:
                assert read_image(tmp_path / "a").shape[2] == 4
            except AnixError as error:
                assert error.diagnostics[0].code in ("E391", "E392")


def test_png_files_are_deterministic_and_whole(tmp_path: Path) -> None:
    pixels = RNG.integers(0, 256, (20, 30, 3), dtype=np.uint8)
    write_png(tmp_path / "new" / "a.png", pixels)
    write_png(tmp_path / "new" / "b.png", pixels)
    assert (tmp_path / "new" / "a.png").read_bytes() == (tmp_path / "new" / "b.png").read_bytes()
    write_png(tmp_path / "new" / "m.png", np.array([[True, False]]))
    np.testing.assert_array_equal(read_image(tmp_path / "new" / "m.png")[0, :, 0], [255, 0])
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["a.png", "b.png", "m.png"]


def test_an_unwritable_png_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(AnixError) as caught:
        write_png(tmp_path / "file" / "a.png", np.zeros((2, 2, 3), np.uint8))
    assert caught.value.diagnostics[0].code == "E412"
    with pytest.raises(ValueError, match="not a picture"):
        write_png(tmp_path / "a.png", np.zeros((2, 2, 3), np.float32))


@pytest.mark.parametrize(
    ("kind", "told"),
    [("GIF", "animated"), ("WEBP", "animated"), ("PNG", "animated"), ("TIFF", "several pages"), ("MPO", "")],
)
def test_of_several_pictures_the_first_is_used_and_that_is_told(tmp_path: Path, kind: str, told: str) -> None:
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "blue")]
    path = tmp_path / "a"
    frames[0].save(path, format=kind, save_all=True, append_images=frames[1:], duration=100)
    assert read_image(path)[10, 10, 0] > 240
    notes = picture_notes(path)
    assert [note.code for note in notes] == (["W391"] if told else [])
    assert all(told in note.message for note in notes)


def test_of_one_picture_and_of_none_there_is_nothing_to_tell(tmp_path: Path) -> None:
    for kind in ("GIF", "WEBP", "PNG", "TIFF", "JPEG"):
        Image.new("RGB", (20, 20)).save(tmp_path / "a", format=kind)
        assert picture_notes(tmp_path / "a") == ()
    (tmp_path / "a").write_bytes(b"no picture")
    assert picture_notes(tmp_path / "a") == picture_notes(tmp_path / "none") == ()


@pytest.mark.parametrize(("brand", "kind"), [(b"heic", "HEIC"), (b"mif1", "HEIC"), (b"avif", "AVIF")])
def test_pictures_of_phones_are_named_where_they_cannot_be_read(
    tmp_path: Path, monkeypatch, brand: bytes, kind: str
) -> None:
    monkeypatch.setattr("anix_cli.media.image._known", lambda image: image.init() or ["PNG"])
    path = tmp_path / "a.jpg"
    path.write_bytes(struct.pack(">I", 24) + b"ftyp" + brand + bytes(12))
    with pytest.raises(AnixError, match=f"{kind} picture.*save it as PNG or JPEG") as caught:
        read_image(path)
    assert caught.value.diagnostics[0].code == "E391"
