"""`harness verify`: findings that somebody else made, put to our verifiers; or our own, looked at again after a fix."""

from pathlib import Path

import click

from harness.cli import options


@click.command("verify")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--repo", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".", show_default=True,
              help="The folder or git repository that the findings are about.")  # fmt: skip
@click.option("--recheck", is_flag=True, help="Look again at what was CONFIRMED: in FILE, else in the last report.")
@click.option("--revision", default=None, help="Git revision to look at. [default: the work tree as it is]")
@options.work_options
@options.gate_options
@options.output_options
@options.quiet_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    file: Path | None,
    repo: Path,
    recheck: bool,
    revision: str | None,
    no_exec: bool,
    offline: bool,
    record: Path | None,
    replay: Path | None,
    format_: str,
    outputs: tuple[str, ...],
    show: tuple[str, ...],
    quiet: bool,
    **flags: object,
) -> int:
    """Try to prove the findings in FILE wrong: SARIF 2.1.0 of any scanner, or our JSON report.

    \b
      harness verify bandit.sarif                                  what survives of a scan, as text
      harness verify codeql.sarif --format sarif > judged.sarif    the same log, with a verdict at each result
      harness verify --recheck                                     after a fix: fixed, still there, cannot tell

    Exit codes: 0 nothing to stop a merge, 1 findings do, 2 usage, 3 incomplete (see harness resume), 4 no finding in FILE.
    With --recheck, what was CONFIRMED and is not shown to be fixed counts as a finding.
    """
    wanted = options.outputs_of(outputs)
    from harness.audit import start
    from harness.audit.order import Order
    from harness.cli.behind import go_behind, must_go_behind
    from harness.cli.conduct import Shown, conduct, means
    from harness.cli.last_run import reported
    from harness.config import load
    from harness.errors import UsageError
    from harness.intake import document
    from harness.render.formats import renderer
    from harness.repo.environments import advice, outside
    from harness.schema.evidence import Tier
    from harness.schema.finding import Severity

    renderer(format_)
    if file is None and not recheck:
        raise UsageError("no FILE of findings was given", hint="harness verify scan.sarif, or harness verify --recheck")
    if offline or replay:
        flags |= {"model": f"replay:{replay.resolve()}" if replay else "offline", "verifier_model": None}
    configuration = load(repo, {**flags, "execute": False if no_exec else None})
    settings = configuration.settings
    model = None if settings.model == "offline" else settings.model
    order = Order(
        origin=str(repo.resolve()),
        revision=revision,
        recheck=recheck,
        execute=settings.execute,
        advice="" if settings.project_python or not settings.execute else advice(repo),
        budget=settings.budget,
        fail_on=None if settings.fail_on == "none" else Severity(settings.fail_on),
        min_tier=Tier(settings.min_tier),
        config=configuration.file,
        model=model,
        verifier_model=(settings.verifier_model or None) if model and not replay else None,
        record=str(record.resolve()) if record else None,
        requests_per_minute=settings.requests_per_minute or None,
        tokens_per_minute=settings.tokens_per_minute or None,
    )
    data = _bytes(file) if file is not None else reported(repo)
    document.read(data, str(file or "the last report"))
    if must_go_behind(order):
        named = [n for n in ("model", "verifier_model") if configuration.origins[n].kind in ("flag", "environment")]
        return go_behind(order, ctx.obj["arguments"], [getattr(settings, n) for n in named])
    shown = Shown(format_, wanted, show, bool(ctx.color), quiet)
    python = outside(settings.project_python, repo)
    found = means(shown, jobs=settings.jobs, execute=order.execute, python=python)
    return conduct(start.new(order, found, findings=data), shown)


def _bytes(file: Path) -> bytes:
    """Not more than the bound and a byte, whatever the file is."""
    from harness.errors import UsageError
    from harness.intake.document import MOST_BYTES

    try:
        with file.open("rb") as stream:
            return stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
