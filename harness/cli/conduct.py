"""What `audit`, `review`, `gate` and `resume` share: the means of this machine, the run, what is printed and returned."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

import click

from harness import registry
from harness.audit import material, outcome, runner, start
from harness.audit.desk import Desk
from harness.audit.order import Order
from harness.audit.status import resume_command
from harness.cli.baseline import shrink_adopted
from harness.cli.error import say
from harness.errors import ExitCode, SandboxUnavailable, UsageError
from harness.events import Event
from harness.files import write_output
from harness.progress import ProgressLines
from harness.render.formats import render
from harness.repo.checkout import pin
from harness.sandbox.base import Sandbox
from harness.sandbox.python import examine, located
from harness.schema.run import Report, RunStatus
from harness.state import RunFolder
from harness.stopping import stoppable
from harness.terminal import columns


class Shown(NamedTuple):
    """How the result is shown."""

    format: str
    outputs: Mapping[Path, str]
    show: Sequence[str]
    color: bool
    quiet: bool


def means(shown: Shown, *, jobs: int, execute: bool, python: str | None = None) -> start.Means:
    """What this machine offers; `python` runs code of the project. Raises UsageError when it cannot."""
    named = Path(python) if python else None
    if named:
        located(named)
    sandbox, why = _sandbox(execute)
    tell = _silence if shown.quiet else ProgressLines(sys.stderr, os.environ)
    found = start.registered(tell, pin, sandbox, why, jobs)
    return found._replace(python=examine(named, sandbox)) if named and sandbox else found


class Job(NamedTuple):
    """What is done at a desk, and how its report is shown."""

    run: Callable[[Desk], Report]
    """The stages."""
    show: Callable[[Report, Order, RunFolder, Shown], int]
    """Prints, and returns the exit code."""


def _show_audit(report: Report, order: Order, folder: RunFolder, shown: Shown) -> int:
    whole = order.revision is None and order.imported is None
    if whole and (gone := shrink_adopted(Path(order.origin), folder.path, report)):
        say(f"{gone} findings of .harness/baseline.json are no longer found and were taken out of it; commit that file")
    return present(report, order, shown, folder)


AUDIT = Job(runner.run, _show_audit)


def conduct(opened: AbstractContextManager[Desk], shown: Shown, job: Job = AUDIT) -> int:
    """Run to the end, print, and return the exit code."""
    with stoppable(), opened as desk:
        try:
            report = job.run(desk)
        finally:
            if isinstance(desk.tell, ProgressLines):
                desk.tell.close()
        order, folder = desk.order, desk.folder
    return job.show(report, order, folder, shown)


def present(report: Report, order: Order, shown: Shown, folder: RunFolder) -> int:
    """Print a report in every wanted form and return what it means."""
    code = outcome.exit_code(report, order.fail_on, order.min_tier)
    put(report, order, shown, folder, sentence(report, order, code, folder.id))
    return code


def put(report: Report, order: Order, shown: Shown, folder: RunFolder, said: str, *, screen: bool = True) -> None:
    """Write every `--output`, and the report to standard output unless `screen` is False. Raises UsageError.

    `said` is the line about the exit code.
    """
    rules = registry.rules()
    sarif = "sarif" in (shown.format, *shown.outputs.values())
    log = material.read(folder, order).log if order.imported and sarif else None
    for file, name in shown.outputs.items():
        written = render(report, name, rules=rules, outcome=said, original=log)
        new = not file.parent.is_dir()
        try:
            write_output(file, written)
            if new:
                say(f"made the folder {file.parent} for {file.name}")
        except OSError as error:
            raise UsageError(
                f"cannot write {file}: {error.strerror or error}",
                hint=f"The report is kept: harness runs export {folder.id} --format {name}",
            ) from error
    if not screen:
        return
    text = render(
        report, shown.format, color=shown.color, width=columns(), show=shown.show, rules=rules, outcome=said,
        elsewhere="" if Path(order.origin) == Path.cwd() else order.origin, headline=shown.quiet, original=log,
    )  # fmt: skip
    click.echo(text, nl=False, color=shown.color)


def sentence(report: Report, order: Order, code: ExitCode, run_id: str) -> str:
    """The line about the exit code."""
    if report.run.status is not RunStatus.COMPLETE:
        return f"exit {code:d}: not a pass, nothing lost · continue with: {resume_command(order, run_id)}"
    count = len(outcome.blocking(report.findings, order.fail_on, order.min_tier))
    if count:
        return f"exit {code:d}: {count} CONFIRMED at or above {order.fail_on}"
    left = len(outcome.unresolved(report, order.fail_on))
    if left:
        return f"exit {code:d}: {left} that were CONFIRMED at or above {order.fail_on} are not shown to be fixed"
    if code is ExitCode.NOTHING_IN_SCOPE:
        unseeing = len(outcome.blind(report.coverage))
        return f"exit {code:d}: {unseeing} lanes could analyse no file they wanted, which is not a clean result"
    limit = f"at or above {order.fail_on}" if order.fail_on else "counts (fail-on none)"
    return f"exit {code:d}: nothing CONFIRMED {limit}"


def _sandbox(execute: bool) -> tuple[Sandbox | None, str]:
    if not execute:
        return None, "switched off"
    from harness.sandbox.probe import find_sandbox

    try:
        return find_sandbox(), ""
    except SandboxUnavailable as error:
        return None, f"{error}. {error.hint}".strip()


def _silence(event: Event) -> None:
    del event
