"""Problems as LSP data, as a SARIF log and as GitHub's workflow commands."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from sarif_schema import SARIF

from anix_cli.core.codes import CODES
from anix_cli.core.errors import Diagnostic, Span, strictly
from anix_cli.core.schemas import schema
from anix_cli.report.checked import Checked
from anix_cli.report.github import workflow_commands
from anix_cli.report.lsp import diagnostics_document, lsp_diagnostic
from anix_cli.report.sarif import sarif_log

PUBLISHED = Draft7Validator(schema("diagnostics-v1"))
NOT_UTF8 = Path(os.fsdecode(b"caf\xe9, 100%: \xe9.yaml"))
# The first is no name that a text file could hold, the rest are names and texts as people write them.
NAMES = ("caf\udce9.yaml", "a:b.yaml", "käse/ü 1.yaml", "門.yaml", "a%41,b.yaml", "-", "a#b?.yaml")


def problem(code: str = "E104", file: Path | None = Path("film.yaml"), **details) -> Diagnostic:
    return Diagnostic(code, "both numbers must be even", file=file, **details)


def found_in(*problems: Diagnostic, file: str = "film.yaml", **details) -> list[Checked]:
    return [Checked(Path(file), problems, **details)]


AWKWARD = found_in(
    problem(span=Span(2, 14, 7), source="film: {size: 833x480}", nearest="834x480", hint="one\ntwo"),
    problem("W302", file=Path("sets/plaza.ply")),
    problem("E401", file=None),
    problem("E101", file=NOT_UTF8),
    problem("E137", file=Path("--set"), span=Span(1, 1, 4), source="film.seeed=3"),
    Diagnostic("E105", "\x1b[31m\x07 {0} [a](b) 100%\r\n::error::x \udc80 \ud800 \u202e \x9b"),
    Diagnostic("E999", "not registered"),
)


# LSP


@pytest.mark.parametrize(
    "checked",
    [found_in(), AWKWARD, *(found_in(problem("E101", file=Path(name)), file=name) for name in NAMES)],
)
def test_json_is_as_published(checked):
    document = diagnostics_document(checked)
    PUBLISHED.validate(document)
    assert json.loads(json.dumps(document).encode()) == document
    json.dumps(document, ensure_ascii=False).encode("utf-8")


def test_a_problem_as_an_editor_gets_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    document = diagnostics_document(AWKWARD)
    home = document["documents"][0]
    assert home["uri"] == f"file://{tmp_path}/film.yaml"
    assert home["diagnostics"][0] == {
        "range": {"start": {"line": 1, "character": 13}, "end": {"line": 1, "character": 20}},
        "severity": 1,
        "code": "E104",
        "source": "anix",
        "message": "both numbers must be even\ndid you mean 834x480?\none\ntwo",
        "data": {
            "title": "Value not allowed",
            "file": "film.yaml",
            "line": 2,
            "column": 14,
            "length": 7,
            "problem": "both numbers must be even",
            "found": None,
            "expected": None,
            "nearest": "834x480",
            "hint": "one\ntwo",
        },
    }
    # What has no file, or came with --set, is told at the start of the screenplay.
    nowhere = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    elsewhere = {one["code"]: one for one in home["diagnostics"][1:]}
    assert list(elsewhere) == ["E401", "E137", "E105", "E999"]
    assert all(one["range"] == nowhere for one in elsewhere.values())
    assert elsewhere["E137"]["message"] == "both numbers must be even\nin --set film.seeed=3"
    assert elsewhere["E999"]["data"]["title"] is None
    ply, bad = document["documents"][1:]
    assert (ply["uri"], ply["diagnostics"][0]["severity"]) == (f"file://{tmp_path}/sets/plaza.ply", 2)
    assert unquote_to_bytes(bad["uri"]) == os.fsencode(f"file://{tmp_path}/") + b"caf\xe9, 100%: \xe9.yaml"


@given(st.text(st.characters(exclude_categories=["Cs", "Zl", "Zp", "Cc"])), st.text(min_size=1), st.text())
def test_characters_are_utf16_code_units(before, marked, after):
    line = before + marked + after
    told = lsp_diagnostic(
        problem(span=Span(7, len(before) + 1, len(marked)), source=line),
        Span(7, len(before) + 1, len(marked)),
    )
    start, end = told["range"]["start"], told["range"]["end"]
    assert start["line"] == end["line"] == 6
    units = line.encode("utf-16-le", "surrogatepass")
    cut = units[2 * start["character"] : 2 * end["character"]]
    assert cut.decode("utf-16-le", "surrogatepass") == marked


def test_a_mark_at_the_end_of_a_line_stays_in_it():
    told = lsp_diagnostic(problem(span=Span(1, 4, 1), source="👩ab"), Span(1, 4, 1))
    assert told["range"]["start"] == told["range"]["end"] == {"line": 0, "character": 4}


def test_a_document_without_problems_is_there_to_be_cleared(tmp_path):
    cast = tmp_path / "sub" / ".." / "cast.yaml"
    (tmp_path / "sub").mkdir()
    document = diagnostics_document(
        found_in(
            file=str(tmp_path / "film.yaml"), read=(tmp_path / "film.yaml", cast), shots=2, duration_s=3.5
        )
    )
    assert document["valid"] and document["exit_code"] == 0
    assert document["documents"] == [
        {"uri": (tmp_path / "film.yaml").as_uri(), "diagnostics": []},
        {"uri": (tmp_path / "cast.yaml").as_uri(), "diagnostics": []},
    ]
    assert document["screenplays"] == [
        {"file": str(tmp_path / "film.yaml"), "uri": (tmp_path / "film.yaml").as_uri(), "valid": True,
         "errors": 0, "warnings": 0, "shots": 2, "duration": 3.5}
    ]  # fmt: skip


def test_what_two_screenplays_share_is_told_once():
    shared = problem(file=Path("cast.yaml"), span=Span(1, 1), source="x")
    checked = [Checked(Path("a.yaml"), (shared,)), Checked(Path("b.yaml"), (shared,))]
    document = diagnostics_document(checked)
    assert [len(one["diagnostics"]) for one in document["documents"]] == [0, 1, 0]
    assert [one["valid"] for one in document["screenplays"]] == [False, False]
    assert len(sarif_log(checked)["runs"][0]["results"]) == 1
    assert len(workflow_commands(checked)) == 1


def test_strict_warnings_are_errors_everywhere():
    checked = found_in(*strictly([problem("W302"), problem("W101")]))
    document = diagnostics_document(checked)
    assert (document["valid"], document["exit_code"]) == (False, 3)
    assert [one["severity"] for one in document["documents"][0]["diagnostics"]] == [1, 1]
    assert (document["screenplays"][0]["errors"], document["screenplays"][0]["warnings"]) == (2, 0)
    assert [one["level"] for one in sarif_log(checked)["runs"][0]["results"]] == ["error", "error"]
    assert all(line.startswith("::error ") for line in workflow_commands(checked))


def test_a_value_of_megabytes_is_told_in_part():
    checked = found_in(Diagnostic("E104", "9" * 5_000_000, found="9" * 5_000_000, source="9" * 5_000_000))
    for told in (diagnostics_document(checked), sarif_log(checked), workflow_commands(checked)):
        assert len(json.dumps(told)) < 12_000


# SARIF


@pytest.mark.parametrize(
    "checked",
    [found_in(), AWKWARD, *(found_in(problem("E101", file=Path(name)), file=name) for name in NAMES)],
)
def test_a_sarif_log_is_sound(checked):
    log = sarif_log(checked)
    Draft7Validator(SARIF).validate(log)
    json.dumps(log, ensure_ascii=False).encode("utf-8")
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    assert {rule["id"] for rule in rules} == {result["ruleId"] for result in run["results"]}
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        # Braces come in pairs, so that none is a placeholder; no bracket begins a link.
        text = result["message"]["text"].replace("{{", "").replace("}}", "")
        assert not set("{}") & set(text)
        assert not re.search(r"(?<!\\)\[[^\[\]]*\]\(", text)


def test_a_problem_in_sarif(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    inside = problem(file=tmp_path / "a b" / "film.yaml", span=Span(2, 14, 7), source="film: {size: 833x480}")
    outside = problem("W302", file=tmp_path.parent / "plaza.ply")
    run = sarif_log(found_in(inside, outside))["runs"][0]
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["originalUriBaseIds"] == {"%SRCROOT%": {"uri": f"file://{tmp_path}/"}}
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 3}]
    assert run["artifacts"] == [{"location": {"uri": "film.yaml", "uriBaseId": "%SRCROOT%"}}]
    assert run["results"][0] == {
        "ruleId": "E104",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": "both numbers must be even"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "a%20b/film.yaml", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 2, "startColumn": 14, "endLine": 2, "endColumn": 21},
                }
            }
        ],
    }
    assert run["results"][1]["level"] == "warning"
    assert run["results"][1]["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": f"file://{tmp_path.parent}/plaza.ply"}}}
    ]
    rule = run["tool"]["driver"]["rules"][0]
    assert rule["shortDescription"] == {"text": CODES["E104"].title}
    assert rule["fullDescription"] == {"text": CODES["E104"].help}
    assert rule["defaultConfiguration"] == {"level": "error"}
    assert "helpUri" not in rule


def test_a_name_with_a_colon_is_no_scheme():
    log = sarif_log(found_in(problem(file=Path("a:b.yaml"))))
    assert log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == (
        "a%3Ab.yaml"
    )


# GitHub


def read_command(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command as GitHub's runner reads it."""
    name, properties, data = re.fullmatch(r"::([a-z]+) ([^\r\n]*?)::([^\r\n]*)", line).groups()
    pairs = dict(pair.split("=", 1) for pair in properties.split(","))

    def unescaped(text: str, extra: dict[str, str]) -> str:
        return re.sub("%(25|0D|0A|3A|2C)", lambda found: {**PLAIN, **extra}.get(found[1], found[0]), text)

    return name, {key: unescaped(value, ONLY_PROPERTIES) for key, value in pairs.items()}, unescaped(data, {})


