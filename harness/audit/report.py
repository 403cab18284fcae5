"""report: everything a run has to say, counted."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from harness.audit.admit import Admission
from harness.audit.decisions import Applied
from harness.audit.desk import Desk
from harness.audit.discover import Discovery
from harness.audit.plan import Plan
from harness.audit.spending import usage
from harness.audit.verify import decide
from harness.schema.finding import Finding
from harness.schema.run import Counts, Coverage, Report, RunInfo, RunStatus, Stats, Usage
from harness.schema.verdict import Verdict

NAME = "report"


def report(
    desk: Desk,
    plan: Plan,
    discovery: Discovery,
    admission: Admission,
    merged: Mapping[str, int],
    triaged: Applied,
    *,
    started: datetime,
    seconds: float,
) -> Report:
    """The record. COMPLETE only when no stage left a trouble."""
    tree = plan.tree
    confirmed = sum(f.verdict is Verdict.CONFIRMED for f in triaged.findings)
    languages: dict[str, int] = {}
    for entry in tree.files:
        languages[entry.language] = languages.get(entry.language, 0) + 1
    return Report(
        run=RunInfo(
            id=desk.folder.id,
            status=RunStatus.INCOMPLETE if desk.troubles else RunStatus.COMPLETE,
            reason="; ".join(desk.troubles) or None,
            base=tree.base,
            head=tree.head,
            tree=tree.digest,
            target=tree.name,
            dirty=tree.dirty,
            config=desk.order.config,
            models=desk.models.specs if desk.models else (),
            started=started,
            seconds=round(seconds, 3),
        ),
        findings=triaged.findings,
        coverage=Coverage(
            files=len(tree.files),
            lines=sum(entry.lines for entry in tree.files),
            languages=dict(sorted(languages.items())),
            excluded=tree.excluded,
            lanes=discovery.lanes,
            sandbox=desk.sandbox.mechanism if desk.sandbox else f"none: {desk.no_sandbox}",
            python=desk.order.python.shown if desk.order.python else "",
            advice=_advice(desk, plan, discovery),
        ),
        stats=_stats(plan, discovery, admission, merged, triaged),
        usage=usage(desk.folder, confirmed) if desk.models else Usage(),
    )


def _advice(desk: Desk, plan: Plan, discovery: Discovery) -> str:
    """What the order knows to advise, once a lane that runs code of the project could not."""
    executing = {lane.auditor.id for lane in plan.lanes if lane.auditor.executes}
    held_up = any(skip.path == "." for lane in discovery.lanes if lane.auditor in executing for skip in lane.skipped)
    return desk.order.advice if held_up else ""


def _stats(
    plan: Plan, discovery: Discovery, admission: Admission, merged: Mapping[str, int], triaged: Applied
) -> Stats:
    findings = triaged.findings

    def counts(of: Callable[[str], bool]) -> Counts:
        """Over the dimensions for which `of` holds."""
        return Counts(
            raised=sum(of(r.claim.dimension) for r in discovery.raised),
            admitted=sum(of(r.claim.dimension) for r in admission.admitted),
            duplicates=sum(n for dimension, n in merged.items() if of(dimension)),
            **_verdicts([f for f in findings if any(of(d) for d in f.dimension)]),
        )

    deciders: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.verdict is not Verdict.UNVERIFIED:
            deciders.setdefault(decide(finding.judgements, []).verifier, []).append(finding)
    everything = counts(lambda _: True)
    return Stats(
        **everything.model_dump(),
        rejected=admission.rejected,
        by_dimension={d.id: counts(d.id.__eq__) for d in plan.dimensions},
        by_verifier={name: Counts(**_verdicts(deciders[name])) for name in sorted(deciders)},
        waived=sum(f.waiver is not None and f.verdict is Verdict.CONFIRMED for f in findings),
        suppressed=sum(f.suppressed is not None for f in findings),
        unused_suppressions=triaged.unused,
    )


def _verdicts(findings: Sequence[Finding]) -> dict[str, int]:
    verdicts = [finding.verdict for finding in findings]
    return {
        "confirmed": verdicts.count(Verdict.CONFIRMED),
        "uncertain": verdicts.count(Verdict.UNCERTAIN),
        "dismissed": verdicts.count(Verdict.DISMISSED),
        "unverified": verdicts.count(Verdict.UNVERIFIED),
    }
