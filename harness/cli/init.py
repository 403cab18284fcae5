"""`harness init`: keep runs and decisions of a repository inside it."""

from pathlib import Path

import click

IGNORED = "runs/\n"


@click.command("init")
@click.argument("path", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
def command(path: Path) -> int:
    """Keep the runs and decisions of a repository in its folder .harness."""
    from harness.errors import UsageError
    from harness.files import displayable, write_atomic
    from harness.state import State

    if (path / ".harness").is_symlink():
        raise UsageError(
            f"{path / '.harness'} is a link", hint="Remove it: runs are kept in a folder of the repository."
        )
    try:
        runs = State(path).adopt()
        ignore = runs.parent / ".gitignore"
        if not ignore.exists():
            write_atomic(ignore, IGNORED)
    except OSError as error:
        raise UsageError(f"cannot make {path / '.harness'}: {error.strerror or error}") from error
    click.echo(f"runs are kept in {displayable(str(runs))} from now on, which git ignores")
    click.echo("commit .harness/.gitignore, and later .harness/waivers.toml and .harness/baseline.json")
    click.echo("next: harness audit")
    return 0
