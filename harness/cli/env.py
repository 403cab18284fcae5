"""`harness env`: what is installed beside the code, and experiments that leave it alone."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli import options

if TYPE_CHECKING:
    from collections.abc import Callable

_python = click.option(
    "--python", default="", metavar="PATH", envvar="HARNESS_PROJECT_PYTHON", show_envvar=True,
    help="Interpreter or virtual environment that is meant.  [default: the project's .venv or venv]",
)  # fmt: skip


def _format(command: "Callable[..., Any]") -> "Callable[..., Any]":
    return click.option(
        "--format",
        "format_",
        type=click.Choice(("text", "json")),
        default="text",
        show_default=True,
        help="Form of the result.",
    )(command)


@click.group("env")
def command() -> None:
    """Record what is installed, say what drifted since, and run experiments in a disposable environment."""


@command.command("record")
@options.repo_option
@_python
@_format
def record(repo: Path, python: str, format_: str) -> int:
    """Record the installed set of the project's environment, beside the commit that is checked out.

    Nothing in the environment is started: its files are read. Record what is known to work: after a checkpoint whose tests
    pass, or a fresh installation from the lock file.
    """
    from harness.environment import page
    from harness.environment.history import History
    from harness.environment.installed import installed
    from harness.environment.place import find
    from harness.state import State

    found = installed(find(repo, python))
    head, checkpoint = _commits(repo)
    kept = History(State(repo).environments).add(found, head=head, checkpoint=checkpoint)
    click.echo(kept.model_dump_json(indent=2) if format_ == "json" else page.recorded(kept))
    return 0


@command.command("check")
@options.repo_option
@_python
@click.option("--files", is_flag=True, help="Also compare every file with the hash its installer noted.")
@_format
def check(repo: Path, python: str, files: bool, format_: str) -> int:
    """Say what drifted since the last record: added, removed, exchanged, and what did it when that is known.

    Known are commands run through `harness env run` and what installers leave beside a distribution. Shell history is not
    read, and what was removed leaves no trace.

    Exit codes: 0 no drift, 1 drift, 2 usage, 4 nothing is recorded yet.
    """
    from harness.environment import page
    from harness.environment.drift import as_changes, drift
    from harness.environment.history import Comparison, History
    from harness.environment.installed import damaged, installed
    from harness.environment.place import find
    from harness.errors import ExitCode
    from harness.state import State

    place = find(repo, python)
    history = History(State(repo).environments)
    now = installed(place)
    last = history.last(now.prefix)
    changes = drift(last.environment, now, history.commands(last.at))
    changes += as_changes(damaged(place)) if files else []
    head, checkpoint = _commits(repo)
    said = Comparison(record=last.number, at=last.at, head=last.head, checkpoint=last.checkpoint, now=head,
                      newest_checkpoint=checkpoint, changes=tuple(changes))  # fmt: skip
    click.echo(said.model_dump_json(indent=2) if format_ == "json" else page.compared(said))
    return ExitCode.FINDINGS if changes else ExitCode.PASS


@command.command("run", context_settings={"allow_interspersed_args": False})
@options.repo_option
@_python
@click.option("--keep", is_flag=True, help="Leave the disposable environment and say where it is.")
@click.option("--report", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Also write what happened to FILE as JSON.")  # fmt: skip
@click.argument("arguments", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
def run(repo: Path, python: str, keep: bool, report: Path | None, arguments: tuple[str, ...]) -> int:
    """Run COMMAND in a throw-away environment that sees what the project's has, and takes what is installed.

    \b
      harness env run -- pip install "flask<3"
      harness env run -- sh -c 'pip install numpy==2 && pytest -q'

    The real environment is looked at before and after. COMMAND runs where you are, with your rights: this is hygiene, not a
    sandbox. What it installed is told on standard error, and the environment is removed.

    Exit codes: those of COMMAND; 127 when there is none, 126 when it cannot be started, 1 when the real environment changed.
    """
    import os

    from harness.cli.error import say
    from harness.environment import page
    from harness.environment.history import History
    from harness.environment.place import find
    from harness.errors import ExitCode, UsageError
    from harness.files import write_atomic
    from harness.state import State
    from harness.stopping import stoppable

    if os.name != "posix":
        raise UsageError("disposable environments need a POSIX system here")
    from harness.environment.trial import tried

    state = State(repo)
    place = find(repo, python)
    with stoppable():
        trial = tried(arguments, place, state.disposable, keep=keep)
    History(state.environments).ran(trial.command)
    if trial.trouble:
        say(trial.trouble)
    click.echo(page.tried(trial, place), err=True)
    if report is not None:
        try:
            write_atomic(report, trial.command.model_dump_json(indent=2) + "\n")
        except OSError as error:
            raise UsageError(f"cannot write {report}: {error.strerror or error}") from error
    return trial.command.exit_code or (ExitCode.FINDINGS if trial.touched else ExitCode.PASS)


def _commits(repo: Path) -> tuple[str | None, str | None]:
    """(HEAD, newest checkpoint up to it), None for what is not there."""
    from harness.errors import UsageError
    from harness.repo import revisions

    try:
        head = revisions.resolve(repo, "HEAD")
    except UsageError:
        return None, None
    try:
        return head, revisions.since_checkpoint(repo).base
    except UsageError:
        return head, None
