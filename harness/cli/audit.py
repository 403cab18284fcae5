"""`harness audit`: the main job."""

from pathlib import Path

import click

from harness.cli import options


@click.command("audit")
@options.path_argument
@options.scope_options
@options.work_options
@options.gate_options
@options.output_options
@options.quiet_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    path: Path,
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
    """Audit a folder or git repository: find, try to prove every finding wrong, report what survives.

    \b
      harness audit                                  this folder, no model, no network
      harness audit PATH --dimension security        one perspective
      harness audit --output sarif=out.sarif         for code scanning, beside the text

    Exit codes: 0 nothing to stop a merge, 1 findings do, 2 usage, 3 incomplete (see harness resume), 4 nothing in scope.
    """
    wanted = options.outputs_of(outputs)
    from harness.audit import start
    from harness.audit.order import Order
    from harness.cli.behind import go_behind, must_go_behind
    from harness.cli.conduct import Shown, conduct, means
    from harness.config import load
    from harness.render.formats import renderer
    from harness.repo.environments import advice, outside
    from harness.schema.evidence import Tier
    from harness.schema.finding import Severity

    renderer(format_)
    if offline or replay:
        flags |= {"model": f"replay:{replay.resolve()}" if replay else "offline", "verifier_model": None}
    configuration = load(path, {**flags, "execute": False if no_exec else None})
    settings = configuration.settings
    model = None if settings.model == "offline" else settings.model
    order = Order(
        origin=str(path.resolve()),
        revision=revision,
        profile=settings.profile,
        dimensions=settings.dimensions,
        exclude=settings.exclude,
        execute=settings.execute,
        advice="" if settings.project_python or not settings.execute else advice(path),
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
    if must_go_behind(order):
        named = [n for n in ("model", "verifier_model") if configuration.origins[n].kind in ("flag", "environment")]
        return go_behind(order, ctx.obj["arguments"], [getattr(settings, n) for n in named])
    shown = Shown(format_, wanted, show, bool(ctx.color), quiet)
    python = outside(settings.project_python, path)
    found = means(shown, jobs=settings.jobs, execute=order.execute, python=python)
    return conduct(start.new(order, found), shown)
