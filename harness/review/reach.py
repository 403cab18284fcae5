"""How far a change reaches: its lines, the functions they stand in, what calls those, and who speaks of their names."""

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from harness.review.diff import FileChange
from harness.schema.finding import Finding
from harness.schema.location import Location, RelatedLocation
from harness.source.index import Function, Index
from harness.source.module import Module
from harness.source.project import Project
from harness.source.syntax import NotParsed

SHORTEST_NAME = 4
"""Characters from which a name is telling enough to tie a finding to a change."""


class Span(NamedTuple):
    """Lines of the head for one reason."""

    first: int
    last: int
    said: str
    """The tie to the change, in words."""
    at: Location
    """Where the change is."""


@dataclass
class Reach:
    """What a change reaches in the head."""

    lines: dict[str, frozenset[int]] = field(default_factory=dict)
    """Changed lines by path, and those beside removed ones."""
    functions: dict[str, list[Span]] = field(default_factory=dict)
    """Functions that hold a changed line."""
    callers: dict[str, list[Span]] = field(default_factory=dict)
    """Functions that call one whose code changed or is gone."""
    names: dict[str, Location] = field(default_factory=dict)
    """Names of functions, classes and constants that changed, or are gone -> where."""


class Tie(NamedTuple):
    """How the change causes a finding."""

    related: tuple[RelatedLocation, ...] = ()
    """A place with role `change` when the finding does not stand on a changed line itself."""


def reach(base: Project, head: Project, changes: Iterable[FileChange]) -> Reach:
    """Everything the change reaches. Files that do not parse are reached by their lines only."""
    found = Reach()
    touched: dict[str, tuple[Function | None, Location]] = {}
    for change in changes:
        if change.after is not None:
            found.lines[change.after] = change.added | change.cuts
            for name, first, last, at in _functions(head, change.after, change.added | change.cuts):
                said = f"`{name.rpartition('.')[2]}` is changed here"
                found.functions.setdefault(change.after, []).append(Span(first, last, said, at))
                touched[name] = (head.index.functions.get(name), at)
            if change.before is not None:
                for name, first, last, at in _rewritten(base, change.before, head, change.after):
                    if name not in touched:
                        said = f"`{name.rpartition('.')[2]}` is not what it was"
                        found.functions.setdefault(change.after, []).append(Span(first, last, said, at))
                        touched[name] = (head.index.functions.get(name), at)
        if change.before is not None:
            for name, _, _, at in _functions(base, change.before, change.removed):
                if name not in head.index.functions:
                    where = _first(change) or at
                    touched.setdefault(name, (base.index.functions.get(name), where))
            found.names.update(_definitions(base, head, change))
    for name, (function, at) in sorted(touched.items()):
        found.names.setdefault(name.rpartition(".")[2], at)
        if function is not None:
            gone = name not in head.index.functions
            for path, first, last in _callers(head, head.index, function):
                what = "is gone" if gone else "is changed here"
                span = Span(first, last, f"it calls `{function.qualname}`, which {what}", at)
                found.callers.setdefault(path, []).append(span)
    return found


def tie(finding: Finding, reached: Reach, *, strict: bool = False) -> Tie | None:
    """How the change causes a new finding, None when nothing ties the two. `strict`: only its lines do."""
    if any(line in reached.lines.get(finding.path, ()) for line in range(finding.line, finding.end_line + 1)):
        return Tie()
    for related in finding.related:
        at = related.location
        if any(line in reached.lines.get(at.path, ()) for line in range(at.line, at.end_line + 1)):
            return Tie((_related(at, f"the change edits this {related.role}"),))
    if strict:
        return None
    for spans in (reached.functions, reached.callers):
        for span in spans.get(finding.path, ()):
            if span.first <= finding.line and finding.end_line <= span.last:
                return Tie((_related(span.at, span.said),))
    words = set(re.findall(r"\w+", " ".join((finding.quote, *finding.facts.values()))))
    for name, at in reached.names.items():
        if len(name) >= SHORTEST_NAME and name in words:
            return Tie((_related(at, f"the change touches `{name}`, of which this speaks"),))
    return None


def _related(at: Location, said: str) -> RelatedLocation:
    return RelatedLocation(role="change", location=at, message=said)


def _module(project: Project, path: str) -> Module | None:
    if project.entries[path].language != "python":
        return None
    try:
        return project.module(path)
    except NotParsed:
        return None


def _functions(project: Project, path: str, lines: Iterable[int]) -> list[tuple[str, int, int, Location]]:
    """(dotted name, first line, last line, first changed place) of functions with one of `lines` in them."""
    module = _module(project, path)
    wanted = sorted(lines)
    found = []
    for qualname, node in module.functions if module else ():
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        last = node.end_lineno or node.lineno
        inside = next((line for line in wanted if first <= line <= last), None)
        if inside is not None and module is not None:
            name = f"{module.name}.{qualname}" if module.name else qualname
            found.append((name, first, last, Location(path=path, line=inside, end_line=inside)))
    return found


def _rewritten(base: Project, before: str, head: Project, after: str) -> list[tuple[str, int, int, Location]]:
    """Like `_functions`, for those whose code differs from that of the same name in the base, wherever a diff puts its lines:
    one may tell a line that a function lost as one that another gained."""
    old, new = _module(base, before), _module(head, after)
    was = {qualname: ast.dump(node) for qualname, node in old.functions} if old else {}
    found = []
    for qualname, node in new.functions if new else ():
        if new is not None and was.get(qualname, code := ast.dump(node)) != code:
            name = f"{new.name}.{qualname}" if new.name else qualname
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            at = Location(path=after, line=node.lineno, end_line=node.lineno)
            found.append((name, first, node.end_lineno or node.lineno, at))
    return found


def _callers(project: Project, index: Index, function: Function) -> list[tuple[str, int, int]]:
    spans = []
    for call in index.callers(function):
        module = _module(project, call.path)
        node = dict(module.functions).get(call.caller) if module and call.caller else None
        if node is not None:
            spans.append((call.path, node.lineno, node.end_lineno or node.lineno))
        else:
            spans.append((call.path, call.line, call.line))
    return sorted(set(spans))


def _definitions(base: Project, head: Project, change: FileChange) -> Mapping[str, Location]:
    """Names that the change redefines or takes away at module level, and classes it changes."""
    found: dict[str, Location] = {}
    old = _module(base, change.before) if change.before else None
    new = _module(head, change.after) if change.after else None
    kept = new.definitions if new else {}
    where = _first(change)
    for name, statement in old.definitions.items() if old else ():
        if name not in kept and where is not None:
            found[name] = where
        elif where is not None and not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            node = kept.get(name)
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1) if node else ()
            line = next((n for n in lines if n in change.added), None)
            if line is not None and change.after is not None:
                found[name] = Location(path=change.after, line=line, end_line=line)
    return found


def _first(change: FileChange) -> Location | None:
    """The first changed place in the head; the first line when the file only lost lines at its end."""
    if change.after is None:
        return None
    line = min(change.added | change.cuts, default=1)
    return Location(path=change.after, line=line, end_line=line)
