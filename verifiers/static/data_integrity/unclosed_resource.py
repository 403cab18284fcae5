"""unclosed-resource: follow the local through every statement; can anything raise while it is open, and who closes it?

Dismisses when the value leaves the function, when a handler closes it, or when nothing between can raise. For a plain
file that is only read the reference count closes it on CPython, so that stays open; confirms files that are written,
and sockets, descriptors and connections.
"""

import ast
from typing import TypeGuard

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import chain, inside

_QUIET = frozenset(
    {
        "len",
        "str",
        "isinstance",
        "print",
        "append",
        "format",
        "join",
        "strip",
        "Path",
        "mkstemp",
        "register",
        "fspath",
        "getpid",
        "encode",
    }
)


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    node = node_at(module, finding, ast.Assign) if module else None
    function = module.enclosing_function(node) if module and node else None
    if module is None or node is None or function is None or not isinstance(node.value, ast.Call):
        return cannot_tell("there is no assignment at this place")
    name, kind = finding.facts.get("name", ""), finding.facts.get("kind", "")
    here = (module.location(node),)
    escape = _escape(module, function, name)
    if escape is not None:
        return falls(f"line {getattr(escape, 'lineno', 0)} hands `{name}` on to somebody else", kind="flow", at=here)
    rescue = _rescue(function, name)
    if rescue is not None:
        return falls(f"line {rescue.lineno} closes `{name}` when something was raised", kind="guard", at=here)
    if _again(function, node, name):
        return cannot_tell(f"`{name}` is bound more than once")
    end = int(finding.facts.get("close_line") or function.end_lineno or 0)
    start = node.end_lineno or node.lineno
    if finding.facts.get("close_line") and _branching(module, function, name):
        return cannot_tell(f"`{name}` is closed on some paths")
    failed = _failed_opening(module, node)
    risky: ast.Call | ast.Raise | None = next(
        (n for n in inside(function.body) if n not in failed and _raises(n, name, start, end)), None
    )
    if finding.facts.get("close_line") and risky is None:
        return falls(f"nothing between opening and closing `{name}` can raise", kind="syntax", at=here)
    if kind == "descriptor":
        return stands(_reason(name, risky), kind="flow", at=here)
    if kind in {"socket", "connection"} and risky is not None:
        return stands(_reason(name, risky), kind="flow", at=(module.location(node), module.location(risky)))
    if _written(node.value) and risky is not None:
        return stands(_reason(name, risky), kind="flow", at=(module.location(node), module.location(risky)))
    return cannot_tell(f"the reference count closes `{name}`, on CPython, when the function is left")


def _reason(name: str, risky: ast.Call | ast.Raise | None) -> str:
    if risky is None:
        return f"nothing on any path closes `{name}`"
    return f"`{ast.unparse(risky)[:60]}` in line {risky.lineno} can raise while `{name}` is open, and nothing closes it then"


def _escape(module: Module, function: FunctionNode, name: str) -> ast.AST | None:
    """A use other than an attribute or a plain system call: return, yield, store, argument, closure."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Name) or node.id != name or not isinstance(node.ctx, ast.Load):
            continue
        parent = module.parents.get(node)
        if isinstance(
            parent, ast.Return | ast.Yield | ast.Assign | ast.Tuple | ast.List | ast.Dict | ast.keyword | ast.Starred
        ):
            return parent
        if isinstance(parent, ast.Call) and node in parent.args:
            called = module.resolve(parent.func) or ""
            if not called.startswith(("os.", "json.", "pickle.")) or called == "os.fdopen":
                return parent
        if isinstance(parent, ast.Attribute):
            above = module.parents.get(parent)
            if not isinstance(above, ast.Call) or above.func is not parent:
                return parent
        if module.enclosing_function(node) is not function:
            return node
    return None


def _rescue(function: FunctionNode, name: str) -> ast.Call | None:
    for node in inside(function.body):
        if isinstance(node, ast.Try):
            bodies = [node.finalbody, *(h.body for h in node.handlers)]
            for call in (n for body in bodies for n in inside(body) if isinstance(n, ast.Call)):
                if chain(call.func) in {f"{name}.close", f"{name}.quit"} or (
                    chain(call.func) == "os.close" and call.args and chain(call.args[0]) == name
                ):
                    return call
    return None


def _again(function: FunctionNode, node: ast.Assign, name: str) -> bool:
    stores = [
        n for n in inside(function.body) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
    ]
    return len([n for n in stores if n.lineno != node.lineno]) > 0


def _branching(module: Module, function: FunctionNode, name: str) -> bool:
    closes = [n for n in inside(function.body) if isinstance(n, ast.Call) and chain(n.func) == f"{name}.close"]
    return len(closes) > 1 or any(
        isinstance(up, ast.If | ast.For | ast.While) for c in closes for up in module.ancestors(c) if up is not function
        and up in set(ast.walk(function))
    )  # fmt: skip


def _failed_opening(module: Module, node: ast.Assign) -> set[ast.AST]:
    """What runs only when the opening itself failed: the handlers of the blocks that begin with it."""
    found: set[ast.AST] = set()
    for up in module.ancestors(node):
        if isinstance(up, ast.Try) and up.body == [node]:
            found |= {n for handler in up.handlers for n in inside(handler.body)}
    return found


def _raises(node: ast.AST, name: str, start: int, end: int) -> TypeGuard[ast.Call | ast.Raise]:
    if not isinstance(node, ast.Call | ast.Raise) or not start < node.lineno <= end:
        return False
    if isinstance(node, ast.Raise):
        return True
    called = chain(node.func) or (node.func.attr if isinstance(node.func, ast.Attribute) else "")
    if called in {f"{name}.close", f"{name}.quit", "os.close"}:
        return False
    return called.rpartition(".")[2] not in _QUIET


def _written(call: ast.Call) -> bool:
    mode = call.args[1] if len(call.args) > 1 else next((k.value for k in call.keywords if k.arg == "mode"), None)
    return isinstance(mode, ast.Constant) and isinstance(mode.value, str) and bool(set(mode.value) & set("wax+"))
