"""A file of findings as it arrives: how large it may be, how it is encoded, and which of the two formats it is."""

import json
import re
from typing import NamedTuple, NoReturn

from pydantic import JsonValue, ValidationError

from harness.errors import UsageError
from harness.intake.loose import items, text
from harness.schema.run import Report

MOST_BYTES = 48 << 20
"""Of a file; parsed it takes about ten times as much memory."""


class Document(NamedTuple):
    """One of the two."""

    sarif: dict[str, JsonValue] | None
    """A SARIF 2.1.0 log."""
    report: Report | None
    """Our own report."""


def read(data: bytes, name: str) -> Document:
    """The findings in `data`; `name` is for messages. Raises UsageError that says what is wrong and what would do."""
    if len(data) > MOST_BYTES:
        raise UsageError(f"{name} has {len(data) >> 20} MB, more than {MOST_BYTES >> 20}", hint="Split it by run.")
    try:
        decoded = data.decode(json.detect_encoding(data), "surrogatepass").removeprefix("\ufeff")
        value: JsonValue = json.loads(decoded, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{name} is no JSON: {error}", hint="SARIF 2.1.0 and our JSON report are understood."
        ) from None
    if not isinstance(value, dict):
        raise UsageError(f"{name} holds no JSON object", hint="SARIF 2.1.0 and our JSON report are understood.")
    if text(value, "schema_version").startswith("harness.report/"):
        return Document(None, _report(value, name))
    if "runs" not in value:
        raise UsageError(
            f"{name} is neither SARIF nor a report of ours: it has no `runs` and no `schema_version`",
            hint="Most scanners write SARIF on request: --format sarif, --sarif, --output-format sarif.",
        )
    version = text(value, "version")
    if not re.fullmatch(r"2\.1\.\d+(?:-.*)?", version):
        raise UsageError(f"{name} is SARIF {version or 'of no version'}; 2.1.0 is understood", hint="Convert it first.")
    if not items(value, "runs"):
        raise UsageError(f"{name} holds no run", hint="A scan that found nothing still writes one run.")
    return Document(value, None)


def _report(value: dict[str, JsonValue], name: str) -> Report:
    try:
        return Report.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{name} is no report of ours: {place}: {first['msg']}") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")
