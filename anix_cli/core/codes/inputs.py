"""E3xx: scene and character files."""

from __future__ import annotations

from ..errors import ExitCode
from .code import rows

SCENE = rows(
    ExitCode.INVALID,
    {
        "E301": (
            "Scene file not found",
            "The file that `scene: {file: …}` names does not exist. Paths count from the screenplay.",
        ),
        "E302": (
            "Scene file cannot be opened",
            "It is a folder with no scene or several, a device, or not readable. Name the splat file itself.",
        ),
        "E303": (
            "Scene file is empty",
            "The file has 0 bytes: the export or download failed. Fetch it again.",
        ),
        "E304": (
            "Not a splat file",
            "The content is something else: a web page, a Git LFS pointer, or an unknown format. Name the "
            ".ply or .spz file itself; the message says what this one is.",
        ),
        "E305": (
            "Splat format not supported yet",
            "Export the scene as PLY of 3D Gaussian Splatting, as SPZ or as SOG.",
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
            "The PLY lacks columns of Gaussians, or is a mesh. Use the file that splat training wrote "
            "(point_cloud.ply).",
        ),
        "E309": (
            "No Gaussians in the scene",
            "The file holds none, none with usable numbers, or only transparent ones, so there is nothing to "
            "film. Export the scene again.",
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
            "`up` is an axis (+x, -x, +y …) or auto, `scale` is more than 0, `origin` is three numbers, and "
            "with them the scene must be of a size and in a place that its positions can be told apart.",
        ),
        "E314": (
            "Scene out of the range of the format",
            "Formats hold positions in steps: SPZ in 24 bits, SOG in 16, PLY in float32, and SPZ sizes up to "
            "379 units. A scene too far from its origin, too large or too small comes out unusable: choose "
            "another `--origin` or `--scale`, `--crop` what lies far away, or write PLY.",
        ),
        "E315": (
            "Crop leaves nothing",
            "No Gaussian lies between the limits of `crop`, which count in metres on the stage, after `up`, "
            "`scale` and `origin`. The message says where the scene is.",
        ),
        "E317": (
            "Collider without a surface",
            "A collider is a glTF or GLB mesh of triangles. This one holds points or lines only, or "
            "triangles without an area. Name the mesh that came with the scene.",
        ),
        "W301": (
            "Up axis assumed",
            "`up: auto` takes the convention of the file format, and nothing in the scene confirms it: no "
            "ground was found, or another side looks as much like ground, or the ground leant so far that it "
            "may be a slope. Look at the scene (`anix scene look`), and write `up` once you know.",
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
            "Rows with NaN or infinity cannot be drawn. A few are normal, many mean a failed training. "
            "With many, export the scene again.",
        ),
        "W305": (
            "File has another length than it should",
            "The Gaussians are complete, but bytes after them are missing or left over. If the scene "
            "looks incomplete, fetch it again.",
        ),
        "W306": (
            "Values look final already",
            "PLY stores logarithms and logits. A tool seems to have written final values instead. If the "
            "scene looks like fog or dust, export it again.",
        ),
        "W307": (
            "Scene far from its origin",
            "Single precision is coarse there. Write `origin`, or export the scene with its origin nearby.",
        ),
        "W308": (
            "SPZ extension left unread",
            "The file carries data that this version does not understand; the Gaussians themselves are read.",
        ),
        "W309": (
            "Flat Gaussians",
            "The file comes from 2D Gaussian Splatting, whose Gaussians are discs. They get a thickness of a "
            "millionth of the scene, so that they can be drawn like others.",
        ),
        "W310": (
            "Point cloud instead of splats",
            "Each point becomes a small round Gaussian, as large as the way to the next points. Scans look "
            "full only from afar: name a file of trained splats where there is one.",
        ),
        "W311": (
            "Spherical harmonics cut",
            "Colours depend on the view up to degree 3. Finer coefficients of the file are left out.",
        ),
        "W312": (
            "Unit taken from the training",
            "nerfstudio shrinks a capture before it trains. Its dataparser_transforms.json beside the scene "
            "says by how much, and anix takes that back. Remove the file to keep the unit of the PLY.",
        ),
        "W313": (
            "Colours in linear light",
            "The file says that its colours are to be blended in linear light. anix blends them as they are "
            "stored, as most splats are trained.",
        ),
        "W315": (
            "Unit told by the scene",
            "An OpenUSD stage says how many metres its unit is, and anix brings the scene to metres. "
            "Many tools write a number that is not so: `scale`, metres per unit of the file, overrides it.",
        ),
        "W314": (
            "Collider lies elsewhere",
            "Hardly any splat has a triangle of the collider nearby, in the coordinates of the splats or "
            "with glTF's +y up. It is left aside. Export both from the same scene.",
        ),
        "W321": (
            "Values cut to what the format holds",
            "SPZ has bytes for sizes, colours and harmonics. Rare values outside their range are cut to it; "
            "the message counts them. Where there are many, write PLY or SOG.",
        ),
        "W322": (
            "Positions coarser than the Gaussians",
            "Far from the origin, or beside strays that lie far away, the steps of the format are larger "
            "than the Gaussians themselves, which then stand on a lattice. Choose `--origin`, `--crop`, or "
            "PLY.",
        ),
    },
)
SCENE |= rows(
    ExitCode.ENVIRONMENT,
    {
        "E316": (
            "A package for this format is missing",
            "SPZ version 4 takes the package zstandard (the extra `spz`), OpenUSD takes usd-core (the extra "
            "`usd`). Install it with pip, or export the scene as PLY.",
        ),
    },
)

