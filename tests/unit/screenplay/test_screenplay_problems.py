"""What an author gets wrong, the code and place that are said, and what the hint proposes."""

from __future__ import annotations

import pytest
from screenplay_texts import BASE, HEAD, SHOTS, camera, duration, film, said_once, shot

from anix_cli.core.codes import exit_code_of
from anix_cli.core.errors import AnixError, ExitCode
from anix_cli.screenplay import load
from anix_cli.screenplay.text import MAX_BYTES

BOMB = "x-a: &a0 [1, 1]\n" + "".join(
    f"x-{level}: &a{level + 1} [{', '.join([f'*a{level}'] * 9)}]\n" for level in range(9)
)


# (text, code, what the marked characters are, a part of the hint or of the nearest spelling)
ONE_PROBLEM = {
    # Truth values, numbers, empty values
    "truth value as id": (BASE.replace("s1", "false"), "E114", "false", 'quotes round it: "false"'),
    "truth value as command": (shot("command: true"), "E114", "true", "quotes"),
    "truth value as name": (BASE.replace("mira", "true"), "E114", "true", "quotes"),
    "truth value as anchor": (BASE.replace("door", "False"), "E114", "False", "quotes"),
    "number as command": (shot("command: 7"), "E114", "7", 'quotes round it: "7"'),
    "word for true": (shot("command: x\n    cut: yes"), "E114", "yes", "write true"),
    "padded seed": (film("seed: 0123"), "E117", "0123", "write 123"),
    "padded duration": (duration("004.5"), "E117", "004.5", "write 4.5"),
    "underscore in a rate": (film("fps: 1_6"), "E104", "1_6", "write 16"),
    "underscore in a seed": (film("seed: 1_000"), "E117", "1_000", "write 1000"),
    "not a number": (duration(".nan"), "E117", ".nan", "finite"),
    "infinite": (duration("-.INF"), "E117", "-.INF", "finite"),
    "huge exponent": (duration("1e999999999"), "E117", "1e999999999", "smaller"),
    "tiny exponent": (duration("1e-999999999"), "E117", "1e-999999999", "smaller"),
    "five thousand digits": (film(f"seed: {'9' * 5000}"), "E117", "9" * 5000, "smaller"),
    "half a seed": (film("seed: 1.5"), "E104", "1.5", None),
    "seed below zero": (film("seed: -1"), "E104", "-1", None),
    "quoted number": (film('seed: "7"'), "E114", '"7"', "remove the quotes"),
    "number with a unit": (BASE.replace("b.png}", "b.png}, height: 172 cm"), "E114", "172 cm", "alone: 172"),
    "decimal comma": (BASE.replace("b.png}", 'b.png}, height: "1,72"'), "E114", '"1,72"', "1.72"),
    "no duration at all": (
        BASE.replace("s1, command: run forward, duration: 3", "s1, command: x"),
        "E113",
        "id",
        None,
    ),
    "duration of zero": (duration("0"), "E104", "0", None),
    "duration below zero": (duration("-1s"), "E104", "-1s", None),
    "duration of no milliseconds": (duration("0ms"), "E104", "0ms", None),
    "duration beyond an hour": (duration("3601s"), "E104", "3601s", None),
    "duration of no frames": (duration("0f"), "E104", "0f", "0 frames"),
    "duration of half a frame": (duration("12.5f"), "E104", "12.5f", "whole number"),
    "duration of too many frames": (duration("1000000f"), "E104", "1000000f", "below 1000000f"),
    "duration with an underscore": (duration("1_000f"), "E104", "1_000f", "write 1000f"),
    "duration in words": (duration("12 frames"), "E104", "12 frames", "write 12f"),
    "duration like a clock": (duration("00:01:04"), "E104", "00:01:04", "write 64s"),
    "duration with a comma": (duration('"2,5"'), "E104", '"2,5"', "write 2.5s"),
    "duration below zero frames": (duration("-3f"), "E104", "-3f", "64f"),
    "duration with a space": (duration("4 s"), "E104", "4 s", "write 4s"),
    "duration in full-width digits": (duration("2.\uff15\uff53"), "E104", "2.\uff15\uff53", "write 2.5s"),
    "duration in Arabic digits": (duration("\u0664"), "E104", "\u0664", "write 4s"),
    "duration in minutes": (duration("2min"), "E104", "2min", "write 120s"),
    "odd size": (film("size: 641x481"), "E104", "641x481", "642x482"),
    "size too small": (film("size: 640x32"), "E104", "640x32", "640x64"),
    "size with a star": (film("size: 640*480"), "E104", "640*480", "640x480"),
    "size with spaces": (film("size: 640 x 480"), "E104", "640 x 480", "640x480"),
    "size as a number": (film("size: 832"), "E114", "832", "832x480"),
    "rate out of range": (film("fps: 999/1"), "E104", "999/1", None),
    "rate with a unit": (film("fps: 24fps"), "E104", "24fps", "write 24"),
    # Keys
    "key twice": (shot("command: run\n    command: wave"), "E109", "command", None),
    "view twice": (BASE.replace("right: r.png", "right: r.png, left: l.png"), "E109", "left", None),
    "anchor twice": (BASE.replace("[0, 3]}", "[0, 3]}, door: {at: [1, 1]}"), "E109", "door", None),
    "misspelt key": (BASE.replace("duration", "durration"), "E112", "durration", "duration"),
    "misspelt key beside the right one": (
        shot("command: x\n    duraton: 3"),
        "E112",
        "duraton",
        "duration",
    ),
    "misspelt section": (BASE.replace("anchors", "Anchor"), "E112", "Anchor", "anchors"),
    "key by another name": (
        BASE.replace("command: run forward", "action: run forward").replace("id: s1", "id: s1, command: x"),
        "E112",
        "action",
        "one of id",
    ),
    "lens by another name": (camera("{focal_length: 35}"), "E112", "focal_length", "called lens_mm"),
    "length in frames": (
        BASE.replace("duration: 3", "frames: 64") + "defaults: {duration: 1}\n",
        "E112",
        "frames",
        "duration: 64f",
    ),
    "key that is near nothing": (shot("command: x\n    wardrobe: red"), "E112", "wardrobe", None),
    "key of another section": (shot("command: x\n    fps: 16"), "E112", "fps", "belongs to film:"),
    "move as a key": (camera("{orbt: 90}"), "E112", "orbt", "move: orbit"),
    "comma in a flow": (BASE.replace("run forward", "run, then wave"), "E112", "then wave", "comma"),
    "parts of one's own": ("extra: 1\n" + BASE, "E112", "extra", "x-"),
    "empty key": (BASE + "? \n: 1\n", "E114", None, "name before the colon"),
    "list as a key": (BASE + "? [a]\n: 1\n", "E114", "[a]", "quotes"),
    "missing section": (HEAD, "E113", "anix", "shots: "),
    "missing command": (BASE.replace("command: run forward, ", ""), "E113", "id", "command: "),
    "missing view": (BASE.replace(", back: b.png", ""), "E113", "views", "back: "),
    "name that is none": (BASE.replace("door", "1st"), "E104", "1st", None),
    "id with a space": (BASE.replace("s1", "my shot"), "E104", "my shot", None),
    # Shapes
    "no shots": (HEAD + "shots:\n", "E116", "shots", "id: run"),
    "empty list of shots": (HEAD + "shots: []\n", "E116", "shots", "id: run"),
    "text for shots": (HEAD + "shots: wave\n", "E114", "wave", "id: run"),
    "list for everything": ("- a\n", "E114", "-", None),
    "word for everything": ("shots", "E114", "shots", None),
    "no characters": (
        BASE.replace("{mira: {views: {front: f.png, left: l.png, right: r.png, back: b.png}}}", "{}"),
        "E116",
        "characters",
        "mira",
    ),
    "no command": (shot("command:"), "E116", "command", "hold"),
    "command that is a comment": (shot("command: #️⃣ sign"), "E116", "command", "# begins a comment"),
    "command in brackets": (shot("command: [run]"), "E114", "command", "quotes"),
    "empty path": (BASE.replace("room.ply", '""'), "E116", '""', None),
    "one number for a place": (BASE.replace("[0, 3]", "[0]"), "E104", "at", "[0, 3]"),
    "words for a place": (BASE.replace("[0, 3]", "[0, far]"), "E114", "far", None),
    "wrong version": (BASE.replace("anix: 1", "anix: 2"), "E104", "2", None),
    "axis without a sign": (BASE.replace("room.ply", "room.ply, up: y"), "E104", "y", "+y"),
    "scale of zero": (BASE.replace("room.ply", "room.ply, scale: 0"), "E104", "0", None),
    "misspelt auto": (BASE.replace("room.ply", "room.ply, scale: atuo"), "E104", "atuo", "auto"),
    # Not yet
    "voice": (BASE.replace("b.png}", "b.png}, voice: m.wav"), "E112", "voice", "audio: into the shot"),
    "model beside views": (BASE.replace("b.png}", "b.png}, model: f.png"), "E119", "f.png", "one of them"),
    "model that is not there": (
        BASE.replace("views: {front: f.png, left: l.png, right: r.png, back: b.png}", "model: m.glb"),
        "E131",
        "m.glb",
        "tried",
    ),
    "memory": (shot("command: x\n    memory: 9"), "E104", "9", None),
    "seed for all shots": (BASE + "defaults: {seed: 3}\n", "E112", "seed", "film: or a shot"),
    "move by another name": (camera("boom"), "E141", "boom", "write pedestal"),
    "move that takes another way": (camera("{move: pan, direction: up}"), "E126", "up", "left"),
    "metres that turn": (camera("{move: pan, metres: 2}"), "E126", "2", "a pan goes by degrees"),
    "metres upward": (camera("{move: pedestal, metres: 1.5}"), "E126", "1.5", "write up: 1.5"),
    "metres of a follow": (camera("{move: follow, metres: 2}"), "E126", "2", "move: dolly"),
    "push out": (camera("{move: push, direction: out}"), "E126", "out", "move: orbit"),
    "zoom said twice": (camera("{move: zoom, times: 2, to_lens_mm: 85}"), "E126", "85", "keep one"),
    "way said twice": (camera("{move: dolly_zoom, times: 2, metres: 1}"), "E126", "1", "keep one"),
    "path of nothing": (camera("path"), "E113", "path", "keys"),
    "path that does not go": (camera("{move: path}"), "E113", None, "keys"),
    "keys of a follow": (camera("{move: follow, keys: [{at: [0, 1]}, {at: [1, 1]}]}"), "E126", None, "path"),
    "path with a frame": (
        camera("{keys: [{at: [0, 1]}, {at: [1, 1]}], frame: full}"),
        "E126",
        "full",
        "frame",
    ),
    "one key": (camera("{keys: [{at: [0, 1]}]}"), "E104", None, None),
    "keys in the scene": (
        camera("{keys: [{at: [0, 1]}, {at: [1, 1]}], coordinates: scene}"),
        "E126",
        "scene",
        "remove",
    ),
    "keys that go back": (
        camera("{keys: [{at: [0, 1], time: 0}, {at: [1, 1], time: 2}, {at: [1, 1], time: 1}]}"),
        "E149",
        "1",
        "rise",
    ),
    "key without a time": (
        camera("{keys: [{at: [0, 1], time: 0}, {at: [1, 1], time: 2}, {at: [1, 1]}]}"),
        "E149",
        None,
        "all keys",
    ),
    "keys in two units": (
        camera("{keys: [{at: [0, 1]}, {at: [1, 1], time: 2s}, {at: [1, 1], time: 64f}]}"),
        "E149",
        "64f",
        "one unit",
    ),
    "look at nobody": (camera("{move: orbit, look_at: nobody}"), "E123", "nobody", None),
    "focus on nobody": (camera("{move: rack_focus, focus: nobody}"), "E123", "nobody", None),
    "key that looks at nobody": (
        camera("{keys: [{at: [0, 1], look_at: nobody}, {at: [1, 1]}]}"),
        "E123",
        "nobody",
        None,
    ),
    "several scenes": (BASE.replace("{file: room.ply}", "[{file: room.ply}]"), "E114", "scene", "one scene"),
    "dissolve as a word": (shot("command: x\n    transition: dissolve"), "E114", "dissolve", "fade"),
    "dissolve at first": (shot("command: x\n    transition: {dissolve: 1}"), "E138", "1", "fade"),
    "dissolve in a take": (
        BASE + "  - {id: s2, command: x, duration: 1, transition: {dissolve: 7f}}\n",
        "E138",
        "7f",
        "cut: true",
    ),
    "dip and fade": (shot("command: x\n    transition: {dip: 1, fade: 1}"), "E119", "1", "one of them"),
    "colour of a fade": (
        shot("command: x\n    transition: {fade: 1, colour: white}"),
        "E119",
        "white",
        "dip",
    ),
    # Names and rules
    "shot id twice": (BASE + "  - {id: s1, command: x, duration: 1}\n", "E121", "s1", None),
    "ids that differ as numbers only": (
        BASE.replace("s1", "1.0") + '  - {id: "1.0", command: x, duration: 1}\n',
        "E121",
        '"1.0"',
        None,
    ),
    "unknown character": (shot("command: x\n    character: mria"), "E122", "mria", "mira"),
    "unknown default character": (BASE + "defaults: {character: bob}\n", "E122", "bob", None),
    "unknown anchor": (shot("command: x\n    anchor: dor"), "E123", "dor", "door"),
    "unknown face": (BASE.replace("[0, 3]", "[0, 3], face: window"), "E123", "window", None),
    "anchor inside a take": (
        BASE + "  - {id: b, command: x, duration: 1, anchor: door}\n",
        "E124",
        "door",
        "cut: true",
    ),
    "anchor of one who came in earlier in the take": (
        BASE.replace("mira: {", "bob: &v {")
        .replace("}}}", "}}, mira: *v}")
        .replace(
            "- {id: s1,", "- {id: s0, command: x, duration: 1, character: mira}\n  - {character: bob, id: s1,"
        )
        + "  - {id: b, command: x, duration: 1, character: mira, anchor: door}\n",
        "E124",
        "door",
        "cut: true",
    ),
    "several characters, none named": (
        BASE.replace(
            "{mira: ", "{bob: {views: {front: f.png, left: l.png, right: r.png, back: b.png}}, mira: "
        ),
        "E125",
        "id",
        "defaults:",
    ),
    "degrees on a follow": (camera("{move: follow, degrees: 90}"), "E126", "90", "move: orbit"),
    "up without a move": (camera("{up: 2}"), "E126", "2", "move: crane"),
    "two lenses": (camera("{lens_mm: 35, fov_y_deg: 40}"), "E127", "40", None),
    "misspelt move": (camera("orbitt"), "E141", "orbitt", "orbit"),
    "move with words": (camera("orbit left 90"), "E141", "orbit left 90", "mapping"),
    "fade longer than its shot": (shot("command: x\n    transition: {fade: 7}"), "E128", "7", None),
    "anchor that faces itself": (BASE.replace("[0, 3]", "[0, 3], face: door"), "E129", "door", "degrees"),
    # Signs with a meaning
    "colon in a sentence": (shot("command: wave: then run"), "E108", ":", 'command: "wave: then run"'),
    "colon behind a comma": (
        shot("command: x\n    caption: Hello, she says: hi"),
        "E108",
        ":",
        'caption: "Hello, she says: hi"',
    ),
    "colon behind a bracket": (shot("command: wave {then: run"), "E108", ":", 'command: "wave {then: run"'),
    "dash without a space": (HEAD + "shots:\n  -id: a\n   command: x\n", "E107", None, None),
    "second dash without a space": (BASE + "  -id: b\n", "E107", "-", "a space before the key"),
    "alias for an anchor": (
        BASE.replace("at: [0, 3]", "at: [0, 3], aliases: [gate]").replace("s1,", "s1, anchor: gate,"),
        "E123",
        "gate",
        "write door",
    ),
    "anchor in typographic quotes": (
        BASE.replace("s1,", "s1, anchor: “door”,"),
        "E123",
        "“door”",
        "straight",
    ),
    "colon in a flow": (
        BASE.replace("run forward", "wave: then run"),
        "E108",
        ":",
        'command: "wave: then run"',
    ),
    "star": (shot("command: *run* fast"), "E108", "*run*", '"*run* fast"'),
    "label before it is set": ("title: *t\nx-t: &t a\n" + BASE, "E108", "*t", None),
    "ampersand": (shot("command: &run fast"), "E108", "&run fast", '"&run fast"'),
    "at sign": (shot("command: @run fast"), "E108", "@", '"@run fast"'),
    "per cent": (shot("command: %run"), "E108", "%", '"%run"'),
    "backtick": (shot("command: `run`"), "E108", "`", '"`run`"'),
    "exclamation mark": (shot("command: !run fast"), "E108", "!run fast", "quotes"),
    "python tag": (
        shot("command: !!python/object:os.system x"),
        "E108",
        "!!python/object:os.system x",
        "quotes",
    ),
    "bar": (shot("command: | run"), "E108", "|", '"| run"'),
    "after a quote": (shot('command: "run" fast'), "E108", "f", "quotes"),
    "apostrophe in quotes": (shot("command: 'it's late'"), "E108", "s", "double quotes"),
    # Layout
    "tab": (shot("\tcommand: x"), "E106", "\t", "spaces"),
    "tab before a dash": (HEAD + "shots:\n\t- {id: a}\n", "E106", "\t", "spaces"),
    "tab after a colon": (shot("command:\tx"), "E106", "\t", "space"),
    "no-break space": (shot("command:\u00a0run"), "E107", "\u00a0", "plain space"),
    "no space after a colon": (shot("command:run"), "E107", ":", "command: value"),
    "no colon": (shot("command run"), "E107", "command run", "key: value"),
    "too far in": (shot(" command: run"), "E107", "c", "same column"),
    "words after a dash": (HEAD + "shots:\n  - id a\n    command: x\n", "E107", "id a", "key: value"),
    "brackets at the end": (HEAD + "shots: [{id: a,", "E107", "{", "add }"),
    "no such character": (shot(r'command: "a\U7FFFFFFF"'), "E134", r"\U7FFFFFFF", "single quotes"),
    "list without a space": (HEAD + "shots:\n  -{id: a}\n", "E114", "shots", "after the dash"),
    "key in Cyrillic": (shot("c\u043emmand: run"), "E112", "c\u043emmand", "U+043E, which only looks like o"),
    "framing for a move": (camera("close-up"), "E141", "close-up", "camera: {frame: close}"),
    "side for a move": (
        camera("over the shoulder"),
        "E141",
        "over the shoulder",
        "{side: over_the_shoulder}",
    ),
    "height in centimetres": (
        BASE.replace("b.png}", "b.png}, height: 172"),
        "E104",
        "172",
        "metres: write 1.72",
    ),
    "camera in Cyrillic": (
        f"{BASE}cameras: {{gate: {{at: [0, 1, 2]}}}}\ndefaults: {{camera: g\u0430te}}\n",
        "E141",
        "g\u0430te",
        "U+0430, which only looks like a",
    ),
    "sign that does not show": (shot("com\u200bmand: run"), "E112", "com\u200bmand", "does not show"),
    "id in full width": (BASE.replace("id: s1", "id: \uff53\uff11"), "E104", "\uff53\uff11", "s1"),
    "special space in brackets": (
        BASE.replace("command: run", "command:\u00a0run"),
        "E112",
        "command:\u00a0run forward",
        "type a plain one",
    ),
    "merged twice": (
        "x-a: &a {seed: 1}\nx-b: &b {seed: 2}\n" + shot("<<: *a\n    <<: *b\n    command: x"),
        "E109",
        "<<",
        "[*one, *two]",
    ),
    "two who act": (shot("command: x\n    character: [mira, mira]"), "E114", "character", "in the command"),
    "open quote": (shot('command: "run'), "E107", '"', "close it"),
    "open brace": (HEAD + "shots:\n - {id: a, command: b, duration: 3\n", "E107", "{", "add }"),
    "open bracket": (HEAD.replace("3]", "3") + SHOTS, "E107", None, None),
    "dash after a colon": (shot("command: - run"), "E107", "-", None),
    "brace too many": (BASE.replace("duration: 3}", "duration: 3}}"), "E107", "}", "remove }"),
    "bracket of a list left open": ("shots: [\n  {id: a, command: x},\n", "E107", None, None),
    "names that sound alike": (
        BASE.replace("[0, 3]}", "[0, 3]}, Door: {at: [1, 1]}"),
        "E147",
        "Door",
        "another name",
    ),
    "stray brace": (shot("command: }run"), "E107", "}", "quotes"),
    "impossible character": ('title: "\\U7FFFFFFF"\n' + BASE, "E134", "\\U7FFFFFFF", "quotes"),
    "second document": (BASE + "---\nanix: 1\n", "E111", "---", "---"),
    # Bytes
    "escape": (shot("command: \x1b[31mred"), "E105", "\x1b", "delete"),
    "null byte": (shot("command: a\x00b"), "E105", "\x00", "delete"),
    "escape by an escape": (shot('command: "a\\eb"'), "E105", '"a\\eb"', None),
    "half an emoji": (shot('command: "\\ud83d"'), "E105", '"\\ud83d"', None),
    "Windows path that breaks": (
        BASE.replace("room.ply", '"C:\\Users\\mira\\room.ply"'),
        "E134",
        "\\U",
        "use /",
    ),
    "Windows path that does not": (
        BASE.replace("room.ply", '"D:\\new\\table.ply"'),
        "E134",
        '"D:\\new\\table.ply"',
        "use /",
    ),
    # Too much
    "alias bomb": (BOMB + BASE, "E110", "*a4", None),
    "deep lists": ("x-a: " + "[" * 1500, "E110", "[", None),
    "deep by aliases": (
        "".join(f"x-{i}: &d{i + 1} [{'*d' + str(i) if i else 1}]\n" for i in range(80)) + BASE,
        "E110",
        None,
        None,
    ),
    "label inside itself": ("x-a: &a [*a]\n" + BASE, "E110", "*a", None),
}


