"""What the schema alone cannot say: cameras, marks, names and lengths that do not fit together."""

from __future__ import annotations

import pytest
from screenplay_texts import BASE, HEAD, camera, duration, film, marks, said_once, shot, staged

from anix_cli.core.screenplay import CameraSpec

VIEWS = "views: {front: f.png, left: l.png, right: r.png, back: b.png}"
LATER = "  - {id: b, command: x, duration: 1, anchor: a}\n"
CUT = "  - {id: b, command: x, duration: 1, cut: true, anchor: a}\n"


def aliases(of_mira: str, of_door: str = "") -> str:
    text = BASE.replace("b.png}", f"b.png}}, aliases: [{of_mira}]")
    return text.replace("[0, 3]", f"[0, 3], aliases: [{of_door}]") if of_door else text


def placed(written: str) -> str:
    """A screenplay with one named camera."""
    return f"cameras: {{c: {{{written}}}}}\n{BASE}"


def scene(written: str) -> str:
    return BASE.replace("{file: room.ply}", f"{{file: room.ply, {written}}}")


def options(written: str) -> str:
    return f"defaults: {{options: {written}}}\n{BASE}"


def fades(written: str, own: str = "3", before: str = "3", head: str = "") -> str:
    return (
        f"{head}{HEAD}shots:\n  - {{id: a, command: x, duration: {before}}}\n"
        f"  - {{id: b, command: x, duration: {own}, transition: {{fade: {written}}}}}\n"
    )


