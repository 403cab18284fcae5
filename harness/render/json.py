"""The JSON report: everything, keys in a fixed order, the same bytes for equal reports.

Its shape is `docs/report.schema.json` (`harness help json-schema`), version `harness.report/1`.
"""

from pydantic import JsonValue

from harness.render.jsontext import dumps
from harness.render.view import View
from harness.schema.base import Record
from harness.schema.run import Report

INDENT = 2


def render(report: Report, view: View) -> str:
    """The whole report."""
    del view
    return dumps(plain(report), indent=INDENT) + "\n"


def plain(record: Record) -> JsonValue:
    """A record as JSON values: fields in the order of their class, free-form tables by key."""
    values: dict[str, JsonValue] = record.model_dump(mode="json")
    return _ordered(record, values)


def _ordered(source: object, value: JsonValue) -> JsonValue:
    if isinstance(source, Record) and isinstance(value, dict):
        return {name: _ordered(getattr(source, name), inner) for name, inner in value.items()}
    if isinstance(source, dict) and isinstance(value, dict):
        return {str(key): _ordered(source.get(key), value[key]) for key in sorted(value)}
    if isinstance(source, tuple | list) and isinstance(value, list):
        return [_ordered(a, b) for a, b in zip(source, value, strict=True)]
    return value
