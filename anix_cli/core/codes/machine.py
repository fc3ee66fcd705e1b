"""E4xx: the machine: ffmpeg, disk, outputs."""

from __future__ import annotations

from ..errors import ExitCode
from .code import rows

MACHINE = rows(
    ExitCode.ENVIRONMENT,
    {
        "E401": (
            "ffmpeg is missing or cannot be used",
            "anix makes its videos with ffmpeg. The imageio-ffmpeg package brings one along; another one can "
            "be named with ANIX_FFMPEG. It must be able to write H.264 (libx264) and FFV1.",
        ),
        "E402": (
            "ffmpeg failed",
            "ffmpeg stopped before a video was finished, or did nothing for two minutes and was ended. "
            "The message holds what it said. Run the same command again; if it fails again, name another "
            "ffmpeg with --ffmpeg.",
        ),
        "E403": (
            "ffmpeg lacks an encoder",
            "The film's codec, sound or captions need an encoder that this ffmpeg does not have. The one of "
            "imageio-ffmpeg has all of them.",
        ),
        "E404": (
            "No GPU to draw with",
            "Drawing with --device cuda needs the extra gpu (PyTorch and gsplat, and the CUDA toolkit that "
            "gsplat compiles its kernels with) and a CUDA device. --device cpu, or none of it, draws the "
            "same picture on the CPU.",
        ),
        "E405": (
            "OpenTimelineIO is missing",
            "An OTIO timeline (film.also) is written with the package opentimelineio, which the extra `otio` "
            "installs. All else works without it.",
        ),
        "E411": (
            "The disk is full",
            "A file could not be finished because its disk has no space left. Free some and run the same "
            "command again: what was finished is kept.",
        ),
        "E412": (
            "A file cannot be written",
            "The place of an output does not let anix write there, or what lies there is a device, a pipe or "
            "a folder. Choose another one, or change its rights.",
        ),
        "E414": (
            "Standard output cannot be written",
            "The result was made, but where it was to be printed is full or broken. Free some space, or "
            "print it elsewhere.",
        ),
        "E415": (
            "The current folder is gone",
            "The folder that anix was started in has been removed or renamed, so that a path that does not "
            "begin at the root leads nowhere. Change into a folder that is there, and run the command again.",
        ),
        "W411": (
            "Damage in the store",
            "A stored guide or clip is no longer what was written, as after a disk fault. It is made "
            "anew. If it happens again, look at the disk.",
        ),
        "W412": (
            "The report was not made",
            "The film is as it should be, but the report beside it could not be written: the message says "
            "why. `anix report film.yaml -o report.html` makes it in another place; --no-report makes none.",
        ),
        "W413": (
            "Nobody was told",
            "What --notify-command runs at the end of a run is not there, failed, or took too long and was "
            "ended. The run is not touched by it: films and exit code are what they are.",
        ),
        "W415": (
            "The store behind the local one fails",
            "ANIX_REMOTE_STORE names a store that is shared through fsspec (an object store, say). It could "
            "not be read or written; work goes on with the local store alone.",
        ),
        "W414": (
            "The metrics could not be kept",
            "The file of --metrics could not be written at the end of the run, as on a full disk. The films "
            "are made all the same; what watches the file sees that it is old.",
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

OUTPUT = rows(
    ExitCode.USAGE,
    {
        "E433": (
            "A plan's output is taken",
            "A plan is written to a .json file and an .npz beside it, and never over something else. Name "
            "another output, or pass --overwrite.",
        ),
        "E431": (
            "The output exists already",
            "anix replaces a film, and what lies beside it, only if the same screenplay made it, which the "
            ".json file beside the film tells. Name another output, or pass --overwrite.",
        ),
        "E432": (
            "Not the name of a film",
            "A film is written as .mp4, .mov, .m4v, .mkv or .webm; the output must not be a folder, and its "
            "name at most 250 bytes long.",
        ),
        "E437": (
            "Unknown template",
            "`anix init` begins a film from a template; `anix init --list` tells which there are.",
        ),
        "E438": (
            "The folder for a new film is taken",
            "`anix init` writes into a new or empty folder, and changes nothing in another one unless "
            "--overwrite. Files that it would write just so may be there: a run that was stopped goes on.",
        ),
        "E439": (
            "Unknown device",
            "ANIX_DEVICE says what splats are drawn on: auto (a GPU where one can be used), cpu or cuda.",
        ),
        "E434": (
            "Not a film's name for this codec",
            "h264 and h265 go into .mp4, .m4v, .mov and .mkv, av1 into .mp4, .mkv and .webm, prores into "
            ".mov and .mkv, ffv1 into .mkv; png and exr make a folder.",
        ),
        "E435": (
            "An output is taken",
            "`anix scene` and `anix lora` replace a file only with --overwrite; `anix scene look` also its "
            "own pictures. What is read is never replaced. Name another output.",
        ),
        "E436": (
            "Not the name of a scene that is written",
            "Scenes are written as .ply (Inria's layout), .spz or .sog: let the output end in one of these.",
        ),
        "E416": (
            "No store",
            "A store comes into being when something is rendered: `.anix` beside the screenplay, or the "
            "folder that ANIX_CACHE_DIR names.",
        ),
        "E446": (
            "Two films of one name",
            "A batch calls films as their screenplays are called, and those of one name by their folders as "
            "well. Rename one, or make them in two batches.",
        ),
        "E440": (
            "A report's output is taken",
            "A report is written to a .html file, and only over a report of the same kind: a film's over a "
            "film's, an index over an index. Name another output with -o, or pass --overwrite.",
        ),
        "E447": (
            "The port is taken",
            "`anix watch` serves its page on 127.0.0.1. Another program uses that port, or it is one "
            "that is kept for the system: name another one with --port, or 0 for any that is free.",
        ),
        "E442": (
            "Unknown field in a name",
            "The name of an output may hold fields in braces, which are filled in: {name}, {title}, "
            "{backend}, {codec}, {quality}, {size}, {fps}, {seed}, {date}. A brace itself is written twice.",
        ),
        "E441": (
            "No films to report on",
            "`anix report DIR` lists the films of a folder by the manifests that lie beside them "
            "(film.mp4.json), which `anix render` and `anix join` write. There is none in this folder.",
        ),
        "E501": (
            "Unknown backend",
            "No installed backend has that name. Backends are found through the entry point "
            "group anix.backends.",
        ),
    },
)
