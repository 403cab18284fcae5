"""dom-html-injection: a script writes a value into the page as HTML.

Why: when the value holds text from outside, its markup and scripts run in the browser of whoever looks at the page.

Example: `list.innerHTML += "<li>" + location.hash.slice(1) + "</li>"`; `textContent` or an escaping function is safe.

`innerHTML`, `outerHTML`, `insertAdjacentHTML`, `document.write`, jQuery's `.html()`, `v-html` and
`dangerouslySetInnerHTML` are looked at, unless the value is made of literals.

What it cannot see: values that come from another file.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from auditors.frontend.places import claim, pages, scripts
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.project import Project
from harness.source.script import Script

RULE = Rule(
    id="dom-html-injection",
    group="frontend",
    title="Value written into the page as HTML",
    severity=Severity.MEDIUM,
    cwe=79,
    page=__doc__,
)
_CALLS = re.compile(r"(?:^|\.)(?:insertAdjacentHTML|write|writeln|html)$")


def check(project: Project) -> Iterator[Claim]:
    """Writes by file and place."""
    for script in scripts(project):
        for sink, value, node in _sinks(script):
            if constant(value):
                continue
            place = script.place(node)
            yield claim(
                RULE,
                project,
                script.path,
                place.line,
                place.column,
                scenario=f"When `{' '.join(script.text(value).split())[:80]}` holds text from outside, `{sink}` turns it into "
                "elements and runs its scripts.",
                fix="Use textContent, or build the elements; clean the value when it must be HTML.",
                facts={"sink": sink, "value": script.text(value)[:400]},
            )
    for page in pages(project):
        for element in page.elements:
            bound = element.attributes.get("v-html", "")
            if bound and not re.fullmatch(r"['\"][^'\"]*['\"]", bound):
                yield claim(
                    RULE,
                    project,
                    page.path,
                    element.line,
                    element.column,
                    scenario=f"When `{bound}` holds text from outside, `v-html` turns it into elements and runs its scripts.",
                    fix="Print it with {{ }}, or clean it.",
                    facts={"sink": "v-html", "value": bound},
                )


def _sinks(script: Script) -> Iterator[tuple[str, Node, Node]]:
    for node in script.nodes(
        "assignment_expression", "augmented_assignment_expression", "call_expression", "jsx_attribute"
    ):
        if node.type == "call_expression":
            name = script.text(node.child_by_field_name("function"))
            arguments = node.child_by_field_name("arguments")
            given = arguments.named_children if arguments else []
            if given and _CALLS.search(name):
                last = name.rpartition(".")[2]
                if last in {"write", "writeln"} and name not in {"document.write", "document.writeln"}:
                    continue
                if last == "html" and "$(" not in name and "jQuery(" not in name:
                    continue
                yield last, given[-1], node
        elif node.type == "jsx_attribute":
            if node.named_children and script.text(node.named_children[0]) == "dangerouslySetInnerHTML":
                for inner in node.named_children[1:]:
                    for pair in _pairs(inner):
                        if script.text(pair.child_by_field_name("key")) == "__html" and (
                            value := pair.child_by_field_name("value")
                        ):
                            yield "dangerouslySetInnerHTML", value, node
        else:
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None and right is not None and left.type == "member_expression":
                name = script.text(left.child_by_field_name("property"))
                if name in {"innerHTML", "outerHTML"}:
                    yield name, right, node


def _pairs(node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        current = stack.pop()
        if current.type == "pair":
            yield current
        stack.extend(current.children)


def constant(node: Node) -> bool:
    """Whether a value is made of literals only."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.type in {
            "string",
            "number",
            "null",
            "undefined",
            "true",
            "false",
            "string_fragment",
            "escape_sequence",
        }:
            continue
        if current.type == "ternary_expression":
            stack.extend(current.named_children[1:])
        elif current.type in {
            "template_string",
            "template_substitution",
            "binary_expression",
            "parenthesized_expression",
        }:
            stack.extend(current.named_children)
        else:
            return False
    return True


CHECK = Check(rules=(RULE,), project=check)
