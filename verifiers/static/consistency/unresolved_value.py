"""unresolved-value-used: is the raw value used where the project elsewhere uses the resolved one, or is it only shown?"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.control import Flow
from verifiers.static.locate import module_of, node_at
from verifiers.static.reading import binds, chain, inside, remark, tail
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

OPENERS = frozenset(
    {"open", "read_text", "read_bytes", "write_text", "write_bytes", "unlink", "remove", "rmtree", "listdir", "stat"}
)
SHOWS = re.compile(r"(log|warn|debug|info|error|print|echo|message|format|append|add|exception)", re.IGNORECASE)


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms the raw value opened after the resolved one was checked, and a raw key where an alias is proved to miss."""
    facts = finding.facts
    raw, resolved, resolver = facts.get("raw", ""), facts.get("resolved", ""), facts.get("resolver", "")
    module = module_of(finding, project)
    use = (node_at(module, finding, ast.Call) or node_at(module, finding, ast.Subscript)) if module else None
    function = module.enclosing_function(use) if module and use else None
    if module is None or use is None or function is None:
        return cannot_tell("the use is not at this place")
    place = (module.location(use),)
    line = int(facts.get("line", "0"))
    made = next(
        (a for a in module.nodes(ast.Assign) if a.lineno == line and any(chain(t) == resolved for t in a.targets)), None
    )
    flow = Flow(function)
    if made is None:
        return cannot_tell("the resolving assignment is not at its place")
    trail = flow.path(flow.at(made), flow.at(module.statement(use)), stops=lambda n: n is not made and binds(n, raw))
    if trail is None:
        return falls(f"no path leads from the resolving to this use with `{raw}` unchanged", kind="flow", at=place)
    if isinstance(use, ast.Call) and SHOWS.search(tail(use.func)):
        return falls(f"`{tail(use.func)}` shows or collects what the caller gave", kind="syntax", at=place)
    if note := remark(module, use.lineno):
        return cannot_tell(f"a comment speaks of it: {note[:100]}")
    if guard := _guard_on(function, resolved, made, use):
        opened = isinstance(use, ast.Call) and _opens(use, raw)
        reached = flow.path(flow.at(guard), flow.at(module.statement(use)), stops=lambda n: binds(n, raw))
        if opened and reached:
            return stands(
                f"line {guard.lineno} checks `{resolved}` and refuses, then `{raw}` is opened, which nothing checked", kind="flow",
                at=(module.location(made), module.location(guard.test), *place),
            )  # fmt: skip
    if proof := _alias_misses(project, module, use, raw, resolver, made):
        return stands(proof, kind="constant", at=(module.location(made), *place))
    return cannot_tell("nothing shows that this place needs the resolved value")


def _guard_on(function: FunctionNode, name: str, made: ast.AST, use: ast.AST) -> ast.If | None:
    for node in ast.walk(function):
        if not isinstance(node, ast.If) or not made.lineno < node.lineno < use.lineno:  # type: ignore[attr-defined]  # statements have lines
            continue
        leaves = isinstance(node.body[-1], ast.Raise | ast.Return | ast.Continue)
        if leaves and any(chain(n) == name for n in inside(node.test)):
            return node
    return None


def _opens(call: ast.Call, raw: str) -> bool:
    if tail(call.func) not in OPENERS:
        return False
    return any(chain(a) == raw for a in call.args[:1]) or (
        isinstance(call.func, ast.Attribute) and chain(call.func.value) == raw
    )


def _alias_misses(project: Project, module: Module, use: ast.AST, raw: str, resolver: str, made: ast.Assign) -> str:
    """A sentence naming an alias that the resolver changes and the table behind the use does not have, '' without one."""
    call = made.value
    known = project.index.function(module.resolve(call.func) or "") if isinstance(call, ast.Call) else None
    if known is None:
        return ""
    where = project.module(known.path)
    body = next((f for q, f in where.functions if q == known.qualname), None)
    tables = _tables_used(project, where, body, known.parameters) if body is not None else []
    if isinstance(use, ast.Subscript):
        wanted = _table(project, module, use.value)
    else:
        wanted = _table_of_call(project, module, use, raw)
    for aliases in tables:
        for alias, target in sorted(aliases.items()):
            if isinstance(target, str) and wanted and alias not in wanted and target in wanted:
                return f"`{resolver}` turns {alias!r} into {target!r}; the table behind this use has {target!r} and not {alias!r}"
    return ""


def _tables_used(
    project: Project, module: Module, function: FunctionNode, names: tuple[str, ...]
) -> list[dict[str, object]]:
    """Constant tables that the function looks one of `names` up in."""
    found: list[dict[str, object]] = []
    for node in ast.walk(function):
        holder: ast.expr | None = None
        if isinstance(node, ast.Subscript) and chain(node.slice) in names:
            holder = node.value
        elif isinstance(node, ast.Call) and tail(node.func) == "get" and node.args and chain(node.args[0]) in names:
            holder = node.func.value if isinstance(node.func, ast.Attribute) else None
        table = _table(project, module, holder) if holder is not None else {}
        if table:
            found.append(table)
    return found


def _table_of_call(project: Project, module: Module, use: ast.AST, raw: str) -> dict[str, object]:
    """The constant table that `T.get(raw)`, or the function called with `raw`, looks it up in."""
    if not isinstance(use, ast.Call):
        return {}
    if tail(use.func) == "get" and isinstance(use.func, ast.Attribute):
        return _table(project, module, use.func.value)
    known = project.index.function(module.resolve(use.func) or "")
    position = next((i for i, a in enumerate(use.args) if chain(a) == raw), -1)
    if known is None or not 0 <= position < len(known.parameters) or known.class_name is not None:
        return {}
    where = project.module(known.path)
    body = next((f for q, f in where.functions if q == known.qualname), None)
    tables = _tables_used(project, where, body, (known.parameters[position],)) if body is not None else []
    return tables[0] if tables else {}


def _table(project: Project, module: Module, node: ast.expr) -> dict[str, object]:
    """A module-level dict display with text keys, here or imported; values that are no constants are None."""
    name = module.resolve(node) or ""
    owner, _, last = project.index.canonical(name).rpartition(".")
    where = project.module_named(owner) if owner else module
    definition = where.definitions.get(last) if where else None
    value = definition.value if isinstance(definition, ast.Assign | ast.AnnAssign) else None
    if not isinstance(value, ast.Dict) or any(k is None for k in value.keys):
        return {}
    pairs = zip(value.keys, value.values, strict=True)
    return {
        k.value: v.value if isinstance(v, ast.Constant) else None
        for k, v in pairs
        if isinstance(k, ast.Constant) and isinstance(k.value, str)
    }
