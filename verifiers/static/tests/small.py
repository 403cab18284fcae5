"""Falsifiers of single facts about tests: no cases, replaced, never awaited, never reached, too broad."""

import ast

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.reading import chain, inside_all, remark, tail
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


def empty_parametrize(finding: Finding, project: Project) -> Ruling:
    """Is the list filled before the decorator runs?"""
    module = module_of(finding, project)
    decorator = node_at(module, finding, ast.Call) if module else None
    if module is None or decorator is None or len(decorator.args) < 2:
        return cannot_tell("there is no such decorator at this place")
    values, place = decorator.args[1], (module.location(decorator),)
    if isinstance(values, ast.Name):
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call | ast.AugAssign | ast.Subscript | ast.For) and node is not decorator:
                inner = node.func if isinstance(node, ast.Call) else node
                if any(isinstance(n, ast.Name) and n.id == values.id for n in ast.walk(inner)):
                    return falls(f"line {node.lineno} may fill `{values.id}`", kind="flow", at=(module.location(node),))
    if remark(module, decorator.lineno):
        return cannot_tell("a comment explains it")
    return stands("there is no case, and pytest skips a test without cases", kind="constant", at=place)


def overwritten(finding: Finding, project: Project) -> Ruling:
    """Is the first one registered, overloaded or conditional, so that both live?"""
    module = module_of(finding, project)
    first = next((f for _, f in module.functions if f.lineno == finding.line), None) if module else None
    again = int(finding.facts.get("again", "0"))
    second = next((f for _, f in module.functions if f.lineno == again), None) if module else None
    if module is None or first is None or second is None or first.name != second.name:
        return cannot_tell("the two tests are not at their places")
    place = (module.location(first), module.location(second))
    block = getattr(module.parents[first], "body", [])
    if first not in block or second not in block:
        return falls("they stand in different blocks", kind="syntax", at=place)
    if first.decorator_list and any(not chain(d.func if isinstance(d, ast.Call) else d).startswith("pytest.mark")
                                    for d in first.decorator_list):  # fmt: skip
        return cannot_tell("a decorator may keep the first")
    between = [s for s in block[block.index(first) + 1 : block.index(second)] if not isinstance(s, ast.FunctionDef)]
    if any(isinstance(n, ast.Name) and n.id == first.name for s in between for n in ast.walk(s)):
        return falls("the first is used before it is replaced", kind="flow", at=place)
    return stands(f"line {again} binds the same name in the same scope", kind="definition", at=place)


def async_not_awaited(finding: Finding, project: Project) -> Ruling:
    """Does any base class await its tests?"""
    module = module_of(finding, project)
    function = next((f for _, f in module.functions if f.lineno == finding.line), None) if module else None
    owner = module.parents.get(function) if module and function else None
    if module is None or function is None or not isinstance(owner, ast.ClassDef):
        return cannot_tell("there is no test method at this place")
    place = (module.location(function), module.location(owner))
    bases = [module.resolve(b) for b in owner.bases]
    if not isinstance(function, ast.AsyncFunctionDef):
        return falls("the test is not async", kind="syntax", at=place)
    if bases != ["unittest.TestCase"]:
        return cannot_tell("another base class may await its tests")
    if owner.decorator_list or function.decorator_list or any(k.arg == "metaclass" for k in owner.keywords):
        return cannot_tell("a decorator or metaclass may wrap the tests")
    named = {s.name for s in owner.body if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef)}
    if named & {"run", "_callTestMethod", "__init__", "__getattribute__", "__init_subclass__"}:
        return cannot_tell("the class runs its tests in its own way")
    return stands("unittest.TestCase calls the coroutine function and drops the coroutine", kind="definition", at=place)


def never_reached(finding: Finding, project: Project) -> Ruling:
    """Can the assertion's own expression be what raises?"""
    module = module_of(finding, project)
    statement: ast.stmt | None = None
    if module is not None:
        statement = node_at(module, finding, ast.Assert) or node_at(module, finding, ast.Expr)
    block = module.parents.get(statement) if module and statement else None
    if (
        module is None
        or statement is None
        or not isinstance(block, ast.With | ast.AsyncWith)
        or block.body[-1] is not statement
    ):
        return cannot_tell("the assertion is not the end of a with-block")
    place = (module.location(block.body[0]), module.location(statement))
    expected = finding.facts.get("expects", "")
    if expected in {"AssertionError", "Exception", "BaseException", "", "Failed"} or "fail" in expected.lower():
        return falls("the block may expect this very assertion to fail", kind="syntax", at=place)
    tested = [statement.test] if isinstance(statement, ast.Assert) else []
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        tested = list(statement.value.args)
    if not tested or any(isinstance(n, ast.Call | ast.Subscript | ast.Await | ast.Attribute | ast.BinOp) and not _str_of_caught(n)
                         for t in tested for n in ast.walk(t)):  # fmt: skip
        return cannot_tell("evaluating the assertion may be what raises")
    before = [
        s for s in block.body[:-1] if any(isinstance(n, ast.Call | ast.Await | ast.Raise) for n in inside_all([s]))
    ]
    if not before:
        return falls("nothing before it raises, so it is what is tested", kind="flow", at=place)
    return stands(
        "what the block expects is raised before it, so it never runs in a passing test", kind="flow", at=place
    )


def _str_of_caught(node: ast.AST) -> bool:
    """`str(x.value)` and its parts, which raise nothing."""
    if isinstance(node, ast.Call):
        return chain(node.func) in {"str", "repr", "len"}
    return isinstance(node, ast.Attribute) and node.attr in {"value", "exception", "args"}


def too_broad(finding: Finding, project: Project) -> Ruling:
    """Can more than one statement of the block raise?"""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None or not call.args:
        return cannot_tell("there is no such block at this place")
    block = next((u for u in module.ancestors(call) if isinstance(u, ast.With)), None)
    place = (module.location(call),)
    if block is None or tail(call.args[0]) not in {"Exception", "BaseException"}:
        return falls("it does not expect a base class", kind="syntax", at=place)
    calling = [s for s in block.body if any(isinstance(n, ast.Call) for n in inside_all([s]))]
    if len(calling) < 2:
        return falls("only one statement in the block can raise", kind="syntax", at=place)
    for item in block.items:
        name = chain(item.optional_vars)
        if name and any(chain(n).startswith(f"{name}.") for n in ast.walk(module.tree) if isinstance(n, ast.Attribute)):
            return falls("what was raised is looked at afterwards", kind="flow", at=place)
    if remark(module, call.lineno):
        return cannot_tell("a comment explains it")
    return stands(f"any exception from any of {len(calling)} statements passes", kind="syntax", at=place)
