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
    from harness.config import load
    from harness.files import displayable

    configuration = load(path, {})
    tables = {"": configuration.settings, "gate.": configuration.gate, "checkpoint.": configuration.checkpoint}
    settings = {
        f"{table}{name}": (getattr(values, name), field.description)
        for table, values in tables.items()
        for name, field in type(values).model_fields.items()
    }
    width = max(map(len, settings))
    for name, (value, description) in settings.items():
        shown = (
            ", ".join(value) if isinstance(value, tuple) else str(value).lower() if value in (True, False) else value
        )
        line = f"{name:<{width}} = {shown if shown != '' else '(none)'}"
        if origin:
            source = configuration.origins[name]
            where = f"{source.kind} {source.detail}".strip()
            variable = f"HARNESS_{name.upper()}" if "." not in name else "in the file alone"
            line = f"{line:<52} {where:<32} {variable}"
        click.echo(displayable(line))
        if origin:
            click.echo(f"{'':{width + 3}}{description}")
    return 0
