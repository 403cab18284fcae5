"""markup-from-parts: Python code puts a value into HTML and marks the result as safe.

Why: the template no longer escapes it; markup and scripts in the value run in the reader's browser.

Example: `mark_safe(f"<b>{user.name}</b>")`; `format_html("<b>{}</b>", user.name)` escapes.

Calls of `mark_safe`, `SafeString` and `Markup` are looked at when their argument is put together from parts.

What it cannot see: text that is marked safe as a whole.
"""

import ast
import re
from collections.abc import Iterator

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="markup-from-parts",
    group="frontend",
    title="HTML put together and marked safe",
    severity=Severity.MEDIUM,
    cwe=79,
    page=__doc__,
)
_MARKS = (
    "django.utils.safestring.mark_safe",
    "django.utils.safestring.SafeString",
    "markupsafe.Markup",
    "flask.Markup",
    "jinja2.Markup",
)


def in_project(project: Project) -> Iterator[Claim]:
    """Calls by file, in source order."""
    for module in project.modules_matching(re.compile(rb"mark_safe|SafeString|Markup")):
        yield from check(module)


def check(module: Module) -> Iterator[Claim]:
    """Calls in source order."""
    for call in module.nodes(ast.Call):
        if module.resolve(call.func) not in _MARKS or not call.args:
            continue
        parts = [part for part in _parts(call.args[0]) if not isinstance(part, ast.Constant)]
        if parts:
            text = ", ".join(dict.fromkeys(module.segment(part)[:40] for part in parts))
            yield module.claim(
                RULE,
                call,
                scenario=f"When `{text}` holds text from outside, `{module.segment(call.func)}` hands its "
                "markup to the browser as it is.",
                fix="Use format_html, or Markup(...).format(...), which escape what they put in.",
                facts={"parts": text},
            )


def _parts(node: ast.expr) -> list[ast.expr]:
    """What is put into the text; empty when it is not put together."""
    if isinstance(node, ast.JoinedStr):
        return [v.value for v in node.values if isinstance(v, ast.FormattedValue)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
        return list(node.right.elts) if isinstance(node.right, ast.Tuple) else [node.right]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [part for side in (node.left, node.right) for part in (_parts(side) or [side])]
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(node, ast.Call) and isinstance(function, ast.Attribute) and function.attr == "format":
        text = isinstance(function.value, ast.Constant)
        return [*node.args, *(k.value for k in node.keywords)] if text else []
    return []


CHECK = Check(rules=(RULE,), project=in_project)
