"""Functions no test mentions or reaches, and errors no test asserts: searched again, through callers, bases and messages."""

import ast
import re

from harness.schema.finding import Finding
from harness.source.index import Function
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.locate import module_of
from verifiers.static.reading import comments, inside_all, occurrences
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.tests.uses import Use, uses

DEEPEST = 6
"""Callers of callers followed."""
WIDEST = 200
"""Functions looked at on the way."""
MANY = 500
"""Lines looked at for one name."""
ORDINARY = frozenset({"Exception", "BaseException", "object"})
FRAMEWORK = re.compile(
    r"^(visit_|do_|on_|handle_|test|setUp|tearDown|get_queryset|dispatch|clean_|render|run$|main$|__)"
)


def function(finding: Finding, project: Project) -> Ruling:
    """Dismisses functions that tests reach through callers, that are excluded on purpose, or that only refuse."""
    module = module_of(finding, project)
    qualname = finding.facts.get("function", "")
    known = next(
        (f for f in project.index.functions.values() if f.path == finding.path and f.qualname == qualname), None
    )
    node = (
        next((n for q, n in module.functions if q == qualname and n.lineno == finding.line), None) if module else None
    )
    if module is None or known is None or node is None:
        return cannot_tell("the function is not at its place")
    place = (module.location(node),)
    notes = comments(module)
    if any("no cover" in notes.get(line, "") for line in range(node.lineno, node.body[0].lineno + 1)):
        return falls("it is excluded from coverage on purpose", kind="comment", at=place)
    bodies = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    if (
        not bodies
        or isinstance(bodies[0], ast.Raise | ast.Pass)
        or any("overload" in d or "abstract" in d for d in known.decorators)
    ):
        return falls("it has no behaviour of its own", kind="syntax", at=place)
    last = known.qualname.rpartition(".")[2]
    if finding.kind == "untested-public-function":
        return _measured(finding, project, last)
    if known.decorators or FRAMEWORK.match(last) or _overrides(project, known):
        return cannot_tell("a framework or base class may call it")
    if len(project.index.by_simple_name.get(last, [])) > 1:
        return cannot_tell("other functions have the same name")
    verdict, through = _reached(project, known)
    if verdict == "test":
        return falls(f"tests reach it through {through}", kind="flow", at=place)
    if verdict == "unknown":
        return cannot_tell(f"it may be reached through {through}")
    return stands(
        "no test mentions it, nor any function that calls it, directly or through others", kind="search", at=place
    )


def _measured(finding: Finding, project: Project, name: str) -> Ruling:
    """The tests were run and did not enter it: does any text of theirs speak of it all the same?"""
    mentions = [(p, n) for p, n in occurrences(project, name, limit=MANY) if project.entries[p].test]
    if mentions:
        return cannot_tell(f"{mentions[0][0]}:{mentions[0][1]} mentions it; the tests may reach it in another process")
    return stands(
        f"{finding.facts.get('passed', '?')} tests passed without entering it, and no text of the tests names it", kind="coverage",
        at=(finding.location,),
    )  # fmt: skip


def _reached(project: Project, target: Function) -> tuple[str, str]:
    """("test", how) when a test or something a test names refers to it, directly or through others; ("unknown", how) when
    something outside the project may call one of those; ("", "") when the search ended without either.

    Every mention that means the function counts as a use, also as a callback.
    """
    seen = {target.name}
    layer = [target]
    doubt = ""
    for _ in range(DEEPEST):
        following: list[Function] = []
        for current in layer:
            last = current.qualname.rpartition(".")[2]
            if current is not target and (current.decorators or FRAMEWORK.match(last) or _overrides(project, current)):
                return "unknown", f"`{current.qualname}`"
            mentions = occurrences(project, last, limit=MANY)
            if len(mentions) == MANY:
                doubt = f"one of very many `{last}`"
            for path, line in mentions:
                where = f"`{last}` in {path}:{line}"
                found = _uses(project, path, line, current)
                if found is None and project.entries[path].test:
                    doubt = doubt or where
                for use in found or ():
                    if not use.sure:
                        doubt = doubt or where
                    elif project.entries[path].test:
                        return "test", where
                    elif use.user == "module":
                        return "unknown", f"module level of {path}:{line}"
                    elif (known := _function_at(project, path, use.user)) is not None and known.name not in seen:
                        if len(seen) >= WIDEST:
                            return "unknown", "too many callers to follow"
                        seen.add(known.name)
                        following.append(known)
        layer = following
    doubt = "callers of callers" if layer else doubt
    return ("unknown", doubt) if doubt else ("", "")


