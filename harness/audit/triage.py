"""triage: the order in which people should look."""

from collections.abc import Sequence

from harness.audit.frames import illustrate
from harness.schema.finding import Finding
from harness.source.project import Project

NAME = "triage"


def triage(findings: Sequence[Finding], project: Project) -> tuple[Finding, ...]:
    """Most severe first, then by place; with the source lines that a report shows."""
    ordered = sorted(findings, key=lambda f: (-f.severity.rank, f.path, f.line, f.column, f.rule, f.fingerprint))
    return illustrate(ordered, project)
