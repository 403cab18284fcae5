"""fixed-temp-path: is anything ever made at this path, by this program, unguarded?

Dismisses exclusive creation (`"x"`, O_EXCL), paths inside a sandbox or container, and code behind a platform test.
Confirms only a path that this program opens for writing or makes as a folder; a default that a user can change and a
path that is only handed on stay open.
"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.platform.support import guard
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import chain, comment_in

_MAKES = frozenset({"os.mkdir", "os.makedirs", "sqlite3.connect"})
_WRITES = frozenset({"write_text", "write_bytes", "mkdir", "touch"})
_INSIDE = re.compile(r"sandbox|container|docker|bwrap|bubblewrap|chroot|mount|tmpfs|volume", re.IGNORECASE)


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    node = node_at(module, finding, ast.Constant) if module else None
    if module is None or node is None:
        return cannot_tell("there is no text at this place")
    here = (module.location(node),)
    statement = module.statement(node)
    said = comment_in(module, finding.line, finding.line)
    if _INSIDE.search(f"{ast.unparse(statement)} {module.path} {said[1] if said else ''}"):
        return falls("the path is one inside a sandbox or container", kind="definition", at=here)
    kept = guard(module, node)
    if kept is not None:
        return falls(
            "it is kept to some platforms",
            kind="guard",
            at=(module.location(kept),) if hasattr(kept, "lineno") else here,
        )
    uses = [u for n in _carriers(module, node) if (u := _use(module, n)) is not None]
    exclusive = next((u for u in uses if _exclusive(u)), None)
    if exclusive is not None:
        return falls(
            "it is made exclusively: an existing file or link is an error",
            kind="guard",
            at=(module.location(exclusive),),
        )
    if "debug" in finding.facts.get("path", "").lower() or "debug" in (finding.symbol or "").lower():
        return cannot_tell("it speaks of debugging, by hand and for the author")
    made = next((u for u in uses if _makes(module, u)), None)
    if made is None:
        return cannot_tell("that this program makes anything at this path is not to be seen")
    return stands(
        f"`{ast.unparse(made)[:80]}` in line {made.lineno} follows whatever somebody else put at `{finding.facts.get('path', '')}`",
        kind="flow",
        at=(module.location(node), module.location(made)),
    )


def _carriers(module: Module, node: ast.expr) -> list[ast.expr]:
    """The constant itself and every use of the name that is bound to it and to nothing else."""
    parent = module.parents.get(node)
    if isinstance(parent, ast.Call) and chain(parent.func).rpartition(".")[2] in {"Path", "PurePath"}:
        return _carriers(module, parent)
    if not isinstance(parent, ast.Assign | ast.AnnAssign):
        return [node]
    name = chain(parent.targets[0] if isinstance(parent, ast.Assign) else parent.target)
    stores = [n for n in module.nodes(ast.Name) if n.id == name and isinstance(n.ctx, ast.Store)]
    if not name or len(stores) > 1:
        return []
    return [n for n in module.nodes(ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]


def _use(module: Module, node: ast.expr) -> ast.Call | None:
    parent = module.parents.get(node)
    if isinstance(parent, ast.Call) and node in parent.args[:1]:
        return parent
    if isinstance(parent, ast.Attribute):
        call = module.parents.get(parent)
        return call if isinstance(call, ast.Call) and call.func is parent else None
    return None


def _mode(call: ast.Call) -> str:
    given = [k.value for k in call.keywords if k.arg == "mode"] + call.args[
        1 if isinstance(call.func, ast.Name) else 0 :
    ][:1]
    return str(given[0].value) if given and isinstance(given[0], ast.Constant) else "r"


def _exclusive(call: ast.Call) -> bool:
    return (chain(call.func).rpartition(".")[2] == "open" and "x" in _mode(call)) or "O_EXCL" in ast.unparse(call)


def _makes(module: Module, call: ast.Call) -> bool:
    name = module.resolve(call.func) or ""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name == "open" or (method == "open" and not name.startswith("os.")):
        return bool(set(_mode(call)) & set("wa+"))
    return name in _MAKES or method in _WRITES
