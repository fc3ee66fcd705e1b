"""E5xx: generation; and what joins the stages."""

from __future__ import annotations

from ..errors import ExitCode
from .code import rows

GENERATION = rows(
    ExitCode.SHOTS_FAILED,
    {
        "E541": (
            "A clip or guide cannot be read",
            "A finished clip or guide is missing or damaged. Run the same command again: it is made anew.",
        ),
        "E542": (
            "Wrong number of frames",
            "Every clip must hold exactly the frames that the plan gives it, and the film all of them. "
            "Run `anix render` again: what is damaged is made anew.",
        ),
        "E543": (
            "The film has no frames",
            "There is nothing to join: no clip holds a frame. Look at the durations of the shots, and "
            "plan again.",
        ),
        "E544": (
            "A clip has the wrong size",
            "All clips of a film must have the film's own width and height. Run `anix render` again: what "
            "is damaged is made anew.",
        ),
    },
)

RUN = {
    **rows(
        ExitCode.INVALID,
        {
            "E191": (
                "Picture size does not fit the backend",
                "Each backend works in multiples of some pixels, or in one size only; the message names what "
                "fits.",
            ),
            "E192": (
                "Frame rate does not fit the backend",
                "The backend makes one rate only, and converting at the join is not supported yet.",
            ),
            "E193": (
                "Unknown option, or backend",
                "Options are written by the backend's name: options: {animatic: {shadow: false}}. The "
                "message says which there are.",
            ),
            "E194": (
                "Option that cannot have this value",
                "The option takes another kind of value, or has limits; the message says which.",
            ),
            "E195": (
                "The backend needs a character with a rig",
                "It moves characters by their skeletons. Four views always give one; a 3D model needs bones "
                "with names or places that tell limbs (see W353), or clips to walk by. Other backends do "
                "without.",
            ),
            "W191": (
                "Options of a backend that is not installed",
                "They are kept for the machine that has it, and are not checked here.",
            ),
            "W192": (
                "Prompt too long for the backend",
                "The text encoder reads so many tokens and no more; words at the end are lost, and the "
                "message names them. They are counted by the encoder's own tokenizer where its weights are "
                "on this machine, else estimated, on the high side.",
            ),
            "W193": (
                "The backend cannot take all that is planned",
                "Baselines for comparison are told less than a film holds: some take words and a first frame "
                "and nothing else. The message names what does not reach the one that is chosen, so that its "
                "clips are judged by what it knew.",
            ),
            "W551": (
                "A clip is made again",
                "What the backend gave was no picture: not finite, black, flat or frozen where the scene is "
                "not. It is thrown away and made once more, in higher precision.",
            ),
            "E551": (
                "The guide is blank",
                "The camera sees nothing of the scene in the whole shot: a wrong up axis, scale or anchor. "
                "Look at `up`, `scale` and the shot's anchor.",
            ),
        },
    ),
    **rows(
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
            "E453": (
                "Backend changed after planning",
                "The plan was made for another version of it, so its keys promise other pixels. Plan again.",
            ),
            "E454": (
                "Sound changed after planning",
                "The plan names sounds by their content, and the file has other content now. Plan again.",
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
    **rows(
        ExitCode.ENVIRONMENT,
        {
            "E461": (
                "Not enough disk space",
                "Guides and clips are kept lossless. Free some space or move the store with ANIX_CACHE_DIR.",
            ),
        },
    ),
    **rows(
        ExitCode.SHOTS_FAILED,
        {
            "E555": (
                "The backend failed",
                "It ended with an error of its own. Finished clips are kept; the message names the clip. The "
                "same command tries again.",
            ),
            "E556": (
                "The backend gave no picture",
                "Twice, the second time in higher precision, its frames were not finite, black, flat or "
                "frozen where the scene is not. Nothing continues such a clip. Try another seed.",
            ),
            "E561": (
                "A worker is gone",
                "The process that made a clip ended by itself or was killed, most often since memory ran "
                "out. The task was given to another one as often as --retries says. Use fewer --jobs; the "
                "same command goes on from the last finished clip.",
            ),
            "E562": (
                "A worker hangs",
                "It finished no clip within --timeout-per-clip, and was ended. The task was given to another "
                "one as often as --retries says. Slow models need more time.",
            ),
            "E564": (
                "There is no Ray cluster",
                "`anix batch --ray` gives the takes to a Ray cluster: `auto` is the one that this machine "
                "belongs to. Ray comes with pip install 'anix[cluster]', in the same version on every node.",
            ),
            "E565": (
                "The cluster has no room",
                "No node has the GPUs and cores that a worker needs, or none has had for five minutes.",
            ),
            "E563": (
                "A bug in a worker",
                "Its traceback stands in the log. Other films go on. Please report it.",
            ),
            "E553": (
                "The backend gave something else",
                "Number, size or type of its frames is not what was asked. Finished clips are kept. The same "
                "command tries again; if it fails again, update the backend or take another.",
            ),
        },
    ),
}
