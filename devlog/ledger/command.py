"""`harness ledger`: look back on a project."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import click

from devlog.ledger import html, markdown, text
from devlog.ledger.gather import gather
from devlog.ledger.period import Period
from devlog.ledger.record import Ledger
from harness.errors import UsageError
from harness.files import write_output

FORMATS: Mapping[str, Callable[[Ledger], str]] = {
    "text": text.render,
    "markdown": markdown.render,
    "json": lambda ledger: ledger.model_dump_json(indent=2) + "\n",
    "html": html.render,
}
_DAY = click.DateTime(formats=["%Y-%m-%d"])


@click.command("ledger")
@click.argument("path", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@click.option("--since", type=_DAY, metavar="DATE", help="First day, such as 2026-06-10.")
@click.option("--until", type=_DAY, metavar="DATE", help="Last day; code is counted at the last commit up to it.")
@click.option("--devlog", type=click.Path(path_type=Path), default=Path("docs/devlog"), show_default=True,
              envvar="HARNESS_DEVLOG", show_envvar=True, help="Folder of the devlog's entries, from PATH.")  # fmt: skip
@click.option("--title", default="", help="What the project is called.  [default: as its folder]")
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="text", show_default=True,
              help="Format on standard output.")  # fmt: skip
@click.option("--output", "outputs", multiple=True, metavar="F=FILE",
              help="Also write format F to FILE; repeat for several.")  # fmt: skip
def command(
    path: Path,
    since: datetime | None,
    until: datetime | None,
    devlog: Path,
    title: str,
    format_: str,
    outputs: Sequence[str],
) -> int:
    """Look back: what the record of a project says, every figure with how it was counted.

    \b
      harness ledger                                   everything, in the terminal
      harness ledger --since 2026-06-10                from that day on, in UTC
      harness ledger --output html=docs/ledger.html    a page with charts

    The record is the devlog, git, the runs of this user on this machine, and .harness/waivers.toml. The same record
    gives the same bytes. Exit codes: 0 it was put together, 2 usage, 4 nothing is recorded in that time.
    """  # fmt: skip
    wanted = _outputs(outputs)
    period = Period(since.date() if since else None, until.date() if until else None)
    if period.since and period.until and period.since > period.until:
        raise UsageError(f"--since {period.since} is later than --until {period.until}")
    found = gather(path, period, devlog, title)
    for file, name in wanted.items():
        try:
            write_output(file, FORMATS[name](found))
        except OSError as error:
            raise UsageError(f"cannot write {file}: {error.strerror or error}") from error
    click.echo(FORMATS[format_](found), nl=False)
    return 0


def _outputs(texts: Sequence[str]) -> dict[Path, str]:
    """`F=FILE` texts as file -> format. Raises UsageError."""
    found: dict[Path, str] = {}
    for said in texts:
        name, _, file = said.partition("=")
        if name not in FORMATS or not file:
            raise UsageError(f"--output {said!r} is not FORMAT=FILE", hint=f"Formats: {', '.join(FORMATS)}.")
        if Path(file).is_dir() or Path(file) in found:
            raise UsageError(f"--output {said!r}: give each form a file of its own")
        found[Path(file)] = name
    return found
