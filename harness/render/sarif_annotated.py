"""A SARIF log that somebody else wrote, as it was, with what was said of each result.

Each result that was looked at gets `properties.harness`; a DISMISSED one also gets an external, accepted suppression, so
that code scanning closes it. Nothing else is touched: rules, places, fingerprints and unknown properties stay.
"""

import copy
from collections.abc import Mapping

from pydantic import JsonValue

from harness.files import displayable
from harness.render.jsontext import dumps
from harness.schema.finding import Finding
from harness.schema.run import ImportedResult, Report
from harness.schema.verdict import Verdict

EVIDENCE = 20
"""Pieces of evidence kept of a result."""
DETAIL = 4_000
"""Characters kept of what was run or shown."""


def annotated(original: dict[str, JsonValue], report: Report) -> str:
    """The log as text."""
    log = copy.deepcopy(original)
    findings = {f.fingerprint: f for f in report.findings}
    runs = log.get("runs")
    for number, run in enumerate(runs if isinstance(runs, list) else []):
        if isinstance(run, dict):
            _annotate(run, [i for i in report.imported if i.run == number], findings, report)
    return dumps(log) + "\n"


def _annotate(
    run: dict[str, JsonValue], imported: list[ImportedResult], findings: Mapping[str, Finding], report: Report
) -> None:
    results = run.get("results")
    for one in imported:
        result = results[one.result] if isinstance(results, list) and one.result < len(results) else None
        if not isinstance(result, dict):
            continue
        finding = findings.get(one.finding or "")
        _properties(result)["harness"] = _said(finding) if finding else {"rejected": displayable(one.reason)}
        if finding is not None and finding.verdict is Verdict.DISMISSED:
            suppressions = result.get("suppressions")
            known = suppressions if isinstance(suppressions, list) else []
            why = f"refuted ({finding.tier} {finding.tier.label}): {displayable(finding.reason)}"
            result["suppressions"] = [*known, {"kind": "external", "status": "accepted", "justification": why}]
    _properties(run)["harness"] = {
        "run": report.run.id,
        "status": report.run.status.value,
        "reason": report.run.reason and displayable(report.run.reason),
        "head": report.run.head,
    }


def _properties(holder: dict[str, JsonValue]) -> dict[str, JsonValue]:
    known = holder.get("properties")
    if isinstance(known, dict):
        return known
    fresh: dict[str, JsonValue] = {}
    holder["properties"] = fresh
    return fresh


def _said(finding: Finding) -> JsonValue:
    return {
        "verdict": finding.verdict.value,
        "tier": finding.tier.value,
        "reason": displayable(finding.reason),
        "id": finding.id,
        "fingerprint": finding.fingerprint,
        "waived": finding.waiver is not None,
        "suppressed": finding.suppressed and displayable(finding.suppressed),
        "evidence": [
            {
                "tier": e.tier.value,
                "kind": displayable(e.kind),
                "summary": displayable(e.summary),
                "detail": displayable(e.detail)[:DETAIL],
                "sha256": e.sha256,
                "places": [displayable(str(at)) for at in e.locations],
            }
            for e in finding.evidence[:EVIDENCE]
        ],
    }
