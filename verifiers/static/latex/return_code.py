"""tex-return-code: does anything else of the project read what TeX said, and can a document be wrong with exit code 0?

Dismisses when a function that is called beside it reads a log or the output, also one of another module. Confirms only when the
project's LaTeX has citations, references or figures, without which exit code 0 means little harm.
"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_READS = re.compile(
    r"\.log\b|\.blg\b|undefined|Missing character|startswith\('!'\)|LaTeX Warning|texoutparse|pydflatex"
)
_KEYS = re.compile(r"\\(?:cite[a-z]*|ref|eqref|autoref|pageref|includegraphics)\b")


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None:
        return cannot_tell("there is no call at this place")
    function = module.enclosing_function(call)
    scope: ast.AST = function if function is not None else module.tree
    if _READS.search(ast.unparse(scope)):
        return falls("the function reads what TeX said", kind="flow", at=(module.location(scope),) if function else ())
    for name in _called(scope):
        for other in (module, *_imported(module, name, project)):
            for qualified, found in other.functions:
                if qualified.rpartition(".")[2] == name and _READS.search(_without_docstring(found)):
                    reason = f"`{name}` ({other.path}:{found.lineno}), called beside it, reads what TeX said"
                    return falls(reason, kind="flow", at=(other.location(found),))
    callers = [m for m in (module,) for _, f in m.functions if function is not None and _calls(f, function.name)]
    if any(
        _READS.search(ast.unparse(f)) for m in callers for _, f in m.functions if function and _calls(f, function.name)
    ):
        return falls("a caller reads what TeX said", kind="flow")
    shown = _key(project)
    if shown is None:
        return cannot_tell("no document with citations, references or figures is to be seen")
    return stands(
        f"nothing beside it reads the log, and {shown[0]}:{shown[1]} has `{shown[2]}`, which may be undefined with exit code 0",
        kind="search",
        detail=f"searched for {_READS.pattern} in the function, what it calls and its callers",
        at=(module.location(call),),
    )


def _called(scope: ast.AST) -> list[str]:
    names = []
    for node in ast.walk(scope):
        if isinstance(node, ast.Call):
            names.append(node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", ""))
    return [n for n in dict.fromkeys(names) if n]


def _calls(function: FunctionNode, name: str) -> bool:
    return name in _called(function)


def _imported(module: Module, name: str, project: Project) -> list[Module]:
    target = module.imports.get(name, "")
    found = project.module_named(target.rpartition(".")[0]) if target else None
    return [found] if found is not None else []


def _without_docstring(function: FunctionNode) -> str:
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    return "\n".join(map(ast.unparse, body))


def _key(project: Project) -> tuple[str, int, str] | None:
    """A citation, reference or figure in LaTeX of the project: its files first, then texts in its code."""
    for path in project.paths("latex"):
        for number, line in enumerate(project.lines(path), 1):
            if (found := _KEYS.search(line)) and not line.lstrip().startswith("%"):
                return path, number, found[0]
    for module in project.modules_matching(re.compile(rb"\\\\(?:cite|ref|includegraphics)")):
        for node in module.nodes(ast.Constant):
            if (
                isinstance(node.value, str)
                and (found := _KEYS.search(node.value))
                and "\\begin{document}" in node.value
            ):
                return module.path, node.lineno, found[0]
    return None
