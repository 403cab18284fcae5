"""`harness help`: pages about what is true of all commands."""

import click


@click.command("help")
@click.argument("topic", required=False)
@click.pass_context
def command(ctx: click.Context, topic: str | None) -> int:
    """Show a page about exit codes, formats, suppressions or the JSON report; or the help of a command."""
    from harness.cli.topics import TOPICS

    root = ctx.parent
    if topic is None:
        for name, entry in TOPICS.items():
            click.echo(f"harness help {name:<14} {entry.about}")
        click.echo("harness help COMMAND        the same as harness COMMAND --help")
        return 0
    if topic in TOPICS:
        click.echo(TOPICS[topic].text(), nl=False)
        return 0
    found = root.command.get_command(root, topic) if root and isinstance(root.command, click.Group) else None
    if found is None or root is None:
        import difflib

        from harness.errors import UsageError

        near = difflib.get_close_matches(topic, TOPICS, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"Topics: {', '.join(TOPICS)}."
        raise UsageError(f"there is no help on {topic!r}", hint=hint)
    with click.Context(found, info_name=topic, parent=root) as context:
        click.echo(found.get_help(context))
    return 0
