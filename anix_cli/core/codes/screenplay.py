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
            "The file cannot be read on from here: a colon, bracket, quote or the indentation is not right.",
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
            "Beyond 4 MiB, 64 levels or 200,000 values (aliases expanded), an alias that contains itself, "
            "or more problems than can be shown.",
        ),
        "E111": (
            "More than one document",
            "A screenplay is one YAML document. Remove the --- line, or make two files.",
        ),
        "E112": (
            "Unknown key",
            "This key is not part of the language here. Look at the list of keys for the right spelling.",
        ),
        "E113": ("Key missing", "Something that is needed is not written; the hint shows how."),
        "E114": (
            "Wrong kind of value",
            "Text, a number, a truth value, a list or a mapping stands where another of these is needed. "
            "Text that looks like a number or truth value needs quotes.",
        ),
        "E115": (
            "Not supported yet",
            "This is planned but does not work yet, so it is refused rather than ignored.",
        ),
        "E116": ("Value is empty", "A key without a value. Write one, or remove the key."),
        "E117": (
            "Number in an unclear form",
            "Numbers with leading zeros, underscores, infinities and not-a-number are refused, "
            "because programs read them differently.",
        ),
        "E121": ("Shot id used twice", "Each shot needs an id of its own: clips and seeds are named by it."),
        "E122": (
            "Unknown character",
            "A shot or the defaults name a character that is not under characters:.",
        ),
        "E123": ("Unknown anchor", "A shot or an anchor names an anchor that is not under anchors:."),
        "E124": (
            "Anchor inside a take",
            "A take goes on where the shot before ended, so a character has an anchor only in the shot in "
            "which the take first shows it acting. Add cut: true to start a new take.",
        ),
        "E125": (
            "No character named",
            "With several characters, each shot or defaults: must say which one acts.",
        ),
        "E126": (
            "Camera parameter of another move",
            "degrees and direction belong to orbit, up to crane. The other parameters fit every move.",
        ),
        "E127": ("Lens given twice", "lens_mm and fov_y_deg say the same thing in two ways. Keep one."),
        "E128": (
            "Fade too long",
            "Half of a fade darkens the shot before, half opens its own: both must last that long.",
        ),
        "E129": (
            "Anchor faces itself",
            "An anchor that faces itself, or one at the same place, gives no direction.",
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
            "In double quotes a backslash begins a special character, which breaks Windows paths. "
            "Use / or single quotes.",
        ),
        "E135": ("Not a file", "The path leads to a folder or a device where a file is needed."),
        "W101": (
            "One picture for two views",
            "The same file is given for two sides of the character, which will look wrong from one of them.",
        ),
    },
)
