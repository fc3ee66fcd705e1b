"""Files that a screenplay names: missing, misplaced, cut off, not what they seem."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from PIL import Image
from screenplay_texts import BASE


def picture(kind: str, size: tuple[int, int] = (12, 16)) -> bytes:
    stream = io.BytesIO()
    Image.effect_noise(size, 60).convert("RGB").save(stream, kind)
    return stream.getvalue()


def png_of_size(width: int, height: int) -> bytes:
    """A PNG whose header claims a size that its few pixels do not have."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF"])
def test_pictures_are_judged_by_content_not_by_name(problems, folder, kind):
    (folder / "f.png").write_bytes(picture(kind))
    assert problems(BASE) == ()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("part", [0.3, 0.6, 0.97])
def test_a_cut_picture_is_found_without_decoding(problems, folder, kind, part):
    whole = picture(kind, (120, 160))
    (folder / "l.png").write_bytes(whole[: int(len(whole) * part)])
    (problem,) = problems(BASE)
    assert problem.code == "E132"
    assert "left view" in problem.message
    assert problem.source[problem.span.column - 1 :].startswith("l.png")


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b"", "E132", "empty"),
        (b"<!DOCTYPE html><html>404</html>", "E132", "web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "E132", "LFS"),
        (b"just text", "E132", "not a picture"),
        (b"\x89PNG\r\n\x1a\n", "E132", "cut off"),
        (b"\xff\xd8\xff\xe0\x00\x02", "E132", "damaged"),
        (b"\xff\xd8\xff\xe0\x00\x00" * 9, "E132", "damaged"),
        (png_of_size(60_000, 60_000), "E133", "megapixels"),
        (png_of_size(0, 5), "E132", "no pixels"),
    ],
    ids=["empty", "web page", "lfs", "text", "bare signature", "bare jpeg", "jpeg loop", "bomb", "no pixels"],
)
def test_what_is_no_picture(problems, folder, data, code, words):
    (folder / "b.png").write_bytes(data)
    (problem,) = problems(BASE)
    assert problem.code == code
    assert words in problem.message


def test_a_flipped_bit_in_a_png_is_found(problems, folder):
    data = bytearray(picture("PNG", (60, 60)))
    data[len(data) // 2] ^= 4
    (folder / "r.png").write_bytes(data)
    (problem,) = problems(BASE)
    assert problem.code == "E132"
    assert "checksum" in problem.message


def test_a_missing_file_shows_the_whole_path_and_a_near_name(problems, folder):
    (folder / "front.png").write_bytes(picture("PNG"))
    (problem,) = problems(BASE.replace("f.png", "fron.png"))
    assert problem.code == "E131"
    assert problem.nearest == "front.png"
    assert str(folder / "fron.png") in problem.hint


def test_every_missing_file_is_said(problems, folder):
    for name in ("room.ply", "f.png", "l.png", "r.png", "b.png"):
        (folder / name).unlink()
    found = problems(BASE)
    assert [problem.code for problem in found] == ["E131"] * 5
    assert [problem.span.line for problem in found] == [2, 3, 3, 3, 3]


def test_a_backslash_path_names_the_slash(problems):
    (problem,) = problems(BASE.replace("room.ply", "scenes\\room.ply"))
    assert problem.code == "E131"
    assert "use / instead" in problem.hint


def test_a_folder_is_no_picture(problems, folder):
    (folder / "side").mkdir()
    (problem,) = problems(BASE.replace("l.png", "side"))
    assert problem.code == "E135"


def test_a_path_that_no_system_takes(problems):
    (problem,) = problems(BASE.replace("room.ply", "x" * 5000))
    assert problem.code == "E131"


def test_one_file_for_two_views_is_a_warning(read):
    film = read(BASE.replace("r.png", "l.png"))
    (note,) = film.notes
    assert (note.code, note.severity) == ("W101", "warning")
    assert "left view" in note.message


def test_a_link_that_leads_nowhere_is_called_one(problems, folder):
    (folder / "room.ply").unlink()
    (folder / "room.ply").symlink_to("gone.ply")
    (problem,) = problems(BASE)
    assert (problem.code, problem.nearest) == ("E131", None)
    assert "leads nowhere" in problem.message


def test_a_camera_path_is_looked_into(problems, folder):
    text = f"{BASE}  - {{id: b, command: x, duration: 1, camera: [follow, {{path: way.json}}]}}\n"
    (problem,) = problems(text)
    assert (problem.code, problem.span.length) == ("E131", len("way.json"))
    (folder / "way.json").write_text('[{"c2w": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]]}]')
    (problem,) = problems(text)
    assert problem.code == "E151" and "mirrored" in problem.message
    (folder / "way.json").write_text('[{"c2w": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]}]')
    assert problems(text) == ()


def test_a_sheet_that_is_no_picture_is_told_at_its_place(problems, folder):
    (folder / "sheet.png").write_bytes(b"no picture")
    views = "views: {front: f.png, left: l.png, right: r.png, back: b.png}"
    (found,) = problems(BASE.replace(views, "sheet: sheet.png"))
    assert found.code == "E132" and "turnaround sheet" in found.message and found.span is not None
