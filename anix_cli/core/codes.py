"""The register of problem codes: what each means and which exit code it leads to.

``E1xx`` the screenplay as written · ``E2xx`` planning · ``E3xx`` scene and character files ·
``E4xx`` the machine: outputs, ffmpeg, disk · ``E5xx`` generation · ``W…`` warnings in the same ranges.
A test holds that every code raised is registered and that every registered code is raised.
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import Diagnostic, ExitCode


@dataclass(frozen=True)
class Code:
    """One registered problem: a title, what it means for the user, and the exit code it leads to."""

    title: str
    help: str
    exit_code: ExitCode


def _range(exit_code: ExitCode, rows: dict[str, tuple[str, str]]) -> dict[str, Code]:
    return {code: Code(title, text, exit_code) for code, (title, text) in rows.items()}


SCREENPLAY_FILE = _range(
    ExitCode.USAGE,
    {
        "E101": (
            "Screenplay cannot be read",
            "There is no such file, it is a folder, or it may not be read. Name the .yaml file itself.",
        ),
    },
)

SCREENPLAY = _range(
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
            "A take goes on where the shot before ended, so only its first shot can start at an anchor. "
            "Add cut: true to start a new take.",
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

PLAN = _range(
    ExitCode.INVALID,
    {
        "E201": (
            "Unknown action",
            "A command uses a verb that anix does not know. Say it with a plain English verb such as walks, turns or waves.",
        ),
        "E202": (
            "Negation in a command",
            "What is not done cannot be said yet. Say only what the character does.",
        ),
        "E203": (
            "Camera move not supported yet",
            "There are follow, stationary, orbit and crane; others come later and are not silently left out.",
        ),
        "E204": (
            "Two camera moves in one shot",
            "A shot has one camera move. Split the shot, or say the move in one place only.",
        ),
        "E205": (
            "No such place",
            "The command sends the character to a place that is not among the anchors. Add it there.",
        ),
        "E206": (
            "Screen side not supported yet",
            "Left and right are the character's own. “Screen left” and the like come later.",
        ),
        "E207": (
            "No action found",
            "The command holds no action that anix knows. Only English is read; an empty command is a hold.",
        ),
        "E208": (
            "Reference to something else",
            "“Again” and “the same” are not resolved yet. Say the action itself.",
        ),
        "E210": ("Shot of no frames", "The duration is shorter than half a frame. Make the shot longer."),
        "E211": (
            "Too many actions",
            "There are more actions than frames in the shot. Make it longer or split it.",
        ),
        "E212": (
            "Too fast",
            "A distance or a turn does not fit into its time, even when hurried. Give it more time.",
        ),
        "E213": (
            "Leaves the scene",
            "The character would walk out of what the scene shows. The message says when and where.",
        ),
        "E214": (
            "Starts outside the scene",
            "The anchor lies outside what the scene shows. Check its place and the scene's scale.",
        ),
        "E215": (
            "No character",
            "It is not clear which character the shot shows. Name it in the shot or under defaults.",
        ),
        "E240": (
            "Not a plan",
            "The file is missing, is not JSON, or is not a plan. Make one with anix plan.",
        ),
        "E241": ("Plan of another version", "The plan was made by another version of anix. Plan again."),
        "E242": (
            "Plan not as its schema says",
            "A part of the plan is missing or has another form. Plan again.",
        ),
        "E243": (
            "Plan without its arrays",
            "The npz that belongs beside the plan is missing. Copy both files, or plan again.",
        ),
        "E244": (
            "Plan and arrays do not fit",
            "The npz is damaged or belongs to another plan. Copy both files, or plan again.",
        ),
        "W201": (
            "Words not understood",
            "Some words of a command mean nothing to the plan; they still reach the prompt.",
        ),
        "W202": (
            "Shown as plain movement",
            "Climbing, swimming, riding and the like are blocked as movement over the ground for now.",
        ),
        "W203": ("Hurried shot", "The actions have less than half of the time that they usually take."),
        "W204": (
            "Place does not matter",
            "The command names something on the way; only places to go to are looked up among the anchors.",
        ),
    },
)

SCENE = _range(
    ExitCode.INVALID,
    {
        "E301": (
            "Scene file not found",
            "The file that `scene: {file: …}` names does not exist. Paths count from the screenplay.",
        ),
        "E302": (
            "Scene file cannot be opened",
            "It is a folder, a device, or not readable. Name the splat file itself.",
        ),
        "E303": (
            "Scene file is empty",
            "The file has 0 bytes: the export or download failed. Fetch it again.",
        ),
        "E304": (
            "Not a splat file",
            "The content is something else: a web page, a Git LFS pointer, or an unknown format.",
        ),
        "E305": (
            "Splat format not supported yet",
            "Export the scene as an uncompressed PLY of 3D Gaussian Splatting, or as SPZ up to version 3.",
        ),
        "E306": (
            "Scene file is truncated",
            "The file is shorter than its header promises: the copy or download was cut off. Fetch it again.",
        ),
        "E307": (
            "Scene file is damaged",
            "The header or the rows contradict the format. Export or download the file again.",
        ),
        "E308": (
            "PLY without Gaussians",
            "The PLY is a point cloud or mesh. Use the file that splat training wrote (point_cloud.ply).",
        ),
        "E309": (
            "No Gaussians in the scene",
            "The file holds none, or none with usable numbers, so there is nothing to film.",
        ),
        "E310": (
            "Spherical harmonics not readable",
            "The colour columns do not make up degree 0, 1, 2 or 3. Export the scene with one of these.",
        ),
        "E311": (
            "Scene file is corrupt",
            "Its compressed data fail their checksum. Copy or download the file again.",
        ),
        "E312": (
            "Scene too large",
            "The header promises more Gaussians than any machine could draw. Thin the scene out.",
        ),
        "E313": (
            "Placement that cannot be",
            "`up` is an axis (+x, -x, +y …) or auto, `scale` is more than 0, `origin` is three numbers.",
        ),
        "E314": (
            "Scene out of the range of SPZ",
            "SPZ holds 24-bit positions and sizes up to 379 units. Move or shrink the scene, or write PLY.",
        ),
        "W301": (
            "Up axis assumed",
            "`up: auto` takes the convention of the file format. Write `up` if the scene stands on its head.",
        ),
        "W302": (
            "Scale assumed",
            "Splat files do not say how large a unit is. `scale: auto` takes it to be one metre.",
        ),
        "W303": (
            "No ground found",
            "No broad level surface lies below everything else. Write `ground` as a height in metres.",
        ),
        "W304": (
            "Gaussians left out",
            "Rows with NaN or infinity cannot be drawn. A few are normal, many mean a failed training.",
        ),
        "W305": (
            "File has another length than it should",
            "The Gaussians are complete, but bytes after them are missing or left over.",
        ),
        "W306": (
            "Values look final already",
            "PLY stores logarithms and logits. A tool seems to have written final values instead.",
        ),
        "W307": (
            "Scene far from its origin",
            "Single precision is coarse there. Write `origin`, or export the scene with its origin nearby.",
        ),
        "W308": (
            "SPZ extension left unread",
            "The file carries data that this version does not understand; the Gaussians themselves are read.",
        ),
    },
)

CHARACTER = _range(
    ExitCode.INVALID,
    {
        "E391": (
            "A picture cannot be read",
            "Pictures are PNG, JPEG, WebP, TIFF, BMP or GIF files; what counts is the content, not the name.",
        ),
        "E392": (
            "A picture is too large",
            "Pictures of more than 100 million pixels are refused before they are unpacked.",
        ),
        "E341": ("Empty view", "A picture of the character is fully transparent or shows only background."),
        "E342": (
            "No plain background",
            "A view without transparency is cut out along its plain background; this one "
            "has none. Save it with a transparent background.",
        ),
        "E344": (
            "Missing view",
            "A character needs four views: front, left, right and back; left shows its own left side.",
        ),
        "E345": (
            "Views do not fit",
            "The front and the side views have too little in common to make one body of. "
            "Show the same character in the same pose, whole, from all four sides.",
        ),
        "W341": ("Same view twice", "Two views are one picture, so one side of the character is not known."),
        "W342": (
            "Mirrored view",
            "A view is another one mirrored, so what differs between the two sides is lost.",
        ),
    },
)

MACHINE = _range(
    ExitCode.ENVIRONMENT,
    {
        "E401": (
            "ffmpeg is missing or cannot be used",
            "anix makes its videos with ffmpeg. The imageio-ffmpeg package brings one along; another one can "
            "be named with ANIX_FFMPEG. It must be able to write H.264 (libx264) and FFV1.",
        ),
        "E402": (
            "ffmpeg failed",
            "ffmpeg stopped before a video was finished. The message holds the last lines that it wrote.",
        ),
        "E411": (
            "The disk is full",
            "A file could not be finished because its disk has no space left. Free some and run the same "
            "command again: what was finished is kept.",
        ),
        "E412": (
            "A file cannot be written",
            "The place of an output does not let anix write there. Choose another one, or change its rights.",
        ),
        "E413": (
            "The store cannot be written",
            "Guides and clips are kept in the store: the folder named by ANIX_CACHE_DIR, else .anix beside "
            "the screenplay. Point ANIX_CACHE_DIR at a folder that can be written.",
        ),
        "E502": (
            "Broken backend",
            "A backend is installed but its code cannot be imported or started. Reinstall the "
            "package that provides it.",
        ),
    },
)

OUTPUT = _range(
    ExitCode.USAGE,
    {
        "E431": (
            "The output exists already",
            "anix replaces a film only if the same screenplay made it, which the .json file beside the film "
            "tells. Name another output, or pass --overwrite.",
        ),
        "E432": (
            "Not the name of a film",
            "A film is written as .mp4, .mov, .m4v or .mkv; the output must not be a folder.",
        ),
        "E501": (
            "Unknown backend",
            "No installed backend has that name. Backends are found through the entry point "
            "group anix.backends.",
        ),
    },
)

GENERATION = _range(
    ExitCode.SHOTS_FAILED,
    {
        "E541": (
            "A clip cannot be read",
            "A finished clip is missing, cut off or damaged. Run the same command again: it is made anew.",
        ),
        "E542": (
            "Wrong number of frames",
            "Every clip must hold exactly the frames that the plan gives it, and the film all of them.",
        ),
        "E543": ("The film has no frames", "There is nothing to join: no clip holds a frame."),
        "E544": (
            "A clip has the wrong size",
            "All clips of a film must have the film's own width and height.",
        ),
    },
)

RUN = {
    **_range(
        ExitCode.INVALID,
        {
            "E191": (
                "Picture size does not fit the backend",
                "Each backend works in multiples of some number of pixels; the message names the nearest size.",
            ),
            "E192": (
                "Frame rate does not fit the backend",
                "The backend makes one rate only, and converting at the join is not supported yet.",
            ),
            "E551": (
                "The guide is blank",
                "Along the whole shot the camera sees nothing of the scene: a wrong up axis, scale or anchor.",
            ),
        },
    ),
    **_range(
        ExitCode.USAGE,
        {
            "E451": (
                "Scene changed after planning",
                "The plan names the scene by its content, and the file has other content now. Plan again.",
            ),
            "E452": (
                "Character changed after planning",
                "The plan names the views by their content, and they are other pictures now. Plan again.",
            ),
            "E552": (
                "No guide yet",
                "`anix generate` starts from the guides of the plan: run `anix guide` on it first.",
            ),
            "E554": (
                "Clips are missing",
                "`anix join` joins finished clips: run `anix generate` on the plan first.",
            ),
        },
    ),
    **_range(
        ExitCode.ENVIRONMENT,
        {
            "E461": (
                "Not enough disk space",
                "Guides and clips are kept lossless. Free some space or move the store with ANIX_CACHE_DIR.",
            ),
        },
    ),
    **_range(
        ExitCode.SHOTS_FAILED,
        {
            "E553": (
                "The backend gave something else",
                "Number, size or type of its frames is not what was asked. Finished clips are kept.",
            ),
        },
    ),
}

CODES: dict[str, Code] = {
    **SCREENPLAY_FILE, **SCREENPLAY, **PLAN, **SCENE, **CHARACTER, **MACHINE, **OUTPUT, **GENERATION, **RUN,
}  # fmt: skip


def exit_code_of(diagnostics: tuple[Diagnostic, ...]) -> ExitCode:
    """The exit code for a set of problems: that of the first error."""
    for diagnostic in diagnostics:
        if diagnostic.severity == "error":
            return CODES[diagnostic.code].exit_code if diagnostic.code in CODES else ExitCode.BUG
    return ExitCode.OK
