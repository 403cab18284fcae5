"""How a gate's run is done and shown: its verdict always reaches a terminal word, also when it is interrupted."""

import json
import os
from contextlib import suppress
from pathlib import Path

import click

from harness.audit.desk import Desk
from harness.audit.order import Order
from harness.audit.registered import line_of
from harness.cli.conduct import Job, Shown, put
from harness.cli.error import say
from harness.errors import HarnessError, UsageError
from harness.files import write_atomic
from harness.gate import page
from harness.gate.verdict import judge
from harness.journal.register import append
from harness.repo.revisions import resolve
from harness.review import runner
from harness.schema.run import Report
from harness.state import RunFolder

FILE = "gate.json"
SUMMARY = "GITHUB_STEP_SUMMARY"


def run(desk: Desk) -> Report:
    """The stages, with a word on disk for what they came to: `running` is left only while they run or after a kill."""
    at = desk.folder.path / FILE
    _write(at, "running", "")
    try:
        return runner.run(desk)
    except BaseException as error:
        said = str(error) if isinstance(error, HarnessError) else type(error).__name__
        _write(at, "incomplete", said)
        _summarise(f"### harness gate: incomplete\n\n`{said.replace('`', chr(39))}`: not a pass\n")
        raise


def show(report: Report, order: Order, folder: RunFolder, shown: Shown) -> int:
    """Print the verdict, keep it beside the run, and return its exit code."""
    verdict = judge(report, order, _head_now(order))
    write_atomic(folder.path / FILE, verdict.model_dump_json(indent=2) + "\n", mode=0o600)
    try:
        append(folder.register, line_of(order, report, verdict.exit_code))
    except OSError as error:
        say(f"{folder.register.name} cannot be written: {error.strerror or error}")
    said = f"exit {verdict.exit_code}: {page.outcome(verdict)}"
    put(report, order, shown, folder, said, screen=shown.format not in ("text", "json"))
    _summarise(page.markdown(verdict))
    if shown.format == "text":
        click.echo(page.text(verdict), nl=False)
    elif shown.format == "json":
        click.echo(verdict.model_dump_json(indent=2))
    return verdict.exit_code


GATE = Job(run, show)


def _head_now(order: Order) -> str | None:
    change = order.change
    if change is None:
        return None
    try:
        return resolve(Path(order.origin), change.ref)
    except UsageError:
        return None


def _write(at: Path, word: str, said: str) -> None:
    with suppress(OSError):
        write_atomic(
            at, json.dumps({"schema_version": "harness.gate/1", "verdict": word, "reason": said}) + "\n", mode=0o600
        )


def _summarise(text: str) -> None:
    """Append to the summary of the step, where the runner of a workflow names one."""
    if path := os.environ.get(SUMMARY):
        with suppress(OSError), Path(path).open("a", encoding="utf-8") as stream:
            stream.write(text + "\n")
