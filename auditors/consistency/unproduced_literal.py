"""unproduced-literal: a value is compared with a text that nobody ever produces, one letter off one that is produced.

Why: the branch never runs, and nothing says so.

Example:

    job.status = "running"
    ...
    if job.status == "runing":      # never true
        stop(job)

What it cannot see: values that come from outside the project.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import last_name, near
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="unproduced-literal",
    group="consistency",
    title="Compared with a value nobody produces",
    severity=Severity.MEDIUM,
    page=__doc__,
)


def check(project: Project) -> Iterator[Claim]:
    """Literals that stand only in comparisons of a name, when a near one is produced or compared for the same name."""
    compared: dict[str, Claim] = {}
    by_name: dict[str, set[str]] = {}
    texts: set[str] = set()
    for module in project.modules():
        in_comparison: set[ast.AST] = set()
        for compare in module.nodes(ast.Compare):
            name = last_name(compare.left) or _key(compare.left)
            for literal in _literals(compare):
                in_comparison.add(literal)
                text = str(literal.value)
                if name and len(text) > 4:
                    by_name.setdefault(name, set()).add(text)
                    compared.setdefault(
                        text, module.claim(RULE, compare, scenario="", fix="", facts={"literal": text, "name": name})
                    )
        for name, value in _produced(module):
            by_name.setdefault(name, set()).add(value)
        texts |= {c.value for c in module.nodes(ast.Constant) if isinstance(c.value, str) and c not in in_comparison}
        texts |= {a.attr for a in module.nodes(ast.Attribute)} | {n.id for n in module.nodes(ast.Name)}
    for text in sorted(set(compared) - texts):
        claim = compared[text]
        name = claim.facts["name"]
        other = next((t for t in sorted(by_name[name]) if near(text, t) and t in texts), None)
        if other is not None:
            yield claim.model_copy(
                update={
                    "scenario": f"Nothing produces {text!r} for `{name}`; {other!r} is what it can be. The comparison never holds.",
                    "fix": f"Compare with {other!r}.",
                    "facts": {**claim.facts, "produced": other},
                }
            )


def _key(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return node.slice.value
    return ""


def _literals(compare: ast.Compare) -> list[ast.Constant]:
    found: list[ast.Constant] = []
    for operator, right in zip(compare.ops, compare.comparators, strict=True):
        if isinstance(operator, ast.Eq | ast.NotEq):
            found += [right] if isinstance(right, ast.Constant) else []
        elif isinstance(operator, ast.In | ast.NotIn) and isinstance(right, ast.Tuple | ast.List | ast.Set):
            found += [e for e in right.elts if isinstance(e, ast.Constant)]
    return [c for c in found if isinstance(c.value, str)]


def _produced(module: Module) -> Iterator[tuple[str, str]]:
    for assign in module.nodes(ast.Assign):
        if isinstance(assign.value, ast.Constant) and isinstance(assign.value.value, str):
            for target in assign.targets:
                yield last_name(target) or _key(target), assign.value.value
    for keyword in module.nodes(ast.keyword):
        if keyword.arg and isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str):
            yield keyword.arg, keyword.value.value
    for table in module.nodes(ast.Dict):
        for key, value in zip(table.keys, table.values, strict=True):
            texts = [n.value for n in (key, value) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
            if len(texts) == 2:
                yield texts[0], texts[1]


CHECK = Check(rules=(RULE,), project=check)
