"""`harness explain`: the user page of a rule, offline."""

import click


@click.command("explain")
@click.argument("rule", required=False)
@click.pass_context
def command(ctx: click.Context, rule: str | None) -> int:
    """Explain a rule: what, why, an example, the fix, what it cannot see. Without RULE, list all rules."""
    from harness import registry
    from harness.render.rule_page import listing, nearest, page
    from harness.terminal import columns

    rules = registry.rules()
    if rule is None:
        click.echo(listing(rules, color=bool(ctx.color)), nl=False, color=ctx.color)
        return 0
    known = rules.get(rule) or rules.get(rule.lower())
    if known is None:
        from harness.errors import UsageError

        raise UsageError(f"there is no rule {rule!r}", hint=nearest(rule, rules))
    click.echo(page(known, color=bool(ctx.color), width=columns()), nl=False, color=ctx.color)
    return 0
