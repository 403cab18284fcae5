"""test-cannot-fail: is it a test at all, one that somebody forgot to finish, or a sample, a stub or an override?"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.locate import module_of
from verifiers.static.reading import chain, inside_all, remark, tail
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

ACTING = (
    ast.Call,
    ast.Subscript,
    ast.Assert,
    ast.Raise,
    ast.Import,
    ast.ImportFrom,
    ast.Delete,
    ast.Attribute,
    ast.With,
)

SAMPLES = re.compile(
    r"(?:^|/)(?:samples?|examples?|fixtures?|resources?|data|snippets?|templates?|cases|inputs?)/", re.I
)
_LOGGING = frozenset({"debug", "info", "warning", "error", "exception", "critical", "log"})


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms only beside tests of the same scope that do assert, in a scope that overrides nothing."""
    module = module_of(finding, project)
    function = next((f for _, f in module.functions if f.lineno == finding.line), None) if module else None
    if module is None or function is None:
        return cannot_tell("there is no test at this place")
    place = (module.location(function),)
    scope = module.parents[function]
    acting = [n for n in inside_all(function.body) if isinstance(n, ACTING) and not _told(module, n)]
    hidden = [n for n in acting if _swallowed(module, n, function)]
    if len(hidden) < len(acting):
        return falls("something in it can raise", kind="syntax", at=place)
    if module.enclosing_function(function) is not None:
        return falls("it is a sample inside another function", kind="syntax", at=place)
    if function.decorator_list or any(a.arg not in {"self", "cls"} for a in function.args.args):
        return cannot_tell("decorators or fixtures may do the work")
    if any(isinstance(s, ast.FunctionDef | ast.ClassDef) for s in function.body):
        return cannot_tell("it defines something, which may be the test")
    if ast.get_docstring(function) is not None or remark(module, function.lineno, function.end_lineno):
        return cannot_tell("a comment or docstring explains it")
    if isinstance(scope, ast.ClassDef) and any(not _plain(module, base) for base in scope.bases):
        return cannot_tell("it may override a test of a base class to switch it off")
    if isinstance(scope, ast.ClassDef) and not scope.name.startswith("Test") and not scope.bases:
        return falls("the class is a mixin or model, which no runner collects", kind="definition", at=place)
    if SAMPLES.search(module.path):
        return cannot_tell("its folder holds samples")
    if hidden:
        return stands("what it calls may raise or not, and nothing else in it can make it fail", kind="flow", at=place)
    others = [
        s
        for s in getattr(scope, "body", [])
        if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef) and s is not function
    ]
    if sum(s.name.startswith("test") and _asserts(s) for s in others) >= 2:
        return stands("nothing in it can raise, and the tests beside it do assert", kind="syntax", at=place)
    if isinstance(scope, ast.Module) and any(isinstance(s, ast.Assign | ast.AnnAssign) for s in function.body):
        return stands("it binds a name that nothing looks at, and ends", kind="syntax", at=place)
    return cannot_tell("no tests beside it assert either, so it may be a sample")


def _told(module: Module, node: ast.AST) -> bool:
    """Printing and logging, and the names in them: not what a test is about."""
    call = node if isinstance(node, ast.Call) else module.parents.get(node)
    return (
        isinstance(call, ast.Call)
        and (node is call or node is call.func)
        and (chain(call.func) == "print" or tail(call.func) in _LOGGING)
    )


def _swallowed(module: Module, node: ast.AST, function: FunctionNode) -> bool:
    """Whether whatever is raised at this node ends in a handler inside the test."""
    below = node
    for up in module.ancestors(node):
        if isinstance(up, ast.Try) and below in up.body and any(_wide(h) for h in up.handlers):
            return not any(isinstance(n, ast.Raise | ast.Assert) for h in up.handlers for n in inside_all(h.body))
        if up is function:
            return False
        below = up
    return False


def _wide(handler: ast.ExceptHandler) -> bool:
    parts = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(part is None or chain(part) in {"Exception", "BaseException"} for part in parts)


def _plain(module: Module, base: ast.expr) -> bool:
    return module.resolve(base) in {"unittest.TestCase", "django.test.TestCase", "django.test.SimpleTestCase", "object"}


def _asserts(function: FunctionNode) -> bool:
    return any(
        isinstance(n, ast.Assert) or (isinstance(n, ast.Call) and tail(n.func).startswith("assert"))
        for n in inside_all(function.body)
    )