CHARACTER = rows(
    ExitCode.INVALID,
    {
        "E391": (
            "A picture cannot be read",
            "Pictures are PNG, JPEG, WebP, TIFF, BMP or GIF files; what counts is the content, not the "
            "name. Save it as one of these.",
        ),
        "E392": (
            "A picture is too large",
            "Pictures of more than 50 megapixels are refused before they are unpacked. Make it smaller.",
        ),
        "W391": (
            "Several pictures in one file",
            "Of an animation or a file of several pages, the first picture is used. Save the one that you "
            "mean as a file of its own.",
        ),
        "E341": (
            "Empty view",
            "A picture of the character is fully transparent or shows only background. Export it again "
            "with the figure in it.",
        ),
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
        "E346": (
            "No turnaround sheet",
            "A sheet shows the whole character four times, with space between: front first, then left, right "
            "and back. Another count of figures was found. Captions and details must be lower than half of "
            "a figure.",
        ),
        "E351": (
            "Not a 3D model",
            "A character's model is a glTF 2.0 file (.glb, .gltf) or a VRM with a surface to see. The "
            "message says what this file is. Export the character as GLB.",
        ),
        "E352": (
            "Model is truncated",
            "The file is shorter than it promises: the copy or download was cut off. Fetch it again.",
        ),
        "E353": (
            "Model is damaged",
            "The description of the model contradicts itself: wrong indices, nodes in a ring, a skin without "
            "joints, numbers that are not finite. Export or download it again.",
        ),
        "E354": (
            "Model format not supported",
            "Models compressed with Draco or meshopt and glTF 1.0 are not read. Export plain GLB (glTF 2.0).",
        ),
        "E355": (
            "Model too large",
            "The file promises more than any character needs. Decimate the model, or leave parts out.",
        ),
        "E356": (
            "Part of a model is missing",
            "A .gltf names other files that hold its numbers, and one is not beside it. Export as GLB, which "
            "holds all that belongs to it.",
        ),
        "E361": (
            "Not a motion",
            "A motion is a BVH file, or a glTF 2.0 file (.glb, .gltf, .vrm) with clips. The message says "
            "what this file is. FBX is converted to GLB by Blender or FBX2glTF.",
        ),
        "E362": (
            "Motion is truncated",
            "The file ends before all that it promises: the copy, download or export was cut off.",
        ),
        "E363": (
            "Motion is damaged",
            "The file contradicts itself: braces that do not match, channels that are none, numbers that are "
            "not finite. Export it again.",
        ),
        "E364": (
            "Motion too large",
            "The file promises more than any motion needs. Cut it to what is used before it is exported.",
        ),
        "E365": (
            "No such clip",
            "The file has no clip of that name, or nothing of it lies between start and end. The message "
            "lists the clips that it has.",
        ),
        "E366": (
            "No person in the motion",
            "Hips, and arms or legs, must be known among the joints: by names that rigs use, or by how they "
            "hang together and where they are; and the body must stand upright at rest or at some moment. "
            "The message lists what was known. The same holds of the character that is to show it.",
        ),
        "W361": (
            "No even steps",
            "A walk or run is taken from two steps that end as they begin, and there are none in this "
            "motion, so that all of it goes round. Name the part that goes evenly with start and end.",
        ),
        "W362": (
            "Motion that goes away",
            "A gesture stays where the plan has the character; this motion goes further away than that. It "
            "is kept in its place, and its feet may slide.",
        ),
        "W351": (
            "Texture left out",
            "A picture that the model names is missing or cannot be read, so that the surface shows its "
            "plain colour. Export the model as GLB with its textures in it.",
        ),
        "W352": (
            "Several things in one hand",
            "The model holds several tools or weapons in one hand, to choose from. The first one is shown, "
            "the message names the others.",
        ),
        "W353": (
            "Model that cannot walk",
            "The model has no clip to walk by, and no legs were found in its bones by their names. It glides "
            "and bobs. Export it with its rig, with usual names of bones, or with a walk clip.",
        ),
        "W354": (
            "Part of a model left out",
            "Points and lines of a model are not drawn, nor are triangles whose corners are not finite.",
        ),
        "W341": (
            "Same view twice",
            "Two views are one picture, so one side of the character is not known. Add a picture of the "
            "other side.",
        ),
        "W342": (
            "Mirrored view",
            "A view is another one mirrored, so what differs between the two sides is lost. Add a picture "
            "of that side itself.",
        ),
        "W343": (
            "View of somebody else",
            "The colours or the outline of one view are unlike those of all others, as if it showed another "
            "character, or the same one in another pose. Draw all four views alike.",
        ),
        "W344": (
            "Character cut off",
            "The character reaches the border of its picture, so that a part of it is missing there. Show "
            "all of it, with some space about it.",
        ),
        "W345": (
            "Small view",
            "The character has few pixels in this view; its face will be a blur in close shots. Use a "
            "picture in which it is about 1000 pixels high.",
        ),
        "W346": (
            "Blurred view",
            "No edge in the picture is sharp: it is out of focus, or was enlarged. What is generated from it "
            "will be as soft.",
        ),
        "W347": (
            "Left and right swapped",
            "By its feet, the character faces to the right in the left view, and to the left in the right "
            "one. The left view shows its own left side, so that it faces the left of the picture.",
        ),
    },
)