# (text, code, what the marked characters are, a part of the hint or of the nearest spelling)
ONE_PROBLEM = {
    # Anchors: what goes together
    "nothing in an anchor": (marks("a: {}"), "E113", "a", "{at: [0, 3]"),
    "direction without a place": (marks("a: {face: 90}"), "E113", "a", "{at: [0, 3]"),
    "misspelt place": (marks("a: {att: [0, 1]}"), "E112", "att", "at"),
    "two places": (marks("a: {at: [0, 1], box: [0, 0, 1, 1]}"), "E119", "box", "keep one"),
    "two other places": (marks("a: {box: [0, 0, 1, 1], from: last_shot}"), "E119", "box", "keep one"),
    "way from nowhere": (marks("a: {left: 1}"), "E119", "1", "write from:"),
    "way from a fixed place": (marks("a: {at: [0, 1], up: 2}"), "E119", "2", "instead of at:"),
    # Anchors: relations
    "base that is none": (marks("a: {from: dor}, door: {at: [0, 1]}"), "E123", "dor", "door"),
    "misspelt last shot": (marks("a: {from: lastshot}"), "E123", "lastshot", "last_shot"),
    "empty base": (marks('a: {from: ""}'), "E116", '""', "door"),
    "counts from itself": (marks("a: {from: a}"), "E143", "a", "at:"),
    "circle of two": (marks("a: {from: b}, b: {from: a}, c: {from: a}"), "E143", "b", "at:"),
    "circle through a facing": (
        marks("a: {at: [0, 1], face: 0}, b: {from: a, face: c}, c: {from: b, forward: 1}"),
        "E143",
        "c",
        "at:",
    ),
    "name with a meaning": (marks("last_shot: {at: [0, 1]}"), "E142", "last_shot", "another name"),
    "the same in capitals": (marks("Last_Shot: {at: [0, 1]}"), "E142", "Last_Shot", "another name"),
    "faces where it counts from": (marks("a: {at: [0, 1]}, b: {from: a, face: a}"), "E129", "a", "degrees"),
    "faces its own place": (marks("a: {at: [0, 1]}, b: {at: [0, 2, 1], face: a}"), "E129", "a", "degrees"),
    "list to face": (marks("a: {at: [0, 1], face: [1, 2]}"), "E114", "face", "name of an anchor"),
    "faces a box": (marks("a: {at: [0, 1], face: b}, b: {box: [0, 0, 1, 1]}"), "E144", "b", "at: or from:"),
    "box that faces itself": (marks("a: {box: [0, 0, 1, 1], face: a}"), "E144", "a", "at: or from:"),
    "counts from a box": (marks("a: {from: b}, b: {box: [0, 0, 1, 1]}"), "E144", "b", "at: or from:"),
    "box in a take": (
        marks("a: {box: [0, 0, 1, 1]}", LATER.replace("x,", "x, character: bob,")).replace(
            "{mira: ", f"{{bob: {{{VIEWS}}}, mira: "
        )
        + "defaults: {character: mira}\n",
        "E144",
        "a",
        "cut: true",
    ),
    "box for one who is there": (marks("a: {box: [0, 0, 1, 1]}", LATER), "E124", "a", "cut: true"),
    "nothing before the first shot": (
        marks("a: {from: last_shot}").replace("3}", "3, anchor: a}"),
        "E148",
        "a",
        "at:",
    ),
    "nothing before the first shot, further off": (
        marks("a: {from: b, left: 1}, b: {from: last_shot}").replace("3}", "3, anchor: a}"),
        "E148",
        "a",
        "at:",
    ),
    "nothing to face before the first shot": (
        marks("a: {at: [0, 1], face: last_shot}").replace("3}", "3, anchor: a}"),
        "E148",
        "a",
        "at:",
    ),
    # Boxes and limits
    "box without width": (marks("a: {box: [0.5, 0, 0.5, 1]}"), "E145", "box", "x0 < x1"),
    "box upside down": (marks("a: {box: [0, 1, 1, 0.5]}"), "E145", "box", "y0 < y1"),
    "box in pixels": (marks("a: {box: [0, 0, 400, 1]}"), "E104", "400", "from 0 to 1"),
    "half a box": (marks("a: {box: [0, 0]}"), "E104", "box", "[0.2, 0.3, 0.45, 0.95]"),
    "crop the wrong way round": (scene("crop: {x: [4, -4]}"), "E145", "x", "lower limit first"),
    "crop of nothing": (scene("crop: {y: [1, 1]}"), "E145", "y", "lower limit first"),
    "reference of no length": (
        scene("scale: {reference: [[0, 1, 2], [0, 1, 2.0]], metres: 2}"),
        "E145",
        "reference",
        "two ends",
    ),
    "reference of one point": (
        scene("scale: {reference: [[0, 1, 2]], metres: 2}"),
        "E104",
        "reference",
        "[0.2, 0, 1]",
    ),
    "reference without its length": (
        scene("scale: {reference: [[0, 1, 2], [0, 1, 3]]}"),
        "E113",
        "scale",
        "metres",
    ),
    "reference with two lengths": (
        scene("scale: {reference: [[0, 1, 2], [0, 1, 3]], metres: 2, character: mira}"),
        "E119",
        "mira",
        "keep one",
    ),
    "as tall as nobody": (
        scene("scale: {reference: [[0, 1, 2], [0, 1, 3]], character: mria}"),
        "E122",
        "mria",
        "mira",
    ),
    "crop by one limit": (scene("crop: {z: [1]}"), "E104", "z", "[-10, 10]"),
    "empty crop": (scene("crop: {}"), "E116", "crop", "x: [-10, 10]"),
    # Named cameras
    "camera without a place": (placed("look_at: door"), "E113", "c", "at: ["),
    "camera with one number": (placed("at: [1]"), "E104", "at", "[0, 1.6, -4]"),
    "looks at nobody": (placed("at: [0, 1], look_at: dor"), "E123", "dor", "door"),
    "looks at two numbers": (placed("at: [0, 1], look_at: [0, 1]"), "E104", "look_at", "[0, 1, 3]"),
    "looks at a box": (
        marks("a: {box: [0, 0, 1, 1]}") + "cameras: {c: {at: [0, 1], look_at: a}}\n",
        "E144",
        "a",
        "at: or from:",
    ),
    "camera with two lenses": (placed("at: [0, 1], lens_mm: 35, fov_y_deg: 40"), "E127", "40", "one of them"),
    "camera called like a move": (
        "cameras: {orbit: {at: [0, 1]}}\n" + BASE,
        "E142",
        "orbit",
        "another name",
    ),
    "camera called like a move to come": (
        "cameras: {Zoom: {at: [0, 1]}}\n" + BASE,
        "E142",
        "Zoom",
        "another name",
    ),
    "camera with a move": (placed("at: [0, 1], move: orbit"), "E112", "move", "belongs to camera:"),
    # The camera of a shot
    "camera that is not there": (camera("gate"), "E141", "gate", "cameras: gate: {at:"),
    "misspelt camera": (staged("gaet"), "E141", "gaet", "gate"),
    "camera in capitals": (staged("Gate"), "E141", "Gate", "gate"),
    "misspelt camera to begin at": (staged("{from: gat}"), "E141", "gat", "gate"),
    "begins at no camera": (camera("{from: gate}"), "E141", "gate", "cameras: {gate: {at:"),
    "misspelt camera in a list": (staged("[follow, rof]"), "E141", "rof", "roof"),
    "misspelt camera of the defaults": (BASE + "defaults: {camera: gate}\n", "E141", "gate", "gate: {at:"),
    "empty word for a camera": (camera('""'), "E116", '""', "auto"),
    "no camera in the list": (camera("[]"), "E116", "camera", "for example [follow, gate]"),
    "list in a list": (camera("[[follow]]"), "E114", None, "a move (follow"),
    "number for a camera": (camera("3"), "E114", "3", "a move (follow"),
    "two places for a camera": (staged("{from: gate, side: left}"), "E126", "left", "keep one"),
    "place and distance": (staged("{from: gate, move: follow, distance: 2}"), "E126", "2", "keep one"),
    "degrees of no move in a list": (camera("[follow, {degrees: 9}]"), "E126", "9", "move: orbit"),
    "lenses in a list": (camera("[follow, {lens_mm: 9, fov_y_deg: 9}]"), "E127", "9", "keep one"),
    # Lengths of moves
    "length of the only move": (camera("{move: orbit, for: 2}"), "E146", "2", "remove it"),
    "length of the only move of the defaults": (
        "defaults: {camera: {move: orbit, for: 2}}\n" + BASE,
        "E146",
        "2",
        "remove it",
    ),
    "moves longer than the shot": (
        camera("[{move: orbit, for: 2}, {move: crane, for: 1.5}]"),
        "E146",
        "camera",
        "for:",
    ),
    "moves shorter than the shot": (camera("[{move: orbit, for: 2}]"), "E146", "camera", "for:"),
    "nothing left for the rest": (camera("[{move: orbit, for: 3000ms}, follow]"), "E146", "camera", "left"),
    "moves of the defaults too long": (
        "defaults: {camera: [{move: orbit, for: 4}, follow]}\n" + BASE,
        "E146",
        "id",
        "a camera: of its own",
    ),
    "moves too long in frames": (
        "film: {fps: 8}\ndefaults: {duration: 24f}\n"
        + camera("[{move: orbit, for: 24f}, follow]").replace("    duration: 3\n", ""),
        "E146",
        "camera",
        "left",
    ),
    "no length of a move": (camera("[{for: 0}, follow]"), "E104", "0", "above 0"),
    # Fades
    "fade longer than twice its shot": (fades("6.5"), "E128", "6.5", "shorten"),
    "fade longer than twice the shot before": (fades("5", before="2"), "E128", "5", "the shot before"),
    "fade in frames": (fades("50f", own="24f", before="99f"), "E128", "50f", "shorten"),
    "fade in frames of a known rate": (fades("50f", head="film: {fps: 8}\n"), "E128", "50f", "shorten"),
    "fade of nothing": (fades("0"), "E104", "0", "above 0"),
    "fade without a length": (shot("command: x\n    transition: fade"), "E114", "fade", "{fade: 0.5}"),
    # Words with a meaning
    "alias of another": (aliases("Gate", "gate"), "E147", "gate", "another word"),
    "alias that is an anchor": (aliases("DOOR"), "E147", "DOOR", "another word"),
    "alias with an article": (aliases("the dog"), "E104", "the dog", "without an article"),
    "alias that is a number": (aliases("7"), "E114", "7", "beginning with a letter"),
    "alias that is a truth value": (aliases("true"), "E114", "true", 'round it: "true"'),
    "alias that ends in a space": (aliases('"dog "'), "E104", '"dog "', "letters"),
    "one alias without a list": (
        BASE.replace("b.png}", "b.png}, aliases: dog"),
        "E114",
        "dog",
        "[T-Rex, dinosaur]",
    ),
    "name with an unseen sign": (BASE.replace("door", '"do\u200bor"'), "E104", '"do\u200bor"', "letters"),
    "name that ends in a space": (BASE.replace("door", '"door "'), "E104", '"door "', "letters"),
    # Words for the prompt, options, film
    "prompt of the film": (film("prompt: fog"), "E112", "prompt", "belongs to a shot"),
    "look of the film": (film("look: real"), "E112", "look", "belongs to the top level or a shot"),
    "look that is a number": ("look: 3\n" + BASE, "E114", "3", 'round it: "3"'),
    "prompt that is a list": (shot("command: x\n    prompt: [fog]"), "E114", "prompt", "quotes"),
    "caption that is a number": (shot("command: x\n    caption: 3"), "E114", "3", 'round it: "3"'),
    "options without a backend": (options("{shadow: false}"), "E114", "false", "{animatic: {shadow: false}}"),
    "backend in capitals": (options("{Animatic: {shadow: false}}"), "E104", "Animatic", "write animatic"),
    "option in capitals": (options("{animatic: {Shadow: false}}"), "E104", "Shadow", "write shadow"),
    "empty options of a backend": (options("{animatic: {}}"), "E116", "animatic", "shadow: false"),
    "option of several parts": (options("{animatic: {a: {b: 1}}}"), "E114", "a", None),
    "option that is no number": (options("{animatic: {a: .nan}}"), "E117", ".nan", "finite"),
    "unknown quality": (film("quality: high"), "E104", "high", "draft, good, best"),
    "codec in capitals": (film("codec: H264"), "E104", "H264", "h264"),
    "colour as a comment": (HEAD + "film:\n  background: #ffffff\n", "E116", "background", "comment"),
    "colour that hides the brace": (film("background: #ffffff"), "E108", "#ffffff", '"#ffffff"'),
    "short colour": (film('background: "#f80"'), "E104", '"#f80"', '"#ff8800"'),
    "colour as a number": (film("background: 123456"), "E114", "123456", '"#123456"'),
    "colour spelt otherwise": (film("background: Gray"), "E104", "Gray", "write grey"),
    "unknown colour": (film("background: teal"), "E104", "teal", "skyblue"),
    "seed of a shot": (shot("command: x\n    seed: 4294967296"), "E104", "4294967296", "whole number"),
    "missing sound": (shot("command: x\n    audio: steps.wav"), "E131", "steps.wav", "tried"),
    "folder for a sound": (shot("command: x\n    audio: ."), "E135", ".", None),
    "web address": (BASE.replace("room.ply", "https://example.org/room.ply"), "E131", None, "download"),
    "home folder": (BASE.replace("room.ply", "~/room.ply"), "E131", "~/room.ply", "whole path"),
    "half a version": (BASE.replace("anix: 1", 'anix: "1"'), "E114", '"1"', "remove the quotes"),
    "duration of the defaults": (
        "defaults: {duration: 4 sec}\n" + duration("3"),
        "E104",
        "4 sec",
        "write 4s",
    ),
}


