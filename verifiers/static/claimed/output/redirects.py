"""Open redirects: does a client decide the host that a browser is sent to, by a response or by a script in a page?"""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.claimed.output import composed
from verifiers.static.claimed.output.bindings import bindings
from verifiers.static.claimed.output.calling import Stack
from verifiers.static.claimed.output.evaluated import contradicted
from verifiers.static.claimed.output.origin import FIXED
from verifiers.static.claimed.output.spot import CLOSE, neighbours, reached, spot
from verifiers.static.claimed.output.trace import Trace
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_CALLS = frozenset(
    {"redirect", "HttpResponseRedirect", "HttpResponsePermanentRedirect", "RedirectResponse", "HTTPFound", "HTTPSeeOther",
     "HTTPMovedPermanently", "HTTPTemporaryRedirect", "HTTPPermanentRedirect", "HTTPRedirect", "redirect_to"}
)  # fmt: skip
_SCRIPT = re.compile(
    r"(?:\blocation(?:\.href)?\s*=\s*|\blocation\.(?:replace|assign)\(\s*|window\.open\(\s*|http-equiv=.?refresh.?[^>]*url=\s*)[\"'`]?$",
    re.IGNORECASE,
)
_HERE = re.compile(r"/[^/\\]|[a-z]+://[^/?#]+[/?#]|[?#]|[\w.-]+/")
"""Beginnings after which the host is fixed."""


class Target(NamedTuple):
    """Where a browser is sent."""

    module: Module
    value: ast.expr
    at: Location
    stack: Stack
    script: bool


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms a host that a client decides; dismisses fixed targets, and places that send nobody anywhere."""
    found = spot(finding, project)
    if found is None:
        return cannot_tell("the file is no Python that can be read")
    if not found.functions:
        return cannot_tell("the place is in no function")
    trace = Trace(project)
    rulings = [_ruling(finding, trace, t) for f in found.functions for t in _targets(trace, found.module, f)]
    confirmed = next((r for r in rulings if r.verdict == "CONFIRMED"), None)
    if confirmed is not None:
        return confirmed
    for function in sorted(neighbours(found), key=found.distance):
        away = found.distance(function)
        if rulings and away > CLOSE:
            break
        for target in _targets(trace, found.module, function):
            ruling = _ruling(finding, trace, target)
            if ruling.verdict == "CONFIRMED":
                return cannot_tell(f"`{function.name}`, {away} lines away, may be what is meant")
    if not rulings:
        at = (found.module.location(found.functions[0]),)
        return falls(f"nothing in {found.name()}, or in what it calls, sends a client elsewhere", kind="search", at=at)
    return next((r for r in rulings if r.verdict == "UNCERTAIN"), rulings[0])


def _targets(trace: Trace, module: Module, function: FunctionNode) -> Iterator[Target]:
    for one in reached(trace, module, function):
        word = one.call.func.attr if isinstance(one.call.func, ast.Attribute) else getattr(one.call.func, "id", "")
        if word in _CALLS:
            given = next(
                (k.value for k in one.call.keywords if k.arg in {"location", "url", "to", "redirect_to"}), None
            )
            given = given or next(iter(one.call.args[:1]), None)
            if given is not None and not trace.callees(one.module, one.call, one.stack):
                yield Target(one.module, given, one.at, one.stack, script=False)
        elif word in {"start_response", "send_header", "set_header", "add_header"}:
            for value in _location(one.call):
                yield Target(one.module, value, one.at, one.stack, script=False)
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            key = node.targets[0].slice
            if isinstance(key, ast.Constant) and str(key.value).lower() == "location":
                yield Target(module, node.value, module.location(node), (), script=False)
    for text in composed.texts(module, function):
        for put in composed.puts(module, text):
            if _SCRIPT.search(put.before):
                yield Target(module, put.value, module.location(text), (), script=True)


def _location(call: ast.Call) -> Iterator[ast.expr]:
    """Values of `Location` among the headers that a call is given."""
    pairs = [n.elts for n in ast.walk(call) if isinstance(n, ast.Tuple) and len(n.elts) == 2]
    for pair in [*pairs, call.args]:
        if len(pair) == 2 and isinstance(pair[0], ast.Constant) and str(pair[0].value).lower() == "location":
            yield pair[1]


def _ruling(finding: Finding, trace: Trace, target: Target) -> Ruling:
    trace.steps = 0
    pieces = composed.parts(target.module, _bound_once(target.module, target.value))
    first = pieces[0] if pieces else ""
    if isinstance(first, str) and (len(pieces) == 1 or _HERE.match(first)):
        return falls("the target begins with a fixed path or host", kind="constant", at=(target.at,))
    origins = trace.of(target.module, target.value, target.stack)
    hostile = next((o for o in origins if o.hostile and not o.marks & {"quoted", "encoded", "segment", "header"}), None)
    if hostile is not None:
        contrary = (
            None if target.script else contradicted(finding, trace.project, target.module, target.value, "redirect")
        )
        if contrary is not None:
            return contrary
        how = "a script in the page sends the browser to it" if target.script else "the client is sent to it"
        return stands(
            f"{hostile.what} decides the whole target, and {how}",
            kind="flow",
            at=tuple(dict.fromkeys((hostile.at, target.at))),
        )
    unknown = next((o for o in origins if o.kind != FIXED and not o.marks & {"segment", "number", "quoted"}), None)
    if not origins:
        return cannot_tell("where the target comes from is not followed")
    if unknown is not None:
        return cannot_tell(f"whether {unknown.what} may be another site is not known")
    return falls("the target is the program's own", kind="constant", at=(target.at,))


def _bound_once(module: Module, node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Name):
        found = bindings(module, node)
        if len(found) == 1 and found[0].how == "value" and isinstance(found[0].node, ast.expr):
            return found[0].node
    return node
