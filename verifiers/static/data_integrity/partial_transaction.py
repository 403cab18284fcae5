"""partial-transaction: does the connection outlive the error, is it transactional at all, and does nobody roll back?

Dismisses connections in autocommit mode, connections that this function makes and that die with it, and callers that
all roll back. Confirms connections in attributes or globals, made by a module of the database kind.
"""

import ast

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.surroundings import call_node, catcher, chain, inside, local_names

_MAKERS = frozenset(
    {
        "sqlite3.connect",
        "psycopg2.connect",
        "psycopg.connect",
        "pymysql.connect",
        "MySQLdb.connect",
        "mysql.connector.connect",
    }
)


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    function = module.enclosing_function(call) if module and call else None
    if module is None or call is None or function is None:
        return cannot_tell("there is no call at this place")
    owner = finding.facts.get("connection", "")
    here = (module.location(call),)
    if any(isinstance(n, ast.Call) and chain(n.func).endswith(".rollback") for n in inside(function.body)):
        return falls("the function rolls back", kind="guard", at=here)
    if "." not in owner and owner in local_names(function):
        made = _made(module, function, owner)
        if made is not None:
            return falls(f"`{owner}` is made in line {made.lineno} and ends with the call", kind="definition", at=here)
        return cannot_tell(f"`{owner}` comes from the caller, who may roll back")
    home: ast.AST = module.enclosing_class(function) or module.tree if "." in owner else module.tree
    made = _made(module, home, owner)
    if made is None:
        return cannot_tell(f"where `{owner}` is made is not to be seen")
    level = next((k.value for k in made.keywords if k.arg in {"isolation_level", "autocommit"}), None)
    if isinstance(level, ast.Constant) and level.value in (None, True):
        return falls("the connection commits every statement by itself", kind="definition", at=(module.location(made),))
    if _callers_roll_back(module, project, function):
        return falls("every caller rolls back when it raises", kind="guard", at=here)
    second = int(finding.facts.get("second_line", "0"))
    statement = next((n for n in inside(function.body) if isinstance(n, ast.Call) and n.lineno == second), None)
    if statement is not None and catcher(module, statement, "Error") is not None:
        return cannot_tell("the error of the second statement is caught around it")
    return stands(
        f"`{owner}` ({module.resolve(made.func)}) outlives the call; an error in line {second} leaves line "
        f"{finding.facts.get('first_line', '')} for the next commit",
        kind="flow",
        at=(module.location(made), module.location(call)),
    )


def _made(module: Module, scope: ast.AST, name: str) -> ast.Call | None:
    for node in ast.walk(scope):
        if not isinstance(node, ast.Assign) or not any(chain(t) == name for t in node.targets):
            continue
        if isinstance(node.value, ast.Call) and module.resolve(node.value.func) in _MAKERS:
            return node.value
    return None


def _callers_roll_back(module: Module, project: Project, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    record = project.index.functions.get(f"{module.name}.{module.qualname(function)}".lstrip("."))
    calls = [c for c in project.index.callers(record) if not c.test] if record else []
    for call in calls:
        found = call_node(project, call)
        outer = found[0].enclosing_function(found[1]) if found else None
        if outer is None or "rollback" not in ast.unparse(outer):
            return False
    return bool(calls)
