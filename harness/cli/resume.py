"""`harness resume`: go on where a run was stopped."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli import options

if TYPE_CHECKING:
    from harness.state import RunFolder, State


@click.command("resume")
@click.argument("run", required=False)
@options.repo_option
@options.budget_option
@options.jobs_option
@options.output_options
@options.quiet_option
@click.pass_context
def command(
    ctx: click.Context,
    run: str | None,
    repo: Path,
    budget: tuple[str, ...],
    jobs: int | None,
    format_: str,
    outputs: tuple[str, ...],
    show: tuple[str, ...],
    quiet: bool,
) -> int:
    """Continue a run that was stopped: RUN, or the last one that is not complete. Nothing finished is done again."""
    wanted = options.outputs_of(outputs)
    from harness.audit import start, status
    from harness.cli.behind import go_behind, must_go_behind
    from harness.cli.conduct import Shown, conduct, means
    from harness.cli.jobs import job_of
    from harness.errors import UsageError
    from harness.journal.journal import Journal
    from harness.render.formats import renderer
    from harness.schema.run import RunStatus
    from harness.state import State

    renderer(format_)
    state = State(repo)
    if run is not None:
        folder = state.run(run)
        if status.state_of(folder).status is RunStatus.COMPLETE:
            raise UsageError(
                f"run {folder.id} is complete: there is nothing to continue", hint=f"harness runs show {folder.id}"
            )
    else:
        folder = _last_to_continue(state)
    with Journal(folder.journal, folder.id, read_only=True) as journal:
        order = status.order_of(journal)
    if must_go_behind(order):
        order = order.model_copy(update={"budget": budget or order.budget})
        return go_behind(order, ctx.obj["arguments"], [t for t in (order.model, order.verifier_model) if t])
    shown = Shown(format_, wanted, show, bool(ctx.color), quiet)
    python = order.python.path if order.python else None
    found = means(shown, jobs=jobs or 0, execute=order.execute, python=python)
    return conduct(start.again(state, folder, found, budget=budget), shown, job_of(order))


def _last_to_continue(state: "State") -> "RunFolder":
    """The newest run that began and is not complete; one that was refused or cannot be read is not it. Raises UsageError."""
    from harness.audit import status
    from harness.errors import JournalFailed, UsageError
    from harness.schema.run import RunStatus

    for folder in reversed(state.all_runs()):
        try:
            known = status.state_of(folder)
        except JournalFailed:
            continue
        if known.status is not RunStatus.COMPLETE and known.order is not None and not known.refused:
            return folder
    raise UsageError(
        "there is nothing to continue: no run of this folder is stopped halfway",
        hint="harness runs list; a report goes on with the same harness report command",
    )
