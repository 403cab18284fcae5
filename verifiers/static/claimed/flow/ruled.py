"""The order of the questions: does an outsider's data do harm there, is all that arrives harmless, is it there at all?"""

import ast
from collections.abc import Sequence

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.schema.verdict import Verdict
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.claimed.flow import absent, written
from verifiers.static.claimed.flow.arriving import Arrival, arrivals, harms
from verifiers.static.claimed.flow.families import BROAD, CODE, FAMILIES, PATTERN, XML, Family
from verifiers.static.claimed.flow.place import FARTHEST, head, meant
from verifiers.static.claimed.flow.spread import Spread, name_of, spread
from verifiers.static.locate import module_of
from verifiers.static.ruling import Falsifier, Ruling, cannot_tell, falls, stands
from verifiers.static.security.danger import Answer


def falsifier(cwe: int) -> Falsifier:
    """The falsifier of claims that were told by this CWE."""

    def falsify(finding: Finding, project: Project) -> Ruling:
        return _ruling(finding, project, FAMILIES[cwe], broad=cwe in BROAD)

    return falsify


def _ruling(finding: Finding, project: Project, families: Sequence[Family], *, broad: bool) -> Ruling:
    module = module_of(finding, project)
    if module is None:
        return cannot_tell("the file is not Python that can be read")
    if module.test:
        return falls("this is code of the tests: no outsider's data gets there", kind="test", at=(finding.location,))
    functions = meant(module, finding.line)
    rulings = [_of_function(finding, project, module, f, families, broad=broad) for f in functions]
    for ruling in rulings:
        if ruling.verdict is Verdict.CONFIRMED:
            return ruling
    if not rulings and not broad:
        return absent.from_statement(project, module, finding.line, families)
    open_ones = [r for r in rulings if r.verdict is not Verdict.DISMISSED]
    if open_ones or not rulings:
        return open_ones[0] if open_ones else cannot_tell("the place names no operation")
    return rulings[0]


def _of_function(
    finding: Finding,
    project: Project,
    module: Module,
    function: FunctionNode,
    families: Sequence[Family],
    *,
    broad: bool,
) -> Ruling:
    inside = spread(project, module, function)
    own, others = arrivals(project, module, function, inside, families)
    for arrival in (*own, *others):
        if harms(arrival) and _is_meant(finding.line, module, function, inside, arrival):
            return _stands(project, arrival)
    if CODE in families:
        later = written.runs_later(project, module, function, finding.line)
        if later is not None:
            return later
    if others and any(harms(a) for a in others):
        return cannot_tell("an outsider's data does harm elsewhere in the function, not near this place")
    harmless = _harmless([*own, *others], inside, families) if own else None
    if harmless is not None:
        return harmless
    if broad:
        return cannot_tell("what uses resources here without bound does not show")
    return absent.from_function(project, module, function, finding.line, families)


def _is_meant(line: int, module: Module, function: FunctionNode, inside: Spread, arrival: Arrival) -> bool:
    """Whether the operation is near the line; a claim about the head of a function is about all of it."""
    if not head(function) <= line <= (function.end_lineno or function.lineno):
        name = _constant(module, line)
        return name is None or any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(arrival.call))
    if line <= function.body[0].lineno:
        return True
    at = arrival.at
    if len(_operations(inside, [arrival.family])) == 1:
        return True  # there is only one that may be meant
    in_function = at.path == module.path and head(function) <= at.line <= (function.end_lineno or function.lineno)
    if in_function:
        return at.line - FARTHEST <= line <= at.end_line + FARTHEST
    ways = [r.line for r in inside.functions.values() if r.module.path == at.path and _holds(r.function, at.line)]
    return any(abs(way - line) <= FARTHEST for way in ways)


def _constant(module: Module, line: int) -> str | None:
    """The name bound by a module-level assignment on the line."""
    names = [
        n
        for n, s in module.definitions.items()
        if isinstance(s, ast.Assign) and s.lineno <= line <= (s.end_lineno or 0)
    ]
    return names[0] if names else None


def _holds(function: FunctionNode, line: int) -> bool:
    return function.lineno <= line <= (function.end_lineno or function.lineno)


def _stands(project: Project, arrival: Arrival) -> Ruling:
    path, entry = arrival.entry
    piece = arrival.outcome.piece
    reason = f": {arrival.outcome.reason}" if arrival.outcome.reason else ""
    return stands(
        f"`{piece.source if piece else ''}` of an outsider comes through `{entry}` to `{arrival.name}` in line "
        f"{arrival.at.line} without anything that takes the harm out of it{reason}",
        kind="flow",
        detail=f"at {arrival.at}: {arrival.name} receives {arrival.shown}",
        at=(_source(project, path, entry, piece.line if piece else 1), arrival.at),
    )  # fmt: skip


def _source(project: Project, path: str, entry: str, line: int) -> Location:
    """Where the data is read, when that is in the entry function; else the entry function."""
    module = project.module(path)
    function = dict(module.functions)[entry]
    if _holds(function, line):
        return Location(path=path, line=line, end_line=line)
    return module.location(function)


def _harmless(own: Sequence[Arrival], inside: Spread, families: Sequence[Family]) -> Ruling | None:
    """DISMISSED when every operation is reached, each time with what does no harm whoever calls the function."""
    if any(f in {PATTERN, XML} for f in families):
        return None  # that no text was found, or that a parser's defaults are good, is no witness
    operations = _operations(inside, families)
    if not operations or inside.unknown is not None or not inside.whole:
        return None
    reached = {id(a.call) for a in own}
    if any(id(c) not in reached for c in operations) or any(a.outcome.answer is not Answer.SAFE for a in own):
        return None
    others = [
        c
        for r, c in inside.calls()
        if c not in operations and any(f.may_be_done_by(name_of(r.module, c)) for f in families)
    ]
    if others:
        return None
    reasons = list(dict.fromkeys(a.outcome.reason for a in own))
    return falls(
        f"`{own[0].name}` in line {own[0].at.line}: {'; '.join(reasons)}",
        kind="guard",
        detail="\n".join(f"at {a.at}: {a.name} receives {a.shown}" for a in own),
        at=tuple(dict.fromkeys(a.at for a in own)),
    )


def _operations(inside: Spread, families: Sequence[Family]) -> list[ast.Call]:
    """The calls that do it, by their names."""
    return [c for r, c in inside.calls() if any(f.is_done_by(name_of(r.module, c)) for f in families)]
