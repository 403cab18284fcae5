"""Functions that a framework calls: named in an OpenAPI file, in a table of URLs, or handed to a call that adds a route."""

import ast
import re

from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.claimed.output.kept import once
from verifiers.static.claimed.output.origin import OUTSIDER, REQUEST, Origin
from verifiers.static.security import untrusted

_OPERATION = re.compile(
    r"""^\s*["']?(?:operationId|x-openapi-router-controller)["']?\s*:\s*["']?([\w.]+)["']?""", re.MULTILINE
)
_ADDS = frozenset(
    {"add_url_rule", "route", "add_route", "add_api_route", "get", "post", "put", "delete", "patch", "add_get", "add_post",
     "path", "re_path", "url", "add_view", "register_error_handler", "view"}
)  # fmt: skip
_NUMBERS = frozenset({"int", "float", "UUID", "uuid.UUID", "bool"})


def parameter(project: Project, module: Module, function: FunctionNode, argument: ast.arg) -> Origin | None:
    """What a client decides of a parameter of a function that a framework calls; None when nothing shows that one does."""
    at = module.location(argument)
    if _responds(project, module, function):
        arguments = function.args.args
        return Origin(REQUEST, "falcon", at) if arguments[1] is argument else None
    annotation = ast.unparse(argument.annotation) if argument.annotation is not None else ""
    marks = frozenset({"number"} if annotation in _NUMBERS else {"text"})
    if _operation(project, module, function):
        return Origin(OUTSIDER, f"parameter `{argument.arg}` of the API", at, marks=marks)
    for rule in rules(project, module, function):
        for name, converter in untrusted.placeholders(rule):
            if name == argument.arg:
                number = converter in {"int", "float", "uuid", "slug"}
                return Origin(
                    OUTSIDER, f"route parameter `{name}`", at, marks=frozenset({"number"}) if number else marks
                )
        if argument.arg == "request":
            framework = untrusted.framework_of(module)
            return Origin(REQUEST, framework, at) if framework else None
    return None


def restricted(module: Module, function: FunctionNode, argument: ast.arg) -> bool:
    """Whether the framework lets only some texts through: a pattern beside the parameter, or a converter of the route."""
    a = function.args
    positional = [*a.posonlyargs, *a.args]
    defaults = dict(zip([p.arg for p in positional[len(positional) - len(a.defaults) :]], a.defaults, strict=True))
    default = defaults.get(argument.arg)
    if isinstance(default, ast.Call) and any(k.arg in {"regex", "pattern", "enum"} for k in default.keywords):
        return True
    converters = {
        c for rule in untrusted.routes(module, function) for n, c in untrusted.placeholders(rule) if n == argument.arg
    }
    return bool(converters & {"uuid", "slug", "any", "int", "float"})


def answers(project: Project, module: Module, function: FunctionNode) -> bool:
    """Whether a framework calls the function to answer requests."""
    if untrusted.routes(module, function) or _operation(project, module, function):
        return True
    return bool(rules(project, module, function)) or bool(_handed(module, function))


def _responds(project: Project, module: Module, function: FunctionNode) -> bool:
    """A responder as Falcon finds them, by name, in a project that uses it."""
    named = re.fullmatch(r"on_(?:get|post|put|delete|patch|head|options)(?:_\w+)?", function.name)
    inside = isinstance(module.parents.get(function), ast.ClassDef)
    return bool(named) and inside and len(function.args.args) >= 3 and _uses_falcon(project)


@once
def _uses_falcon(project: Project) -> bool:
    pattern = re.compile(rb"^\s*(?:import|from)\s+falcon\b", re.MULTILINE)
    return any(True for _ in project.modules_matching(pattern, test=None))


def _operation(project: Project, module: Module, function: FunctionNode) -> bool:
    dotted = f"{module.name}.{module.qualname(function)}"
    return any(dotted == name or dotted.endswith(f".{name}") for name in _operations(project))


@once
def _operations(project: Project) -> frozenset[str]:
    """Functions that OpenAPI files of a project with connexion name."""
    if not any(True for _ in project.modules_matching(re.compile(rb"\bconnexion\b"))):
        return frozenset()
    found: set[str] = set()
    for path in project.entries:
        if path.endswith((".yml", ".yaml", ".json")) and b"operationId" in project.read_bytes(path):
            found |= {name for name in _OPERATION.findall(project.text(path)) if "." in name}
    return frozenset(found)


def rules(project: Project, module: Module, function: FunctionNode) -> list[str]:
    """URL rules of a table elsewhere that name the function."""
    dotted = f"{module.name}.{module.qualname(function)}" if module.name else module.qualname(function)
    return [rule for name, rule in _table(project) if name == dotted]


@once
def _table(project: Project) -> tuple[tuple[str, str], ...]:
    """(dotted function, rule) of calls like `path("x/<int:n>", views.f)` outside of functions, and of `add_url_rule`."""
    found: list[tuple[str, str]] = []
    for module in project.modules_matching(
        re.compile(rb"path\(|url\(|add_url_rule|add_route|\.route\(|add_get|add_post|web\.get")
    ):
        for call in module.nodes(ast.Call):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if name not in _ADDS or not call.args:
                continue
            first = call.args[0]
            rule = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
            for given in [*call.args[1:], *(k.value for k in call.keywords)]:
                dotted = module.resolve(given) if isinstance(given, ast.Name | ast.Attribute) else None
                known = project.index.function(dotted) if dotted else None
                if known is not None:
                    found.append((known.name, rule))
    return tuple(found)


def _handed(module: Module, function: FunctionNode) -> list[ast.Call]:
    """Calls that add a route and are handed the function, also where a function inside another is made for it."""
    outer = module.enclosing_function(function)
    names = {function.name}
    if outer is not None and any(
        isinstance(n, ast.Return) and isinstance(n.value, ast.Name) and n.value.id == function.name
        for n in ast.walk(outer)
    ):  # a factory of views: whoever calls it hands the result on
        for call in module.nodes(ast.Call):
            if isinstance(call.func, ast.Name) and call.func.id == outer.name:
                parent = module.parents.get(call)
                if isinstance(parent, ast.Assign):
                    names |= {t.id for t in parent.targets if isinstance(t, ast.Name)}
    found = []
    for call in module.nodes(ast.Call):
        word = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        named = module.resolve(call.func) or ""
        if word in _ADDS or named.endswith((".path", ".re_path", ".url")):
            given = [*call.args[1:], *(k.value for k in call.keywords)]
            if any(isinstance(g, ast.Name) and g.id in names for g in given):
                found.append(call)
    return found
