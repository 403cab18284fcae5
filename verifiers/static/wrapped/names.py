"""Names: is there really no binding that could make this one exist, or no use that could see the first definition?"""

import ast
import builtins
import symtable

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.locate import module_of
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.wrapped.sites import FUNCTIONS, SCOPES, site

_MODULE_NAMES = frozenset(
    {
        "__file__",
        "__name__",
        "__path__",
        "__doc__",
        "__spec__",
        "__loader__",
        "__package__",
        "__builtins__",
        "__debug__",
    }
)
_TRICKS = frozenset({"globals", "exec", "locals", "vars", "setattr"})
_GIVEN_BY_TOOLS = frozenset(
    {"_", "gettext", "ngettext", "reveal_type", "WindowsError", "unicode", "basestring", "ip", "c"}
)


def undefined(finding: Finding, project: Project) -> Ruling:
    """F821: confirms when no statement of the module can bind the name and nothing can put it there from outside."""
    found = site(finding, project, ast.Name)
    if found is None or not isinstance(found.node, ast.Name):
        return cannot_tell("there is no plain name at this place; it may be part of an annotation in quotes")
    module, node = found
    name = node.id
    place = (module.location(node),)
    if hasattr(builtins, name) or name in _MODULE_NAMES:
        return falls(f"`{name}` is a built-in name", kind="definition", at=place)
    if name in _GIVEN_BY_TOOLS:
        return cannot_tell(f"`{name}` is a name that a tool or another interpreter commonly provides")
    if _star_import(module):
        return cannot_tell("a star import may bring the name")
    if _written_from_outside(module):
        return cannot_tell("the module changes its own namespace while running")
    bound = _bindings(module, name)
    reachable = [b for b in bound if _visible(module, b, node)]
    if reachable:
        return falls(
            f"line {getattr(reachable[0], 'lineno', 1)} binds `{name}`",
            kind="definition",
            at=(module.location(reachable[0]),),
        )
    if _only_annotation(module, node):
        return cannot_tell("the name stands in an annotation, which may never be evaluated")
    if _guarded(module, node):
        return falls("the code expects NameError here", kind="guard", at=place)
    if reason := _expected(module, node):
        return cannot_tell(reason)
    if _injected(project, module, name):
        return cannot_tell("another module sets an attribute of this name")
    where = f"; line {getattr(bound[0], 'lineno', 0)} binds it in another scope" if bound else ""
    return stands(f"no scope around this use binds `{name}`{where}", kind="definition", at=place)


def _star_import(module: Module) -> bool:
    return any(alias.name == "*" for node in module.nodes(ast.ImportFrom) for alias in node.names)


def _written_from_outside(module: Module) -> bool:
    return any(
        isinstance(call.func, ast.Name) and call.func.id in _TRICKS - {"vars", "locals", "setattr"}
        for call in module.nodes(ast.Call)
    )


def _bindings(module: Module, name: str) -> list[ast.AST]:
    """Every node of the module that binds `name` in some scope, in source order."""
    found: list[ast.AST] = [n for n in module.nodes(ast.Name) if n.id == name and not isinstance(n.ctx, ast.Load)]
    found += [n for n in module.nodes(ast.FunctionDef) if n.name == name]
    found += [n for n in module.nodes(ast.AsyncFunctionDef) if n.name == name]
    found += [n for n in module.nodes(ast.ClassDef) if n.name == name]
    found += [n for n in module.nodes(ast.arg) if n.arg == name]
    found += [n for n in module.nodes(ast.ExceptHandler) if n.name == name]
    found += [n for n in module.nodes(ast.Global) if name in n.names]
    found += [n for n in module.nodes(ast.Nonlocal) if name in n.names]
    found += [n for n in module.nodes(ast.MatchAs) if n.name == name]
    found += [n for n in module.nodes(ast.MatchStar) if n.name == name]
    found += [n for n in module.nodes(ast.MatchMapping) if n.rest == name]
    imports: list[ast.Import | ast.ImportFrom] = [*module.nodes(ast.Import), *module.nodes(ast.ImportFrom)]
    for statement in imports:
        if any((alias.asname or alias.name.split(".")[0]) == name for alias in statement.names):
            found.append(statement)
    for kind in ("TypeVar", "ParamSpec", "TypeVarTuple"):
        node_type = getattr(ast, kind, None)
        if node_type is not None:
            found += [n for n in module.nodes(node_type) if n.name == name]
    return found


