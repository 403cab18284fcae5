"""Claims about configuration as a whole: the switches, headers and cookies that the other modules know. (16, 693)"""

import ast
import re
from collections.abc import Iterator

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.project import Project
from verifiers.static.claimed.setting import ciphers, cookies, headers, switches
from verifiers.static.claimed.setting.place import HALF, Scene, Sight
from verifiers.static.claimed.setting.words import last_name
from verifiers.static.ruling import Ruling, cannot_tell, stands

THING = "a setting that switches a protection off"
_OFF = re.compile(r"^\s*(?:SecRuleEngine\s+Off|ssl_verify\w*\s+off\s*;|server_tokens\s+on\s*;)", re.IGNORECASE)


def look(scene: Scene) -> Iterator[Sight]:
    """All settings, each under the claim that its own module knows, and what else may be one."""
    known = list(_known(scene))
    yield from known
    for sight in _others(scene):
        if not any(sight.at.line <= k.at.end_line and k.at.line <= sight.at.end_line for k in known):
            yield sight


def _known(scene: Scene) -> Iterator[Sight]:
    yield from switches.modes(scene)
    yield from switches.hosts(scene)
    yield from switches.escaping(scene)
    yield from headers.look(scene)
    for cwe in (614, 1004):
        for sight in cookies.look(scene._replace(cwe=cwe)):
            if sight.bad or cwe == 614:
                yield sight
    if scene.cwe == 693:  # what weakens a cipher or a protocol is a child of it
        yield from (s for s in ciphers.look(scene) if s.bad)
    else:
        yield from (s._replace(bad=None) for s in ciphers.look(scene) if s.bad)


def _others(scene: Scene) -> Iterator[Sight]:
    """Whatever else configures something: the claim may be about it."""
    module = scene.module
    says = "something is configured here that is not known to protect anything"
    for call in module.nodes(ast.Call):
        if any(isinstance(k.value, ast.Constant | ast.List) for k in call.keywords):
            yield Sight(module.location(call), None, says)
    for assign in module.nodes(ast.Assign):
        if any(isinstance(t, ast.Subscript) or last_name(t).isupper() for t in assign.targets):
            yield Sight(module.location(assign), None, says)
    for _, function in module.functions:
        for decorator in function.decorator_list:
            yield Sight(module.location(decorator), None, says)


def text(finding: Finding, project: Project) -> Ruling:
    """A directive of a server's configuration that is known to switch a protection off."""
    entry = project.entries.get(finding.path)
    if entry is None or entry.language == "binary":
        return cannot_tell("the file cannot be read")
    lines = project.lines(finding.path)
    for number in sorted(range(1, len(lines) + 1), key=lambda n: abs(n - finding.line)):
        if abs(number - finding.line) > HALF:
            break
        if _OFF.match(lines[number - 1]):
            at = Location(path=finding.path, line=number, end_line=number)
            return stands(f"`{lines[number - 1].strip()}` switches the protection off", kind="constant", at=(at,))
    return cannot_tell("no directive that is known stands near this place")
