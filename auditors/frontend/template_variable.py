"""template-variable: a template prints a variable that no view passes to it.

Why: it prints nothing, and nobody notices until a reader misses the text.

Example: the view renders `order.html` with `order=...`, the template prints `{{ customer.name }}`.

Only Jinja templates are looked at whose every rendering in the project is a call with a literal name and keywords.

What it cannot see: templates that others include or extend, and variables that a context processor adds.
"""

import ast
import re
from collections.abc import Iterator

from jinja2 import Environment, TemplateError, meta, nodes

from auditors.frontend.places import claim, pages
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.location import Location, RelatedLocation
from harness.source.project import Project

RULE = Rule(
    id="template-variable",
    group="frontend",
    title="Template variable that no view passes",
    severity=Severity.LOW,
    page=__doc__,
)
_ALWAYS = frozenset(
    {
        "request",
        "session",
        "g",
        "config",
        "url_for",
        "get_flashed_messages",
        "current_user",
        "csrf_token",
        "_",
        "gettext",
        "ngettext",
        "loop",
        "self",
        "caller",
        "super",
        "range",
        "dict",
        "lipsum",
        "cycler",
        "joiner",
        "namespace",
    }
)


def check(project: Project) -> Iterator[Claim]:
    """Variables by template, then name."""
    calls: dict[str, list[tuple[str, int, frozenset[str] | None]]] = {}
    for module in project.modules_matching(re.compile(rb"render_template|stream_template")):
        for call in module.nodes(ast.Call):
            if module.resolve(call.func) not in {"flask.render_template", "flask.stream_template"} or not call.args:
                continue
            first = call.args[0]
            if not isinstance(first, ast.Constant):
                return  # a name that is put together may mean any template
            passed = (
                None
                if any(k.arg is None for k in call.keywords) or len(call.args) > 1
                else frozenset(k.arg for k in call.keywords if k.arg)
            )
            calls.setdefault(str(first.value), []).append((module.path, call.lineno, passed))
    used = {
        m
        for page in pages(project)
        for t in page.tags
        for m in re.findall(r"^(?:extends|include|import|from)\s+[\"']([^\"']+)", t.text)
    }
    for page in pages(project):
        name = next((n for n in calls if page.path.endswith(f"/{n}")), None)
        if name is None or name in used or any(passed is None for _, _, passed in calls[name]):
            continue
        given = frozenset().union(*(passed for _, _, passed in calls[name] if passed))
        for variable, line in _free(page.text):
            if variable in given or variable in _ALWAYS:
                continue
            where, at, _ = calls[name][0]
            place = Location(path=where, line=at, end_line=at)
            yield claim(
                RULE,
                project,
                page.path,
                line,
                1,
                scenario=f"`{variable}` is always empty on this page: none of the {len(calls[name])} calls that render "
                f"`{name}` passes it.",
                fix=f"Pass `{variable}` in the view, or print a variable that is passed.",
                facts={"variable": variable, "template": name},
                related=(RelatedLocation(role="caller", location=place, message="renders the template"),),
            )


def _free(text: str) -> list[tuple[str, int]]:
    """(variable, first line) of variables that the template does not set itself."""
    environment = Environment(
        autoescape=True, extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols", "jinja2.ext.i18n"]
    )
    try:
        tree = environment.parse(text)
    except (TemplateError, RecursionError):
        return []
    names = meta.find_undeclared_variables(tree)
    lines: dict[str, int] = {}
    for node in tree.find_all(nodes.Name):
        if node.name in names:
            lines[node.name] = min(node.lineno, lines.get(node.name, node.lineno))
    return sorted(lines.items())


CHECK = Check(rules=(RULE,), project=check)
