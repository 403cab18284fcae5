"""The JSON Schema of the JSON report, made from the records themselves. `docs/report.schema.json` is its printed form."""

from pydantic import JsonValue

from harness.schema.run import Report

ID = "harness.report/1"


def json_schema() -> JsonValue:
    """Schema of `harness.report/1`. It allows unknown keys, since fields may be added under one version."""
    schema: dict[str, JsonValue] = Report.model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": ID, **_open(schema)}


def _open(schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {k: _opened(v) for k, v in schema.items() if not (k == "additionalProperties" and v is False)}


def _opened(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return _open(value)
    return [_opened(v) for v in value] if isinstance(value, list) else value
