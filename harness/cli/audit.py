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
    model: str | None,
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
    del offline  # saying so changes nothing: a model is used only when named
    options.no_model(model)
    wanted = options.outputs_of(outputs)
    from harness.audit import start
    from harness.audit.order import Order
    from harness.cli.conduct import Shown, conduct, means
    from harness.config import load
    from harness.render.formats import renderer
    from harness.schema.evidence import Tier
    from harness.schema.finding import Severity

    renderer(format_)
    configuration = load(path, {**flags, "execute": False if no_exec else None})
    settings = configuration.settings
    order = Order(
        origin=str(path.resolve()),
        revision=revision,
        profile=settings.profile,
        dimensions=settings.dimensions,
        exclude=settings.exclude,
        execute=settings.execute,
        budget=settings.budget,
        fail_on=None if settings.fail_on == "none" else Severity(settings.fail_on),
        min_tier=Tier(settings.min_tier),
        config=configuration.file,
    )
    shown = Shown(format_, wanted, show, bool(ctx.color), quiet)
    return conduct(start.new(order, means(shown, jobs=settings.jobs, execute=order.execute)), shown)
