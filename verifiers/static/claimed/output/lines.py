"""Line ends of a client: in headers of a response, and in logs."""

import ast
import re
from collections.abc import Iterator

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.claimed.output import bindings
from verifiers.static.claimed.output.origin import FIXED, OUTSIDER
from verifiers.static.claimed.output.spot import CLOSE, FARTHEST, Reached, Spot, begins, neighbours, reached, spot
from verifiers.static.claimed.output.trace import Trace
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_SETS = frozenset(
    {"set_header", "add_header", "send_header", "setdefault_header", "append_header", "set_cookie", "putheader"}
)
_REFUSE = frozenset(
    {"flask", "quart", "werkzeug", "django", "rest_framework", "aiohttp", "tornado", "bottle", "starlette", "fastapi"}
)
"""Frameworks that refuse a header with a line end in it."""
_LEVELS = frozenset({"debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log"})


def headers(finding: Finding, project: Project) -> Ruling:
    """Response splitting: dismissed where no header is set, where its values are fixed, and where the framework refuses."""
    found = spot(finding, project)
    if found is None or not found.functions:
        return cannot_tell("the place is in no function of Python that can be read")
    trace = Trace(project)
    module, function = found.module, found.functions[0]
    values = list(_headers(trace, module, function))
    if not values:
        opaque = _opaque(trace, module, function)
        if opaque is not None:
            return cannot_tell(f"what `{ast.unparse(opaque.func)[:40]}` does is not known")
        for other in neighbours(found):
            if next(_headers(trace, module, other), None) is not None:
                return cannot_tell(f"`{other.name}`, {found.distance(other)} lines away, may be what is meant")
        return falls(
            f"nothing in {found.name()}, or in what it calls, sets a header",
            kind="search",
            at=(module.location(function),),
        )
    roots = {t.partition(".")[0] for t in module.imports.values()}
    unknown = ""
    for value, at in values:
        origins = trace.of(module, value)
        hostile = next((o for o in origins if o.hostile and not o.marks & {"lineless", "header", "quoted"}), None)
        if hostile is not None and roots & _REFUSE:
            name = sorted(roots & _REFUSE)[0]
            return falls(f"{name} refuses a header with a line end in it", kind="guard", at=(at,))
        if hostile is not None and _raw(module):
            return stands(f"{hostile.what} is sent in a header, line ends included", kind="flow", at=(hostile.at, at))
        if any(o.kind != FIXED and not o.marks & {"lineless", "number"} for o in origins):
            unknown = unknown or next(o.what for o in origins if o.kind != FIXED)
    if unknown:
        return cannot_tell(f"whether {unknown} may hold a line end is not known")
    return falls("no client decides what these headers hold", kind="constant", at=(values[0][1],))


def _raw(module: Module) -> bool:
    return any(t.startswith("http.server") for t in module.imports.values())


def _headers(trace: Trace, module: Module, function: FunctionNode) -> Iterator[tuple[ast.expr, Location]]:
    for one in reached(trace, module, function):
        word = one.call.func.attr if isinstance(one.call.func, ast.Attribute) else ""
        if one.module is module and word in _SETS and len(one.call.args) >= 2:
            yield one.call.args[1], one.at
        elif word in _SETS:
            yield one.call, one.at
        for keyword in one.call.keywords:
            if keyword.arg == "headers" and one.module is module:
                yield keyword.value, one.at
    for node in ast.walk(function):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.Assign) and isinstance(target, ast.Subscript):
            owner = ast.unparse(target.value)
            if owner.endswith("headers") or owner in {"response", "resp"}:
                yield node.value, module.location(node)


