"""E1xx: the screenplay as written."""

from __future__ import annotations

from ..errors import ExitCode
from .code import rows

SCREENPLAY_FILE = rows(
    ExitCode.USAGE,
    {
        "E101": (
            "Screenplay cannot be read",
            "There is no such file, it is a folder, or it may not be read. Name the .yaml file itself.",
        ),
        "E161": (
            "No shot of that id",
            "`anix pick film.yaml wave=2` names a shot by its id; `anix shots film.yaml` lists them.",
        ),
        "E162": (
            "A pick cannot be written",
            "`anix pick` adds a line or a few characters beside the shot's id and changes nothing else. The "
            "id of this shot stands where that cannot be done. Write pick: into the shot yourself.",
        ),
        "E137": (
            "--set leads nowhere",
            "--set takes a path of keys and a value: --set film.seed=3. An entry of a list is named by its "
            "id, or counted from 0: --set shots.run.duration=2, --set shots[0].duration=2.",
        ),
    },
)

SCREENPLAY = rows(
    ExitCode.INVALID,
    {
        "E102": (
            "Screenplay is empty",
            "The file holds nothing, or only comments. It needs anix: 1, scene:, characters: and shots:.",
        ),
        "E103": (
            "Screenplay is not UTF-8",
            "The file is in another text encoding. Save it as UTF-8 in your editor.",
        ),
        "E104": (
            "Value not allowed",
            "The value is of the right kind, but outside what is possible here; the message says what is.",
        ),
        "E105": (
            "Control character",
            "The text holds an invisible control character, often from copying. Delete it.",
        ),
        "E106": ("Tab", "YAML does not allow tabs as indentation. Use spaces."),
        "E107": (
            "Not valid YAML",
            "The file cannot be read on from here: a colon, bracket, quote or the indentation is not right. "
            "The place is where reading stopped; the slip is there or just before.",
        ),
        "E108": (
            "Text needs quotes",
            "A sign in this value means something else in YAML. Put quotes round the whole value.",
        ),
        "E109": (
            "Key written twice",
            "The same key stands twice in one mapping, so that one of the two would be lost. Keep one.",
        ),
        "E110": (
            "Screenplay too large",
            "At most 4 MiB of text, 64 levels and 200,000 values are read (aliases expanded; one that "
            "contains itself has no end), and 100 problems shown. Split a long film into several.",
        ),
        "E111": (
            "More than one document",
            "A screenplay is one YAML document. Remove the --- line, or make two files.",
        ),
        "E112": (
            "Unknown key",
            "This key is not part of the language here. The message lists the keys that are; one of your own "
            "begins with x-.",
        ),
        "E113": ("Key missing", "Something that is needed is not written; the hint shows how."),
        "E114": (
            "Wrong kind of value",
            "Text, a number, a truth value, a list or a mapping stands where another of these is needed. "
            "Text that looks like a number or truth value needs quotes.",
        ),
        "E116": ("Value is empty", "A key without a value. Write one, or remove the key."),
        "E117": (
            "Number in an unclear form",
            "Numbers with leading zeros, underscores, infinities and not-a-number are refused, because "
            "programs read them differently.",
        ),
        "E118": (
            "Cannot be formatted",
            "anix fmt found no canonical form that says exactly the same, so it left the file as it is. It "
            "still renders; the message says what stands in the way.",
        ),
        "E119": (
            "Keys that do not go together",
            "One of these keys excludes the other, or needs another that is not written. An anchor is a "
            "place (at), or counts from another (from; left, forward, up), or is a box of the picture (box).",
        ),
        "E121": ("Shot id used twice", "Each shot needs an id of its own: clips and seeds are named by it."),
        "E122": (
            "Unknown character",
            "A shot or the defaults name a character that is not under characters:. Add it there, or use a "
            "name from there.",
        ),
        "E123": (
            "Unknown anchor",
            "A shot or an anchor names an anchor that is not under anchors:. Add it there, or use a name "
            "from there.",
        ),
        "E124": (
            "Anchor inside a take",
            "A take goes on where the shot before ended, so a character has an anchor only in the shot in "
            "which the take first shows it acting. Add cut: true to start a new take.",
        ),
        "E125": (
            "No character named",
            "With several characters, each shot or defaults: must say which one acts: character: mira.",
        ),
        "E126": (
            "Camera parameter of another move",
            "Degrees belong to moves that turn, metres to those that go, up to crane and pedestal, keys and "
            "path to path. A named camera (from) has its own place, so side, frame, distance and height do "
            "not go with it; a path says all of that by itself. The message says which moves a parameter "
            "fits.",
        ),
        "E127": ("Lens given twice", "lens_mm and fov_y_deg say the same thing in two ways. Keep one."),
        "E128": (
            "Transition too long",
            "Half of a fade darkens the shot before, half opens its own: both must last that long. A "
            "dissolve blends the end of one with the start of the other, and each must show more than "
            "dissolves. Shorten the transition, or lengthen the shots.",
        ),
        "E138": (
            "Nothing to dissolve from",
            "A dissolve blends the end of one take with the start of the next: it needs cut: true, and a "
            "shot before. Inside a take the picture goes on anyway.",
        ),
        "E129": (
            "Anchor faces itself",
            "An anchor that faces itself, or one at the same place, gives no direction. Face another anchor, "
            "or write degrees: 0 faces +z, more turns to the left.",
        ),
        "E131": (
            "File not found",
            "Paths start from the screenplay's folder. The hint shows the whole path that was tried.",
        ),
        "E132": (
            "Not a whole picture",
            "The file is empty, cut off, damaged, or no picture. Export or copy it again.",
        ),
        "E133": (
            "Picture too large",
            "Views of more than 50 megapixels or 256 MiB are refused. Make them smaller.",
        ),
        "E134": (
            "Backslash in double quotes",
            "In double quotes a backslash begins a special character, which breaks Windows paths. Use / or "
            "single quotes.",
        ),
        "E135": (
            "Not a file",
            "The path leads to a folder or a device where a file is needed. Name the file itself.",
        ),
        "E136": (
            "Files extend each other in a circle, or too many",
            "A file that is extended may extend others, up to 8 deep and 32 in all, but not one that leads "
            "back to itself.",
        ),
        "E141": (
            "Unknown camera",
            "camera: takes a move (auto, follow, orbit, pan, dolly …), the name of one of cameras:, a "
            "mapping with move: or from:, or a list of these.",
        ),
        "E142": (
            "Name that means something already",
            "A camera cannot be called like a move, nor an anchor last_shot. Give it another name.",
        ),
        "E143": (
            "Anchors in a circle",
            "These anchors count from each other, so that none of them has a place. Give one of them at:.",
        ),
        "E144": (
            "Box of the picture as a place",
            "A box says where the character shows in the first picture of a take. It is no place on the "
            "stage to face, to look at, to count from, or to enter by in the middle of a take.",
        ),
        "E145": (
            "Nothing between the limits",
            "The lower limit comes first: [x0, y0, x1, y1] of a box, [low, high] of a crop. The two points "
            "of a scale's reference are two.",
        ),
        "E146": (
            "Moves do not add up",
            "In a list of camera moves, for: says how long one lasts; those without it share what is left of "
            "the shot. Together they last as long as the shot.",
        ),
        "E147": (
            "Word with two meanings",
            "An alias already is the name or the alias of another character or anchor. Leave one of the two "
            "out.",
        ),
        "E148": (
            "No shot before the first",
            "last_shot is where the one who acted in the shot before ended; the first shot has none. Name an "
            "anchor, or write at:.",
        ),
        "E149": (
            "Keys out of order",
            "The keys of a camera's path follow each other: their times rise, all in one unit, and either "
            "all keys after the first have one or none does.",
        ),
        "E151": (
            "No camera path",
            "The file holds no cameras that could be gone through. anix reads a camera_path.json of "
            "nerfstudio, transforms.json, COLMAP's images.txt (with cameras.txt beside it), and JSON with "
            "c2w or w2c matrices. The message says what is wrong with this one.",
        ),
        "W102": (
            "Text cut off by a comment",
            "In YAML, a # after a space begins a comment, so that what follows is no part of the text. Put "
            "quotes round the text, or a space after the # of a true comment.",
        ),
        "W103": (
            "Screenplay not finished",
            "`anix scene` needs no more of a screenplay than its scene and its anchors, and goes on with "
            "these where something else is missing or wrong. `anix validate` says what that is.",
        ),
        "W101": (
            "One picture for two views",
            "The same file is given for two sides of the character, which will look wrong from one of them. "
            "Give a picture of each side.",
        ),
    },
)
