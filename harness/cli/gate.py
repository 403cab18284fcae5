"""`harness gate`: may this commit be merged?"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli import options

if TYPE_CHECKING:
    from harness.audit.order import Change


@click.command("gate")
@options.path_argument
@click.option("--base", metavar="REV", help="Read policy and waivers where HEAD left REV.  [default: the main branch]")
@click.option("--head", "ref", metavar="REV", default="HEAD", show_default=True, help="The commit to decide about.")
@click.option("--staged", is_flag=True, help="Decide about what is staged, before it is a commit.")
@options.index_option
@click.option(
    "--run-tests",
    type=click.Choice(("sandbox", "host")),
    default="sandbox",
    show_default=True,
    envvar="HARNESS_GATE_RUN_TESTS",
    show_envvar=True,
    help="Where the project's tests run; `host` trusts them with this machine.",
)
@click.option("--accept-policy-change", is_flag=True, help="Let a change loosen the policy; for whoever owns it.")
@click.option("--install", is_flag=True, help="Set a git hook that asks the gate; an existing hook keeps running.")
@click.option("--uninstall", is_flag=True, help="Take the hook out and put the one before it back.")
@click.option(
    "--hook",
    type=click.Choice(("pre-push", "pre-commit")),
    default="pre-push",
    show_default=True,
    help="Which hook --install and --uninstall mean.",
)
@options.perspective_options
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
    ref: str,
    staged: bool,
    index_file: str,
    run_tests: str,
    accept_policy_change: bool,
    install: bool,
    uninstall: bool,
    hook: str,
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
    """Decide whether a commit may be merged: its tests, a complete run, no CONFIRMED finding that counts.

    \b
      harness gate                         HEAD, with the policy of the main branch
      harness gate --base origin/main      in CI
      harness gate --install               before every push

    Policy, waivers and baseline are read from the base, never from the change; `fail_on`, `min_tier` and
    `[tool.harness.gate] test_command` are the policy. The verdict holds for one commit.

    Exit codes: 0 may be merged, 1 refused (tests, findings or policy), 2 usage, 3 incomplete, never a pass, 4 nothing in scope.
    """
    if install or uninstall:
        return _hooks(path, hook, install=install, uninstall=uninstall)
    wanted = options.outputs_of(outputs)
    from harness.cli.conduct import Shown
    from harness.cli.ordering import Asked, change_order, folder, go
    from harness.cli.verdict import GATE
    from harness.render.formats import renderer

    renderer(format_)
    change = _change(folder(path), base, ref, staged, index_file)
    change = change.model_copy(
        update={"gate": True, "host": run_tests == "host", "accept_policy": accept_policy_change, "thorough": True}
    )
    asked = Asked(flags, offline=offline, no_exec=no_exec, record=record, replay=replay)
    order, configuration = change_order(path, change, asked, profile="full")
    return go(order, configuration, Shown(format_, wanted, show, bool(ctx.color), quiet), ctx.obj["arguments"], GATE)


def _change(path: Path, base: str | None, ref: str, staged: bool, index_file: str) -> "Change":
    from harness.audit.order import Change
    from harness.errors import UsageError
    from harness.repo import revisions

    if staged and ref != "HEAD":
        raise UsageError("--staged and --head are two different things to decide about")
    if staged:
        ends = revisions.since(path, "HEAD" if base is None else base)
        return Change(base=ends.base, at=ends.head, staged=True, index_name=Path(index_file).name)
    ends = revisions.since_mainline(path, ref) if base is None else revisions.since(path, base, ref)
    return Change(base=ends.base, head=ends.head, at=ends.head, ref=ref)


def _hooks(path: Path, name: str, *, install: bool, uninstall: bool) -> int:
    from harness.errors import UsageError
    from harness.gate import hook

    if install and uninstall:
        raise UsageError("--install and --uninstall are two different things")
    click.echo(hook.install(path, name) if install else hook.uninstall(path, name))
    return 0