@pytest.mark.parametrize("case", ONE_PROBLEM)
def test_one_problem_is_said_once_at_its_place(problems, case):
    text, code, marked, hint = ONE_PROBLEM[case]
    if case == "colour as a comment":
        text += "shots:\n  - {id: s1, command: x, duration: 1}\n"
    said_once(problems(text), code, marked, hint)


def test_points_that_are_none_are_not_compared(problems):
    text = scene("scale: {reference: [[0, 0, .inf], [0, 0, .nan]], metres: 2}")
    assert [problem.code for problem in problems(text)] == ["E117", "E117"]


@pytest.mark.parametrize(
    "written",
    [
        "auto",
        "gate",
        "{from: gate}",
        "{from: gate, move: orbit, degrees: 90}",
        "{from: gate, lens_mm: 24}",
        "[follow, gate]",
        "[{move: orbit, for: 2}, follow]",
        "[{move: orbit, for: 2}, {from: roof, for: 1s}]",
        "[{move: orbit, for: 24f}, {move: orbit, for: 24f}]",
        "[{for: 3}]",
        "[gate, gate]",
    ],
)
def test_cameras_that_fit(problems, written):
    assert problems(staged(written)) == ()


@pytest.mark.parametrize(
    "written",
    [
        "a: {from: last_shot}",
        "a: {at: [0, 1], face: last_shot}",
        "a: {box: [0, 0, 1, 1], face: b}, b: {at: [0, 1]}",
        "a: {from: b, face: b, left: 1}, b: {at: [0, 1]}",
        "a: {at: [0, 1], face: b}, b: {at: [1, 0], face: a}",
        "a: {from: b, face: c}, b: {at: [0, 0], face: c}, c: {from: d}, d: {at: [1, 1]}",
    ],
)
def test_marks_that_fit(problems, written):
    assert problems(marks(written, CUT)) == ()