@pytest.mark.parametrize("case", ONE_PROBLEM)
def test_one_problem_is_said_once_at_its_place(problems, case):
    text, code, marked, hint = ONE_PROBLEM[case]
    said_once(problems(text), code, marked, hint)


def test_all_problems_come_at_once_in_the_order_of_the_file(problems):
    text = (
        BASE.replace("anix: 1", "anix: 3")
        .replace("[0, 3]", "[0, 3], fase: 90")
        .replace("duration: 3", "duration: soon, camera: {move: follow, up: 1}")
    )
    found = problems(text + "colour: red\n")
    assert [problem.code for problem in found] == ["E104", "E112", "E104", "E126", "E112"]
    assert [problem.span.line for problem in found] == [1, 4, 6, 6, 7]


def test_both_lines_of_a_double_key_are_named(problems):
    (problem,) = problems(shot("command: run\n    command: wave"))
    assert problem.span.line == 9
    assert "line 8" in problem.message


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n", "null\n", "---\n...\n", "\ufeff"])
def test_an_empty_screenplay(problems, text):
    (problem,) = problems(text)
    assert problem.code == "E102"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_are_named(problems, encoding):
    (problem,) = problems(BASE.encode(encoding))
    assert problem.code == "E103"
    assert encoding[:6].upper() in problem.message
    assert "UTF-8" in problem.hint


