"""Which code renders which template with which values, and whether its engine escapes what is printed."""

import ast
import re
from typing import NamedTuple

from harness.schema.location import Location
from harness.source.module import FunctionNode, Module
from harness.source.page import Page
from harness.source.project import Project
from verifiers.static.claimed.output import bindings
from verifiers.static.claimed.output.kept import once
from verifiers.static.claimed.output.origin import Origin
from verifiers.static.claimed.output.trace import Trace

_CALLS = frozenset(
    {"render_template", "stream_template", "render", "TemplateResponse", "render_to_string", "render_to_response",
     "render_template_async", "template"}
)  # fmt: skip
_DECORATES = frozenset({"template", "jinja2_view", "templated", "render_to"})
_FLASK_ESCAPES = (".html", ".htm", ".xml", ".xhtml", ".svg")


class Rendering(NamedTuple):
    """One call or decorated function that fills a template."""

    path: str
    line: int
    end_line: int
    function: str
    """Qualified name of the function it stands in, '' for none."""
    template: str
    """Path of the template."""
    autoescape: bool | None
    """None when it does not show."""
    switch: Location | None
    """Where escaping is switched off."""
    values: tuple[tuple[str, ast.expr], ...]
    """Name -> value, of keywords."""
    contexts: tuple[ast.expr, ...]
    """Mappings of all names."""


@once
def renderings(project: Project) -> tuple[Rendering, ...]:
    """Every rendering of a template of the project, by file and line."""
    found: list[Rendering] = []
    pages = [
        p for p in project.entries if p.endswith((".html", ".htm", ".jinja2", ".jinja", ".j2", ".tpl", ".xml", ".txt"))
    ]
    environments = _environments(project)
    for module in project.modules_matching(re.compile(rb"render|TemplateResponse|template")):
        for call in module.nodes(ast.Call):
            word = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if word in _CALLS:
                made = _called(module, call, pages, environments)
                if made is not None:
                    found.append(made)
        for qualname, function in module.functions:
            for decorator in function.decorator_list:
                made = _decorated(module, qualname, function, decorator, pages, environments)
                if made is not None:
                    found.append(made)
    return tuple(found)


class Environment(NamedTuple):
    """A call that makes or installs a template engine."""

    path: str
    at: Location
    autoescape: bool
    name: str
    """Name that it is bound to, '' for none."""
    processors: tuple[str, ...]
    """Functions that add values to every template, dotted."""


@once
def _environments(project: Project) -> tuple[Environment, ...]:
    found = []
    for module in project.modules_matching(
        re.compile(rb"Environment|aiohttp_jinja2|jinja2|Jinja2Templates|context_processor")
    ):
        for call in module.nodes(ast.Call):
            made = environment(module, call)
            if made is not None:
                found.append(made)
    return tuple(found)


def environment(module: Module, call: ast.Call) -> Environment | None:
    """The template engine that a call makes, None when it makes none."""
    dotted = module.resolve(call.func) or ""
    if dotted not in {"jinja2.Environment", "jinja2.environment.Environment", "jinja2.sandbox.SandboxedEnvironment",
                      "jinja2.sandbox.ImmutableSandboxedEnvironment", "aiohttp_jinja2.setup"}:  # fmt: skip
        return None
    given = next((k.value for k in call.keywords if k.arg == "autoescape"), None)
    if isinstance(given, ast.Constant):
        on = bool(given.value)
    else:
        on = given is not None or dotted == "aiohttp_jinja2.setup"
    processors = next((k.value for k in call.keywords if k.arg == "context_processors"), None)
    names = tuple(module.resolve(e) or "" for e in getattr(processors, "elts", []))
    parent = module.parents.get(call)
    target = parent.targets[0] if isinstance(parent, ast.Assign) else None
    name = target.id if isinstance(target, ast.Name) else ""
    return Environment(module.path, module.location(call), on, name, names)


def _called(
    module: Module, call: ast.Call, pages: list[str], environments: tuple[Environment, ...]
) -> Rendering | None:
    values = tuple((k.arg, k.value) for k in call.keywords if k.arg is not None)
    given = [*call.args, *(k.value for k in call.keywords)]
    name = next(
        (a.value for a in given if isinstance(a, ast.Constant) and isinstance(a.value, str) and _named(pages, a.value)),
        None,
    )
    autoescape: bool | None
    switch: Location | None = None
    dotted = module.resolve(call.func) or ""
    if name is None:
        fetched = _fetched(module, call)
        if fetched is None:
            return None
        name, autoescape, switch = fetched
    elif dotted.startswith(("flask.", "quart.")):
        autoescape = name.endswith(_FLASK_ESCAPES)
    elif (
        dotted.startswith(("django.", "fastapi.", "starlette."))
        or "TemplateResponse" in dotted
        or "request" in ast.unparse(call)
    ):
        autoescape, switch = _engine(environments, "aiohttp_jinja2." in dotted)
    else:
        autoescape = None
    template = _named(pages, name)
    if template is None:
        return None
    contexts = [a for a in given if not isinstance(a, ast.Constant) and isinstance(a, ast.Dict | ast.Name | ast.Call)]
    function = module.enclosing_function(call)
    return Rendering(
        module.path, call.lineno, call.end_lineno or call.lineno, module.qualname(function) if function is not None else "",
        template, autoescape, switch, values, tuple(c for c in contexts if getattr(c, "id", "") != "request"),
    )  # fmt: skip