PLAIN = {"25": "%", "0D": "\r", "0A": "\n"}
ONLY_PROPERTIES = {"3A": ":", "2C": ","}


def test_a_problem_for_github(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    file = tmp_path / "film.yaml"
    error = problem(file=file, span=Span(2, 14, 7), source="film: {size: 833x480}", hint="100%: a, b\nand c")
    assert workflow_commands(found_in(error, problem("W302", file=None))) == [
        "::error file=film.yaml,line=2,endLine=2,col=14,endColumn=21,title=E104 Value not allowed"
        "::both numbers must be even%0A100%25: a, b%0Aand c",
        "::warning file=film.yaml,title=W302 Scale assumed::both numbers must be even",
    ]
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path.parent))
    assert f"file={tmp_path.name}/film.yaml," in workflow_commands(found_in(error))[0]
    assert "file=" not in workflow_commands(found_in(problem(file=Path("-")), file="-"))[0]


@given(
    st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=30).filter(lambda name: "\0" not in name)
)
def test_nothing_breaks_out_of_a_command(message, name):
    plain = message.isprintable() and message.isascii()
    (line,) = workflow_commands(
        [Checked(Path("film.yaml"), (Diagnostic("E104", message, file=Path(f"x{name}")),))]
    )
    assert line.isprintable() or not line.isascii()
    assert not set(line) & set(map(chr, [*range(32), *range(127, 160), 0x2028, 0x2029]))
    kind, properties, data = read_command(line)
    assert (kind, properties["title"]) == ("error", "E104 Value not allowed")
    assert set(properties) == {"file", "title"}
    assert not plain or data == message


@pytest.mark.parametrize("name", NAMES)
def test_names_for_github(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    (line,) = workflow_commands(found_in(problem(file=Path(name))))
    line.encode("utf-8")
    shown = read_command(line)[1].get("file")
    assert shown == {"caf\udce9.yaml": "caf\\xe9.yaml", "-": None}.get(name, name)


def test_a_stream_that_lacks_letters():
    (line,) = workflow_commands(found_in(Diagnostic("E123", "“門” – no")), encoding="ascii")
    assert line.endswith('::"\\u9580" - no')
