"""triage: people's decisions about findings, the source lines a report shows, and the order in which to look."""

from collections.abc import Sequence
from pathlib import Path

from harness.audit import decisions
from harness.audit.decisions import Applied, Decisions, Scope
from harness.audit.desk import Desk
from harness.audit.discover import Discovery
from harness.audit.frames import illustrate
from harness.schema.finding import Finding
from harness.source.project import Project

NAME = "triage"


def decided(desk: Desk) -> Decisions:
    """Waivers and baseline of the audited folder, as they are now.

    Read before any work is done, since a file that cannot be read ends the run. Raises ConfigError.
    """
    return decisions.read(Path(desk.order.origin))


def triage(
    desk: Desk, discovery: Discovery, findings: Sequence[Finding], known: Decisions, project: Project
) -> Applied:
    """Most severe first, then by place, with waivers, suppressions and source lines; and decisions that hide nothing."""
    done = {lane.auditor for lane in discovery.lanes if lane.status == "done"}
    scope = Scope(
        looked_for=frozenset(rule.id for a in desk.auditors if a.id in done for rule in a.rules),
        known=frozenset(rule.id for a in desk.auditors for rule in a.rules),
    )
    ordered = sorted(findings, key=lambda f: (-f.severity.rank, f.path, f.line, f.column, f.rule, f.fingerprint))
    applied = decisions.apply(ordered, project, known, today=desk.clock.now().date(), scope=scope)
    return applied._replace(findings=illustrate(applied.findings, project))
