"""near-clone-divergence: compares the two functions by their trees, and looks for the guard everywhere else it could be."""

import ast
import builtins

from harness.schema.finding import Finding
from harness.source.index import Function
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.locate import module_of
from verifiers.static.reading import arguments_of, chain, inside_all, remark, tail
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

ASKED = 12
"""Functions of the same name that are asked for their opinion."""


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms when at least two siblings have it and only this one lacks it, or when what follows fails without the guard."""
    module = module_of(finding, project)
    function = _function(module, int(finding.facts.get("function_line", "0"))) if module else None
    sibling = finding.facts.get("sibling", "")
    other = project.module(sibling) if sibling in project.entries else None
    twin = _function(other, int(finding.facts.get("sibling_line", "0"))) if other else None
    if module is None or function is None or other is None or twin is None:
        return cannot_tell("one of the two functions is not at its place")
    at = int(finding.facts.get("guard_line", "0"))
    if note := remark(module, finding.line, finding.end_line) or remark(other, at):
        return cannot_tell(f"a comment speaks of the difference: {note[:100]}")
    match finding.facts.get("form"):
        case "guard":
            return _guard(finding, project, module, function, other, twin, at)
        case "argument":
            return _argument(finding, project, module, function, twin)
    return cannot_tell("which of two numbers is meant cannot be read off the code")


def _guard(
    finding: Finding,
    project: Project,
    module: Module,
    function: FunctionNode,
    other: Module,
    twin: FunctionNode,
    at: int,
) -> Ruling:
    guard = next((n for n in inside_all(twin.body) if isinstance(n, ast.If) and n.lineno == at), None)
    if guard is None:
        return cannot_tell("the guard is not at its place")
    place = (other.location(guard.test), finding.location)
    subjects = {n.id for n in ast.walk(guard.test) if isinstance(n, ast.Name)} - set(dir(builtins)) - {"self", "cls"}
    subjects -= set(other.imports) | set(other.definitions)
    known = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)} | set(arguments_of(function))
    if not subjects <= known:
        return falls(f"`{min(subjects - known)}` does not exist in `{function.name}`", kind="definition", at=place)
    for test in _tests(function):
        names = {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
        if subjects and subjects <= names:
            return falls(f"line {test.lineno} asks about {', '.join(sorted(subjects))} too", kind="guard",
                         at=(module.location(test),))  # fmt: skip
    if function.decorator_list and len(function.decorator_list) != len(twin.decorator_list):
        return cannot_tell("decorators differ and may guard")
    wanted = ast.unparse(guard.test)
    siblings = [(m, f) for m, f in _same_name(project, function.name) if f is not function]
    having = [f for _, f in siblings if any(ast.unparse(t) == wanted for t in _tests(f))]
    if len(having) >= 2 and len(having) == len(siblings):
        return stands(
            f"all {len(having)} other `{function.name}` leave when `{wanted}`; this one does not",
            kind="guard",
            at=place,
        )
    if subject := _emptiness(guard.test):
        use = _dereference(function, subject, finding.line)
        if use is not None and function.name == twin.name:
            return stands(
                f"`{subject}` is dereferenced in line {use.lineno} with nothing before it that leaves when `{wanted}`, "
                f"as the same function does in {other.path}:{at}", kind="guard", at=(*place, module.location(use)),
            )  # fmt: skip
    return cannot_tell("nothing shows that this copy needs the guard")


def _argument(finding: Finding, project: Project, module: Module, function: FunctionNode, twin: FunctionNode) -> Ruling:
    keyword = finding.facts.get("keyword", "")
    call = next((n for n in inside_all(function.body) if isinstance(n, ast.Call) and n.lineno == finding.line), None)
    if call is None or any(k.arg == keyword for k in call.keywords):
        return falls("the call does pass it", kind="syntax", at=(finding.location,))
    callee = ast.unparse(call.func)
    siblings = [f for _, f in _same_name(project, function.name) if f is not function]
    passing = [f for f in siblings if any(_passes(n, callee, keyword) for n in inside_all(f.body))]
    calling = [
        f
        for f in siblings
        if any(isinstance(n, ast.Call) and ast.unparse(n.func) == callee for n in inside_all(f.body))
    ]
    if len(passing) >= 2 and len(passing) == len(calling):
        return stands(
            f"all {len(passing)} other `{function.name}` pass `{keyword}` to `{callee}`; this one does not", kind="syntax",
            at=(finding.location,),
        )  # fmt: skip
    same_function = [n for n in inside_all(function.body) if _passes(n, callee, keyword)]
    if same_function and function.name == twin.name:
        return stands(f"the other call of `{callee}` in this function passes `{keyword}`", kind="syntax",
                      at=(finding.location, module.location(same_function[0])))  # fmt: skip
    return cannot_tell("one stands against one, and nothing says which is meant")


def _passes(node: ast.AST, callee: str, keyword: str) -> bool:
    return (
        isinstance(node, ast.Call) and any(k.arg == keyword for k in node.keywords) and ast.unparse(node.func) == callee
    )


def _function(module: Module, line: int) -> FunctionNode | None:
    return next((f for _, f in module.functions if f.lineno == line), None)


def _same_name(project: Project, name: str) -> list[tuple[Module, FunctionNode]]:
    known: list[Function] = [f for f in project.index.by_simple_name.get(name, []) if not f.test][:ASKED]
    found: list[tuple[Module, FunctionNode]] = []
    for entry in known:
        try:
            module = project.module(entry.path)
        except NotParsed:
            continue
        if function := _function(module, entry.line):
            found.append((module, function))
    return found


def _tests(function: FunctionNode) -> list[ast.expr]:
    found: list[ast.expr] = []
    for node in ast.walk(function):
        if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
            found.append(node.test)
        elif isinstance(node, ast.comprehension):
            found += node.ifs
        elif isinstance(node, ast.BoolOp):
            found.append(node)
    return found


def _emptiness(test: ast.expr) -> str:
    """The name that the guard finds to be None or empty."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return chain(test.operand)
    if (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.Is)
        and isinstance(test.comparators[0], ast.Constant)
    ):
        return chain(test.left) if test.comparators[0].value is None else ""
    return ""


def _dereference(function: FunctionNode, name: str, line: int) -> ast.Attribute | ast.Subscript | None:
    for node in inside_all(function.body):
        if isinstance(node, ast.Attribute | ast.Subscript) and chain(node.value) == name and node.lineno >= line:
            return node if tail(node.value) else None
    return None
