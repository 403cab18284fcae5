"""`harness devlog`: add, list, show, search, leftovers, check."""

import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import click

from devlog.entry import LANGUAGES, Entry, Leftover, to_markdown
from devlog.store import Devlog
from harness.errors import UsageError
from harness.files import displayable

FORM = """# Write the entry below; lines that start with # are dropped. An empty goal cancels.
[goal]

[done]

# One a line:
[decisions]

# One a line:
[leftovers]

"""
_HEADING = re.compile(r"\s*\[(goal|done|decisions|leftovers)\][ \t:]*(.*)", re.IGNORECASE)


@click.group("devlog")
@click.option("--path", type=click.Path(file_okay=False, path_type=Path), default=Path("docs/devlog"), show_default=True,
              envvar="HARNESS_DEVLOG", show_envvar=True, help="Folder of the entries.")  # fmt: skip
@click.pass_context
def command(ctx: click.Context, path: Path) -> None:
    """Keep the diary of a project: one entry a conversation, append-only."""
    ctx.obj = Devlog(path)


@command.command("add")
@click.option("--title", required=True, help="A few words.")
@click.option("--goal", help="What it was about.")
@click.option("--done", help="What was done.")
@click.option("--decision", "decisions", multiple=True, help="A key decision and its reason; repeat for more.")
@click.option("--leftover", "leftovers", multiple=True, help="Something left to do; repeat for more.")
@click.option(
    "--close", "closes", multiple=True, metavar="ID", help="A leftover this closes, such as 3.1; repeat for more."
)
@click.option(
    "--language", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of the headings."
)
@click.option(
    "--stdin", "from_stdin", is_flag=True, help="Read goal, done, decisions and leftovers from standard input."
)
@click.pass_obj
def add(
    log: Devlog, title: str, goal: str | None, done: str | None, decisions: tuple[str, ...], leftovers: tuple[str, ...],
    closes: tuple[str, ...], language: Literal["en", "zh"], from_stdin: bool,
) -> int:  # fmt: skip
    """Append an entry, from options, from standard input, or from your editor when neither says goal and what was done.

    Standard input is plain text: what follows a line [goal], [done], [decisions] or [leftovers] is that part, the last
    two one item a line. Files changed and commits since the last entry come from git.
    """
    from harness.repo.changes import changes
    from harness.repo.git import GitFailed

    title = " ".join(_readable(title).split())
    if not title:
        raise UsageError("an entry needs a title")
    if completed := log.ready(closes):
        click.echo(f"completed {completed}, whose writer was killed", err=True)
    if from_stdin or goal is None or done is None:
        parts = sections(_stdin() if from_stdin else _edited(), form=not from_stdin)
        goal, done = goal or "\n".join(parts["goal"]), done or "\n".join(parts["done"])
        decisions, leftovers = decisions or tuple(parts["decisions"]), leftovers or tuple(parts["leftovers"])
    goal, done, *items = (_readable(text).strip() for text in (goal, done, *decisions, *leftovers))
    decisions, leftovers = tuple(filter(None, items[: len(decisions)])), tuple(filter(None, items[len(decisions) :]))
    if not goal or not done:
        raise UsageError(
            "an entry needs a goal and what was done", hint="harness devlog add --title T --goal G --done D"
        )
    last = log.last()
    try:
        since = changes(Path.cwd(), last.head if last and last.head else None, without=log.folder.resolve())
    except GitFailed as error:
        raise UsageError(f"git cannot tell what changed: {error}") from error
    entry = Entry(
        number=1, date=datetime.now(UTC).date(), title=title, language=language, goal=goal, done=done, decisions=decisions,
        files=since.files, commits=tuple(f"{c.id[:12]} {c.subject}" for c in since.commits),
        leftovers=tuple(Leftover(id=f"1.{n}", text=text) for n, text in enumerate(leftovers, 1)), closes=closes,
        head=since.head or "",
    )  # fmt: skip
    click.echo(log.add(entry))
    return 0


@command.command("list")
@click.pass_obj
def list_entries(log: Devlog) -> int:
    """One line an entry, oldest first."""
    lines = [displayable(f"{entry.number:04}  {entry.date}  {entry.title}", keep="") + "\n" for entry in log.entries()]
    click.echo("".join(lines), nl=False)  # at once: each call flushes
    return 0


@command.command("show")
@click.argument("number", type=int)
@click.pass_obj
def show(log: Devlog, number: int) -> int:
    """Print entry NUMBER."""
    for entry in log.entries():
        if entry.number == number:
            click.echo(to_markdown(entry).split("+++\n", 2)[-1].lstrip(), nl=False)
            return 0
    raise UsageError(f"there is no entry {number}", hint="harness devlog list")


@command.command("search")
@click.argument("words", nargs=-1, required=True)
@click.pass_obj
def search(log: Devlog, words: tuple[str, ...]) -> int:
    """Entries that hold all WORDS, with the first line that matches."""
    for entry, line in log.search(" ".join(words)):
        click.echo(displayable(f"{entry.number:04}  {entry.date}  {entry.title}: {line}", keep=""))
    return 0


@command.command("leftovers")
@click.pass_obj
def leftovers(log: Devlog) -> int:
    """Leftovers that no later entry closed, oldest first."""
    for left, entry in log.leftovers():
        click.echo(displayable(f"{left.id:<7} {entry.date}  {left.text}", keep=""))
    return 0


@command.command("check")
@click.pass_obj
def check(log: Devlog) -> int:
    """Whether order, numbering and the chain of hashes hold; exit code 1 when not."""
    faults = log.check()
    for fault in faults:
        click.echo(displayable(fault, keep=""))
    if not faults:
        count = len(log.paths())
        click.echo(f"{count} {'entry' if count == 1 else 'entries'}, unbroken")
    return 1 if faults else 0


def sections(text: str, *, form: bool = False) -> dict[str, list[str]]:
    """Lines under `[goal]`, `[done]`, `[decisions]` and `[leftovers]`; text before any heading is the goal.

    Decisions and leftovers are one a line, with or without a bullet. In a `form`, lines that start with # are dropped.
    """
    found: dict[str, list[str]] = {"goal": [], "done": [], "decisions": [], "leftovers": []}
    current = "goal"
    for line in text.splitlines():
        if form and line.startswith("#"):
            continue
        heading = _HEADING.fullmatch(line)
        current = heading[1].lower() if heading else current
        said = heading[2].rstrip() if heading else line.rstrip()
        if current in ("decisions", "leftovers"):
            said = re.sub(r"^[-*+]\s+", "", said.strip())
        if said or not (heading or current in ("decisions", "leftovers")):
            found[current].append(said)
    return found


def _edited() -> str:
    """What the user writes into the form. Raises UsageError without a terminal: an editor would wait for nobody."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "an entry needs a goal and what was done, and without a terminal no editor can ask for them",
            hint="harness devlog add --title T --goal G --done D, or --stdin",
        )
    return click.edit(FORM) or ""


def _stdin() -> str:
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def _readable(text: str) -> str:
    """Raises UsageError for bytes that are no text."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError("the entry is not UTF-8") from error
    return text
