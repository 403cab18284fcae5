"""Options that several commands share, each declared once, with help, environment variable and default.

Settings (`harness.config`) are read by `harness.config.load`, which knows flag, environment and file; their options only
hand the flag on. The environment variable and the default are therefore said in the help text, not given to click.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

PROFILES = ("full", "session")
SEVERITIES = ("high", "medium", "low", "none")
FORMATS = ("text", "concise", "json", "jsonl", "sarif", "rdjson", "gitlab", "junit", "github", "markdown", "html")
TIERS = ("E1", "E2", "E3", "E4", "E5")


def _setting(flag: str, parameter: str, help_text: str, default: str, **more: Any) -> Callable[[F], F]:
    said = f"{help_text} [env: HARNESS_{parameter.upper()}; default: {default}]"
    return click.option(flag, parameter, help=said, default=None, **more)


def path_argument(command: F) -> F:
    """PATH: the folder, or the one file, to audit."""
    return click.argument("path", type=click.Path(exists=True, path_type=Path), default=".")(command)


def run_option(command: F) -> F:
    """--run: which run."""
    return click.option(
        "--run", "run_id", metavar="RUN", help="This run (harness runs list).  [default: the last one]"
    )(command)


def repo_option(command: F) -> F:
    """--repo: whose runs."""
    return click.option(
        "--repo",
        type=click.Path(exists=True, path_type=Path),
        default=".",
        show_default=True,
        help="The audited folder whose runs are meant.",
    )(command)


def scope_options(command: F) -> F:
    """What is looked at, and in which revision."""
    revision = click.option("--revision", default=None, help="Git revision to audit. [default: the work tree as it is]")
    return perspective_options(revision(command))


def perspective_options(command: F, *, profile: str = "full") -> F:
    """What is looked at; `profile` is the set of dimensions when nobody says."""
    return _all(
        command,
        _setting("--profile", "profile", "Set of dimensions.", profile, type=click.Choice(PROFILES)),
        _setting(
            "--dimension", "dimensions", "Only this dimension; repeat for more.", "all of the profile", multiple=True
        ),
        _setting("--exclude", "exclude", "Leave out paths like this; repeat for more.", "none", multiple=True),
    )


def session_options(command: F) -> F:
    """What is looked at in a change."""
    return perspective_options(command, profile="session")


def index_option(command: F) -> F:
    """--index-file: what git tells a hook of the index that is about to be committed. Only its name is used, which is
    looked for in the git directory."""
    return click.option("--index-file", envvar="GIT_INDEX_FILE", default="index", hidden=True)(command)


def work_options(command: F) -> F:
    """How the work is done."""
    return _all(
        command,
        budget_option,
        jobs_option,
        click.option("--no-exec", is_flag=True,
                     help="Run no code of the project, not even in the sandbox. [env: HARNESS_EXECUTE=false]"),
        python_option,
        click.option("--offline", is_flag=True, help="Use no model and no network, whatever the configuration says."),
        _setting("--model", "model", "Model that audits: anthropic:NAME, openai:NAME, either @URL.", "offline", metavar="SPEC"),
        _setting("--verifier-model", "verifier_model", "Model that verifies.", "the same", metavar="SPEC"),
        _setting("--requests-per-minute", "requests_per_minute", "Limit of your account.", "unknown", type=click.IntRange(1)),
        _setting("--tokens-per-minute", "tokens_per_minute", "Limit of your account.", "unknown", type=click.IntRange(1)),
        click.option("--record", type=click.Path(file_okay=False, path_type=Path), default=None, metavar="DIR",
                     help="Keep every call in DIR, to be replayed at no cost."),
        click.option("--replay", type=click.Path(exists=True, file_okay=False, path_type=Path), default=None, metavar="DIR",
                     help="Answer from a recording and from nothing else; the same as --model replay:DIR."),
    )  # fmt: skip


def python_option(command: F) -> F:
    """--python."""
    text = "Interpreter or virtual environment with the project's dependencies, for running its code in the sandbox."
    return _setting("--python", "project_python", text, "the one that runs harness", metavar="PATH")(command)


def budget_option(command: F) -> F:
    """--budget."""
    text = "Cap such as 10min, 5usd or 200ktok; repeat for several. A reached cap ends the run as incomplete."
    return _setting("--budget", "budget", text, "none", multiple=True, metavar="CAP")(command)


def jobs_option(command: F) -> F:
    """--jobs."""
    return _setting("--jobs", "jobs", "Worker processes.", "one a processor", type=click.IntRange(1, 256))(command)


def gate_options(command: F) -> F:
    """When the exit code is 1."""
    return _all(
        command,
        _setting("--fail-on", "fail_on", "Least severity of CONFIRMED findings for exit code 1.", "high",
                 type=click.Choice(SEVERITIES)),
        _setting("--min-tier", "min_tier", "Least evidence that counts for it.", "E1", type=click.Choice(TIERS)),
    )  # fmt: skip


def output_options(command: F) -> F:
    """Where results go and how they look."""
    return _all(
        command,
        click.option("--format", "format_", default="text", show_default=True, envvar="HARNESS_FORMAT", show_envvar=True,
                     metavar="F", help=f"Format on standard output: {', '.join(FORMATS)}."),
        click.option("--output", "outputs", multiple=True, metavar="F=FILE",
                     help="Also write format F to FILE; repeat for several."),
        click.option("--show", multiple=True, type=click.Choice(("open", "dismissed", "settled")),
                     help="Show these too in text: open questions, dismissed findings, waived ones."),
    )  # fmt: skip


def text_or_json(command: F) -> F:
    """--format, for commands whose result is no report."""
    return click.option("--format", "format_", type=click.Choice(("text", "json")), default="text", show_default=True,
                        help="Format on standard output.")(command)  # fmt: skip


def quiet_option(command: F) -> F:
    """--quiet."""
    return click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")(command)


def outputs_of(texts: Sequence[str]) -> Mapping[Path, str]:
    """`F=FILE` texts as file -> format, checked before any work is done. Raises UsageError."""
    from harness.errors import UsageError
    from harness.render.formats import renderer

    found: dict[Path, str] = {}
    for text in texts:
        name, equals, file = text.partition("=")
        if not equals or not file:
            raise UsageError(f"--output {text!r} is not FORMAT=FILE", hint="Write it like --output sarif=report.sarif.")
        renderer(name)
        if Path(file).is_dir():
            raise UsageError(f"--output {text}: {file} is a folder", hint="Name a file in it.")
        if Path(file).resolve() in {known.resolve() for known in found}:
            raise UsageError(f"--output {text}: {file} is named twice", hint="Give each report a file of its own.")
        found[Path(file)] = name
    return found


def _all(command: F, *decorators: Callable[[F], F]) -> F:
    for decorate in reversed(decorators):
        command = decorate(command)
    return command
