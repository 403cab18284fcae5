"""`harness checkpoint`: commit a state that runs."""

import os
from contextlib import suppress
from pathlib import Path

import click

from harness.cli import options


@click.command("checkpoint")
@click.option("--message", "-m", metavar="M", help="What it is about.  [default: its number]")
@click.option("--all", "everything", is_flag=True, help="Commit the work tree, new files too, not what is staged.")
@click.option("--red", is_flag=True, help="Commit also when the check fails or comes to no result; the commit says so.")
@click.option(
    "--run-check",
    type=click.Choice(("sandbox", "host")),
    default="sandbox",
    show_default=True,
    envvar="HARNESS_CHECKPOINT_RUN_CHECK",
    show_envvar=True,
    help="Where the check runs; `host` trusts it with this machine.",
)
@options.python_option
@options.repo_option
@options.text_or_json
def command(
    message: str | None, everything: bool, red: bool, run_check: str, project_python: str | None, repo: Path, format_: str
) -> int:  # fmt: skip
    """Commit a state that runs, so that there is a way back to it.

    \b
      harness checkpoint -m "Parse dates"     what is staged
      harness checkpoint --all                the whole work tree, new files too
      harness checkpoint --all --red          although the check fails

    The quick check of HEAD's configuration (`[tool.harness.checkpoint] check`) runs on a private copy of exactly what is
    committed. When it passes, what is installed in the project's environment is recorded (see harness env check). Paths in
    `read_only` may not change. No hook and no filter of the repository runs, and nothing is signed.

    Exit codes: 0 committed, 1 refused (red check, read-only path), 2 usage, 3 no result of the check, or the repository is
    in use or cannot be written, 4 nothing to commit.
    """
    from harness.checkpoint import page
    from harness.checkpoint.runner import Wish, checkpoint
    from harness.cli.env import record_now
    from harness.config import load
    from harness.environment.linked import GREEN
    from harness.errors import UsageError
    from harness.render.jsontext import dumps
    from harness.repo.environments import outside
    from harness.stopping import stoppable

    python = load(Path(os.devnull), {"project_python": project_python}).settings.project_python  # no file may set it
    wish = Wish(message, everything, red, run_check == "host", outside(python, repo))
    with stoppable():
        result = checkpoint(repo, wish)
    text = dumps(result.model_dump(mode="json")) + "\n" if format_ == "json" else page.checkpoint(result)
    click.echo(text, nl=False)
    if result.committed and result.check.status == GREEN:
        with suppress(UsageError):  # no environment, or no place for the record: the checkpoint stands without it
            record = record_now(repo, wish.python or "")
            click.echo(
                f"environment record {record.number:04}: harness env check tells what drifts from now on", err=True
            )
    return result.exit_code
