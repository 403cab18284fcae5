"""The place of a claim, what a family of checks sees around it, and the ruling that follows from that.

A claim told by its CWE points near its defect. What counts is, in this order: what stands in the claimed lines; what stands
in the function around them (at most `FARTHEST` lines away) or directly beside it; for lines outside of functions, what is
at most half as far away. Something a little farther keeps the claim open. Where nothing of the kind is even there, the claim
falls: whoever goes to the place it names finds no such defect.
"""

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.live import live
from verifiers.static.locate import module_of
from verifiers.static.ruling import Falsifier, Ruling, cannot_tell, falls, stands

BESIDE = 3
FARTHEST = 12
"""Lines, as for results of other tools that are anchored to a call."""
HALF = FARTHEST // 2
OPEN = 2 * FARTHEST
"""Within these, something in another function keeps a claim open."""


class Sight(NamedTuple):
    """Something that a family of checks knows about."""

    at: Location
    bad: bool | None
    """It is the defect; it is done right; or it does not show which."""
    says: str
    """One sentence."""
    also: tuple[Location, ...] = ()
    """Other places that decide."""
    faint: bool = False
    """Something that may be meant, so that the claim is not dismissed for want of it; it decides nothing by itself."""


class Scene(NamedTuple):
    """A place in a Python module."""

    project: Project
    module: Module
    line: int
    end_line: int
    function: FunctionNode | None
    """The innermost function around the place, its decorators included."""
    cwe: int
    """What is claimed."""

    @property
    def location(self) -> Location:
        """The claimed lines."""
        return Location(path=self.module.path, line=self.line, end_line=self.end_line)

    def distance(self, at: Location) -> int:
        """Lines between the claimed ones and `at`, 0 where they meet."""
        return max(at.line - self.end_line, self.line - at.end_line, 0)

    def near(self, at: Location) -> bool:
        """Whether a claim at this place speaks of `at`."""
        if at.path != self.module.path:
            return False
        away = self.distance(at)
        if self.function is None:
            return away <= HALF
        first, last = span(self.function)
        if first <= at.line <= last:
            return away <= FARTHEST
        return away <= BESIDE or (away <= FARTHEST and first - BESIDE <= at.line <= last + BESIDE)

    def open(self, at: Location) -> bool:
        """Whether `at` is too near to say that nothing is there."""
        if self.function is not None:
            first, last = span(self.function)
            if first <= at.line <= last:
                return True
        return self.distance(at) <= OPEN


Look = Callable[[Scene], Iterable[Sight]]
"""Everything in the module of the scene that a family of checks knows about."""


def span(function: FunctionNode) -> tuple[int, int]:
    """First and last line with decorators."""
    first = min([function.lineno, *(d.lineno for d in function.decorator_list)])
    return first, function.end_lineno or function.lineno


def scene_of(finding: Finding, project: Project) -> Scene | None:
    """The scene of a claim, None for files that are no Python or do not parse."""
    module = module_of(finding, project) if _is_python(finding, project) else None
    if module is None:
        return None
    around = [f for _, f in module.functions if span(f)[0] <= finding.line <= span(f)[1]]
    told = finding.facts.get("told", "").removeprefix("CWE-")
    cwe = int(told) if told.isdecimal() else finding.cwe or 0
    last = max(finding.location.end_line, finding.line)
    return Scene(project, module, finding.line, last, around[-1] if around else None, cwe)


def _is_python(finding: Finding, project: Project) -> bool:
    entry = project.entries.get(finding.path)
    return entry is not None and entry.language == "python"


class Manner(NamedTuple):
    """How a family of claims is ruled."""

    thing: str
    """What the claim would need: "a cookie that is set"."""
    called: bool = False
    """Functions of the project that are called near the place are looked into as well."""
    broad: bool = False
    """The claim is about everything near the place: what is done right in the claimed line says nothing of the next."""
    lacking: bool = False
    """The defect may be that something is lacking, so that nothing to be seen is no reason to dismiss."""


def judged(look: Look, manner: Manner, text: Falsifier | None = None) -> Falsifier:
    """A falsifier that rules by what `look` sees at the place; `text` is asked for files that are no Python."""

    def falsify(finding: Finding, project: Project) -> Ruling:
        scene = scene_of(finding, project)
        if scene is None:
            return text(finding, project) if text is not None else cannot_tell("the file is no Python that can be read")
        if project.entries[finding.path].test:
            return cannot_tell("this is code of a test")
        sights = sorted(look(scene), key=lambda s: (scene.distance(s.at), s.at.line, s.at.column))
        return ruled(scene, sights, lambda: list(_beneath(scene, look)) if manner.called else [], manner)

    return live(falsify)


def ruled(scene: Scene, sights: list[Sight], beneath: Callable[[], list[Sight]], manner: Manner) -> Ruling:
    """The ruling that the sights give; `sights` nearest first."""
    faint = next((s for s in sights if s.faint and scene.near(s.at)), None)
    sights = [s for s in sights if not s.faint]
    exact = [s for s in sights if not scene.distance(s.at)]
    near = [s for s in sights if scene.near(s.at)]
    if exact and not (manner.broad and any(s.bad for s in near)):
        near = exact
    if not near:
        near = beneath()
    bad = next((s for s in near if s.bad), None)
    if bad is not None:
        return stands(bad.says, kind="constant", at=(bad.at, *bad.also))
    unknown = next((s for s in near if s.bad is None), None if exact else faint)
    if unknown is not None:
        return cannot_tell(unknown.says)
    if near and (exact or not any(scene.open(s.at) for s in sights if s.bad is not False)):
        return falls(near[0].says, kind="guard", at=(near[0].at, *near[0].also))
    wide = next((s for s in sights if s.bad is not False and scene.open(s.at)), None)
    if wide is not None:
        return cannot_tell(f"{manner.thing} is in line {wide.at.line}, which the claim does not name")
    if manner.lacking:
        return cannot_tell(f"{manner.thing} is not there, and may be lacking")
    where = f"`{scene.function.name}`" if scene.function else "the code around it"
    return falls(f"neither line {scene.line} nor {where} has {manner.thing}", kind="definition", at=(scene.location,))


def _beneath(scene: Scene, look: Look) -> Iterator[Sight]:
    """Sights in the functions of the project that are called near the place, each with the call."""
    if scene.function is None:
        return
    for call in calls_in(scene.function):
        at = scene.module.location(call)
        if not scene.near(at):
            continue
        for home, node in called_functions(scene.project, scene.module, call):
            first, last = span(node)
            inner = Scene(scene.project, home, first, last, node, scene.cwe)
            for sight in look(inner):
                if first <= sight.at.line <= last:
                    yield sight._replace(also=(at, *sight.also))


def calls_in(root: ast.AST) -> list[ast.Call]:
    """Calls below `root`, in source order."""
    found = [n for n in ast.walk(root) if isinstance(n, ast.Call)]
    return sorted(found, key=lambda c: (c.lineno, c.col_offset))


def called_functions(project: Project, module: Module, call: ast.Call) -> Iterator[tuple[Module, FunctionNode]]:
    """The function of the project that `call` names, when it is one."""
    name = module.resolve(call.func)
    if name is None:
        return
    known = project.index.function(name) or (project.index.function(f"{module.name}.{name}") if module.name else None)
    if known is None:
        return
    home = module if known.path == module.path else project.module(known.path)
    node = dict(home.functions).get(known.qualname)
    if node is not None:
        yield home, node
