"""JSON lines: a `run` record, a `finding` a line, and a `summary`, so that a reader need not hold the whole report."""

from pydantic import JsonValue

from harness.render.json import text
from harness.render.jsontext import dumps
from harness.render.view import View
from harness.schema.run import Report


def render(report: Report, view: View) -> str:
    """Every line is an object with `type`; findings are those of the JSON report, in its order."""
    del view
    canaries: JsonValue = None if report.canaries is None else dict(sorted(report.canaries.items()))
    version = dumps(report.schema_version)
    lines = [
        f'{{"type":"run","schema_version":{version},"run":{text(report.run)}}}',
        *(f'{{"type":"finding","finding":{text(finding)}}}' for finding in report.findings),
        f'{{"type":"summary","coverage":{text(report.coverage)},"stats":{text(report.stats)},'
        f'"canaries":{dumps(canaries, indent=None)},"usage":{text(report.usage)}}}',
    ]
    return "".join(line + "\n" for line in lines)
