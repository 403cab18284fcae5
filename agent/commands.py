"""`harness report`: a folder of unknown data in, a LaTeX report out."""

import shlex
import sys
from pathlib import Path

import click

_MODEL, _CHEAP = "HARNESS_MODEL", "HARNESS_CHEAP_MODEL"


@click.command("report")
@click.argument("data_dir", required=False, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the report; ./report-NAME when left out. Never inside DATA_DIR.",
)
@click.option(
    "--template",
    default="lab-report",
    show_default=True,
    metavar="NAME|DIR",
    help="lab-report, course-notes, article, or a folder with your own.",
)
@click.option(
    "--language",
    type=click.Choice(["en", "zh"]),
    default="en",
    show_default=True,
    help="Language of the report's own words.",
)
@click.option("--title", default="", help="Title; from the folder when left out.")
@click.option("--author", default="", help="Author.")
@click.option("--no-figures", is_flag=True, help="Draw no figures.")
@click.option("--appendix", is_flag=True, help="End with a table of the source of every number.")
@click.option("--no-compile", is_flag=True, help="Make no PDF, also where xelatex is there.")
@click.option(
    "--bib",
    "bibliography",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="BibTeX file that you vouch for; its entries may be cited.",
)
@click.option(
    "--model",
    metavar="SPEC",
    envvar=_MODEL,
    show_envvar=True,
    help="Model that drafts: anthropic:NAME, openai:NAME, openai:NAME@URL.",
)
@click.option(
    "--cheap-model",
    metavar="SPEC",
    envvar=_CHEAP,
    show_envvar=True,
    help="Model that explores; the same when left out.",
)
@click.option(
    "--rounds", type=click.IntRange(0, 10), default=2, show_default=True, help="Rounds of reflection, with a model."
)
@click.option("--offline", is_flag=True, help="Use no model, whatever the environment names.")
@click.option("--budget", multiple=True, metavar="CAP", help="Cap such as 2usd, 500ktok, 10min; repeat for more.")
@click.option("--record", type=click.Path(path_type=Path, file_okay=False), help="Record every model call here.")
@click.option(
    "--replay",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Answer model calls from a recording.",
)
@click.option("--requests-per-minute", type=click.IntRange(1), help="Limit of the provider account.")
@click.option("--tokens-per-minute", type=click.IntRange(1), help="Limit of the provider account.")
@click.option("--fresh", is_flag=True, help="Start anew instead of continuing what was stopped.")
@click.option("--serve", "serving", is_flag=True, help="Serve a page on this machine: drop a folder, read the PDF.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of the page; a free one when left out.")
@click.option("--sessions", type=click.Path(path_type=Path, file_okay=False), hidden=True)
@click.option("-q", "--quiet", is_flag=True, help="Nothing but results and errors.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    data_dir: Path | None,
    out: Path | None,
    template: str,
    language: str,
    title: str,
    author: str,
    no_figures: bool,
    appendix: bool,
    no_compile: bool,
    bibliography: Path | None,
    model: str | None,
    cheap_model: str | None,
    rounds: int,
    offline: bool,
    budget: tuple[str, ...],
    record: Path | None,
    replay: Path | None,
    requests_per_minute: int | None,
    tokens_per_minute: int | None,
    fresh: bool,
    serving: bool,
    port: int,
    sessions: Path | None,
    quiet: bool,
) -> int:
    """Make a report of the data in DATA_DIR: report.tex, report.pdf, figures, a zip, a trace and a check list.

    \b
      harness report measurements/                    offline: tables, statistics, plots, honest text
      harness report measurements/ --model anthropic:NAME
      harness report --serve                          the same as a page on this machine

    DATA_DIR is only read. A report that was stopped is continued by the same command. Exit codes: 0 made, 2 usage,
    3 incomplete (checks.md says why), 4 nothing in DATA_DIR to report on.
    """  # fmt: skip
    from harness.errors import UsageError
    from harness.llm.behind import go_behind, is_behind

    try:
        from agent.conduct import Asked, make
        from agent.records import Settings
    except ModuleNotFoundError as error:
        raise _lacking(error) from error
    if offline or replay:
        model, cheap_model = (f"replay:{replay.resolve()}" if replay else None), None
    model = None if model == "offline" else model
    models = [text for text in (model, cheap_model) if text] if model else []
    if data_dir is None and not serving:
        raise UsageError("name the folder with the data", hint="harness report DATA_DIR, or harness report --serve")
    if models and not is_behind():
        return go_behind(models, budget, ctx.obj["arguments"], models, offline="harness report --offline")
    settings = Settings(
        language="zh" if language == "zh" else "en", template=template, title=title, author=author, rounds=rounds,
        figures=not no_figures, appendix=appendix, compile=not no_compile,
    )  # fmt: skip
    if serving:
        return _serve(data_dir, out, models, budget, port)
    assert data_dir is not None  # asked for above
    data = data_dir.resolve()
    asked = Asked(
        data=data, out=(out or Path(f"report-{data.name}")).absolute(), settings=settings, sessions=sessions, model=model,
        cheap_model=cheap_model, bibliography=bibliography, budget=budget, record=record.absolute() if record else None,
        requests_per_minute=requests_per_minute, tokens_per_minute=tokens_per_minute, fresh=fresh,
    )  # fmt: skip
    return make(asked, quiet=quiet)


def _lacking(error: ModuleNotFoundError) -> Exception:
    """A package of the extra that is not installed, said so that it can be installed; any other import error as it is."""
    from harness.errors import UsageError

    name = (error.name or "").partition(".")[0]
    if name in ("", "agent", "harness"):
        return error
    clone = Path(__file__).parents[1]
    # Installed, the name is ours already and pip adds what is missing; in a clone it is a stranger's to register.
    source = clone if (clone / "pyproject.toml").is_file() else "audit-harness"
    return UsageError(
        f"a report needs {name}, which is not installed",
        hint=f"{shlex.quote(sys.executable)} -m pip install {shlex.quote(f'{source}[report]')}",
    )


def _serve(data: Path | None, out: Path | None, models: list[str], budget: tuple[str, ...], port: int) -> int:
    from agent.deliver import require_place
    from harness.places import state_home

    try:
        from agent.service.reports import Reports
        from agent.service.serve import serve
    except ModuleNotFoundError as error:
        raise _lacking(error) from error

    local = None
    if data is not None:
        data = data.resolve()
        local = (data, (out or Path(f"report-{data.name}")).absolute())
        require_place(local[1], data)
    options = [f"--budget={cap}" for cap in budget]
    model_options = [f"--{name}={spec}" for name, spec in zip(("model", "cheap-model"), models, strict=False)]
    reports = Reports(state_home() / "report-service", local=local, options=options, model_options=model_options)
    serve(reports, port, lambda address: click.echo(f"Open {address}", err=True))
    return 0
