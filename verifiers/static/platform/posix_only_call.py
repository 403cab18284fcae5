"""posix-only-call: is it ever reached on Windows, and does the project mean to run there?

Dismisses what stands behind a platform test, a handler for the missing name, or in a module that is imported only
behind one, and projects for POSIX. Confirms when the project says Windows and nothing keeps the line from running.
"""

import ast

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.locate import module_of, node_at
from verifiers.static.platform.support import guard, support
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import call_node, chain, local_names


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    if module is None:
        return cannot_tell("the file cannot be read")
    node: ast.stmt | ast.expr | None = node_at(module, finding, ast.Attribute)
    if finding.facts.get("shape") == "import":
        node = node_at(module, finding, ast.Import) or node_at(module, finding, ast.ImportFrom)
    if node is None:
        return cannot_tell("there is no such name at this place")
    here = (module.location(node),)
    function = module.enclosing_function(node)
    if isinstance(node, ast.Attribute) and function is not None:
        root = chain(node).partition(".")[0]
        if root in local_names(function) and root not in module.imports:
            return falls(f"`{root}` is a local name here", kind="definition", at=here)
    kept = guard(module, node)
    if kept is not None:
        return falls(
            "it is kept to some platforms",
            kind="guard",
            at=(module.location(kept),) if hasattr(kept, "lineno") else here,
        )
    said = support(project)
    if said is not None and not said.windows:
        return falls(f"the project is for “{said.words}” ({said.path}:{said.line})", kind="documentation", at=here)
    caller = _guarded_callers(module, project, function) if function is not None else _guarded_imports(module, project)
    if caller:
        return falls(f"it is reached only behind a platform test: {caller}", kind="guard", at=here)
    if said is None:
        return cannot_tell("the project does not say whether it runs on Windows")
    if "Operating System" not in said.words:
        return cannot_tell(
            f"“{said.words}” is handled in {said.path}, but that this part is meant to run there nothing says"
        )
    if not _reached(module, project, function):
        return cannot_tell("nobody in the project is seen to run it")
    return stands(
        f"nothing keeps `{finding.facts.get('name', '')}` from running on Windows; the project says “{said.words}” "
        f"({said.path}:{said.line})",
        kind="search",
        at=here,
    )


def _reached(module: Module, project: Project, function: ast.FunctionDef | ast.AsyncFunctionDef | None) -> bool:
    """Whether the project itself calls the function by a name that means it, or imports the module, or a user would."""
    if function is not None:
        record = project.index.functions.get(f"{module.name}.{module.qualname(function)}".lstrip("."))
        calls = project.index.callers(record) if record else []
        exact = [c for c in calls if record is not None and project.index.canonical(c.target) == record.name]
        return any(not c.test for c in exact) or not function.name.startswith("_")
    origins = (o for local, o in project.index.exported.items() if not local.startswith(f"{module.name}."))
    return any(o == module.name or o.startswith(f"{module.name}.") for o in origins) or "." not in module.name


def _guarded_callers(module: Module, project: Project, function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """The guard of the first caller, when every caller in the project stands behind one; '' otherwise."""
    record = project.index.functions.get(f"{module.name}.{module.qualname(function)}".lstrip("."))
    calls = [c for c in project.index.callers(record) if not c.test] if record else []
    places = []
    for call in calls:
        found = call_node(project, call)
        kept = guard(*found) if found is not None else None
        if found is None or kept is None:
            return ""
        places.append(f"{found[0].path}:{found[1].lineno}")
    return places[0] if places else ""


def _guarded_imports(module: Module, project: Project) -> str:
    """The first import of this module, when every import of it in the project stands behind a guard; '' otherwise."""
    homes = {
        local.rpartition(".")[0]
        for local, origin in project.index.exported.items()
        if origin == module.name or origin.startswith(f"{module.name}.")
    }
    places = []
    for home in sorted(homes):
        path = project.index.module_paths.get(home)
        if path is None or project.entries[path].test:
            continue
        try:
            other = project.module(path)
        except NotParsed:
            return ""
        statements: list[ast.Import | ast.ImportFrom] = [*other.nodes(ast.Import), *other.nodes(ast.ImportFrom)]
        for node in statements:
            targets = {other.imports.get(a.asname or a.name.partition(".")[0], "") for a in node.names}
            if any(t == module.name or t.startswith(f"{module.name}.") for t in targets):
                if guard(other, node) is None:
                    return ""
                places.append(f"{other.path}:{node.lineno}")
    return places[0] if places else ""