@pytest.mark.parametrize(
    ("fade", "own", "before"),
    [("6", "3", "3"), ("1s", "500ms", "0.5"), ("99f", "1", "1"), ("1f", "1f", "1f")],
)
def test_fades_that_fit(problems, fade, own, before):
    assert problems(fades(fade, own, before)) == ()


def test_a_fade_of_the_first_shot_needs_no_shot_before(problems):
    assert problems(shot("command: x\n    transition: {fade: 6}")) == ()


def test_one_word_may_be_a_character_and_an_anchor(read):
    film = read(BASE.replace("door", "mira"))
    assert list(film.characters) == list(film.anchors) == ["mira"]


def test_aliases_of_one_may_repeat_its_name(problems):
    assert problems(aliases("Mira, courier, courier", "gate")) == ()


def test_a_camera_may_be_called_like_a_character(read):
    film = read(f"cameras: {{mira: {{at: [0, 1]}}}}\n{camera('mira')}")
    assert film.shots[0].cameras == (CameraSpec(move="stationary", placement="mira"),)


def test_a_long_chain_of_marks_is_followed_in_good_time(problems):
    count = 1500
    chain = "".join(f"  a{i}: {{from: a{i + 1}, face: a{i + 2}, left: 1}}\n" for i in range(count))
    ends = f"  a{count}: {{from: last_shot}}\n  a{count + 1}: {{at: [9, 9]}}\n"
    starts = "shots:\n  - {id: s, command: x, duration: 1, anchor: a0}\n"
    (problem,) = problems(BASE.partition("anchors")[0] + "anchors:\n" + chain + ends + starts)
    assert problem.code == "E148"
    round_again = ends.replace("last_shot", "a0")
    found = problems(BASE.partition("anchors")[0] + "anchors:\n" + chain + round_again + starts)
    assert {problem.code for problem in found} == {"E143"}
