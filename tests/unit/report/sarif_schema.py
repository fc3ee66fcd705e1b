"""The parts of the SARIF 2.1.0 schema that a log of anix has, written down from the standard's text.

Closed where the standard's objects are closed, so that a misspelt property is found.
"""

from __future__ import annotations

from typing import Any


def closed(required: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": required.split(),
        "properties": properties,
    }


TEXT = {"type": "string", "minLength": 1}
COUNT = {"type": "integer", "minimum": 1}
LEVEL = {"enum": ["none", "note", "warning", "error"]}  # §3.27.10
MESSAGE = closed("text", text=TEXT)  # §3.11, §3.12
ARTIFACT_LOCATION = closed(  # §3.4: uri is a URI reference
    "uri",
    uri={"type": "string", "pattern": r"^[A-Za-z0-9._~:/?#@!$&'()*+,;=%-]+$"},
    uriBaseId={"type": "string"},
)
REGION = closed("startLine", startLine=COUNT, startColumn=COUNT, endLine=COUNT, endColumn=COUNT)  # §3.30
PHYSICAL = closed("artifactLocation", artifactLocation=ARTIFACT_LOCATION, region=REGION)  # §3.29
RULE = closed(  # §3.49
    "id",
    id=TEXT,
    shortDescription=MESSAGE,
    fullDescription=MESSAGE,
    help=MESSAGE,
    defaultConfiguration=closed("level", level=LEVEL),
)
RESULT = closed(  # §3.27
    "message",
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
    level=LEVEL,
    message=MESSAGE,
    locations={"type": "array", "items": closed("", physicalLocation=PHYSICAL)},
)
RUN = closed(  # §3.14
    "tool",
    tool=closed(
        "driver",
        driver=closed("name", name=TEXT, semanticVersion=TEXT, rules={"type": "array", "items": RULE}),
    ),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    originalUriBaseIds={"type": "object", "additionalProperties": ARTIFACT_LOCATION},
    invocations={
        "type": "array",
        "items": closed(
            "executionSuccessful", executionSuccessful={"type": "boolean"}, exitCode={"type": "integer"}
        ),
    },
    artifacts={"type": "array", "items": closed("", location=ARTIFACT_LOCATION), "uniqueItems": True},
    results={"type": "array", "items": RESULT},
)
SARIF = closed(
    "version runs",
    **{"$schema": {"type": "string", "format": "uri"}},
    version={"const": "2.1.0"},
    runs={"type": "array", "items": RUN},
)  # §3.13
