"""The root command. It knows the names of all commands and loads the module of the one that is called."""

import difflib
import importlib
import io
import os
import sys
from collections.abc import Sequence

import click

import harness
from harness.cli.error import closed_pipe, guarded, open_closed_streams
from harness.errors import UsageError
from harness.terminal import use_color

COMMANDS = {
    "audit": "Audit a folder or git repository: find, try to prove every finding wrong, report what survives.",
    "verify": "Try to prove the findings in FILE wrong: SARIF 2.1.0 of any scanner, or our JSON report.",
    "review": "Review a change: what it breaks, in its lines, in the functions around them and in what calls those.",
    "gate": "Decide whether a commit may be merged: its tests, a complete run, no CONFIRMED finding that counts.",
    "resume": "Continue a run that was stopped: RUN, or the last one that is not complete.",
    "runs": "List, show and export runs.",
    "findings": "List and show the findings of the last run, waive them or take a waiver back.",
    "baseline": "Write or show the baseline: findings that were there before and do not stop a merge.",
    "explain": "Explain a rule: what, why, an example, the fix, what it cannot see.",
    "checkpoint": "Commit a state that runs, so that there is a way back to it.",
    "rollback": "Go back to a checkpoint: its number or any commit, the last checkpoint when REF is not given.",
    "report": "Make a report of the data in DATA_DIR: report.tex, report.pdf, figures, a zip, a trace and a check list.",
    "devlog": "Keep the diary of a project: one entry a conversation, append-only.",
    "ledger": "Look back: what the record of a project says, every figure with how it was counted.",
    "env": "Record what is installed, say what drifted since, and run experiments in a disposable environment.",
    "init": "Keep the runs and decisions of a repository in its folder .harness.",
    "doctor": "Say what this machine has, what is missing and how to get it.",
    "config": "Show the configuration in force and where each value comes from.",
    "help": "Show a page about exit codes, formats, suppressions or the JSON report; or the help of a command.",
}
"""Name -> first line of its help. The command is `command` in `harness.cli.<name>`; a test holds the two together."""


class LazyGroup(click.Group):
    """A group whose commands are imported when called, so that `--help` and `--version` import none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"harness.cli.{cmd_name}").command
        if not isinstance(command, click.Command):
            raise TypeError(f"harness.cli.{cmd_name}.command is no click command")
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the command. A reader that has gone is not left to click, which would end with 1: findings, in our table."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise click.exceptions.Exit(closed_pipe()) from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            close = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"Commands: {', '.join(COMMANDS)}."
            raise UsageError(f"no such command: {args[0]!r}", hint=hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True,
              help="Colour in the output; NO_COLOR and FORCE_COLOR are honoured.")  # fmt: skip
@click.option("--debug", is_flag=True, envvar="HARNESS_DEBUG", show_envvar=True, help="Show tracebacks of errors.")
@click.version_option(harness.__version__, "-V", "--version", prog_name="harness", message="%(prog)s %(version)s")
@click.pass_context
def root(ctx: click.Context, color: str, debug: bool) -> int:
    """Audit code with many independent auditors, then try to prove every finding wrong.

    \b
      harness audit                     audit this folder, offline
      harness audit --format sarif      for code scanning
      harness explain                   every rule, and what it cannot see

    Only what survives falsification is CONFIRMED, and only that can fail a run.
    """
    ctx.ensure_object(dict)["debug"] = debug
    ctx.color = use_color(color, sys.stdout, os.environ)
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        return 2
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code. Everything that can go wrong ends here."""
    open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character gets its escape, not a crash of ours.
            stream.reconfigure(errors="backslashreplace")
    return guarded(root, list(sys.argv[1:] if arguments is None else arguments))


if __name__ == "__main__":
    sys.exit(main())
