"""`harness config show`: the settings in force and where each comes from."""

from pathlib import Path

import click


@click.group("config")
def command() -> None:
    """Show the configuration in force and where each value comes from.

    Flags win over HARNESS_ variables, these over harness.toml or [tool.harness] in pyproject.toml of the audited folder.
    """


@command.command("show")
@click.argument("path", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@click.option("--origin", is_flag=True, help="Also print where each value comes from.")
def show(path: Path, origin: bool) -> int:
    """Print every setting for auditing PATH (default: this folder)."""
    from harness.config import Settings, load
    from harness.files import displayable

    configuration = load(path, {})
    width = max(map(len, Settings.model_fields))
    for name, field in Settings.model_fields.items():
        value = getattr(configuration.settings, name)
        shown = (
            ", ".join(value) if isinstance(value, tuple) else str(value).lower() if value in (True, False) else value
        )
        line = f"{name:<{width}} = {shown if shown != '' else '(none)'}"
        if origin:
            source = configuration.origins[name]
            where = f"{source.kind} {source.detail}".strip()
            line = f"{line:<48} {where:<32} HARNESS_{name.upper()}"
        click.echo(displayable(line))
        if origin:
            click.echo(f"{'':{width + 3}}{field.description}")
    return 0
