"""The same reproducer on the base: what fails on the change and not before it is a regression (E5)."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from harness.audit.desk import Desk
from harness.audit.settle import Unit, settle
from harness.audit.verify import EXECUTING_AT_MOST, EXECUTING_SECONDS, blind
from harness.contracts import Verifier
from harness.files import sha256
from harness.review.diff import FileChange
from harness.review.own import quoted
from harness.schema.evidence import Evidence, Tier
from harness.schema.finding import Finding
from harness.schema.location import Location, RelatedLocation
from harness.schema.verdict import Judgement, Verdict
from harness.source.project import Project
from harness.workers import Pool

NAME = "differential"


def reproduced(findings: Sequence[Finding], verifiers: Sequence[Verifier]) -> list[tuple[Finding, Verifier]]:
    """Confirmed findings whose deciding evidence is a reproducer that ran, with the verifier that ran it."""
    by_id = {v.id: v for v in verifiers if v.executes}
    found = []
    for finding in findings:
        if finding.verdict is Verdict.CONFIRMED and finding.tier is Tier.E4:
            ran = next((j.verifier for j in finding.judgements if j.tier is Tier.E4 and j.verifier in by_id), None)
            if ran is not None:
                found.append((finding, by_id[ran]))
    return found


def compare(
    desk: Desk, pool: Pool, pairs: Sequence[tuple[Finding, Verifier]], base: Project, changes: Mapping[str, FileChange]
) -> dict[str, Finding]:
    """Fingerprint -> the finding at E5, for those whose reproducer ran on the base and did not reproduce.

    `desk` and `pool` are those of the base. A finding whose file the base does not have has nothing to compare with.
    """
    units: dict[str, tuple[Unit, Finding]] = {}
    for finding, verifier in pairs:
        before = at_base(finding, changes, base)
        if before is not None:
            unit = _unit(desk, before, verifier, base.tree.digest)
            units[unit.step] = (unit, finding)
    done: dict[str, Finding] = {}
    for one in settle(desk, pool, [u for u, _ in units.values()], seconds=EXECUTING_AT_MOST):
        if one.value is None:
            continue
        finding = units[one.unit.step][1]
        said = Judgement.model_validate(one.value)
        if said.verdict is Verdict.UNCERTAIN and said.evidence:
            done[finding.fingerprint] = _raised(finding, said)
    return done


def turned(was: Finding | None) -> bool:
    """Whether a claim that is confirmed now was judged on the base, and was not confirmed there: the change made it true."""
    return was is not None and was.verdict in (Verdict.DISMISSED, Verdict.UNCERTAIN)


def told(finding: Finding, was: Finding | None) -> Finding:
    """The finding with what was said of the same claim on the base."""
    if was is None or not turned(was):
        return finding
    said = "refuted" if was.verdict is Verdict.DISMISSED else "not proved"
    detail = f"on the base the same claim is {said} ({was.verdict} {was.tier}): {was.reason}"
    proof = Evidence(tier=was.tier, kind="differential", summary=detail, detail=detail, sha256=sha256(detail))
    return finding.model_copy(update={"evidence": (*finding.evidence, proof)})


def at_base(finding: Finding, changes: Mapping[str, FileChange], base: Project) -> Finding | None:
    """The claim as it would stand in the base, None where its file is not there."""
    change = changes.get(finding.path)
    at = _back(finding.location, change)
    if at is None or at.path not in base.entries:
        return None
    related = tuple(_related(r, changes) for r in finding.related)
    return finding.model_copy(
        update={
            "path": at.path, "line": at.line, "end_line": at.end_line, "column": at.column, "end_column": at.end_column,
            "quote": quoted(base, at), "related": tuple(r for r in related if r is not None),
            "facts": {k: _line_fact(k, v, change) for k, v in finding.facts.items()},
        }
    )  # fmt: skip


def _back(at: Location, change: FileChange | None) -> Location | None:
    if change is None:
        return at
    if change.before is None:
        return None
    first = change.back.get(at.line) or change.near.get(at.line)
    if first is None:
        return None
    same = at.line in change.back
    if not same:
        return Location(path=change.before, line=first, end_line=first)
    last = change.back.get(at.end_line, first)
    return Location(
        path=change.before, line=first, end_line=max(first, last), column=at.column, end_column=at.end_column
    )


def _related(related: RelatedLocation, changes: Mapping[str, FileChange]) -> RelatedLocation | None:
    at = _back(related.location, changes.get(related.location.path))
    return None if at is None else related.model_copy(update={"location": at})


def _line_fact(key: str, value: str, change: FileChange | None) -> str:
    """Facts that are line numbers of the finding's own file move with it."""
    if change is None or not key.endswith("_line") or not value.isdigit():
        return value
    return str(change.back.get(int(value)) or change.near.get(int(value)) or value)


def _unit(desk: Desk, before: Finding, verifier: Verifier, tree: str) -> Unit:
    seen = blind(before.model_copy(update={"verdict": Verdict.UNVERIFIED, "tier": Tier.E1, "reason": "", "evidence": (),
                                           "judgements": (), "waiver": None, "suppressed": None, "frames": ()}))  # fmt: skip
    body: JsonValue = seen.model_dump(mode="json", exclude_defaults=True)
    parts = (NAME, desk.order.code, tree, verifier.id, verifier.version, desk.execution, seen.model_dump_json())
    payload: JsonValue = {"verifier": verifier.id, "finding": body}
    step = f"{NAME}/{verifier.id}/{before.fingerprint}"
    return Unit(step, sha256("\0".join(parts)), payload, before.fingerprint, EXECUTING_SECONDS)


def _raised(finding: Finding, said: Judgement) -> Finding:
    reason = f"{finding.reason}; on the base the same reproducer shows nothing: {said.reason}"
    detail = "\n".join(("on the base:", *(e.detail for e in said.evidence)))
    proof = Evidence(tier=Tier.E5, kind="differential", summary="reproduces on the change, not on its base", detail=detail,
                     sha256=sha256(detail), locations=(finding.location,))  # fmt: skip
    judgement = Judgement(verifier="review", verdict=Verdict.CONFIRMED, tier=Tier.E5, reason=reason, evidence=(proof,))
    return finding.model_copy(
        update={
            "tier": Tier.E5,
            "reason": reason,
            "evidence": (*finding.evidence, proof),
            "judgements": (*finding.judgements, judgement),
        }
    )
