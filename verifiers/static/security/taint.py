"""Taint claims: evaluates the claim's entry function and looks at what really arrives at the sink.

Confirmed when a feasible way through the code brings untrusted characters to the sink that do harm there; dismissed
when the sink is always reached with values that cannot, or never; anything less than that is "cannot tell".
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.schema.verdict import Verdict
from harness.source.module import Module
from harness.source.project import Project
from harness.source.syntax import NotParsed
from verifiers.static.locate import module_of
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.security import arguments, reached
from verifiers.static.security.danger import OWN, Answer, Outcome
from verifiers.static.security.evaluation import Evaluation, Frame, TooMuch
from verifiers.static.security.state import State
from verifiers.static.security.values import Value, show

_OWN_HARM = {
    "command": ": a blank, a quote or `;` in it already breaks the command",
    "deserialization": ": whoever made the file runs code when it is loaded",
}
"""Why it is a defect though the user who runs the program decides the value."""


@dataclass(frozen=True)
class Arrival:
    """The sink was reached once."""

    outcome: Outcome
    shown: str


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module's docstring. Entries that the claim also names are tried until one of them harms."""
    first = _from(finding, project)
    if first.verdict is Verdict.CONFIRMED:
        return first
    rulings = [first]
    for path, entry in _others(finding, project):
        facts = {**finding.facts, "entry_path": path, "entry": entry}
        named = "source_strength" in finding.facts
        through = None if named else (finding.facts.get("entry_path", finding.path), finding.facts.get("entry", ""))
        rulings.append(_from(finding.model_copy(update={"facts": facts}), project, through))
        if rulings[-1].verdict is Verdict.CONFIRMED:
            return rulings[-1]
    return next((r for r in rulings if r.verdict is Verdict.UNCERTAIN), first)


def _others(finding: Finding, project: Project) -> list[tuple[str, str]]:
    """More entries: those that the claim names; for a claim that names no source, whoever reaches the function."""
    named = [line.partition("|") for line in finding.facts.get("entries", "").splitlines()]
    if "source_strength" in finding.facts:
        return [(path, entry) for path, _, entry in named]
    path, entry = finding.facts.get("entry_path", finding.path), finding.facts.get("entry", "")
    return reached.entries(project, path, entry) if entry else []


def _from(finding: Finding, project: Project, through: tuple[str, str] | None = None) -> Ruling:
    """The ruling for one entry; `through` is a function that data must pass, where that is all that is known."""
    own = module_of(finding, project)
    module = _ran_in(finding, project) if "sink_path" in finding.facts else own
    sink = _sink(module, finding) if module else None
    if module is None or sink is None:
        return cannot_tell("there is no call, return or assignment at this place")
    kind = finding.facts.get("sink_kind", "")
    entry_path, entry = finding.facts.get("entry_path", finding.path), finding.facts.get("entry", "")
    try:
        start = project.module(entry_path)
    except (KeyError, NotParsed):
        return cannot_tell("the function where the data enters cannot be read")
    if entry and entry not in dict(start.functions):
        return cannot_tell("the function where the data enters is not there")
    arrivals: list[Arrival] = []
    handed = _handing(own, finding)
    ours = not handed

    def watch(
        node: ast.AST,
        frame: Frame,
        given: Sequence[Value],
        keywords: dict[str, Value],
        callee: Value | None,
        state: State,
    ) -> None:
        if node in handed:
            nonlocal ours
            ours = own is not None and own.location(node) == finding.location
            return
        if not ours or (through is not None and through not in evaluation.stack):
            return
        outcome, value = arguments.judged(kind, node, frame, given, keywords, callee, state)
        arrivals.append(Arrival(outcome, show(value)))

    places = {(module.path, sink.lineno, sink.col_offset, sink.end_col_offset or 0)}
    places |= {(finding.path, n.lineno, n.col_offset, n.end_col_offset or 0) for n in handed}
    evaluation = Evaluation(project, frozenset(places), watch)
    try:
        if entry:
            evaluation.run(start, entry)
        else:
            evaluation.run_module(start)
    except TooMuch:
        return cannot_tell("the function is too large to evaluate")
    except RecursionError:
        return cannot_tell("the function is nested too deeply to evaluate")
    return _ruling(finding, arrivals, module, sink, start, entry)


