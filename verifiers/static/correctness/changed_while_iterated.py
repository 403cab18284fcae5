"""changed-while-iterated: does the loop come round again after the change, on the very same object?"""

import ast

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.control import Edge, Flow
from verifiers.static.locate import module_of, node_at
from verifiers.static.reading import arguments_of, binds, chain, inside_all, remark
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

RAISES = frozenset({"del", "pop", "popitem", "clear", "add", "discard", "remove"})


def falsify(finding: Finding, project: Project) -> Ruling:
    """Dismisses changes after which the loop is left; confirms removals on known dicts, sets and lists."""
    module = module_of(finding, project)
    base, change = finding.facts.get("container", ""), finding.facts.get("change", "")
    node: ast.Call | ast.Delete | None = None
    if module is not None:
        node = node_at(module, finding, ast.Call) or node_at(module, finding, ast.Delete)
    function = module.enclosing_function(node) if module and node else None
    loop = None
    if module is not None and node is not None:
        line = finding.facts.get("loop")
        loop = next((u for u in module.ancestors(node) if isinstance(u, ast.For) and str(u.lineno) == line), None)
    if module is None or node is None or function is None or loop is None:
        return cannot_tell("the loop and the change are not at these places")
    place = (module.location(loop.iter), module.location(node))
    flow = Flow(function)
    starts = flow.at(module.statement(node))
    inner = {n for n in ast.walk(loop) if n is not loop}

    def over(node: ast.AST) -> bool:
        """The loop is left, to begin anew at most, or the container is another one."""
        return node not in inner or binds(node, base)

    if flow.path(starts, flow.at(loop), stops=over) is None:
        return falls("the loop is left after the change, on every path", kind="flow", at=place)
    kind = "dict" if finding.facts.get("view") else _kind(module, function, base)
    if kind == "list" and change in {"append", "extend"}:
        return cannot_tell("appending to the list being walked is a known idiom for a work list")
    if kind == "list" and change == "pop" and isinstance(node, ast.Call) and not node.args:
        return cannot_tell("popping the end of the list may be meant")
    if not kind:
        return cannot_tell("the container's type is not known here")
    if change not in RAISES and change != "insert":
        return cannot_tell("this method may not change the size")

    def chosen(edge: Edge) -> bool:
        return edge.raised or (
            edge.choice is not None and edge.choice is not loop and isinstance(edge.choice, ast.expr)
        )

    if flow.path(starts, flow.at(loop), stops=over, closed=chosen) is None:
        return cannot_tell("whether the loop goes on after the change depends on a condition")
    if note := remark(module, node.lineno):
        return cannot_tell(f"a comment speaks of it: {note[:100]}")
    outcome = "skips the element after it" if kind == "list" else "raises RuntimeError in the next round"
    return stands(f"the loop goes on over the same {kind} and {outcome}", kind="flow", at=place)


def _kind(module: Module, function: FunctionNode, base: str) -> str:
    """`list`, `dict` or `set` when every binding of `base` in the function agrees, '' otherwise."""
    kinds: set[str] = set()
    if base in arguments_of(function):
        found = next((p.annotation for p in (*function.args.args, *function.args.kwonlyargs) if p.arg == base), None)
        text = ast.unparse(found).partition("[")[0].rpartition(".")[2].lower() if found else ""
        kinds.add(text if text in {"list", "dict", "set"} else "")
    bodies: list[ast.stmt] = list(function.body)
    if base.startswith("self.") and (owner := module.enclosing_class(function)):
        bodies = [s for f in owner.body if isinstance(f, ast.FunctionDef) for s in f.body]
    for statement in inside_all(bodies):
        if isinstance(statement, ast.Assign | ast.AnnAssign) and binds(statement, base) and statement.value is not None:
            kinds.add(_made(statement.value))
        elif isinstance(statement, ast.stmt) and not isinstance(statement, ast.Delete) and binds(statement, base):
            kinds.add("")
    return kinds.pop() if len(kinds) == 1 else ""


def _made(value: ast.expr) -> str:
    match value:
        case ast.List() | ast.ListComp():
            return "list"
        case ast.Dict() | ast.DictComp():
            return "dict"
        case ast.Set() | ast.SetComp():
            return "set"
        case ast.Call(func=called) if chain(called) in {
            "list",
            "dict",
            "set",
            "sorted",
            "defaultdict",
            "collections.defaultdict",
        }:
            return {"sorted": "list"}.get(chain(called), chain(called).rpartition(".")[2].replace("default", ""))
    return ""
