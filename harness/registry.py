"""Finds plug-ins by name: ours, and those that other distributions offer through the entry point group `harness.plugins`.

Nothing of the audited repository is ever looked at here.
"""

import functools
import importlib
import tomllib
from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import click
from pydantic import ValidationError

from harness.contracts import ArguingFactory, Auditor, Plugin, Reader, Verifier
from harness.digest import source_digest
from harness.errors import Bug
from harness.schema.dimension import Dimension
from harness.schema.finding import Rule

REVIEW_RULES = "harness.review.rules"
"""Module whose `RULES` no auditor raises: loaded by name, since it stands above this one."""
BUILT_IN = ("auditors.plugin", "verifiers.plugin", "devlog.plugin", "agent.plugin")
WITH_COMMANDS = ("devlog.plugin", "agent.plugin")
"""Ours that offer commands: only these are looked at for one, so that no auditor is loaded for it."""


def plugins() -> tuple[Plugin, ...]:
    """Every plug-in table, ours first, then third parties' by name. Raises Bug when a table has the wrong type."""
    found = [_table(name) for name in BUILT_IN]
    found += [_checked(point.load(), point.value) for point in _entry_points()]
    return tuple(found)


def auditors() -> tuple[Auditor, ...]:
    """All auditors. Raises Bug when two have one id."""
    found = tuple(a for plugin in plugins() for a in plugin.auditors)
    _unique([a.id for a in found], "auditor")
    return found


def verifiers() -> tuple[Verifier, ...]:
    """All verifiers, cheapest first. Raises Bug when two have one id."""
    found = tuple(v for plugin in plugins() for v in plugin.verifiers)
    _unique([v.id for v in found], "verifier")
    return found


def command(name: str) -> click.Command:
    """The command that our own plug-ins offer under this name; only its module is loaded. Raises Bug when there is none."""
    for module in WITH_COMMANDS:
        where = _table(module).commands.get(name)
        if where is not None:
            found = importlib.import_module(where).command
            if isinstance(found, click.Command):
                return found
    raise Bug(f"no plug-in offers a command {name}")


def reader(dimension: Dimension) -> Reader:
    """The model auditor of a dimension. Raises Bug when no plug-in has one."""
    for plugin in plugins():
        if plugin.reader is not None:
            return plugin.reader(dimension)
    raise Bug("no plug-in offers a model auditor")


def arguing() -> ArguingFactory:
    """What makes the verifier that asks models. Raises Bug when no plug-in has one."""
    for plugin in plugins():
        if plugin.arguing is not None:
            return plugin.arguing
    raise Bug("no plug-in offers a verifier that asks models")


def rules() -> dict[str, Rule]:
    """Every rule by id. Two auditors may share a rule, never two different rules one id."""
    table: dict[str, Rule] = {}
    for auditor in auditors():
        for rule in auditor.rules:
            if table.setdefault(rule.id, rule) != rule:
                raise Bug(f"two rules are called {rule.id}")
    for dimension in dimensions().values():
        rule = reader(dimension).rule
        table[rule.id] = rule
    own: tuple[Rule, ...] = importlib.import_module(REVIEW_RULES).RULES
    table.update((rule.id, rule) for rule in own)
    return table


def dimensions() -> dict[str, Dimension]:
    """Every dimension by id, in order of id. Raises Bug when a file is malformed or two have one id."""
    found = [
        _dimension(f) for plugin in plugins() if plugin.dimensions for f in sorted(plugin.dimensions.glob("*.toml"))
    ]
    _unique([d.id for d in found], "dimension")
    return {d.id: d for d in sorted(found, key=lambda d: d.id)}


@functools.cache
def code_digest() -> str:
    """Hash over the source of harness and of every plug-in's package, and the running Python: part of every cache key,
    so that no answer outlives the code that gave it."""
    names = {module.split(".")[0] for module in BUILT_IN} | {p.value.split(".")[0] for p in _entry_points()}
    return source_digest(("harness", *sorted(names)))


def _dimension(path: Path) -> Dimension:
    try:
        return Dimension.model_validate(tomllib.loads(path.read_text("utf-8")))
    except (ValidationError, tomllib.TOMLDecodeError) as error:
        raise Bug(f"{path}: {error}") from error


def _entry_points() -> Iterable[EntryPoint]:
    return sorted(entry_points(group="harness.plugins"))


def _table(module: str) -> Plugin:
    return _checked(importlib.import_module(module).PLUGIN, module)


def _checked(table: object, where: str) -> Plugin:
    if not isinstance(table, Plugin):
        raise Bug(f"{where}: PLUGIN is not a harness.contracts.Plugin")
    return table


def _unique(ids: list[str], what: str) -> None:
    twice = {i for i in ids if ids.count(i) > 1}
    if twice:
        raise Bug(f"two {what}s are called {', '.join(sorted(twice))}")
