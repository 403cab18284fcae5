"""Where a taint claim's value enters: in which part of a request, under which name, through which application."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from harness.schema.finding import Finding
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from harness.source.syntax import NotParsed

_CHANNELS = {
    "query": ("args", "values", "query_string", "GET", "query_params", "params", "query", "query_arguments"),
    "form": ("form", "POST", "forms", "post", "body_arguments"),
    "json": ("json", "get_json", "json_body"),
    "cookie": ("cookies", "COOKIES"),
    "header": ("headers", "META", "user_agent", "referrer"),
    "path": ("path_params", "view_args", "match_info", "matchdict", "urlargs"),
    "body": ("data", "get_data", "body", "stream", "read"),
}
_BY_PART = {part: channel for channel, parts in _CHANNELS.items() for part in parts}
_PROGRAM = {"sys.argv": "argv", "environment": "environment", "standard input": "stdin", "input()": "stdin"}
_FIXED_KEYS = {"user_agent": "User-Agent", "referrer": "Referer"}
_LOOKUPS = frozenset({"get", "getlist", "pop", "getfirst", "get_argument", "getall", "getenv"})
_APPLICATIONS = ("Flask", "FastAPI", "Starlette")
_FACTORIES = ("create_app", "make_app", "app_factory", "get_app", "build_app")
_SETTINGS = re.compile(r"""DJANGO_SETTINGS_MODULE['"]\s*,\s*['"]([\w.]+)['"]""")


_KEY = re.compile(r"[A-Za-z][\w.-]{0,40}=?")


class Way(NamedTuple):
    """How the value gets in."""

    drive: str
    """`web`, `program` or `function`."""
    channel: str
    """Part of the request or of the program's surroundings."""


def way_of(finding: Finding) -> Way | None:
    """By the name of the source; None when no driver knows it."""
    source, facts = finding.facts.get("source", ""), finding.facts
    if source in _PROGRAM:
        return Way("program", _PROGRAM[source])
    part = source.rpartition(".")[2]
    if "request" in source.rpartition(".")[0].lower() and part in _BY_PART:
        return Way("web", _BY_PART[part])
    if facts.get("parameter") and "route" in facts:
        return Way("web", "path")
    if facts.get("parameter") and source.startswith("parameter"):
        return Way("function", "argument")
    return None


class Keys(NamedTuple):
    """Names under which a value is sent."""

    names: tuple[str, ...]
    """At least one; when the claim's own is known it is the first."""
    known: bool
    """Whether it is. If not, the value goes under every name."""


def keys_of(finding: Finding, project: Project, way: Way) -> Keys:
    """The claim's key and the others that the functions on the way look up; failing that, every word they call with."""
    part = finding.facts.get("source", "").rpartition(".")[2]
    own = finding.facts.get("parameter") or _FIXED_KEYS.get(part, "")
    if way.drive == "function":
        return Keys((own,), True)
    first = [own] if own else []
    others: list[str] = []
    words: list[str] = []
    for role, path, line in _places(finding):
        module = _module(project, path)
        if module is None:
            continue
        looked_up = list(_lookups(module))
        if role == "source" and not first:
            first += [key for node, key in looked_up if node.lineno <= line <= (node.end_lineno or 0)]
        function = next((f for _, f in reversed(module.functions) if f.lineno <= line <= (f.end_lineno or 0)), None)
        if function is not None:
            others += [key for node, key in looked_up if function.lineno <= node.lineno <= (function.end_lineno or 0)]
            words += _words(function)
    keys = list(dict.fromkeys([*first, *others])) or list(dict.fromkeys(words)) or ["value"]
    if way.channel == "header":
        keys = [k.removeprefix("HTTP_").replace("_", "-") for k in keys]
    return Keys(tuple(keys[:12]), bool(first))


def applications(finding: Finding, project: Project) -> list[list[str]]:
    """(path, module name) of modules that make a web application; that of the entry function first."""
    index = project.index
    names = {path: name for name, path in index.module_paths.items()}
    entry = finding.facts.get("entry_path", finding.path)
    paths = [call.path for made in _APPLICATIONS for call in index.calls.get(made, []) if not call.test]
    paths += [f.path for made in _FACTORIES for f in index.by_simple_name.get(made, []) if not f.test]
    found = sorted(dict.fromkeys(paths), key=lambda path: (path != entry, path))
    return [[path, names[path]] for path in found[:6] if path in names]


def around(finding: Finding, project: Project) -> str:
    """Name of the module's function in whose body the entry stands, when it takes an application or nothing."""
    outer, _, inner = finding.facts["entry"].partition(".")
    module = _module(project, finding.facts["entry_path"])
    function = dict(module.functions).get(outer) if module and inner else None
    if function is None:
        return ""
    required = len(function.args.posonlyargs) + len(function.args.args) - len(function.args.defaults)
    return outer if required <= 1 else ""


def leading(finding: Finding, project: Project) -> list[tuple[str, str]]:
    """(path, qualified name) of the entry function, the sink's, and what calls them, up to three calls away."""
    index = project.index
    found = [(finding.facts["entry_path"], finding.facts["entry"]), (finding.path, finding.symbol or "")]
    start = 0
    for _ in range(3):
        end = len(found)
        for path, qualname in found[start:end]:
            for function in index.by_simple_name.get(qualname.rpartition(".")[2], []):
                if (function.path, function.qualname) == (path, qualname):
                    found += [(c.path, c.caller) for c in index.callers(function) if c.caller and not c.test]
        start = end
    return list(dict.fromkeys([*found, *((path, name.rpartition(".")[0]) for path, name in found if "." in name)]))


def django_settings(project: Project) -> str:
    """Dotted name of the settings module of a Django project, '' for any other project."""
    for path in project.matching("manage.py", "*/manage.py", "*wsgi.py", "*asgi.py"):
        found = _SETTINGS.search(project.text(path))
        if found:
            return found.group(1)
    return ""


def _places(finding: Finding) -> Iterator[tuple[str, str, int]]:
    for related in finding.related:
        yield related.role, related.location.path, related.location.line
    yield "sink", finding.path, finding.line


def _lookups(module: Module) -> Iterator[tuple[ast.expr, str]]:
    for subscript in module.nodes(ast.Subscript):
        if isinstance(subscript.slice, ast.Constant) and isinstance(subscript.slice.value, str):
            yield subscript, subscript.slice.value
    for call in module.nodes(ast.Call):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        first = call.args[0] if call.args else None
        if name in _LOOKUPS and isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield call, first.value


def _words(function: FunctionNode) -> Iterator[str]:
    """Constants that could be a key: in a call, looked for in something, or before a `=` in raw text."""
    for node in ast.walk(function):
        inside = node.args if isinstance(node, ast.Call) else []
        inside = [node.left] if isinstance(node, ast.BinOp | ast.Compare) else inside
        for part in inside:
            if isinstance(part, ast.Constant) and isinstance(part.value, str) and _KEY.fullmatch(part.value):
                yield part.value.rstrip("=")


def _module(project: Project, path: str) -> Module | None:
    try:
        return project.module(path)
    except (KeyError, NotParsed):
        return None
