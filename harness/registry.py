"""Finds plug-ins by name: ours, and those that other distributions offer through the entry point group `harness.plugins`.

Nothing of the audited repository is ever looked at here.
"""

import importlib
from importlib.metadata import entry_points

from harness.contracts import Auditor, Plugin, Verifier
from harness.errors import Bug
from harness.schema.finding import Rule

BUILT_IN = ("auditors.plugin", "verifiers.plugin")


def plugins() -> tuple[Plugin, ...]:
    """Every plug-in table, ours first, then third parties' by name. Raises Bug when a table has the wrong type."""
    found = [_table(name) for name in BUILT_IN]
    found += [_checked(point.load(), point.value) for point in sorted(entry_points(group="harness.plugins"))]
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


def rules() -> dict[str, Rule]:
    """Every rule by id. Two auditors may share a rule, never two different rules one id."""
    table: dict[str, Rule] = {}
    for auditor in auditors():
        for rule in auditor.rules:
            if table.setdefault(rule.id, rule) != rule:
                raise Bug(f"two rules are called {rule.id}")
    return table


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
