"""`harness rollback`: the way back to a checkpoint, and from there."""

from pathlib import Path

import click

from harness.cli import options


@click.command("rollback")
@click.argument("ref", required=False)
@click.option("--list", "list_", is_flag=True, help="List checkpoints and what is parked; change nothing.")
@click.option("--unpark", metavar="ID", help="Bring back what was parked as ID: files, what was staged, the branch.")
@options.repo_option
@options.text_or_json
def command(ref: str | None, list_: bool, unpark: str | None, repo: Path, format_: str) -> int:
    """Go back to a checkpoint: its number or any commit, the last checkpoint when REF is not given.

    \b
      harness rollback                  the last checkpoint
      harness rollback 0007             the one with this number
      harness rollback --unpark 0001    undo: bring back what was parked
      harness rollback --list           checkpoints, and what is parked

    What is there is parked first, untracked files and what is staged included; files that git ignores stay where they are.
    Later commits stay reachable by the reference that is printed. The branch moves, so push with care.

    Exit codes: 0 it is there, 2 usage (also while a merge or rebase is under way), 3 the repository is in use or a file
    cannot be written.
    """
    from harness.checkpoint import page, way_back
    from harness.errors import UsageError
    from harness.render.jsontext import dumps
    from harness.stopping import stoppable

    if sum((ref is not None, list_, unpark is not None)) > 1:
        raise UsageError("REF, --list and --unpark are three different things to do")
    if list_:
        found = way_back.listing(repo)
        click.echo(dumps(found.model_dump(mode="json")) if format_ == "json" else page.listing(found).rstrip("\n"))
        return 0
    with stoppable():
        result = way_back.unpark(repo, unpark) if unpark is not None else way_back.back(repo, ref)
    click.echo(dumps(result.model_dump(mode="json")) if format_ == "json" else page.rollback(result).rstrip("\n"))
    return result.exit_code
