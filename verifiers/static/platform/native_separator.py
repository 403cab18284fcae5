"""native-separator: is the value native on every way, and does nothing turn its separators round first?

Dismisses values that are normalised (`as_posix`, `replace(os.sep, "/")`), code behind a platform test and projects for
POSIX. Confirms when the value comes straight from a function that gives native separators and the project says Windows.
"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.platform.support import guard, support
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import chain, inside, local_names

_ALWAYS = frozenset(
    {
        "os.getcwd",
        "os.path.abspath",
        "os.path.realpath",
        "os.path.normpath",
        "os.path.relpath",
        "tempfile.mkdtemp",
        "pathlib.Path",
    }
)
_TURNS = re.compile(r"as_posix|replace\(os\.sep|replace\('\\\\\\\\', '/'\)|os\.altsep|normcase|PurePosixPath")


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None or not isinstance(call.func, ast.Attribute):
        return cannot_tell("there is no call at this place")
    here = (module.location(call),)
    function = module.enclosing_function(call)
    scope: ast.AST = function or module.tree
    if _TURNS.search(ast.unparse(scope) if function else ast.unparse(module.statement(call))):
        return falls("separators are turned round here", kind="guard", at=here)
    kept = guard(module, call)
    if kept is not None:
        return falls(
            "it is kept to some platforms",
            kind="guard",
            at=(module.location(kept),) if hasattr(kept, "lineno") else here,
        )
    parent = module.parents.get(call)
    above = module.parents.get(parent) if parent is not None else None
    if any(
        isinstance(p, ast.BoolOp) and ("\\\\" in ast.unparse(p) or "os.sep" in ast.unparse(p)) for p in (parent, above)
    ):
        return falls("the other separator is looked for beside it", kind="guard", at=here)
    said = support(project)
    if said is None:
        return cannot_tell("the project does not say whether it runs on Windows")
    if not said.windows:
        return falls(f"the project is for “{said.words}” ({said.path}:{said.line})", kind="documentation", at=here)
    origins = _origins(module, call.func.value, function)
    if not origins or not origins <= _ALWAYS:
        return cannot_tell(
            f"whether `{ast.unparse(call.func.value)[:60]}` always has native separators is not to be seen"
        )
    return stands(
        f"`{sorted(origins)[0]}` gives backslashes on Windows; the project says “{said.words}” ({said.path}:{said.line})",
        kind="flow",
        at=here,
    )


def _origins(module: Module, node: ast.AST, function: ast.FunctionDef | ast.AsyncFunctionDef | None) -> set[str]:
    """Every function that can have made the value; '' for what cannot be told."""
    if isinstance(node, ast.Call):
        name = module.resolve(node.func) or ""
        if name == "str" and node.args:
            return _origins(module, node.args[0], function)
        shadowed = function is not None and chain(node.func).partition(".")[0] in local_names(function)
        return {"" if shadowed else name}
    if isinstance(node, ast.IfExp):
        return _origins(module, node.body, function) | _origins(module, node.orelse, function)
    if isinstance(node, ast.Name) and function is not None:
        found: set[str] = set()
        for other in inside(function.body):
            if isinstance(other, ast.Name) and other.id == node.id and isinstance(other.ctx, ast.Store):
                parent = module.parents.get(other)
                found |= _origins(module, parent.value, None) if isinstance(parent, ast.Assign) else {""}
        return found or {""}
    return {""}
