"""E2xx: planning."""

from __future__ import annotations

from ..errors import ExitCode
from .code import rows

PLAN = rows(
    ExitCode.INVALID,
    {
        "E201": (
            "Unknown action",
            "A command uses a verb that anix does not know. Say it plainly: walks, turns, waves.",
        ),
        "E202": (
            "Only what is not done",
            "All that the command says is cancelled: with “not”, “almost”, “never mind” and the like. Say "
            "what is done.",
        ),
        "E203": (
            "Camera move that cannot be",
            "The camera is told to move in a way that it cannot, such as to tilt to the left, or that says "
            "no way, such as to fly. Say a move that turns (pan, tilt, roll), goes (dolly, truck, pedestal, "
            "crane, orbit) or changes the lens (zoom).",
        ),
        "E204": (
            "Two camera moves at once",
            "A camera makes one move at a time, said in one place: in the command or under camera:. Say "
            "moves one after the other, or split the shot.",
        ),
        "E205": (
            "No such place",
            "The command sends the character to a place that is not among the anchors. Add it there.",
        ),
        "E206": (
            "No such side of the picture",
            "The command sends the character to a side of the picture or of the stage, but the camera looks "
            "straight up or down, or lies on its side, so that this side is nowhere on the ground.",
        ),
        "E207": (
            "No action found",
            "The command holds no action that anix knows. Only English is read; an empty command is a hold.",
        ),
        "E208": (
            "Reference that is not clear",
            "“It”, “again” and “the same” stand for something that the same command says before them, if "
            "that is one thing only. Say the thing or the action itself.",
        ),
        "E209": (
            "Number that can be misread",
            "Numbers in a command are written like 3, 2.5 or 1,000: no sign, exponent, range, fraction, or "
            "comma for a point.",
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
            "The character would walk out of what the scene shows. The message says when and where. Shorten "
            "the way, or start elsewhere.",
        ),
        "E214": (
            "Starts outside the scene",
            "The anchor at which a character first appears, or the place taken where none is written, lies "
            "outside what the scene shows. Check the anchor, and the scene's scale and origin.",
        ),
        "E215": (
            "No character",
            "It is not clear which character the shot shows. Name it in the shot or under defaults.",
        ),
        "E216": (
            "Box shows no place",
            "A box says where a character stands only if the named camera sees ground at its foot line, or "
            "its height fits a place there; and if the camera looks at something else than that character.",
        ),
        "E219": (
            "Not English",
            "Commands are read in English only. Names of characters and anchors may be in any language.",
        ),
        "E220": (
            "One of two",
            "The command says that one thing or another is done. Only one can be filmed: say which.",
        ),
        "E221": (
            "No way there",
            "A wall or the like lies between the character and the place to which it is sent, and there is "
            "no way round over ground that was captured. Move the anchor, or start elsewhere.",
        ),
        "E222": (
            "Walks into something",
            "The way that the command says leads into something, over a drop, or up a step that is too high. "
            "The message says where, and how far it is free. Go less far, turn first, or send the character "
            "to an anchor: there it goes round.",
        ),
        "E223": (
            "Nobody there yet",
            "The command sends a character to another one, or has them look at one, who has not come in: no "
            "shot has shown them. Let them act in an earlier shot, with an anchor.",
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
        "E245": (
            "Plan changed after planning",
            "The plan's keys no longer follow from what it says: it was edited, or another version of anix "
            "made it. Run anix plan again.",
        ),
        "E217": (
            "Unknown name in a command",
            "The one who acts in a command is called by name, by one of the character's aliases, or she, he, "
            "they. Who else is to be seen needs a shot of their own.",
        ),
        "E218": (
            "Shot too long",
            "A shot lasts an hour at the most, in whatever unit. Split it.",
        ),
        "W230": (
            "Another one is named",
            "The command says what a character does who does not act in this shot. Set character: to the one "
            "who does, or give the other one a shot of their own.",
        ),
        "W201": (
            "Words not understood",
            "Some words of a command mean nothing to the plan; they still reach the prompt. Say it more "
            "plainly, or leave it so if only the prompt needs it.",
        ),
        "W231": (
            "Misspelt word",
            "A word of a command was read as the only known one that is spelt nearly like it. Correct it.",
        ),
        "W232": (
            "Word taken as another",
            "A verb that is not in the lexicon was taken as the action that it is most like, by the extra "
            "`language`. Say it with a plain verb, or switch this off with ANIX_LANGUAGE=off.",
        ),
        "W233": (
            "Action without a gesture",
            "Bodies in the draft have no movement of their own for this action. Hands are at work in its "
            "place, or the body stands, where the action would lay it down.",
        ),
        "W202": (
            "Shown as plain movement",
            "Climbing, swimming, riding and the like are blocked as movement over the ground for now.",
        ),
        "W203": (
            "Hurried shot",
            "The actions have less than half of the time that they usually take. Make the shot longer, or "
            "split it.",
        ),
        "W204": (
            "Place does not matter",
            "The command names something on the way; only places to go to are looked up among the anchors.",
        ),
        "W205": (
            "Direction assumed",
            "A turn or a step to the side has no direction. The character's own left is taken. Write left or "
            "right.",
        ),
        "W206": (
            "Two in one place",
            "A character first appears where another stands. Give it an anchor of its own.",
        ),
        "W207": (
            "The camera races",
            "The camera moves faster than 12 m/s, which shows little. Give the shot more time, or come "
            "nearer.",
        ),
        "W208": (
            "Not in the picture",
            "The character of a shot is out of the picture for all of it, or for more than two seconds. Let "
            "the camera follow, show more, or cut.",
        ),
        "W210": (
            "There already",
            "The command sends the character to the place at which it stands. Send it elsewhere, or leave "
            "the way out.",
        ),
        "W209": (
            "Far from the ground",
            "An anchor with a height of its own lies more than five body heights above or below the ground. "
            "Write [x, z] to stand on the ground.",
        ),
        "W211": (
            "Camera in the ground",
            "A named camera is at or below the ground that was found in the scene. It stays where it is.",
        ),
        "W212": (
            "Box does not fit the body",
            "The character stands, or is shown, where the box is, but is much taller or smaller there, or "
            "stands elsewhere. The message says what would fit.",
        ),
        "W213": (
            "Unused anchor out of the scene",
            "An anchor that nothing uses lies outside the scene, or far above or below its ground.",
        ),
        "W214": (
            "Camera far from the scene",
            "A named camera is further away from the scene than the scene is large. Check scale and origin.",
        ),
        "W215": (
            "Camera looks at nobody",
            "A named camera looks at a character that is not in the take yet. It shows the one who acts.",
        ),
        "W216": (
            "Character inside something",
            "A character comes in where the scene shows a wall, a table or the like between knee and chest. "
            "The hint names the nearest free place. Found with `validate --deep`.",
        ),
        "W217": (
            "Camera inside something",
            "A named camera stands inside something that the scene shows. Move it to where the air is free. "
            "Found with `validate --deep`.",
        ),
        "W218": (
            "Ground never filmed",
            "A character comes in where the scene shows no ground, such as behind a wall. Such space looks "
            "free, but there is nothing to show. Found with `validate --deep`.",
        ),
        "W219": (
            "Much of the picture is empty",
            "The camera looks where the scene shows little, because nobody filmed that part. Turn it to what "
            "was captured. Found with `validate --deep`.",
        ),
        "W220": (
            "Blurred picture",
            "The camera comes nearer than the scene is fine, so that it sees only soft blobs. Keep it "
            "further away, or use a finer scene. Found with `validate --deep`.",
        ),
        "W221": (
            "Something before the lens",
            "Bits of the scene that float right before the camera hide a part of the picture. Move the "
            "camera, or cut them off with `scene.crop`. Found with `validate --deep`.",
        ),
        "W222": (
            "Camera path sees no scene",
            "Hardly a frame of a camera path has the scene before it. Its file may count in other "
            "coordinates or axes than the scene's, or in another scale.",
        ),
        "W223": (
            "Camera moved to be free",
            "As composed, the camera would be inside something, or the character hidden for more than a "
            "third of the shot. It stands elsewhere; the message says where.",
        ),
        "W224": (
            "Camera not free",
            "The camera is inside something, too near to it, or outside of what was captured, or the "
            "character is hidden for more than a third of the shot. Nothing near it is better, or its place "
            "is written.",
        ),
        "W229": (
            "Focus behind the camera",
            "The lens is to be focused on something that is behind the camera through the whole move. What "
            "is as far away before the camera will be sharp.",
        ),
        "W226": (
            "One runs into another",
            "Two who act in a shot come within half a metre of each other, and waiting does not help. Let "
            "one of them start elsewhere, go elsewhere, or act in a shot of their own.",
        ),
        "W227": (
            "Leaves its fixed box",
            "With anchor_box: fixed the character is put where it shows as the shot begins, but as planned "
            "it goes elsewhere in the picture. Let the camera follow, or take anchor_box: projected.",
        ),
        "W225": (
            "Nearer than is said",
            "The way to a place is shorter than the distance with which it is said. The character goes to "
            "the place. Say the distance that the message names, or none.",
        ),
    },
)
