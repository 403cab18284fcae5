"""unproduced-literal: searches the whole project for the text, and asks whether the value can come from outside."""

import ast

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.locate import module_of, node_at
from verifiers.static.reading import chain, occurrences, tail
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

MANY = 200
"""Bindings of a name looked at; more are too many to know."""


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms when every value that the project gives the name is a literal, the near one among them, this one not."""
    module = module_of(finding, project)
    literal, name, produced = (finding.facts.get(k, "") for k in ("literal", "name", "produced"))
    compare = node_at(module, finding, ast.Compare) if module else None
    if module is None or compare is None:
        return cannot_tell("there is no comparison at this place")
    lines = {(finding.path, n) for n in range(compare.lineno, (compare.end_lineno or compare.lineno) + 1)}
    elsewhere = [place for place in occurrences(project, literal) if place not in lines]
    if elsewhere:
        path, line = elsewhere[0]
        return falls(f"{literal!r} also stands in {path}:{line}", kind="search", at=(module.location(compare),))
    values: set[str] = set()
    for path, _ in occurrences(project, name, limit=MANY):
        if project.entries[path].language != "python" or project.entries[path].test:
            continue
        try:
            given = _given(project.module(path), name, wide=isinstance(compare.left, ast.Attribute))
        except NotParsed:
            return cannot_tell(f"{path} does not parse")
        if given is None:
            return cannot_tell(f"`{name}` is also given values that are no literals")
        values |= given
    if produced in values and literal not in values:
        return stands(
            f"`{name}` is only ever given {', '.join(sorted(map(repr, values)))[:120]}: never {literal!r}", kind="constant",
            at=(module.location(compare),),
        )  # fmt: skip
    return cannot_tell("where the value comes from is not visible")


def _given(module: Module, name: str, *, wide: bool) -> set[str] | None:
    """Literals bound to `name` in the module; None when something else is, or when it is a parameter that anyone may fill."""
    found: set[str] = set()
    for assign in module.nodes(ast.Assign):
        if any(tail(n) == name for t in assign.targets for n in ast.walk(t) if isinstance(n, ast.Name | ast.Attribute)):
            if any(tail(t) != name for t in assign.targets) or not isinstance(assign.value, ast.Constant):
                return None
            found.add(str(assign.value.value))
    for annotated in module.nodes(ast.AnnAssign):
        if tail(annotated.target) == name and annotated.value is not None:
            if not isinstance(annotated.value, ast.Constant):
                return None
            found.add(str(annotated.value.value))
    for keyword in module.nodes(ast.keyword):
        if keyword.arg == name:
            if not isinstance(keyword.value, ast.Constant):
                return None
            found.add(str(keyword.value.value))
    for call in module.nodes(ast.Call):
        if chain(call.func) == "setattr":
            return None
    if not wide and any(a.arg == name for a in module.nodes(ast.arg)):
        return None
    loops = [n for f in module.nodes(ast.For) for n in ast.walk(f.target)]
    return None if any(isinstance(n, ast.Name) and n.id == name for n in loops) else found
