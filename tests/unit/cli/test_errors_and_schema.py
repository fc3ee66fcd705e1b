"""`anix errors` and `anix schema`: the reference that comes with the program."""

from __future__ import annotations

import io
import json
import sys

import pytest

from anix_cli.core.codes import CODES
from anix_cli.core.schemas import schema, schema_names, schema_text


def test_all_codes_as_a_table(anix):
    code, out, err = anix("errors")
    assert (code, err) == (0, "")
    rows = [line.split(maxsplit=2) for line in out.splitlines() if line[:1] in ("E", "W")]
    assert {row[0]: row[2] for row in rows} == {code: entry.title for code, entry in CODES.items()}
    exits = {row[0]: row[1] for row in rows}
    assert (exits["E101"], exits["E104"], exits["E401"], exits["W101"]) == ("2", "3", "4", "-")


def test_all_codes_as_data(anix):
    code, out, _ = anix("errors", "--json")
    records = {record["code"]: record for record in json.loads(out)["codes"]}
    assert code == 0
    assert set(records) == set(CODES)
    assert records["W101"]["severity"] == "warning" and records["W101"]["exit_code"] is None
    assert records["E401"]["exit_code"] == 4
    assert records["E104"]["example"] == {"wrong": "film: {size: 833x480}", "right": "film: {size: 832x480}"}


@pytest.mark.parametrize("written", ["E104", "e104", " e104 "])
def test_one_code_explained(written, anix):
    code, out, err = anix("errors", written)
    assert (code, err) == (0, "")
    assert out.startswith("E104  Value not allowed\n")
    flowed = " ".join(out.split())
    assert CODES["E104"].help in flowed
    assert "wrong: film: {size: 833x480} right: film: {size: 832x480}" in flowed
    assert flowed.endswith("Exit code 3: the screenplay, or what it names.")


def test_several_codes_in_the_order_asked(anix):
    code, out, _ = anix("errors", "W101", "e104", "w101")
    assert code == 0
    assert out.count("W101  ") == 1
    assert out.index("W101  ") < out.index("E104  ")
    assert "With --strict it counts as an error, exit code 3." in " ".join(out.split())
    assert [one["code"] for one in json.loads(anix("errors", "W101", "e104", "--json")[1])["codes"]] == [
        "W101",
        "E104",
    ]


@pytest.mark.parametrize(
    ("written", "near"),
    [("E1004", "did you mean E104?"), ("W104", "did you mean E104?"), ("104", "did you mean E104?"),
     ("nonsense", "lists all"), ("E999", "lists all"), ("", "lists all")],
)  # fmt: skip
def test_an_unknown_code(written, near, anix):
    code, out, err = anix("errors", "E104", written)
    assert (code, out) == (2, "")
    assert f"there is no code {written!r}" in err
    assert near in " ".join(err.split())


@pytest.mark.parametrize("name", schema_names())
def test_schemas_are_printed_as_they_are(name, anix):
    code, out, err = anix("schema", name)
    assert (code, err) == (0, "")
    assert out == schema_text(name)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ((), "screenplay-v1"),
        (("screenplay",), "screenplay-v1"),
        (("Plan-V1.json",), "plan-v1"),
        (("clip",), "clip-v1"),
    ],
)
def test_short_names_of_schemas(written, name, anix):
    assert json.loads(anix("schema", *written)[1]) == schema(name)


def test_all_schemas_named(anix):
    code, out, _ = anix("schema", "--list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == schema_names()
    assert {"screenplay-v1", "diagnostics-v1", "plan-v1"} <= set(schema_names())


@pytest.mark.parametrize(
    ("written", "near"),
    [("screenplays", "did you mean screenplay?"), ("screenplay-v2", "did you mean screenplay-v1?"),
     ("zzz", "there are clip-v1"), ("../pyproject", "there are clip-v1")],
)  # fmt: skip
def test_an_unknown_schema(written, near, anix):
    code, out, err = anix("schema", written)
    assert (code, out) == (2, "")
    assert near in " ".join(err.split())


def test_an_ascii_stream_gets_the_same_schema(monkeypatch, anix):
    monkeypatch.setattr(sys, "stdout", out := io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert anix("schema")[0] == 0
    assert json.loads(out.buffer.getvalue()) == schema("screenplay-v1")
