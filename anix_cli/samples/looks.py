"""How the sample figure is dressed: the courier Mira, and Teo, a second person of the same making."""

from __future__ import annotations

from dataclasses import dataclass

RGB = tuple[int, int, int]


@dataclass(frozen=True)
class Look:
    """Colours (sRGB 0..255) and what is worn.

    Attributes:
        palette: of each material, in the order of the names in :mod:`.mira`.
        zip, teeth, pocket, yoke: on the jacket; ``teeth`` are those of the zip.
        emblem: on the back, and the bands of the sleeves.
        shoe: stripe and heel of the shoes; trouser: its seams; stitch: of the bag's flap.
        seam, badge: on the cap.
        cheek, lip, mouth, iris, iris_rim: of the face.
        cap, tail, lashes: whether there is a cap, a pony tail, made-up lashes.
        bag_left: whether the bag hangs on the figure's own left.
    """

    palette: tuple[RGB, ...]
    zip: RGB = (120, 20, 24)
    teeth: RGB = (226, 200, 130)
    pocket: RGB = (112, 18, 22)
    yoke: RGB = (140, 26, 30)
    emblem: RGB = (250, 240, 225)
    shoe: RGB = (206, 44, 38)
    trouser: RGB = (34, 40, 60)
    stitch: RGB = (120, 74, 40)
    seam: RGB = (18, 62, 68)
    badge: tuple[RGB, RGB] = ((240, 200, 110), (32, 92, 98))
    cheek: RGB = (232, 120, 100)
    lip: RGB = (205, 96, 88)
    mouth: RGB = (128, 48, 46)
    iris: RGB = (150, 96, 48)
    iris_rim: RGB = (58, 36, 24)
    cap: bool = True
    tail: bool = True
    lashes: bool = True
    bag_left: bool = True


MIRA = Look(
    (
        (244, 198, 168), (92, 52, 36), (206, 44, 38), (140, 26, 30), (50, 58, 84), (240, 234, 222),
        (250, 248, 242), (176, 116, 58), (196, 136, 72), (108, 66, 38), (32, 92, 98), (24, 74, 82),
        (250, 248, 245), (44, 26, 22), (222, 190, 110), (235, 170, 60),
    )
)  # fmt: skip

TEO = Look(
    (
        (150, 98, 66), (34, 26, 24), (232, 166, 46), (58, 66, 62), (92, 84, 74), (66, 74, 82),
        (238, 234, 224), (52, 84, 66), (62, 98, 76), (38, 58, 48), (32, 92, 98), (24, 74, 82),
        (250, 248, 245), (24, 16, 14), (196, 196, 192), (235, 170, 60),
    ),
    zip=(66, 58, 40),
    teeth=(210, 206, 196),
    pocket=(150, 100, 24),
    yoke=(160, 108, 28),
    emblem=(58, 66, 62),
    shoe=(232, 166, 46),
    trouser=(66, 60, 54),
    stitch=(30, 48, 38),
    cheek=(168, 92, 66),
    lip=(126, 66, 56),
    mouth=(72, 32, 28),
    iris=(84, 52, 30),
    iris_rim=(30, 20, 14),
    cap=False,
    tail=False,
    lashes=False,
    bag_left=False,
)  # fmt: skip