def _opaque(trace: Trace, module: Module, function: FunctionNode) -> ast.Call | None:
    """A call of something that is only known while running."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not trace.callees(module, node, ()):
            known = bindings.bindings(module, node.func)
            if any(b.how in {"parameter", "value"} for b in known):
                return node
    return None


def logs(finding: Finding, project: Project) -> Ruling:
    """Log injection: confirmed where a client's line ends get into a log; the calls that are near the place count."""
    found = spot(finding, project)
    if found is None or not found.functions:
        return cannot_tell("the place is in no function of Python that can be read")
    trace = Trace(project)
    calls = [c for f in found.functions for c in _logging(trace, found.module, f)]
    if not calls:
        for other in sorted(neighbours(found), key=found.distance):
            if next(_logging(trace, found.module, other), None) is not None:
                return cannot_tell(f"`{other.name}`, {found.distance(other)} lines away, may be what is meant")
        at = (found.module.location(found.functions[0]),)
        if any(_writes(one.call) for f in found.functions for one in reached(trace, found.module, f)):
            return cannot_tell("what is written here may be a log")
        return falls(f"nothing in {found.name()}, or in what it calls, writes to a log", kind="search", at=at)
    near, far = _meant(found, calls)
    rulings = [_logged(trace, c) for c in near]
    confirmed = next((r for r in rulings if r.verdict == "CONFIRMED"), None)
    if confirmed is not None:
        return confirmed
    if any(_logged(trace, c).verdict == "CONFIRMED" for c in far):
        return cannot_tell("another line of this function, farther away, may be what is meant")
    return next((r for r in rulings if r.verdict == "UNCERTAIN"), rulings[0])


def _meant(found: Spot, calls: list[Reached]) -> tuple[list[Reached], list[Reached]]:
    """Calls near the place, and the others; at the head of a function all of it is meant."""
    function = found.functions[0]
    if found.line <= function.lineno + CLOSE and found.line >= begins(function) - CLOSE:
        return calls, []
    lines = {n: _line(found, c) for n, c in enumerate(calls)}
    near = [c for n, c in enumerate(calls) if lines[n] is None or abs((lines[n] or 0) - found.line) <= FARTHEST]
    return (near, [c for c in calls if c not in near]) if near else (calls, [])


def _line(found: Spot, one: Reached) -> int | None:
    """Line in the function of the claim: of the call itself, or of the one that leads to it."""
    if one.stack:
        return one.stack[0].call.lineno
    return one.call.lineno if one.module is found.module else None


def _logging(trace: Trace, module: Module, function: FunctionNode) -> Iterator[Reached]:
    for one in reached(trace, module, function):
        func = one.call.func
        if not isinstance(func, ast.Attribute) or not one.call.args:
            continue
        owner = ast.unparse(func.value)
        if func.attr in _LEVELS and re.search(r"(?i)(?:^|\.|_)(?:log|logger|logging)(?:$|\W)", owner):
            if not trace.callees(one.module, one.call, one.stack):
                yield one
        elif func.attr == "write" and _is_log(trace, one, func.value):
            yield one


def _writes(call: ast.Call) -> bool:
    word = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return word in {"write", "writelines", "print", "echo", "emit", "syslog"} or "log" in word.lower()


def _is_log(trace: Trace, one: Reached, node: ast.expr) -> bool:
    """Whether a file that is written to is opened under a name that ends with `.log`."""
    if not isinstance(node, ast.Name):
        return False
    calls = [b.node for b in bindings.bindings(one.module, node) if isinstance(b.node, ast.Call)]
    opened = [c for c in calls if c.args and one.module.resolve(c.func) in {"open", "io.open", "codecs.open"}]
    return any(o.text.endswith(".log") for c in opened for o in trace.of(one.module, c.args[0], one.stack))


def _logged(trace: Trace, one: Reached) -> Ruling:
    trace.steps = 0
    origins = [o for a in one.call.args for o in trace.of(one.module, a, one.stack)]
    fields = [k.value for k in one.call.keywords if k.arg not in {"exc_info", "stack_info", "stacklevel"}]
    extra = [o for a in fields for o in trace.of(one.module, a, one.stack) if o.hostile]
    hostile = next((o for o in origins if o.hostile and not o.marks & {"lineless", "header", "quoted"}), None)
    if hostile is not None:
        return stands(
            f"{hostile.what} is written to the log as it came: a line end in it begins an entry of its own", kind="flow",
            at=tuple(dict.fromkeys((hostile.at, one.at))),
        )  # fmt: skip
    if not origins:
        return cannot_tell("what is logged is not followed")
    if extra:
        return cannot_tell(f"how the log writes {extra[0].what}, which it is given as a field, is not known")
    open_ = next((o for o in origins if not (o.kind == FIXED or o.marks & {"number", "lineless"})), None)
    if open_ is not None:
        why = (
            "a server may fold lines of a header"
            if open_.kind == OUTSIDER and "header" in open_.marks
            else "is not known"
        )
        return cannot_tell(f"whether {open_.what} may hold a line end: {why}")
    return falls("no client decides a line end in what is logged here", kind="constant", at=(one.at,))
