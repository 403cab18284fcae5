"""One finding as a SARIF result."""

from urllib.parse import quote

from pydantic import JsonValue

from harness.files import decode_path, displayable
from harness.render.columns import utf16
from harness.schema.finding import Claim, Finding
from harness.schema.location import Location, RelatedLocation
from harness.schema.verdict import Verdict
from harness.schema.waiver import WaiverKind

FLOW = frozenset({"source", "step", "propagation", "sink"})
"""Roles of places that make up a path; all other places are only related."""
PLACES = 100
"""Locations of a result that code scanning keeps."""
STEPS = 1000
"""Locations of a code flow that it keeps."""


def result(finding: Finding, rule_index: int, level: str, *, archive: bool) -> JsonValue:
    """The result; `archive` adds `suppressions`, an empty list for what is active."""
    own = location(finding, finding.location)
    fingerprints: dict[str, JsonValue] = {"harness/v1": finding.fingerprint}
    if finding.line_hash:
        fingerprints["primaryLocationLineHash"] = finding.line_hash
    failed = finding.verdict in (Verdict.CONFIRMED, Verdict.DISMISSED)
    found: dict[str, JsonValue] = {
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "kind": "fail" if failed else "open",
        "level": level if failed else "none",
        "message": {"text": _message(finding)},
        "locations": [own],
        "partialFingerprints": fingerprints,
    }
    steps = [r for r in finding.related if r.role in FLOW]
    others = [r for r in finding.related if r.role not in FLOW]
    if steps:
        flow = [_step(finding, step) for step in steps[: STEPS - 1]]
        found["codeFlows"] = [{"threadFlows": [{"locations": [*flow, {"location": own}]}]}]
    if others:
        found["relatedLocations"] = [
            {"id": number, **location(finding, r.location), "message": {"text": _said(r)}}
            for number, r in enumerate(others[:PLACES], 1)
        ]
    if archive:
        found["suppressions"] = _suppressions(finding)
    found["properties"] = {
        "harness/id": finding.id,
        "harness/verdict": finding.verdict.value,
        "harness/tier": finding.tier.value,
        "harness/dimensions": [displayable(d) for d in finding.dimension],
        "harness/evidence": [f"{e.tier} {displayable(e.kind)}: {displayable(e.summary)}" for e in finding.evidence],
        "harness/claim": _claim(finding),
    }
    return found


def _claim(finding: Finding) -> JsonValue:
    """All that its verifiers worked from, so that `harness verify` of this log asks them the same question."""
    claim = Claim(
        rule=finding.rule, severity=finding.severity, location=finding.location, quote=finding.quote,
        scenario=finding.scenario, fix=finding.fix, symbol=finding.symbol, cwe=finding.cwe, kind=finding.kind,
        facts=finding.facts, related=finding.related, absence=finding.absence,
    )  # fmt: skip
    made: JsonValue = claim.model_dump(mode="json", exclude_defaults=True)
    return made


def location(finding: Finding, at: Location) -> dict[str, JsonValue]:
    """A physical location; the path is percent-encoded byte by byte and relative to the root."""
    columns = utf16(finding, at)
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(_bytes(at.path), safe="/"), "uriBaseId": "%SRCROOT%"},
            "region": {
                "startLine": at.line,
                "startColumn": columns.start,
                "endLine": at.end_line,
                "endColumn": columns.end,
            },
        }
    }


def _bytes(path: str) -> bytes:
    try:
        return decode_path(path)
    except ValueError:  # not one of our record paths: findings made elsewhere
        return path.encode("utf-8", "surrogatepass")


def _step(finding: Finding, place: RelatedLocation) -> JsonValue:
    return {"location": {**location(finding, place.location), "message": {"text": _said(place)}}}


def _said(place: RelatedLocation) -> str:
    return _text(place.message) or _text(place.role) or "place"


def _message(finding: Finding) -> str:
    parts = [_text(finding.scenario) or finding.rule]
    if finding.fix.strip():
        parts.append(f"Fix: {_text(finding.fix)}")
    if finding.reason.strip():
        parts.append(f"{finding.verdict} ({finding.tier} {finding.tier.label}): {_text(finding.reason)}")
    return "\n".join(parts)


def _text(text: str) -> str:
    """Plain text of a message, in which `[text](target)` would be a link: the bracket is escaped as the standard says."""
    return displayable(text.strip(), keep="\n\t").replace("](", "\\](")


def _suppressions(finding: Finding) -> list[JsonValue]:
    if finding.verdict is Verdict.DISMISSED:
        return [_external("accepted", f"refuted: {finding.reason}")]
    if finding.waiver is not None:
        status = "underReview" if finding.waiver.kind is WaiverKind.DEFER else "accepted"
        until = f", until {finding.waiver.until}" if finding.waiver.until else ""
        who = f"{finding.waiver.author}, {finding.waiver.date}{until}"
        return [_external(status, f"{finding.waiver.kind}: {finding.waiver.reason} ({who})")]
    if finding.suppressed is None:
        return []
    if finding.suppressed.startswith("inline"):
        return [{"kind": "inSource", "status": "accepted", "justification": displayable(finding.suppressed)}]
    return [_external("accepted", finding.suppressed)]


def _external(status: str, why: str) -> JsonValue:
    return {"kind": "external", "status": status, "justification": displayable(why)}
