"""`harness review`: what a change breaks."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli import options

if TYPE_CHECKING:
    from harness.audit.order import Change

LARGEST_PATCH = 8 << 20
"""Bytes."""


@click.command("review")
@options.path_argument
@click.option(
    "--base", metavar="REV", help="Compare with where HEAD left REV.  [default: HEAD, so what is not committed]"
)
@click.option("--since-checkpoint", is_flag=True, help="Compare with the last checkpoint.")
@click.option("--staged", is_flag=True, help="Review what is staged, not the work tree.")
@click.option(
    "--patch",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Review a patch, applied to HEAD or --base in a private copy.",
)
@click.option("--thorough", is_flag=True, help="Ask the model also about a small change.")
@click.option("--no-tests", is_flag=True, help="Do not run the project's tests on both sides.")
@options.index_option
@options.session_options
@options.work_options
@options.gate_options
@options.output_options
@options.quiet_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    path: Path,
    base: str | None,
    since_checkpoint: bool,
    staged: bool,
    patch: Path | None,
    thorough: bool,
    no_tests: bool,
    index_file: str,
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
    """Review a change: what it breaks, in its lines, in the functions around them and in what calls those.

    \b
      harness review                       what is not committed yet
      harness review --base main           this branch since it left main
      harness review --patch fix.diff      a patch, in a private copy

    Both sides are audited; what the base has, too, is not reported. The project's tests run on both, and one that passes
    on the base and fails on the change is a finding. Settings, waivers and baseline are those of the base.

    Exit codes: 0 nothing to stop a merge, 1 findings do, 2 usage, 3 incomplete (see harness resume), 4 nothing changed.
    """
    wanted = options.outputs_of(outputs)
    from harness.cli.conduct import Shown
    from harness.cli.jobs import REVIEW
    from harness.cli.ordering import Asked, change_order, folder, go
    from harness.render.formats import renderer

    renderer(format_)
    change = _change(folder(path), base, since_checkpoint, staged, patch)
    index = Path(index_file).name if staged else "index"
    change = change.model_copy(update={"thorough": thorough, "index_name": index})
    asked = Asked(flags, offline=offline, no_exec=no_exec, record=record, replay=replay)
    order, configuration = change_order(path, change, asked, profile="session")
    if no_tests and order.change:
        order = order.model_copy(update={"change": order.change.model_copy(update={"test_command": ""})})
    shown = Shown(format_, wanted, show, bool(ctx.color), quiet)
    return go(order, configuration, shown, ctx.obj["arguments"], REVIEW)


def _change(path: Path, base: str | None, since_checkpoint: bool, staged: bool, patch: Path | None) -> "Change":
    from harness.audit.order import Change
    from harness.errors import UsageError
    from harness.repo import revisions

    if sum((base is not None, since_checkpoint)) > 1 or sum((staged, patch is not None)) > 1:
        raise UsageError("name one base (--base or --since-checkpoint) and one change (--staged or --patch)")
    if since_checkpoint:
        ends = revisions.since_checkpoint(path)
    else:
        ends = revisions.since(path, "HEAD" if base is None else base)
    text = None
    if patch is not None:
        raw = patch.read_bytes()
        if len(raw) > LARGEST_PATCH:
            raise UsageError(f"the patch is larger than {LARGEST_PATCH >> 20} MB")
        text = raw.decode("latin-1")
    return Change(base=ends.base, at=ends.head, staged=staged, patch=text)
