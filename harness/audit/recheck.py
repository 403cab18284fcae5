"""What became of findings that were CONFIRMED before (A8): fixed only with a witness, never for want of looking.

The finding itself first: where its code still stands, the verifiers decide again. Where its code is gone, the auditor that
knows its rule has looked at the file again: what it finds there decides, and only a file that it read to the end, with
nothing of that rule left, counts as fixed. Everything else cannot be told.
"""

from collections.abc import Mapping, Sequence

from harness.audit.discover import Raised
from harness.contracts import Auditor
from harness.schema.finding import Claim, Finding
from harness.schema.run import Rechecked, Report
from harness.schema.verdict import Verdict
from harness.source.project import Project

_OUTCOMES = {Verdict.CONFIRMED: "still there", Verdict.DISMISSED: "fixed"}


def looked_at_again(
    before: Sequence[Raised],
    refused: Mapping[str, str],
    origins: Mapping[str, str],
    report: Report,
    project: Project,
    auditors: Sequence[Auditor],
) -> tuple[Rechecked, ...]:
    """One entry a finding of before, most severe first, then by place. `refused` are reasons by origin."""
    now = {f.fingerprint: f for f in report.findings}
    matched = set(origins.values())
    strangers = [f for f in report.findings if f.fingerprint not in matched]
    found = []
    for one in before:
        same = now.get(origins.get(one.origin, ""))
        if same is not None:
            found.append(_entry(one, *_judged(same), same))
        else:
            why = refused.get(one.origin, "")
            found.append(_entry(one, *_gone(one.claim, why, strangers, report, project, auditors)))
    return tuple(sorted(found, key=lambda r: (-r.severity.rank, r.path, r.line, r.rule, r.fingerprint)))


def _judged(same: Finding) -> tuple[str, str]:
    """By what the verifiers say of the same finding now."""
    outcome = _OUTCOMES.get(same.verdict, "cannot tell")
    if outcome == "fixed":
        return outcome, f"refuted now: {same.reason}"
    if outcome == "still there":
        return outcome, f"confirmed again at {same.path}:{same.line}: {same.reason}"
    return outcome, f"its code still stands at {same.path}:{same.line}, and nobody decided: {same.reason}"


def _gone(
    claim: Claim,
    why: str,
    strangers: Sequence[Finding],
    report: Report,
    project: Project,
    auditors: Sequence[Auditor],
) -> tuple[str, str, Finding | None]:
    """The code that was cited is not there any more: look at what the rule's own auditor found in its stead."""
    path = claim.location.path
    rivals = [f for f in strangers if f.rule == claim.rule and f.verdict is not Verdict.DISMISSED]
    for rival in rivals:
        here = rival.path == path and rival.symbol == claim.symbol
        moved = rival.quote.strip() == claim.quote.strip()
        if (here or moved) and rival.verdict is Verdict.CONFIRMED:
            return "still there", f"in another form at {rival.path}:{rival.line}: {rival.reason}", rival
    for rival in rivals:
        if rival.path == path or rival.quote.strip() == claim.quote.strip():
            return "cannot tell", f"the code changed, and {rival.path}:{rival.line} may be the same defect", rival
    covered, trouble = _covered(claim.rule, path, report, project, auditors)
    if not covered:
        return "cannot tell", f"{why}; {trouble}" if why else trouble, None
    return "fixed", f"its code is gone ({why}), and {claim.rule} was looked for again in {path} and not found", None


def _covered(rule: str, path: str, report: Report, project: Project, auditors: Sequence[Auditor]) -> tuple[bool, str]:
    """Whether every auditor of the rule read the file to its end; else why not."""
    if path not in project.entries:
        return False, f"{path} was not looked at"
    responsible = {a.id for a in auditors if any(r.id == rule for r in a.rules)}
    lanes = [lane for lane in report.coverage.lanes if lane.auditor in responsible]
    if not lanes:
        return False, f"no auditor here looks for {rule}"
    for lane in lanes:
        skipped = next((s.reason for s in lane.skipped if s.path == path), "")
        if lane.status != "done" or skipped:
            return False, f"{lane.auditor} did not read {path} again ({skipped or lane.reason or lane.status})"
    return True, ""


def _entry(one: Raised, outcome: str, reason: str, decided: Finding | None) -> Rechecked:
    claim = one.claim
    return Rechecked.model_validate(
        {
            "fingerprint": one.origin, "rule": claim.rule, "severity": claim.severity, "path": claim.location.path,
            "line": claim.location.line, "outcome": outcome, "reason": reason,
            "finding": decided.fingerprint if decided else None,
        }
    )  # fmt: skip
