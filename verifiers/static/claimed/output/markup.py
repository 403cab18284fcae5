"""Pages that Python code makes: does what a client sends, now or earlier, get into the HTML as it came?"""

import ast
import re

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.claimed.output import pages, renderings, responses, scripts
from verifiers.static.claimed.output.bindings import first_line
from verifiers.static.claimed.output.evaluated import contradicted
from verifiers.static.claimed.output.origin import STORED, UNKNOWN, Origin, Place
from verifiers.static.claimed.output.responses import Body
from verifiers.static.claimed.output.spot import CLOSE, FARTHEST, Spot, neighbours, spot
from verifiers.static.claimed.output.trace import Trace
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


def falsify(finding: Finding, project: Project) -> Ruling:
    """By the kind of file: a template, a script, or code that answers requests."""
    if pages.TEMPLATES.search(finding.path):
        return pages.falsify(finding, project)
    if re.search(r"\.(?:m?js|jsx|tsx?|vue)$", finding.path):
        return scripts.falsify(finding, project)
    found = spot(finding, project)
    if found is None:
        return cannot_tell("the file is neither Python nor a template nor a script that can be read")
    trace = Trace(project)
    engine = _engine(trace, found)
    if engine is not None:
        return engine
    if not found.functions:
        return cannot_tell("the place is in no function")
    rulings = _rulings(finding, trace, found.module, found.functions[0], found.line)
    confirmed = next((r for r in rulings if r.verdict == "CONFIRMED"), None)
    if confirmed is not None:
        return confirmed
    beside = _beside(finding, project, found, own=bool(rulings))
    if beside is not None:
        return beside
    open_ = next((r for r in rulings if r.verdict == "UNCERTAIN"), None)
    if open_ is not None or rulings:
        return open_ or next((r for r in rulings if "escaped" in r.reason), rulings[0])
    made = _text(Trace(project), found)
    if made is not None:
        return cannot_tell(made)
    at = (found.module.location(found.functions[0]),)
    return falls(f"nothing in {found.name()}, or in what it calls, makes a page", kind="search", at=at)


def _text(trace: Trace, found: Spot) -> str | None:
    """Why the function may take part in a page though no page is found that it is part of; None when it does not."""
    for node in ast.walk(found.functions[0]):
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if re.search(r"<[a-zA-Z/!]", text) and not isinstance(found.module.parents.get(node), ast.Expr):
            return "markup stands here, and who sends it is not found"
        value = node.value if isinstance(node, ast.Return) else None
        if value is not None and responses.is_response(found.module, value):
            continue
        origins = trace.of(found.module, value) if value is not None else []
        if any(pages.hostile(trace, o) for o in origins):
            return "what a client sends is given back, and who sends it on is not found"
        open_ = next((o for o in origins if o.kind == UNKNOWN), None)
        if open_ is not None:
            return f"{open_.what} is given back, and whether it gets into a page is not found"
    return None


def encoding(finding: Finding, project: Project) -> Ruling:
    """The same for a claim about encoding in general: only what is confirmed says something of it."""
    ruling = falsify(finding, project)
    return ruling if ruling.verdict == "CONFIRMED" else cannot_tell(ruling.reason)


def _engine(trace: Trace, found: Spot) -> Ruling | None:
    """A claim at a template engine that does not escape: stands when a template of it prints what a client decides."""
    for call in found.module.nodes(ast.Call):
        made = renderings.environment(found.module, call)
        if made is None or made.autoescape:
            continue
        low, high = call.lineno, call.end_lineno or call.lineno
        inside = found.functions and first_line(found.functions[0]) <= low <= (found.functions[0].end_lineno or 0)
        away = max(low - found.line, found.line - high, 0)
        if away > (FARTHEST if inside else CLOSE):
            continue
        for shown in pages.rendered(trace, [r for r in renderings.renderings(trace.project) if r.switch == made.at]):
            ruling = pages.ruling(trace, shown)
            if ruling is not None and ruling.verdict == "CONFIRMED":
                return stands(
                    f"this engine does not escape, and {ruling.reason}", kind="flow", at=(made.at, *ruling.evidence[0].locations)
                )  # fmt: skip
            if trace.steps > 100_000:
                break
    return None


