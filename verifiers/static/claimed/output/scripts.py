"""Scripts: does a value that somebody else chooses become part of the page, or its address?"""

import re

from tree_sitter import Node

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.page import Page
from harness.source.project import Project
from harness.source.script import Script
from verifiers.static.claimed.output.spot import CLOSE
from verifiers.static.frontend import scripts as known
from verifiers.static.ruling import Ruling, cannot_tell, falls

_CALLS = re.compile(r"(?:^document\.write(?:ln)?|\.insertAdjacentHTML|\.html|\.append|\.prepend|^eval|^setTimeout)$")
_PROPERTIES = frozenset({"innerHTML", "outerHTML", "srcdoc"})


def falsify(finding: Finding, project: Project) -> Ruling:
    """A claim at a script file."""
    script = Script(finding.path, project.text(finding.path).replace("\r\n", "\n"))
    ruling = _near(finding, project, [script])
    if ruling is not None:
        return ruling
    return falls("nothing here turns text into elements of the page", kind="search", at=(finding.location,))


def falsify_page(finding: Finding, project: Project, page: Page) -> Ruling:
    """A claim at a page: what the scripts in it do beside the place."""
    ruling = _near(finding, project, page.scripts())
    return ruling or falls("no script here turns text into elements of the page", kind="search", at=(finding.location,))


def _near(finding: Finding, project: Project, scripts: list[Script]) -> Ruling | None:
    """The ruling on the nearest writes to the page; None when there is none within CLOSE lines."""
    found: list[tuple[int, Ruling]] = []
    for script in scripts:
        for value, node in _writes(script):
            place = script.place(node)
            last = place.line + node.end_point[0] - node.start_point[0]
            away = max(place.line - finding.line, finding.line - last, 0)
            if away <= CLOSE:
                at = Location(path=finding.path, line=place.line, end_line=last)
                moved = finding.model_copy(
                    update={
                        "line": at.line,
                        "end_line": at.end_line,
                        "column": 1,
                        "facts": {"value": script.text(value)},
                    }
                )
                found.append((away, known.falsify(moved, project)))
    found.sort(key=lambda one: (one[1].verdict != "CONFIRMED", one[0]))
    if not found:
        return None
    if found[0][1].verdict == "CONFIRMED" or all(r.verdict == "DISMISSED" for _, r in found):
        return found[0][1]
    return cannot_tell(next(r.reason for _, r in found if r.verdict == "UNCERTAIN"))


def _writes(script: Script) -> list[tuple[Node, Node]]:
    found: list[tuple[Node, Node]] = []
    for node in script.nodes("assignment_expression", "augmented_assignment_expression", "call_expression"):
        if node.type == "call_expression":
            name = script.text(node.child_by_field_name("function"))
            arguments = node.child_by_field_name("arguments")
            if arguments is not None and arguments.named_children and _CALLS.search(name):
                found.append((arguments.named_children[-1] if "insert" in name else arguments.named_children[0], node))
            continue
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        member = left is not None and left.type == "member_expression"
        named = script.text(left.child_by_field_name("property")) if left is not None and member else ""
        if right is not None and named in _PROPERTIES:
            found.append((right, node))
    return found