CHARACTER |= rows(
    ExitCode.USAGE,
    {
        "E357": (
            "A character command's output is taken",
            "`anix character` replaces pictures that it made itself; any other file only with --overwrite.",
        ),
        "E367": (
            "No such motion model",
            "Models that make motions of words are installed under names; the message lists them.",
        ),
        "E368": (
            "Motion too long for its model",
            "A motion model knows motions up to some length only. Ask for a shorter one, or split the shot.",
        ),
        "E369": (
            "No such way in the plan",
            "A motion can follow a character through a shot of a plan. The plan has no such shot, or nobody "
            "of that name is in it.",
        ),
    },
)

SOUND = rows(
    ExitCode.INVALID,
    {
        "E381": (
            "A sound file cannot be used",
            "Sounds are WAV, FLAC, MP3, AAC (also as M4A) or Ogg files; what counts is the content, not the "
            "name. One that is cut off or damaged is refused, so that no film ends up half silent.",
        ),
        "E382": (
            "No sound in the file",
            "The file that `audio` names holds no sound, or not a single sample.",
        ),
        "E383": (
            "Not subtitles that can be read",
            "film.subtitles names a SubRip or WebVTT file in UTF-8: blocks of a line with two times and "
            "lines of text. The message names the line at fault.",
        ),
        "E384": (
            "Not a font for these letters",
            "Captions that are drawn on the picture need a font that has their letters. The plain font that "
            "is always there has those of English; film.font names another, a TrueType or OpenType file.",
        ),
    },
)
