"""The answer of a model auditor: its JSON Schema, its typed form, and claims made of it."""

from typing import Literal

from pydantic import Field, JsonValue, ValidationError

from harness.schema.base import Record
from harness.schema.finding import Claim, Severity
from harness.schema.location import Location

_TEXT: JsonValue = {"type": "string"}
_OPTIONAL: JsonValue = {"type": ["string", "null"]}
_FINDING: dict[str, JsonValue] = {
    "path": _TEXT,
    "line": {"type": "integer"},
    "end_line": {"type": "integer"},
    "quote": _TEXT,
    "symbol": _OPTIONAL,
    "severity": {"type": "string", "enum": ["high", "medium", "low"]},
    "cwe": {"type": ["integer", "null"]},
    "scenario": _TEXT,
    "fix": _TEXT,
    "missing_pattern": {
        "type": ["string", "null"],
        "description": "For a claim that something is missing: the regular expression whose search found nothing.",
    },
}
SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {
        "nonce": _TEXT,
        "findings": {
            "type": "array",
            "items": {
                "type": "object", "properties": _FINDING, "required": list(_FINDING), "additionalProperties": False,
            },
        },
    },
    "required": ["nonce", "findings"],
    "additionalProperties": False,
}  # fmt: skip


class Answer(Record):
    """The object around the findings; these are validated one by one, so that one bad item costs only itself."""

    nonce: str
    findings: list[dict[str, JsonValue]]


class Raised(Record):
    """One finding as the model wrote it."""

    path: str = Field(min_length=1)
    line: int = Field(ge=1)
    end_line: int = 0
    quote: str = Field(min_length=1)
    symbol: str | None = None
    severity: Literal["high", "medium", "low"]
    cwe: int | None = None
    scenario: str = Field(min_length=20)
    fix: str = Field(min_length=3)
    missing_pattern: str | None = None


def claims(answer: Answer, rule: str) -> tuple[list[Claim], list[str]]:
    """(claims, what is wrong with each item that is none)."""
    found: list[Claim] = []
    malformed: list[str] = []
    for number, item in enumerate(answer.findings, 1):
        try:
            raised = Raised.model_validate(item)
        except ValidationError as error:
            first = error.errors()[0]
            malformed.append(f"finding {number}: {'.'.join(map(str, first['loc']))}: {first['msg']}")
            continue
        end = raised.end_line if raised.line <= raised.end_line <= raised.line + 200 else raised.line
        found.append(
            Claim(
                rule=rule,
                severity=Severity(raised.severity),
                location=Location(path=raised.path.removeprefix("./"), line=raised.line, end_line=end),
                quote=raised.quote.split("\n", 1)[0].strip(),
                scenario=raised.scenario,
                fix=raised.fix,
                symbol=raised.symbol or None,
                cwe=raised.cwe,
                kind="model-claim",
                facts=_facts(raised),
            )
        )
    return found, malformed


def _facts(raised: Raised) -> dict[str, str]:
    """What is missing, and the CWE by which code may decide before a verifier that argues is paid."""
    missing = {"missing": raised.missing_pattern} if raised.missing_pattern else {}
    return missing | ({"told": f"CWE-{raised.cwe}"} if raised.cwe else {})
