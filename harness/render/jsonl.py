"""JSON lines: a `run` record, a `finding` a line, and a `summary`, so that a reader need not hold the whole report."""

from pydantic import JsonValue

from harness.render.json import plain
from harness.render.jsontext import dumps
from harness.render.view import View
from harness.schema.run import Report


def render(report: Report, view: View) -> str:
    """Every line is an object with `type`; findings are those of the JSON report, in its order."""
    del view
    records: list[JsonValue] = [
        {"type": "run", "schema_version": report.schema_version, "run": plain(report.run)},
        *({"type": "finding", "finding": plain(finding)} for finding in report.findings),
        {
            "type": "summary",
            "coverage": plain(report.coverage),
            "stats": plain(report.stats),
            "canaries": dict(sorted(report.canaries.items())) if report.canaries is not None else None,
            "usage": plain(report.usage),
        },
    ]
    return "".join(dumps(record, indent=None) + "\n" for record in records)