def _engine(environments: tuple[Environment, ...], installed: bool) -> tuple[bool, Location | None]:
    off = next((e for e in environments if not e.autoescape and e.name == ""), None) if installed else None
    return (False, off.at) if off is not None else (True, None)


def _named(pages: list[str], name: str) -> str | None:
    if "." not in name:
        return None
    found = [p for p in pages if p == name or p.endswith(f"/{name}")]
    return min(found, key=len) if found else None


def _fetched(module: Module, call: ast.Call) -> tuple[str, bool | None, Location | None] | None:
    """`environment.get_template("x.html").render(...)`: the template's name and whether the environment escapes."""
    if not isinstance(call.func, ast.Attribute):
        return None
    made: ast.AST | None = call.func.value
    if isinstance(made, ast.Name):
        made = next((b.node for b in bindings.bindings(module, made) if b.how == "value"), None)
    if not (isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr == "get_template"):
        return None
    name = made.args[0].value if made.args and isinstance(made.args[0], ast.Constant) else None
    owner = made.func.value
    values = (
        [b.node for b in bindings.bindings(module, owner) if b.how == "value"]
        if isinstance(owner, ast.Name)
        else [owner]
    )
    engines = [e for v in values if isinstance(v, ast.Call) and (e := environment(module, v)) is not None]
    if not isinstance(name, str):
        return None
    if not engines:
        return (name, None, None)
    return (name, engines[0].autoescape, None if engines[0].autoescape else engines[0].at)


def _decorated(
    module: Module, qualname: str, function: FunctionNode, decorator: ast.expr, pages: list[str],
    environments: tuple[Environment, ...],
) -> Rendering | None:  # fmt: skip
    if not isinstance(decorator, ast.Call) or not decorator.args:
        return None
    dotted = module.resolve(decorator.func) or ""
    name = decorator.args[0].value if isinstance(decorator.args[0], ast.Constant) else None
    if dotted.rpartition(".")[2] not in _DECORATES or not isinstance(name, str):
        return None
    template = _named(pages, name)
    if template is None:
        return None
    autoescape, switch = _engine(environments, dotted.startswith("aiohttp_jinja2"))
    returned = tuple(n.value for n in bindings.own_nodes(function) if isinstance(n, ast.Return) and n.value is not None)
    return Rendering(
        module.path, bindings.first_line(function), function.end_lineno or function.lineno, qualname, template, autoescape,
        switch, (), returned,
    )  # fmt: skip


def values(trace: Trace, rendering: Rendering, name: str) -> list[Origin]:
    """Origins of a variable of the template; [] when the rendering does not pass it."""
    module = trace.module(rendering.path)
    if module is None:
        return []
    for key, value in rendering.values:
        if key == name:
            return trace.of(module, value)
    found: list[Origin] = []
    for context in rendering.contexts:
        found += [o for o in trace.of(module, context, (), name) if o.what != "empty" and o.kind != "request"]
    return found or processed(trace, name)


def processed(trace: Trace, name: str) -> list[Origin]:
    """Origins of a variable that a context processor adds to every template."""
    found: list[Origin] = []
    for engine in _environments(trace.project):
        for dotted in engine.processors:
            known = trace.project.index.function(dotted)
            home = trace.module(known.path) if known is not None else None
            node = dict(home.functions).get(known.qualname) if home is not None and known is not None else None
            if home is None or node is None:
                continue
            for part in bindings.own_nodes(node):
                if isinstance(part, ast.Return) and isinstance(part.value, ast.Dict):
                    for key, value in zip(part.value.keys, part.value.values, strict=True):
                        if isinstance(key, ast.Constant) and key.value == name:
                            found += trace.of(home, value)
    return found


def family(project: Project, path: str) -> list[str]:
    """A template, those that it extends or includes, and so on: what is sent when it is rendered."""
    found: list[str] = []
    waiting = [path]
    names = [p for p in project.entries if project.entries[p].language != "binary"]
    while waiting and len(found) < 20:
        current = waiting.pop(0)
        if current in found:
            continue
        found.append(current)
        page = Page(current, project.text(current).replace("\r\n", "\n"))
        for tag in page.tags:
            match = re.match(r"(?:extends|include)\s+['\"]([^'\"]+)['\"]", tag.text) if tag.kind == "%" else None
            other = _named(names, match.group(1)) if match is not None else None
            if other is not None:
                waiting.append(other)
    return found
