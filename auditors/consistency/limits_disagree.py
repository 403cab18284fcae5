"""limits-disagree: the same limit, timeout or default has another value in a parallel module or class.

Why: providers, backends and handlers that stand beside each other are used through one caller. When one of them ends at
32000 and the other at 64000, results depend on which was configured, and nobody decided that.

Example:

    # providers/anthropic.py                   # providers/deepseek.py
    def stream(self, prompt):                  def stream(self, prompt):
        return post(max_tokens=32000)              return post(max_tokens=64000)

What it cannot see: limits that come from configuration files, and limits under different names.
"""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from auditors.syntax import defaults, last_name
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.location import RelatedLocation
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="limits-disagree",
    group="consistency",
    title="Same limit, different value",
    severity=Severity.MEDIUM,
    page=__doc__,
)
LIMIT_WORDS = frozenset(
    {
        "max", "min", "maximum", "minimum", "limit", "timeout", "retries", "retry", "cap", "tokens", "depth", "ttl", "attempts",
        "interval", "threshold", "budget", "chunk", "buffer", "workers", "delay", "backoff", "quota", "deadline", "expiry",
        "expires", "size", "length", "temperature", "concurrency", "batch",
    }
)  # fmt: skip


class Setting(NamedTuple):
    """One number under a name."""

    name: str
    value: float
    role: str
    """How it is set: `constant`, `default of f`, `argument of f in g`, `key in g`."""
    owner: str
    """File and class it is set in."""
    claim: Claim


def check(project: Project) -> Iterator[Claim]:
    """Groups settings by folder, name and role; in each group the value of the minority is claimed."""
    groups: dict[tuple[str, str, str], list[Setting]] = {}
    others: dict[tuple[str, str], list[float]] = {}
    for module in project.modules():
        folder = module.path.rpartition("/")[0]
        for setting in _settings(module):
            groups.setdefault((folder, setting.name, setting.role), []).append(setting)
            others.setdefault((setting.owner, setting.name), []).append(setting.value)
    for key in sorted(groups):
        group = groups[key]
        values = {s.value for s in group}
        owners = {s.owner for s in group}
        if len(values) < 2 or len(owners) < 2 or len(owners) != len(group) or len(values) * 2 > len(group) + 2:
            continue
        weight = {v: sum(s.value == v for s in group) + _elsewhere(v, group, others) for v in values}
        usual = max(sorted(values), key=lambda v: (weight[v], v))
        for setting in group:
            if setting.value != usual:
                yield _finish(setting, [s for s in group if s.value == usual])


def _elsewhere(value: float, group: list[Setting], others: dict[tuple[str, str], list[float]]) -> int:
    """How many owners of the group use this value for the same name in another role."""
    return sum(others[s.owner, s.name].count(value) - (s.value == value) for s in group)


def _finish(setting: Setting, usual: list[Setting]) -> Claim:
    first = usual[0]
    related = tuple(
        RelatedLocation(role="sibling", location=s.claim.location, message=f"{s.value:g} here") for s in usual[:5]
    )
    return setting.claim.model_copy(
        update={
            "scenario": f"`{setting.name}` is {setting.value:g} here and {first.value:g} in {first.claim.location} "
            f"({setting.role}): what the caller gets depends on which of them is in use.",
            "fix": f"Use one value, defined once and imported by both ({first.value:g}, unless {setting.value:g} was meant).",
            "facts": {
                "name": setting.name, "role": setting.role, "value": f"{setting.value:g}", "usual": f"{first.value:g}",
            },
            "related": related,
        }
    )  # fmt: skip


def _settings(module: Module) -> Iterator[Setting]:
    for assign in module.nodes(ast.Assign):
        name = last_name(assign.targets[0]) if len(assign.targets) == 1 else ""
        if name.isupper() and module.enclosing_function(assign) is None:
            yield from _setting(module, assign, name, assign.value, "constant")
    for _, function in module.functions:
        for argument, default in defaults(function):
            yield from _setting(module, default, argument.arg, default, f"default of {function.name}")
    for keyword in module.nodes(ast.keyword):
        around = module.enclosing_function(keyword)
        call = module.parents[keyword]
        if around is not None and keyword.arg and isinstance(call, ast.Call):
            role = f"argument of {last_name(call.func)} in {around.name}"
            yield from _setting(module, keyword.value, keyword.arg, keyword.value, role)
    for table in module.nodes(ast.Dict):
        around = module.enclosing_function(table)
        for key, value in zip(table.keys, table.values, strict=True):
            if around is not None and isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield from _setting(module, key, key.value, value, f"key in {around.name}")


def _setting(module: Module, node: ast.AST, name: str, value: ast.expr, role: str) -> Iterator[Setting]:
    words = name.lower().replace("-", "_").split("_")
    number = _number(value)
    if number is None or number in (0, 1, -1) or not LIMIT_WORDS.intersection(words):
        return
    owner = module.enclosing_class(node)
    claim = module.claim(RULE, node, scenario="", fix="")
    yield Setting(name, number, role, f"{module.path}:{owner.name if owner else ''}", claim)


def _number(node: ast.expr) -> float | None:
    """Value of a number, or of products, sums and powers of small numbers."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return node.value if abs(node.value) < 1e15 else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Add):
        left, right = _number(node.left), _number(node.right)
        if left is not None and right is not None:
            return left * right if isinstance(node.op, ast.Mult) else left + right
    return None


CHECK = Check(rules=(RULE,), project=check)
