"""`harness env`: what is installed beside the code, and experiments that leave it alone."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli import options

if TYPE_CHECKING:
    from harness.environment.history import EnvironmentRecord

_python = click.option(
    "--python", default="", metavar="PATH", envvar="HARNESS_PROJECT_PYTHON", show_envvar=True,
    help="Interpreter or virtual environment that is meant.  [default: the project's .venv or venv]",
)  # fmt: skip


@click.group("env")
def command() -> None:
    """Record what is installed, say what drifted since, and run experiments in a disposable environment."""


@command.command("record")
@options.repo_option
@_python
@options.text_or_json
def record(repo: Path, python: str, format_: str) -> int:
    """Record the installed set of the project's environment, beside the commit that is checked out.

    Nothing in the environment is started: its files are read. Record what is known to work, such as a fresh installation from
    the lock file; a checkpoint whose check passes records by itself.
    """
    from harness.environment import page

    kept = record_now(repo, python)
    click.echo(kept.model_dump_json(indent=2) if format_ == "json" else page.recorded(kept))
    return 0


def record_now(repo: Path, python: str) -> "EnvironmentRecord":
    """Record the environment of the repository. Raises UsageError when it has none."""
    from harness.environment.history import History
    from harness.environment.installed import installed
    from harness.environment.linked import linked
    from harness.environment.place import find
    from harness.state import State

    found = installed(find(repo, python))
    head, checkpoint = linked(repo)
    return History(State(repo).environments).add(found, head=head, checkpoint=checkpoint)


@command.command("check")
@options.repo_option
@_python
@click.option("--files", is_flag=True, help="Also compare every file with the hash its installer noted.")
@options.text_or_json
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
    from harness.environment.linked import linked
    from harness.environment.place import find
    from harness.errors import ExitCode
    from harness.state import State

    place = find(repo, python)
    history = History(State(repo).environments)
    now = installed(place)
    last = history.last(now.prefix)
    changes = drift(last.environment, now, history.commands(last.at))
    changes += as_changes(damaged(place)) if files else []
    head, checkpoint = linked(repo)
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
    from harness.files import write_output
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
            write_output(report, trial.command.model_dump_json(indent=2) + "\n")
        except OSError as error:
            raise UsageError(f"cannot write {report}: {error.strerror or error}") from error
    return trial.command.exit_code or (ExitCode.FINDINGS if trial.touched else ExitCode.PASS)