def test_a_byte_of_another_code_page(problems):
    data = shot("command: un café").encode("latin-1")
    (problem,) = problems(data)
    assert problem.code == "E103"
    assert (problem.span.line, problem.span.column) == (8, 20)
    assert f"offset {data.index(0xE9)}" in problem.message
    assert "é in Windows-1252" in problem.message


def test_a_file_beyond_the_limit_is_not_parsed(problems):
    (problem,) = problems(b"#" * (MAX_BYTES + 1))
    assert problem.code == "E110"


def test_ordinary_aliases_are_fine(read):
    text = BASE.replace("duration: 3", "duration: &d 3, camera: &c {lens_mm: 35}")
    film = read(text + "  - {id: b, command: x, duration: *d, camera: *c}\n")
    assert film.shots[1].duration == film.shots[0].duration
    assert film.shots[1].cameras[0].lens_mm == 35


def test_an_anchor_within_a_take_is_for_one_who_has_not_been_in_it(read):
    two = (
        BASE.replace("mira: {", "bob: &v {").replace("}}}", "}}, mira: *v}") + "defaults: {character: mira}\n"
    )
    more = (
        "duration: 3}\n"
        "  - {id: b, command: x, duration: 1, character: bob, anchor: door}\n"
        "  - {id: c, command: x, duration: 1, cut: true}\n"
        "  - {id: d, command: x, duration: 1, character: bob, anchor: door}"
    )
    assert [shot.anchor for shot in read(two.replace("duration: 3}", more)).shots] == [
        None,
        "door",
        None,
        "door",
    ]


def test_a_hundred_problems_are_enough(problems):
    found = problems("{" + ",".join(f"key{index}: 1" for index in range(300)) + "}")
    assert len(found) == 101
    assert found[-1].code == "E110"
    assert "more problems" in found[-1].message


@pytest.mark.parametrize("name", ["missing.yaml", "."])
def test_a_file_that_is_not_there_is_a_usage_error(folder, name):
    with pytest.raises(AnixError) as caught:
        load(folder / name)
    (problem,) = caught.value.diagnostics
    assert problem.code == "E101"
    assert exit_code_of(caught.value.diagnostics) == ExitCode.USAGE


def test_a_wrong_screenplay_is_invalid(problems):
    assert exit_code_of(problems(HEAD)) == ExitCode.INVALID
