"""The JSON report: everything, keys in a fixed order, the same bytes for equal reports.

Its shape is `docs/report.schema.json` (`harness help json-schema`), version `harness.report/1`. Fields come in the order
of their class, free-form tables by key.
"""

from functools import cache
from typing import Any, TypeVar, get_args, get_origin

from pydantic import JsonValue
from pydantic_core import PydanticSerializationError

from harness.render.jsontext import dumps, safe
from harness.render.view import View
from harness.schema.base import Record
from harness.schema.run import Report

R = TypeVar("R", bound=Record)
INDENT = 2


def render(report: Report, view: View) -> str:
    """The whole report."""
    del view
    return text(report, indent=INDENT) + "\n"


def text(record: Record, *, indent: int | None = None) -> str:
    """A record as JSON, safe to print."""
    ordered = in_order(record)
    try:
        return safe(ordered.model_dump_json(indent=indent))
    except PydanticSerializationError:  # a lone surrogate, which JSON can escape and UTF-8 cannot hold
        values: JsonValue = ordered.model_dump(mode="json")
        return dumps(values, indent=indent)


def in_order(record: R) -> R:
    """The record with every free-form table sorted by key, at any depth."""
    if not _holds_tables(type(record)):
        return record
    changed = {name: _ordered(getattr(record, name)) for name in type(record).model_fields}
    return record.model_copy(update=changed)


def _ordered(value: Any) -> Any:
    if isinstance(value, Record):
        return in_order(value)
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value)}
    if isinstance(value, tuple) and value and isinstance(value[0], Record):
        return tuple(in_order(item) for item in value)
    return value


@cache
def _holds_tables(kind: type[Record]) -> bool:
    return any(_is_table(field.annotation) for field in kind.model_fields.values())


def _is_table(annotation: Any) -> bool:
    if get_origin(annotation) is dict:
        return True
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return _holds_tables(annotation)
    return any(_is_table(argument) for argument in get_args(annotation))
