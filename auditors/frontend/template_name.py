"""template-missing and endpoint-name: names of templates and routes that the project does not have.

Why: the page ends in "500 Internal Server Error", TemplateNotFound or BuildError, as soon as someone opens it.

Example: `render_template("orders/list.html")` after the file became `orders/index.html`; `url_for("orders.list")` after
the view was renamed.

What it cannot see: names that are put together, and templates and routes of installed packages.
"""

import ast
import re
from collections.abc import Iterator

from auditors.frontend.places import claim, pages
from auditors.frontend.routes import names, routes
from harness.contracts import Check
from harness.schema.finding import AbsenceSearch, Claim, Rule, Severity
from harness.source.project import Project

TEMPLATE = Rule(
    id="template-missing",
    group="frontend",
    title="Template that does not exist",
    severity=Severity.MEDIUM,
    page=__doc__,
)
NAME = Rule(
    id="endpoint-name",
    group="frontend",
    title="Link to a route that does not exist",
    severity=Severity.MEDIUM,
    page=__doc__,
)
_RENDER = {"flask.render_template": 0,
           "flask.stream_template": 0, "django.shortcuts.render": 1, "django.template.loader.render_to_string": 0,
           "django.template.loader.get_template": 0, "django.template.response.TemplateResponse": 1}  # fmt: skip
_USES = re.compile(r"^(?:extends|include|import|from)\s+[\"']([^\"']+)[\"'](?!.*\bignore missing\b)")
_OVERRIDES = re.compile(r"(?:^|/)(?:docs?|overrides|_\w*themes?|_templates)/")
"""Folders whose templates complete those of a theme that is installed elsewhere."""
_URL_FOR = re.compile(r"\burl_for\(\s*[\"']([\w.]+)[\"']")
_URL = re.compile(r"^url\s+[\"']([\w.:-]+)[\"']")


def check(project: Project) -> Iterator[Claim]:
    """Missing templates in Python, then in templates; then names of routes."""
    files = project.paths("html", "text", "xml", "markdown", "other", "latex", "javascript", "json", "yaml")
    if not project.paths("html", test=False):
        return
    yield from _templates(project, files)
    yield from _names(project)


def _there(name: str, files: list[str]) -> bool:
    return any(path == name or path.endswith(f"/{name}") for path in files)


def _templates(project: Project, files: list[str]) -> Iterator[Claim]:
    for module in project.modules_matching(re.compile(rb"render|get_template|TemplateResponse")):
        for call in module.nodes(ast.Call):
            position = _RENDER.get(module.resolve(call.func) or "")
            if position is None or len(call.args) <= position:
                continue
            first = call.args[position]
            if isinstance(first, ast.Constant) and isinstance(first.value, str) and not _there(first.value, files):
                yield module.claim(
                    TEMPLATE,
                    call,
                    scenario=f"Whoever opens the page of `{module.symbol(call) or 'this module'}` gets an "
                    f"error: no template is called `{first.value}`.",
                    fix="Name the template as its file is called.",
                    facts={"template": first.value},
                )
    for page in pages(project):
        if _OVERRIDES.search(page.path):
            continue
        for tag in page.tags:
            match = _USES.match(tag.text) if tag.kind == "%" else None
            if match and not match.group(1).startswith((".", "/")) and not _there(match.group(1), files):
                yield claim(
                    TEMPLATE,
                    project,
                    page.path,
                    tag.line,
                    tag.column,
                    scenario=f"Rendering {page.path} ends in an error: no template is called `{match.group(1)}`.",
                    fix="Name the template as its file is called.",
                    facts={"template": match.group(1)},
                )


def _counted(project: Project, word: str, pattern: str) -> int:
    """Lines of Python files that match, counted the way admission counts them."""
    raw = word.encode()
    paths = [path for path in project.matching("*.py") if raw in project.read_bytes(path)]
    return sum(1 for path in paths for line in project.lines(path) if re.search(pattern, line))


def _names(project: Project) -> Iterator[Claim]:
    known = {route.endpoint for route in routes(project)} | names(project) | {"static"}
    if len(known) < 2:
        return
    last = {name.rpartition(".")[2].rpartition(":")[2] for name in known}
    for page in pages(project):
        for tag in page.tags:
            found = [m.group(1) for m in _URL_FOR.finditer(tag.text)]
            if tag.kind == "%" and (match := _URL.match(tag.text)) and " as " not in tag.text:
                found.append(match.group(1))
            for name in found:
                simple = name.rpartition(".")[2].rpartition(":")[2]
                if simple in last:
                    continue
                pattern = rf"\b{re.escape(simple)}\b"
                count = _counted(project, simple, pattern)
                yield claim(
                    NAME,
                    project,
                    page.path,
                    tag.line,
                    tag.column,
                    scenario=f"Rendering {page.path} ends in an error, because no route is called `{name}`.",
                    fix="Name the route as it is called now.",
                    facts={"name": name, "simple": simple},
                    absence=AbsenceSearch(pattern=pattern, paths=("*.py",), expected=count),
                )


CHECK = Check(rules=(TEMPLATE, NAME), project=check)