def _scope(module: Module, node: ast.AST) -> ast.AST:
    for up in module.ancestors(node):
        if isinstance(up, (*SCOPES, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            return up
    return module.tree


def _visible(module: Module, binding: ast.AST, use: ast.AST) -> bool:
    """Whether the scope of `binding` is one that `use` looks into. Errs towards True."""
    if isinstance(binding, ast.Global):
        return True
    if isinstance(binding, ast.ExceptHandler):
        # The name is deleted at the end of the handler.
        return binding in set(module.ancestors(use)) or _scope(module, use) is not _scope(module, binding)
    scope = _scope(module, binding)
    if isinstance(binding, ast.Name) and isinstance(module.parents.get(binding), ast.NamedExpr):
        while isinstance(scope, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            scope = _scope(module, scope)
    around = {module.tree, *module.ancestors(use)}
    if scope not in around:
        return False
    if isinstance(scope, ast.ClassDef):
        return not any(isinstance(up, FUNCTIONS) for up in _between(module, use, scope))
    return True


def _between(module: Module, node: ast.AST, stop: ast.AST) -> list[ast.AST]:
    found = []
    for up in module.ancestors(node):
        if up is stop:
            break
        found.append(up)
    return found


def _only_annotation(module: Module, node: ast.AST) -> bool:
    child = node
    for up in module.ancestors(node):
        if isinstance(up, ast.AnnAssign) and child is up.annotation:
            return True
        if isinstance(up, ast.arg) and child is up.annotation:
            return True
        if isinstance(up, FUNCTIONS) and child is up.returns:
            return True
        child = up
    return False


def _guarded(module: Module, node: ast.AST) -> bool:
    child = node
    for up in module.ancestors(node):
        if isinstance(up, ast.Try) and child in up.body:
            for handler in up.handlers:
                names = ast.unparse(handler.type) if handler.type else "NameError"
                if any(word in names for word in ("NameError", "Exception", "BaseException")):
                    return True
        child = up
    return False


def _expected(module: Module, node: ast.Name) -> str | None:
    """Why the author knows that the name may be missing: asked for elsewhere, or kept to some interpreters."""
    for other in module.nodes(ast.Name):
        if other.id == node.id and other is not node and _guarded(module, other):
            return f"line {other.lineno} asks whether `{node.id}` is there"
    for up in module.ancestors(node):
        test = ast.unparse(up.test) if isinstance(up, ast.If | ast.IfExp) else ""
        if any(word in test for word in ("version_info", "platform", "PY", "implementation")):
            return f"it is kept to some interpreters: `{test[:60]}`"
        if "__name__" in test and "__main__" not in test:
            return f"somebody runs this text under another name: `{test[:60]}`"
    spelled = (c for c in module.nodes(ast.Constant) if c.value == node.id)
    for text in spelled:
        call = module.parents.get(text)
        if isinstance(call, ast.Compare) or (isinstance(call, ast.Call) and ast.unparse(call.func) == "hasattr"):
            return f"line {text.lineno} asks whether `{node.id}` is there"
    return None


def _injected(project: Project, module: Module, name: str) -> bool:
    """Whether some module assigns `something.name`, which could be this module or the builtins."""
    for other in project.modules(test=None):
        for node in other.nodes(ast.Attribute):
            if (
                node.attr == name
                and isinstance(node.ctx, ast.Store)
                and other.resolve(node.value) in {module.name, "builtins"}
            ):
                return True
    return False


def redefined(finding: Finding, project: Project) -> Ruling:
    """F811: confirms two functions, methods or classes of one name in one body, without branches or decorators between."""
    found = site(finding, project, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    if found is None or not isinstance(found.node, (*FUNCTIONS, ast.ClassDef)):
        return falls(
            "what is bound a second time is an import or a value, so no code of the project is lost",
            kind="definition",
            at=(finding.location,),
        )
    module, second = found
    if not isinstance(second, (*FUNCTIONS, ast.ClassDef)):
        return cannot_tell("there is no definition at this place")
    parent = module.parents.get(second)
    body = getattr(parent, "body", [])
    if second not in body:
        return cannot_tell("the definition stands in a branch")
    earlier = [
        s for s in body[: body.index(second)] if isinstance(s, (*FUNCTIONS, ast.ClassDef)) and s.name == second.name
    ]
    if not earlier:
        return falls(
            "the first binding is no function or class of the same body",
            kind="definition",
            at=(module.location(second),),
        )
    first = earlier[-1]
    places = (module.location(first), module.location(second))
    if first.decorator_list or second.decorator_list:
        return cannot_tell("a decorator may have registered the first definition")
    between = body[body.index(first) + 1 : body.index(second)]
    for statement in (*between, *second.decorator_list):
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id == second.name:
                return falls(
                    f"line {node.lineno} uses the first definition before it is replaced", kind="use", at=places
                )
            if isinstance(node, ast.Delete):
                return cannot_tell("a del stands between the two")
    if ast.dump(first) == ast.dump(second):
        return stands(f"`{second.name}` is defined twice, word for word", kind="definition", at=places)
    return stands(
        f"the definition in line {first.lineno} is replaced before anything uses it", kind="definition", at=places
    )


def unexported(finding: Finding, project: Project) -> Ruling:
    """F822: confirms a name in `__all__` that the module neither binds nor can get in another way."""
    module = module_of(finding, project)
    name = finding.facts.get("name0", "")
    if module is None or not name:
        return cannot_tell("the module does not parse")
    if _star_import(module) or _written_from_outside(module):
        return cannot_tell("a star import or the module's own tricks may bring the name")
    place = (finding.location,)
    if "__getattr__" in module.definitions:
        return falls("the module answers for missing names in __getattr__", kind="definition", at=place)
    if any(_scope(module, b) is module.tree for b in _bindings(module, name)):
        return falls(f"the module binds `{name}`", kind="definition", at=place)
    if module.path.endswith("__init__.py") and any(m == f"{module.name}.{name}" for m in project.index.module_paths):
        return falls(f"`{name}` is a module of this package", kind="definition", at=place)
    return stands(f"nothing at the top level of the module binds `{name}`", kind="definition", at=place)


def unbound_local(finding: Finding, project: Project) -> Ruling:
    """F823: asks the compiler's own symbol table whether the name is local where it is read."""
    found = site(finding, project, ast.Name)
    if found is None or not isinstance(found.node, ast.Name):
        return cannot_tell("there is no plain name at this place")
    module, node = found
    function = module.enclosing_function(node)
    if function is None:
        return falls("the name is read outside of functions", kind="definition", at=(module.location(node),))
    table = _table(symtable.symtable(module.text, module.path, "exec"), function)
    if table is None:
        return cannot_tell("the function is not in the symbol table")
    place = (module.location(node), module.location(function))
    if not table.lookup(node.id).is_local():
        return falls(f"`{node.id}` is not local to `{function.name}`", kind="definition", at=place)
    stores = [
        n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == node.id and isinstance(n.ctx, ast.Store)
    ]
    if any(s.lineno <= node.lineno for s in stores) or any(
        isinstance(up, ast.For | ast.While | ast.Try) for up in _between(module, node, function)
    ):
        return cannot_tell("an assignment may have run before this read")
    if any(a.arg == node.id for a in ast.walk(function.args) if isinstance(a, ast.arg)):
        return falls("the name is a parameter", kind="definition", at=place)
    if not stores:
        return cannot_tell("the name is bound by an import, a definition or a handler")
    return stands(
        f"`{node.id}` is local because of line {min(s.lineno for s in stores)}, and this read comes first",
        kind="definition",
        at=place,
    )


def _table(top: symtable.SymbolTable, function: ast.AST) -> symtable.SymbolTable | None:
    stack = [top]
    while stack:
        table = stack.pop()
        if (
            table.get_type() == "function"
            and table.get_lineno() == getattr(function, "lineno", -1)
            and table.get_name() == getattr(function, "name", "")
        ):
            return table
        stack.extend(table.get_children())
    return None
