"""key-never-written: searches every text of the project for the key, and the container for where it is filled."""

import ast

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.locate import module_of
from verifiers.static.reading import chain, occurrences
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


def falsify(finding: Finding, project: Project) -> Ruling:
    """Dismisses keys that stand anywhere else; confirms a typo of a key that the same container is given."""
    module = module_of(finding, project)
    key, written, container = (finding.facts.get(k, "") for k in ("key", "written", "container"))
    if module is None or not key:
        return cannot_tell("the read is not at this place")
    reads: set[tuple[str, int]] = set()
    for path in {p for p, _ in occurrences(project, key)}:
        if project.entries[path].language != "python":
            continue
        other = project.module(path)
        reads |= {(path, line) for line in _read_lines(other, key)}
    elsewhere = [place for place in occurrences(project, key) if place not in reads]
    if elsewhere:
        path, line = elsewhere[0]
        return falls(f"{key!r} also stands in {path}:{line}", kind="search", at=())
    if not container:
        return cannot_tell("the container has no name")
    last = container.rpartition(".")[2]
    sources = [n for n in _fills(module, last) if written in n[1]]
    if sources:
        return stands(
            f"`{last}` is filled with {written!r} in line {sources[0][0]}, and {key!r} stands nowhere in the project but in reads",
            kind="search", at=(finding.location,),
        )  # fmt: skip
    return cannot_tell("where the container is filled is not visible in this module")


def _read_lines(module: Module, key: str) -> set[int]:
    found: set[int] = set()
    for node in module.nodes(ast.Constant):
        if node.value != key:
            continue
        parent = module.parents[node]
        subscript = isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Load)
        if subscript or (
            isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute) and parent.func.attr == "get"
        ):
            found.add(node.lineno)
    return found


def _fills(module: Module, name: str) -> list[tuple[int, set[str]]]:
    """(line, keys) of every place of the module that gives keys to something called `name`."""
    found: list[tuple[int, set[str]]] = []
    for assign in module.nodes(ast.Assign):
        for target in assign.targets:
            if isinstance(target, ast.Subscript) and chain(target.value).rpartition(".")[2] == name:
                if isinstance(target.slice, ast.Constant):
                    found.append((assign.lineno, {str(target.slice.value)}))
            elif chain(target).rpartition(".")[2] == name and isinstance(assign.value, ast.Dict):
                keys = {str(k.value) for k in assign.value.keys if isinstance(k, ast.Constant)}
                found.append((assign.lineno, keys))
    for annotated in module.nodes(ast.AnnAssign):
        if chain(annotated.target).rpartition(".")[2] == name and isinstance(annotated.value, ast.Dict):
            keys = {str(k.value) for k in annotated.value.keys if isinstance(k, ast.Constant)}
            found.append((annotated.lineno, keys))
    return found
