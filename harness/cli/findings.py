"""`harness findings`: what a run found, and the decisions not to fix it."""

import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli import options

if TYPE_CHECKING:
    from harness.render.view import View

KINDS = ("defer", "accept", "false-positive")


@click.group("findings")
def command() -> None:
    """List and show the findings of the last run, waive them or take a waiver back."""


@command.command("list")
@options.repo_option
@options.run_option
@click.option("--open", "open_", is_flag=True, help="Open questions, which nobody could prove or refute.")
@click.option("--dismissed", is_flag=True, help="Dismissed findings, each with its refutation.")
@click.option("--settled", is_flag=True, help="Waived and suppressed findings, each with the reason.")
@click.option("--all", "all_", is_flag=True, help="All of these, after the confirmed ones.")
@click.option("--severity", type=click.Choice(options.SEVERITIES[:3]), help="Only this severity.")
@click.option("--rule", help="Only this rule.")
@click.option("--path", "under", help="Only files whose path begins so.")
@click.pass_context
def list_findings(ctx: click.Context, repo: Path, run_id: str | None, open_: bool, dismissed: bool, settled: bool, all_: bool,
                  severity: str | None, rule: str | None, under: str | None) -> int:  # fmt: skip
    """List the findings of a run, one a line: the confirmed ones, or the kind that is asked for."""
    from harness.cli.last_run import last_run
    from harness.render import selection
    from harness.render.ansi import Paint, wrap
    from harness.render.listing import row, safe, why

    run = last_run(repo, run_id).as_of_today()
    report = run.report
    view = _view(ctx)
    kinds = [
        (not (open_ or dismissed or settled) or all_, "confirmed", selection.active(report)),
        (open_ or all_, "open", selection.open_questions(report)),
        (settled or all_, "settled", selection.decided(report)),
        (dismissed or all_, "dismissed", selection.dismissed(report)),
    ]
    total = 0
    for wanted, name, findings in kinds:
        for finding in findings if wanted else ():
            if severity not in (None, finding.severity.value) or rule not in (None, finding.rule):
                continue
            if under is not None and not finding.path.startswith(under):
                continue
            total += 1
            click.echo(row(finding, view, Paint(view.color)), color=view.color)
            if name != "confirmed" and (lines := wrap(safe(why(finding)), view.width, " " * 14)):
                click.echo("\n".join(lines), color=view.color)
    if not total:
        click.echo(f"run {report.run.id}: no such finding", err=True)
    if run_id is None and (narrower := run.narrower_than()):
        click.echo(narrower, err=True)
    return 0


@command.command("show")
@click.argument("finding_id", metavar="ID")
@options.repo_option
@options.run_option
@click.pass_context
def show(ctx: click.Context, finding_id: str, repo: Path, run_id: str | None) -> int:
    """Show everything known of one finding: code, evidence, what each verifier said."""
    from harness.cli.last_run import last_run
    from harness.render.detail import detail

    run = last_run(repo, run_id).as_of_today()
    view = _view(ctx)
    click.echo(detail(run.finding(finding_id), view), nl=False, color=view.color)
    return 0


@command.command("waive")
@click.argument("finding_id", metavar="ID")
@click.option("--reason", required=True, help="Why it is not fixed.")
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="accept",
    show_default=True,
    help="Fix it later, live with it, or say that the finding is wrong.",
)
@click.option(
    "--until", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE", help="Last day on which it holds.  [default: no end]"
)
@click.option("--author", envvar="HARNESS_AUTHOR", show_envvar=True, help="Who decides.  [default: your login name]")
@options.repo_option
@options.run_option
def waive(finding_id: str, reason: str, kind: str, until: datetime.datetime | None, author: str | None,
          repo: Path, run_id: str | None) -> int:  # fmt: skip
    """Waive one finding, with a reason; the waiver is void once the code of the finding changes."""
    from harness.audit import waivers
    from harness.cli.last_run import last_run
    from harness.clock import SystemClock
    from harness.errors import UsageError
    from harness.files import displayable
    from harness.schema.verdict import Verdict

    run = last_run(repo, run_id)
    finding = run.finding(finding_id)
    if finding.verdict is Verdict.DISMISSED:
        raise UsageError(f"{finding.id} is dismissed and needs no waiver", hint=f"harness findings show {finding.id}")
    waiver = waivers.for_finding(
        finding, kind=kind, reason=reason, author=author or _login(), today=SystemClock().now().date(),
        until=until.date() if until else None,
    )  # fmt: skip
    waivers.add(run.root / waivers.FILE, waiver)
    end = f" until {waiver.until}" if waiver.until else ""
    click.echo(displayable(f"waived {finding.id} ({kind}){end} in {waivers.FILE}; commit that file"))
    return 0


@command.command("unwaive")
@click.argument("finding_id", metavar="ID")
@options.repo_option
def unwaive(finding_id: str, repo: Path) -> int:
    """Take a waiver back. ID is that of the finding, or the beginning of its fingerprint."""
    from harness.audit import waivers
    from harness.errors import UsageError
    from harness.files import displayable

    path = repo.resolve() / waivers.FILE
    text = finding_id.strip().lower()
    found = {w.fingerprint for w in waivers.read(path) if text and w.fingerprint.startswith(text)}
    if not found:
        raise UsageError(f"no waiver of {finding_id!r} in {waivers.FILE}", hint="harness findings list --settled")
    if len(found) > 1:
        raise UsageError(
            f"{finding_id!r} is the beginning of {len(found)} waivers", hint="Give more of the fingerprint."
        )
    waivers.remove(path, found.pop())
    click.echo(displayable(f"took back the waiver of {finding_id}; commit {waivers.FILE}"))
    return 0


def _login() -> str:
    import getpass

    from harness.errors import UsageError

    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError) as error:
        raise UsageError("your login name is not known here", hint="Say who decides: --author NAME") from error


def _view(ctx: click.Context) -> "View":
    from harness import registry
    from harness.render.view import View
    from harness.terminal import columns

    return View(color=bool(ctx.color), width=columns(), rules=registry.rules())
