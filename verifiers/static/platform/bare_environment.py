"""bare-environment: is nothing added later, can the program run on Windows at all, and does the project mean to?

Dismisses environments that take over the caller's (also by `update` or `setdefault`), code behind a platform test,
programs that only POSIX has, and projects that say they are for POSIX. Confirms only when the project says Windows.
"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.platform.support import guard, support
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import chain, inside

_POSIX = re.compile(
    r"^(/|sh$|bash$|zsh$|bwrap|ldd|ldconfig|sudo|apt|dpkg|rpm|yum|systemctl|launchctl|xclip|xdg-|osascript|gsettings|which$|env$)"
)
_TAKES_OVER = re.compile(
    r"\*\*\s*(os\.)?environ|dict\((os\.)?environ|environ\.(copy|items)\(|update\((os\.)?environ|\|=? *(os\.)?environ|SYSTEMROOT",
    re.I,
)


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None:
        return cannot_tell("there is no call at this place")
    here = (module.location(call),)
    added = _added(module, call)
    if added is not None:
        return falls(f"line {added.lineno} adds the caller's variables", kind="flow", at=(module.location(added),))
    kept = guard(module, call)
    if kept is not None:
        return falls(
            "it is kept to some platforms",
            kind="guard",
            at=(module.location(kept),) if hasattr(kept, "lineno") else here,
        )
    program = _program(call)
    if program and _POSIX.match(program):
        return falls(f"`{program}` runs on POSIX only", kind="constant", at=here)
    posix = _posix_argument(call)
    if posix is not None:
        return falls(f"the command names `{posix}`, which POSIX only has", kind="constant", at=here)
    said = support(project)
    if said is None:
        return cannot_tell("the project does not say whether it runs on Windows")
    if not said.windows:
        return falls(f"the project is for “{said.words}” ({said.path}:{said.line})", kind="documentation", at=here)
    if not program:
        return cannot_tell("which program is started is not to be seen")
    return stands(
        f"`{program}` gets only {finding.facts.get('names') or 'an empty environment'}; the project says “{said.words}” "
        f"({said.path}:{said.line})",
        kind="constant",
        at=here,
    )


def _added(module: Module, call: ast.Call) -> ast.stmt | ast.expr | None:
    given = next((k.value for k in call.keywords if k.arg == "env"), None)
    function = module.enclosing_function(call)
    if not isinstance(given, ast.Name) or function is None:
        return given if given is not None and _TAKES_OVER.search(ast.unparse(given)) else None
    for node in inside(function.body):
        if isinstance(node, ast.Assign | ast.Expr | ast.AugAssign):
            text = ast.unparse(node)
            if re.search(rf"\b{re.escape(given.id)}\b", text) and _TAKES_OVER.search(text):
                return node
    return None


def _posix_argument(call: ast.Call) -> str | None:
    for node in ast.walk(call.args[0]) if call.args else ():
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.match(r"/(dev|usr|bin|etc|proc|tmp)/", node.value)
        ):
            return node.value
    return None


def _program(call: ast.Call) -> str:
    first = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "args"), None)
    if isinstance(first, ast.List | ast.Tuple) and first.elts:
        first = first.elts[0]
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return first.value.split()[0] if first.value.split() else ""
    return chain(first) if chain(first) == "sys.executable" else ""
