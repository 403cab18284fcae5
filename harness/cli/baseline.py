"""`harness baseline`: what was known when the tool was adopted, so that only what is new stops a merge."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli import options

if TYPE_CHECKING:
    from harness.schema.run import Report


@click.group("baseline")
def command() -> None:
    """Write or show the baseline: findings that were there before and do not stop a merge."""


@command.command("write")
@options.repo_option
@options.run_option
@click.option("--shrink", is_flag=True, help="Only take out what the last run no longer found; add nothing.")
def write(repo: Path, run_id: str | None, shrink: bool) -> int:
    """Write the findings of a run into the baseline, in place of what is in it; what it did not look for stays."""
    from harness.audit import baseline
    from harness.cli.last_run import last_run
    from harness.errors import UsageError
    from harness.schema.run import RunStatus

    run = last_run(repo, run_id).as_of_today()
    if run.report.run.status is not RunStatus.COMPLETE:
        raise UsageError(
            f"run {run.report.run.id} is incomplete, and a baseline of half a run hides what it did not look at",
            hint=f"harness resume {run.report.run.id}",
        )
    if run.report.review is not None:
        raise UsageError(
            f"run {run.report.run.id} looked at a change, and a baseline is about everything", hint="harness audit"
        )
    path = run.root / baseline.FILE
    before = baseline.read(path)
    after = (
        baseline.shrunk(before, run.report, rules_looked_for(run.report))
        if shrink
        else baseline.replaced(before, run.report, rules_looked_for(run.report))
    )
    if after != before or not path.exists():
        baseline.write(path, after)
    known = {k.fingerprint for k in before.findings}
    new = {k.fingerprint for k in after.findings}
    click.echo(
        f"{baseline.FILE}: {len(new)} findings, {len(new - known)} added, {len(known - new)} gone; commit that file"
    )
    return 0


@command.command("show")
@options.repo_option
def show(repo: Path) -> int:
    """Show the baseline, one finding a line, and how many the last run no longer found."""
    from harness.audit import baseline
    from harness.cli.last_run import last_run
    from harness.errors import UsageError
    from harness.files import displayable

    known = baseline.read(repo.resolve() / baseline.FILE)
    for k in known.findings:
        line = f"{k.fingerprint[:8]}  {k.severity.value:<6} {k.verdict.value:<10} {k.path}  {k.rule}"
        click.echo(displayable(line, keep=""))
    if not known.findings:
        click.echo(f"{baseline.FILE}: nothing in it", err=True)
        return 0
    try:
        report = last_run(repo).report
    except UsageError:
        return 0
    gone = len(known.findings) - len(baseline.shrunk(known, report, rules_looked_for(report)).findings)
    if gone:
        click.echo(f"{gone} of {len(known.findings)} are no longer found: harness baseline write --shrink", err=True)
    return 0


def shrink_adopted(root: Path, run_folder: Path, report: "Report") -> int:
    """Take out of the baseline of `root` what `report` no longer found; the number of entries gone.

    Only where the user lets runs live in the repository (`run_folder` is inside): an audit changes nobody else's files.
    """
    from harness.audit import baseline

    path = root / baseline.FILE
    if root not in run_folder.parents or not path.is_file():
        return 0
    before = baseline.read(path)
    after = baseline.shrunk(before, report, rules_looked_for(report))
    if after != before:
        baseline.write(path, after)
    return len(before.findings) - len(after.findings)


def rules_looked_for(report: "Report") -> set[str]:
    """Rules of the lanes that reached their end."""
    from harness import registry

    done = {lane.auditor for lane in report.coverage.lanes if lane.status == "done"}
    return {rule.id for auditor in registry.auditors() if auditor.id in done for rule in auditor.rules}
