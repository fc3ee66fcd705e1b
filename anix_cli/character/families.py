"""Which actions are drawn alike, which show nothing, and what stands in for all others.

Words for what people do are many, and drawings few: who scolds, sings or argues moves the hands as who talks.
"""

from __future__ import annotations

from collections.abc import Mapping

_ALIKE: Mapping[str, str] = {
    "reach": (
        "activate adjust affix aim answer apply apprehend arrest attach block break bring brush buy "
        "catch charge check chop claim clean clear clink close collect comb connect cover crack cut "
        "dab dig dip drag draw draw_curtains drop erase extend fasten fetch fill fling flip fold get "
        "give give_back grab grasp grip guard guide hammer hand_over hang hang_up help hide hit hitch "
        "hitch_hike hitchhike hunt inoculate insert inspect install knock knock_over light load lock "
        "lower move offer open operate paint park pat pay phone photograph pick pinch pluck plug poke "
        "pound pour press probe pull pump punch push put put_away put_back put_on put_out receive "
        "release ring rub scan scoop screw seize sell serve set shake shake_hands shoot show shower "
        "shut sign slap slide smear spill splash spray sprinkle stab stack stamp steer stir stroke "
        "support swap sweep swing swipe tag take take_back take_in take_off take_out tap text thump "
        "tickle tie tilt toggle touch trigger turn_down turn_off turn_on turn_up twist type uncover "
        "unfasten unlock unplug unscrew untie use vote wash water weigh wet whitewash wield wipe "
        "write"
    ),
    "talk": (
        "accuse act advise apologise apologize argue attend auction audition babble banter baptise "
        "baptize bargain bark bawl beatbox bellow belt bicker blame bleat bless boast brag busk carol "
        "chant chat chatter cluck coach comment commentate complain compliment confer consecrate "
        "consult converse croak croon crow curse declare dictate discuss drawl emote enact entertain "
        "exclaim explain flirt gesticulate gesture grumble haggle harmonise harmonize heckle holler "
        "hoot imitate impersonate insult interpret interrupt interview introduce jabber joke lisp "
        "meow mime mimic moo mumble murmur nag narrate natter negotiate neigh object officiate orate "
        "pantomime perform persuade praise preach preside proclaim promise propose protest quack rant "
        "rap recite referee rehearse remark report respond roar scold screech serenade shout shriek "
        "sing sing_along speak squabble squawk squeal stammer stutter supervise swear teach tease "
        "tell testify threaten translate utter vow warble whine whoop yap yell yelp yodel"
    ),
    "laugh": "cackle chuckle giggle snicker",
    "cough": "blow blow_nose gag gasp heave hiccup puke retch sneeze snort spit vomit",
    "shiver": "cower cramp fidget flinch quail shudder tremble wobble",
    "cross_arms": "clasp_hands clutch cuddle embrace huddle hug",
    "carry": "accept borrow cradle deliver display exhibit hold keep lift nurse present",
    "look": "browse find glance search seek track turn_head watch",
    "cover": "cover_face cry facepalm mourn sob weep",
    "salute": "pledge shield",
    "wave": "greet semaphore",
    "raise": "fan high_five thumbs_up windmill",
    "raise_arms": "flail flap surrender",
    "eat": "bite_nails blow_kiss lick_lips pop smoke taste vape whistle",
    "bow": "bow_head",
    "stretch": "aerobicize exercise flex jazzercise limber wake_up work_out yawn",
    "crouch": "brace curl_up",
    "throw": "bowl throw_away toss",
    "pick_up": "bury empty forage pack plant rummage scavenge unload",
    "sit": "row saddle",
    "kick": "punt",
    "kneel": "worship",
}
_FAMILY = {action: drawn for drawn, actions in _ALIKE.items() for action in actions.split()}

_STILL = (
    "blanch blink breathe click cosplay cross_eyes cross_legs drool feel follow frown gargle groan "
    "growl grunt hiss hold_breath idle kiss lean leave lie listen masquerade miss moan pant photobomb "
    "play_act pose react return roll_eyes rotate run shift shush sigh slouch smell smile snarl sniff "
    "stand stand_up stay stick_tongue stiffen stop sway swivel teeter think thunder tilt_head totter "
    "train turn wait walk wear whisper wiggle wink"
)
AT_REST = frozenset(_STILL.split())
"""What is in the face, or in how somebody stands or goes: nothing else is to be seen of it."""

_WHOLE_BODY = "faint lie_down play_dead push_up roll roll_over sit_up sleep"
NOT_DRAWN = frozenset(_WHOLE_BODY.split())
"""What takes the whole body off its feet."""

STANDS_IN = "handle"
"""Both hands at work before the body: what is drawn for any other action."""


def drawn_as(action: str) -> str | None:
    """The gesture that shows an action, or stands in for it; None where the body holds still."""
    if action in AT_REST or action in NOT_DRAWN:
        return None
    return _FAMILY.get(action, action)


def known_as(drawn: frozenset[str]) -> frozenset[str]:
    """All actions that these drawings show."""
    return drawn | {action for action, shown in _FAMILY.items() if shown in drawn}