def _rulings(finding: Finding, trace: Trace, module: Module, function: FunctionNode, line: int) -> list[Ruling]:
    """What is found of each body that the function sends or takes part in, and of each template that it renders."""
    place = Place(module.path, module.qualname(function))
    found: list[Ruling] = []
    unique: dict[tuple[object, ...], Body] = {}
    for body in responses.around(trace, module, function):
        unique.setdefault((body.at, body.stack), body)
    for body in sorted(unique.values(), key=lambda b: (b.module.path != module.path, abs(b.at.line - line))):
        trace.steps = 0
        ruling = _body(finding, trace, body, place, module, function)
        if ruling is not None:
            found.append(ruling)
            if ruling.verdict == "CONFIRMED":
                return found
    low, high = first_line(function), function.end_lineno or function.lineno
    made = [r for r in renderings.renderings(trace.project) if r.path == module.path and low <= r.line <= high]
    for shown in pages.rendered(trace, sorted(made, key=lambda r: abs(r.line - line))):
        trace.steps = 0
        ruling = pages.ruling(trace, shown)
        if ruling is None:
            continue
        found.append(ruling)
        if ruling.verdict == "CONFIRMED":
            return found
    if made and not found:
        at = tuple(Location(path=r.path, line=r.line, end_line=r.line) for r in made[:3])
        found.append(falls("the templates rendered here print nothing of what they are given", kind="search", at=at))
    return found


def _body(
    finding: Finding, trace: Trace, body: Body, place: Place, module: Module, function: FunctionNode
) -> Ruling | None:
    """What a body carries of the function; None when it carries nothing of it."""
    own = body.module.path == module.path and first_line(function) <= body.at.line <= (function.end_lineno or 0)
    origins = trace.of(body.module, body.value, body.stack)
    mine = origins if own or body.stack else [o for o in origins if place in o.through or _inside(o, module, function)]
    if not mine:
        return None
    if not body.html:
        return falls("what is sent here is not sent as HTML", kind="guard", at=(body.at,))
    unknown: Origin | None = None
    for origin in mine:
        source = pages.hostile(trace, origin)
        if source is not None:
            contrary = (
                contradicted(finding, trace.project, body.module, body.value, "html") if source is origin else None
            )
            if contrary is not None:
                return contrary
            how = "is stored and sent to others" if origin.kind == STORED else "is sent"
            return stands(
                f"{source.what} {how} in a page at {body.at} without being escaped", kind="flow",
                at=tuple(dict.fromkeys((source.at, origin.at, body.at))),
            )  # fmt: skip
        if not pages.harmless(trace, origin):
            unknown = unknown or origin
    if unknown is not None:
        return cannot_tell(f"whether {unknown.what} may hold a client's markup is not known")
    escaped = next((o for o in mine if "escaped" in o.marks), None)
    if escaped is not None:
        return falls(f"{escaped.what} is escaped before it is sent", kind="guard", at=(body.at,))
    return falls("no client decides what is sent here", kind="constant", at=(body.at,))


def _inside(origin: Origin, module: Module, function: FunctionNode) -> bool:
    return origin.at.path == module.path and first_line(function) <= origin.at.line <= (function.end_lineno or 0)


def _beside(finding: Finding, project: Project, found: Spot, *, own: bool) -> Ruling | None:
    """What the next functions say; see `statements`."""
    for function in sorted(neighbours(found), key=found.distance):
        away = found.distance(function)
        if own and away > CLOSE:
            return None
        rulings = _rulings(finding, Trace(project), found.module, function, found.line)
        confirmed = next((r for r in rulings if r.verdict == "CONFIRMED"), None)
        if confirmed is not None:
            return cannot_tell(f"`{function.name}`, {away} lines away, may be what is meant")
    return None
