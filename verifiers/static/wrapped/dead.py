"""Dead code: searched for by other means than the tool's: as a word in every file, and by walking the block again."""

import ast
import re

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.wrapped.sites import FUNCTIONS, site

_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_FILE_CAP = 1 << 20


def unused_private(finding: Finding, project: Project) -> Ruling:
    """Confirms a private name that stands nowhere else in any text of the project and that no dynamic access can spell."""
    name = finding.facts.get("name", "")
    found = site(finding, project, *FUNCTIONS, ast.ClassDef)
    if not name or found is None:
        return cannot_tell("there is no definition at this place")
    module, node = found
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    place = (module.location(node),)
    elsewhere = _other_place(project, name, finding.path, node.lineno)
    if elsewhere is not None:
        return falls(f"`{name}` also stands in {elsewhere}", kind="search", at=(elsewhere,))
    if node.decorator_list:
        return cannot_tell("a decorator may register it")
    if _spelled(project, name):
        return cannot_tell("a name of this form is put together somewhere while running")
    if isinstance(module.parents.get(node), ast.ClassDef):
        return _method(module, node, project, name)
    if isinstance(module.parents.get(node), ast.Module):
        return stands(f"`{name}` stands nowhere else in the project", kind="search", at=place)
    return cannot_tell("the definition is local to a function")


def _method(module: Module, node: ast.AST, project: Project, name: str) -> Ruling:
    cls = module.parents.get(node)
    assert isinstance(cls, ast.ClassDef)
    for base in cls.bases:
        target = module.resolve(base)
        if target != "object" and (target is None or project.index.canonical(target) not in project.index.classes):
            return cannot_tell(f"a base class outside of the project may call `{name}`")
    if cls.decorator_list or cls.keywords:
        return cannot_tell("a decorator or metaclass of the class may call it")
    pending = [project.index.canonical(module.resolve(b) or "") for b in cls.bases]
    while pending:
        known = project.index.classes.get(pending.pop())
        if known is None:
            return cannot_tell(f"a base class outside of the project may call `{name}`")
        pending += [project.index.canonical(b) for b in known.bases if b != "object"]
    return stands(f"`{name}` stands nowhere else in the project", kind="search", at=(module.location(node),))


def _other_place(project: Project, name: str, path: str, line: int) -> Location | None:
    """The first place besides the definition where the name stands as a word, in any text of the project."""
    raw = name.encode()
    word = re.compile(rb"(?<![\w])" + re.escape(raw) + rb"(?![\w])")
    for other in project.paths():
        entry = project.entries[other]
        if entry.language == "binary" or entry.size > _FILE_CAP:
            continue
        content = project.read_bytes(other)
        if raw not in content:
            continue
        for match in word.finditer(content):
            at = content.count(b"\n", 0, match.start()) + 1
            if (other, at) != (path, line):
                return Location(path=other, line=at, end_line=at)
    return None


_COMPLETED = re.compile(rb"[\"'](_\w{2,}?)(?:%|\{)")


def _spelled(project: Project, name: str) -> bool:
    """Whether some string of the project is a beginning of the name that code completes: `"_get_%s"`, `f"_get_{x}"`."""
    heads = {
        match.group(1) for path in project.paths("python") for match in _COMPLETED.finditer(project.read_bytes(path))
    }
    return any(name.encode().startswith(head) for head in heads)


def unreachable(finding: Finding, project: Project) -> Ruling:
    """Confirms statements behind one that leaves the block, in the same block."""
    found = site(finding, project, *(t for t in vars(ast).values() if isinstance(t, type) and issubclass(t, ast.stmt)))
    if found is None:
        return cannot_tell("there is no statement at this place")
    module, node = found
    parent = module.parents.get(node)
    for field in ("body", "orelse", "finalbody"):
        body = getattr(parent, field, [])
        if isinstance(body, list) and node in body:
            before = body[: body.index(node)]
            leaving = next((s for s in before if isinstance(s, _LEAVES)), None)
            if leaving is None:
                return cannot_tell("no statement of the same block leaves it")
            function = module.enclosing_function(node)
            if function is not None and _makes_generator(body[body.index(node) :]):
                return falls(
                    "a yield that is never reached makes the function a generator",
                    kind="idiom",
                    at=(module.location(node),),
                )
            if all(isinstance(s, ast.Pass | ast.Raise) for s in body[body.index(node) :]):
                return cannot_tell("only a marker follows")
            return stands(
                f"line {leaving.lineno} leaves the block before this statement",
                kind="unreachable",
                at=(module.location(leaving), module.location(node)),
            )
    return cannot_tell("no statement of the same block leaves it")


def _makes_generator(dead: list[ast.stmt]) -> bool:
    return any(isinstance(n, ast.Yield | ast.YieldFrom) for s in dead for n in ast.walk(s))