def _ruling(
    finding: Finding, arrivals: list[Arrival], module: Module, sink: ast.AST, start: Module, entry: str
) -> Ruling:
    at = module.location(sink)
    name = finding.facts.get("sink", "the sink")
    if not arrivals:
        if start.path == module.path and module.symbol(sink) == entry:
            return falls(
                f"`{name}` is never reached: every way to this line ends before it", kind="unreachable", at=(at,)
            )
        return cannot_tell("the evaluation does not get from the entry function to the sink")
    weak = finding.facts.get("source_strength") == "weak"
    for arrival in arrivals:
        piece = arrival.outcome.piece
        if arrival.outcome.answer is Answer.HARM and piece is not None:
            own = "operator" in piece.marks
            if own and not weak:
                return cannot_tell(OWN)
            source = _source_place(finding, piece.line, start)
            return stands(
                f"`{piece.source}` reaches `{name}` without anything that takes the harm out of it"
                + (f": {arrival.outcome.reason}" if arrival.outcome.reason else "")
                + (_OWN_HARM.get(finding.facts.get("sink_kind", ""), "") if own else ""),
                kind="flow",
                detail=f"at {at}: {name} receives {arrival.shown}",
                at=(source, at),
            )
    for arrival in arrivals:
        if arrival.outcome.answer is Answer.UNKNOWN:
            return cannot_tell(OWN if weak else arrival.outcome.reason)
    reasons = list(dict.fromkeys(a.outcome.reason for a in arrivals))
    shown = list(dict.fromkeys(a.shown for a in arrivals))
    return falls(
        "; ".join(reasons), kind="constant" if "never carries" in reasons[0] else "guard",
        detail=f"at {at}: {name} receives " + " or ".join(shown), at=(at,),
    )  # fmt: skip


def _ran_in(finding: Finding, project: Project) -> Module | None:
    """The module of the call that runs what the claim's place puts together."""
    try:
        return project.module(finding.facts["sink_path"])
    except (KeyError, NotParsed):
        return None


def _handing(module: Module | None, finding: Finding) -> list[ast.Call]:
    """Calls in the claim's module of the function that the claim's place calls, so that one is told from the others."""
    if module is None or "sink_path" not in finding.facts:
        return []
    calls = module.nodes(ast.Call)
    here = [c for c in calls if module.location(c) == finding.location]
    name = ast.unparse(here[0].func) if here else ""
    return [c for c in calls if name and ast.unparse(c.func) == name]


def _source_place(finding: Finding, line: int, start: Module) -> Location:
    for related in finding.related:
        if related.role == "source" and related.location.line == line:
            return related.location
    line = max(1, min(line, len(start.lines)))
    return Location(path=start.path, line=line, end_line=line)


def _sink(module: Module, finding: Finding) -> ast.Call | ast.Return | ast.Subscript | None:
    """The node with exactly the claim's extent."""
    nodes: list[ast.Call | ast.Return | ast.Subscript] = [*module.nodes(ast.Call), *module.nodes(ast.Return)]
    nodes += module.nodes(ast.Subscript)
    for node in nodes:
        found = module.location(node)
        wanted: tuple[int | None, ...] = (finding.line, finding.column, finding.end_line, finding.end_column)
        if "sink_at" in finding.facts:  # the claim stands beside the place that it is about
            wanted = tuple(int(n) for n in finding.facts["sink_at"].split(":"))
        if (found.line, found.column, found.end_line, found.end_column) == wanted:
            return node
    return None
