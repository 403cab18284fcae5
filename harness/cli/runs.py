"""`harness runs`: what was run here, and what came of it. Reads only, also while a run works."""

from pathlib import Path

import click

from harness.cli import options


@click.group("runs")
def command() -> None:
    """List, show and export runs."""


@command.command("list")
@options.repo_option
def list_runs(repo: Path) -> int:
    """List the runs of a folder, newest last: when, what was looked at, how it ended, what was found."""
    from harness.audit.status import state_of
    from harness.cli.run_rows import row
    from harness.errors import JournalFailed
    from harness.files import displayable
    from harness.state import State

    state = State(repo)
    for folder in state.all_runs():
        try:
            found = state_of(folder)
        except JournalFailed as error:
            click.echo(displayable(f"{folder.id}  unreadable  {error}"))
            continue
        click.echo(displayable(row(folder, found).text()))
    if not state.all_runs():
        click.echo(f"no run of {displayable(str(state.origin))} yet", err=True)
    return 0


@command.command("show")
@click.argument("run")
@options.repo_option
def show(run: str, repo: Path) -> int:
    """Show the state of one run, also while it works."""
    from harness.audit.status import state_of
    from harness.cli.run_rows import row
    from harness.files import displayable
    from harness.state import State

    folder = State(repo).run(run)
    found = state_of(folder)
    order = found.order
    short = row(folder, found)
    rows = [
        ("run", folder.id),
        ("status", f"{found.status}{': ' + found.reason if found.reason else ''}"),
        ("started", found.started[:19]),
        ("looked at", f"{short.kind} {short.what}".rstrip()),
        ("revision", short.revision),
        ("verdicts", short.verdicts or "no report yet"),
        ("target", f"{order.origin}{' at ' + order.revision if order.revision else ''}" if order else ""),
        ("lanes", f"{found.lanes.done} done, {found.lanes.begun} begun"),
        ("verifications", f"{found.verifications.done} done, {found.verifications.begun} begun"),
        ("folder", str(folder.path)),
    ]
    for name, value in rows:
        click.echo(displayable(f"{name:<14} {value}"))
    return 0


@command.command("export")
@click.argument("run")
@options.repo_option
@options.output_options
@click.pass_context
def export(
    ctx: click.Context, run: str, repo: Path, format_: str, outputs: tuple[str, ...], show: tuple[str, ...]
) -> int:
    """Print the report of a run in any format; of a stopped run, what it had found and judged so far."""
    wanted = options.outputs_of(outputs)
    from harness.audit import runner, start
    from harness.audit.status import order_of, stored_report
    from harness.cli.conduct import Shown, means, present
    from harness.journal.journal import Journal
    from harness.state import State

    state = State(repo)
    folder = state.run(run)
    shown = Shown(format_, wanted, show, bool(ctx.color), True)
    report = stored_report(folder)
    with Journal(folder.journal, folder.id, read_only=True) as journal:
        order = order_of(journal)
    if report is None:
        with start.recorded(state, folder, means(shown, jobs=1, execute=False)) as desk:
            report = runner.run(desk)
    present(report, order, shown, folder)
    return 0
