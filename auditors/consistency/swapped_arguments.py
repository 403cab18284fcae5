"""swapped-arguments: two arguments stand in the order of the other's parameter.

Why: `resize(height, width)` for `def resize(width, height)` runs without any error and gives the wrong picture.

Example:

    def transfer(source, target, amount): ...
    transfer(target, source, 10)

What it cannot see: arguments whose names say nothing about their meaning.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import last_name
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.location import Location, RelatedLocation
from harness.source.index import Function
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="swapped-arguments",
    group="consistency",
    title="Arguments swapped",
    severity=Severity.MEDIUM,
    cwe=683,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Calls of known functions where argument i is named like parameter j and argument j like parameter i."""
    if module.test:
        return
    for call in module.nodes(ast.Call):
        names = [last_name(a) for a in call.args]
        if len(names) < 2 or any(isinstance(a, ast.Starred) for a in call.args) or sum(map(bool, names)) < 2:
            continue
        known = _callee(module, project, call)
        if known is None:
            continue
        parameters = known.parameters
        if known.class_name is not None and parameters[:1] in {("self",), ("cls",)}:
            parameters = parameters[1:]
        pair = _swap(names, parameters)
        if pair is not None:
            i, j = pair
            place = Location(path=known.path, line=known.line, end_line=known.line)
            yield module.claim(
                RULE,
                call,
                scenario=f"`{known.qualname}` takes `{parameters[i]}` at position {i + 1} and `{parameters[j]}` at {j + 1}; "
                f"this call passes `{names[i]}` and `{names[j]}`.",
                fix=f"Swap them, or pass by keyword: `{parameters[i]}={parameters[i]}, {parameters[j]}={parameters[j]}`.",
                facts={"callee": known.name, "first": str(i), "second": str(j)},
                related=(RelatedLocation(role="definition", location=place, message="the order it takes them in"),),
            )


def _callee(module: Module, project: Project, call: ast.Call) -> Function | None:
    name = module.resolve(call.func)
    if name is None:
        return None
    if name.startswith("self."):
        owner = module.enclosing_class(call)
        if owner is None or name.count(".") != 1:
            return None
        name = f"{module.name}.{module.qualname(owner)}.{name[5:]}"
        return project.index.functions.get(name)
    canonical = project.index.canonical(name)
    if canonical in project.index.classes:
        return project.index.functions.get(f"{canonical}.__init__")
    found = project.index.functions.get(canonical)
    return found if found is not None and found.class_name is None else None


def _swap(names: list[str], parameters: tuple[str, ...]) -> tuple[int, int] | None:
    for i, name in enumerate(names):
        if not name or i >= len(parameters) or name == parameters[i] or name not in parameters:
            continue
        j = parameters.index(name)
        if i < j < len(names) and names[j] == parameters[i]:
            return i, j
    return None


CHECK = Check(rules=(RULE,), module=check)