def _uses(project: Project, path: str, line: int, target: Function) -> list[Use] | None:
    if project.entries[path].language != "python":
        return None
    try:
        module = project.module(path)
    except NotParsed:
        return [Use("module", sure=False)]
    return uses(project, module, line, target)


def _function_at(project: Project, path: str, qualname: str) -> Function | None:
    same = project.index.by_simple_name.get(qualname.rpartition(".")[2], [])
    return next((f for f in same if f.path == path and f.qualname == qualname), None)


def _overrides(project: Project, known: Function) -> bool:
    """A base class of it is not in the project, or has the method too."""
    cls = project.index.classes.get(known.class_name or "")
    return cls is not None and bool(cls.bases)


def error(finding: Finding, project: Project) -> Ruling:
    """Dismisses errors whose base class or message a test asserts, and those that no outsider can cause."""
    module = module_of(finding, project)
    name = finding.facts.get("exception", "")
    cls = project.index.classes.get(finding.facts.get("class", ""))
    statement = None
    if module is not None:
        statement = next((r for r in module.nodes(ast.Raise) if r.lineno == finding.line), None)
    if module is None or statement is None or cls is None:
        return cannot_tell("the raise is not at its place")
    place = (module.location(statement),)
    tests = [p for p, n in occurrences(project, name, limit=MANY) if project.entries[p].test]
    if tests:
        return falls(f"{tests[0]} mentions it", kind="search", at=place)
    family = {base.rpartition(".")[2] for base in _ancestors(project, cls.name)}
    for base in sorted(family - ORDINARY):
        if any(project.entries[p].test for p, _ in occurrences(project, base, limit=MANY)):
            return cannot_tell(f"tests mention its base class `{base}`")
    for text in _message_parts(statement):
        if any(project.entries[p].test for p in project.entries if text in project.text(p) and project.entries[p].test):
            return falls(f"a test asserts its message: {text[:60]!r}", kind="search", at=place)
    subclasses = [c.name.rpartition(".")[2] for c in project.index.subclasses(cls.name)]
    if any(project.entries[p].test for s in subclasses for p, _ in occurrences(project, s, limit=MANY)):
        return cannot_tell("tests mention a subclass")
    function = module.enclosing_function(statement)
    if function is None or any(
        "no cover" in c for n, c in comments(module).items() if function.lineno <= n <= finding.line
    ):
        return cannot_tell("the path is excluded from coverage, or at module level")
    handled = any(isinstance(n, ast.ExceptHandler) and name in ast.unparse(n.type or ast.Constant(None))
                  for m in project.modules() for n in m.nodes(ast.ExceptHandler))  # fmt: skip
    if handled:
        return cannot_tell("the project catches it itself, so it may be internal control flow")
    return stands("neither its name nor its message nor its bases stand in any test", kind="search", at=place)


def _ancestors(project: Project, name: str) -> set[str]:
    found: set[str] = set()
    todo = [name]
    while todo and len(found) < 30:
        cls = project.index.classes.get(project.index.canonical(todo.pop()))
        for base in cls.bases if cls else ():
            if base not in found:
                found.add(base)
                todo.append(base)
    return found


def _message_parts(statement: ast.Raise) -> list[str]:
    try:
        texts = [n.value for n in inside_all([statement]) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    except NotParsed:
        return []
    return [part.strip() for text in texts for part in re.split(r"[%{}]", text) if len(part.strip()) > 11]
