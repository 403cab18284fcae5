"""Format strings: what Python's own formatter says when it is given the literal and arguments of the same shape."""

import ast
import string

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.wrapped.sites import site, splats

WIDTH_CAP = 200
"""Characters of a format string that we are ready to run; a width in it could ask for gigabytes."""
_LOG = frozenset({"debug", "info", "warning", "warn", "error", "exception", "critical", "fatal"})


class _Any(int):
    """An argument that every placeholder takes."""

    def __str__(self) -> str:
        return ""

    def __format__(self, spec: str) -> str:
        return ""

    def __getitem__(self, key: object) -> "_Any":
        return self

    def __getattr__(self, name: str) -> "_Any":
        return self


def percent(finding: Finding, project: Project) -> Ruling:
    """`"..." % arguments`: formats the literal with stand-ins for the arguments that are no literals."""
    found = site(finding, project, ast.BinOp)
    if found is None or not isinstance(found.node, ast.BinOp):
        return cannot_tell("there is no % formatting at this place")
    module, node = found
    if not isinstance(node.op, ast.Mod) or not isinstance(node.left, ast.Constant):
        return cannot_tell("the format string is no literal")
    template = node.left.value
    if not isinstance(template, str | bytes) or _wide(template):
        return cannot_tell("the format string is none that may be tried out")
    arguments = _stand_in(node.right)
    if arguments is None:
        return cannot_tell("the arguments are known only while running")
    try:
        _ = template % arguments
    except (TypeError, ValueError, KeyError) as error:
        return stands(
            f"formatting this literal raises {type(error).__name__}: {error}",
            kind="constant",
            at=(module.location(node),),
        )
    return falls("formatting this literal works", kind="constant", at=(module.location(node),))


def _wide(template: str | bytes) -> bool:
    text = template.decode("latin-1") if isinstance(template, bytes) else template
    return any(len(run) > 3 for run in "".join(c if c.isdigit() else " " for c in text).split())


def _stand_in(node: ast.expr) -> object | None:
    """Something of the same shape as the right-hand side: a tuple, a dictionary, a literal; None when it is unknown."""
    if isinstance(node, ast.Tuple):
        if any(isinstance(element, ast.Starred) for element in node.elts):
            return None
        return tuple(_small(e.value) if isinstance(e, ast.Constant) else _Any() for e in node.elts)
    if isinstance(node, ast.Dict):
        keys = [k.value if isinstance(k, ast.Constant) else None for k in node.keys]
        return None if None in keys else dict.fromkeys(keys, _Any())
    if isinstance(node, ast.Constant):
        return _small(node.value)
    if isinstance(node, ast.List | ast.ListComp | ast.JoinedStr):
        return [] if not isinstance(node, ast.JoinedStr) else ""
    return None


def _small(value: object) -> object:
    """The value, or 1 for a number that could be a width of gigabytes."""
    return 1 if isinstance(value, int) and abs(value) > 999 else value


def braces(finding: Finding, project: Project) -> Ruling:
    """`"...".format(...)`: parses the literal with `string.Formatter` and compares what it asks for with what it gets."""
    found = site(finding, project, ast.Call)
    if found is None or not isinstance(found.node, ast.Call):
        return cannot_tell("there is no call at this place")
    module, call = found
    function = call.func
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Constant):
        return cannot_tell("the format string is no literal")
    template = function.value.value
    if function.attr != "format" or not isinstance(template, str) or splats(call):
        return cannot_tell("the arguments are known only while running")
    place = (module.location(call),)
    try:
        fields = [name for _, name, spec, _ in string.Formatter().parse(template) for name in _names(name, spec)]
    except ValueError as error:
        return stands(f"the literal cannot be parsed: {error}", kind="constant", at=place)
    numbered = [name for name in fields if name.isdigit()]
    automatic = sum(1 for name in fields if not name)
    if numbered and automatic:
        return stands("the literal numbers some of its fields and not others: ValueError", kind="constant", at=place)
    wanted = {int(name) for name in numbered} | set(range(automatic))
    names = {name for name in fields if name and not name.isdigit()}
    given = {k.arg for k in call.keywords}
    missing = [str(n) for n in sorted(wanted) if n >= len(call.args)] + sorted(names - given)
    unused = [str(n) for n in range(len(call.args)) if n not in wanted]
    if missing:
        return stands(f"nothing is passed for the field {missing[0]}", kind="constant", at=place)
    if finding.rule == "ruff:F523" and unused:
        return stands(f"no field shows the argument {unused[0]}", kind="constant", at=place)
    return falls("every field has its argument, and every argument its field", kind="constant", at=place)


def _names(name: str | None, spec: str | None) -> list[str]:
    if name is None:
        return []
    root = name.split(".")[0].split("[")[0]
    inner = [n for _, n, s, _ in string.Formatter().parse(spec or "") for n in _names(n, s)]
    return [root, *inner]


def log_call(finding: Finding, project: Project) -> Ruling:
    """Counts placeholders and arguments of a log call on a name that is bound to a logger in this module."""
    found = site(finding, project, ast.Call)
    if found is None or not isinstance(found.node, ast.Call):
        return cannot_tell("there is no call at this place")
    module, call = found
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr not in _LOG or splats(call) or not call.args:
        return cannot_tell("this is no plain log call")
    if not _logger(module, function.value):
        return cannot_tell("what the method belongs to is not known to be a logger of the standard library")
    template, *arguments = call.args
    if not isinstance(template, ast.Constant) or not isinstance(template.value, str) or _wide(template.value):
        return cannot_tell("the message is no literal")
    place = (module.location(call),)
    if len(arguments) == 1 and not isinstance(arguments[0], ast.Constant) and "%(" in template.value:
        return falls("one argument may be the mapping that the placeholders name", kind="constant", at=place)
    if not arguments:
        return falls("without arguments the message is not formatted", kind="constant", at=place)
    try:
        _ = template.value % tuple(_Any() for _ in arguments)
    except (TypeError, ValueError) as error:
        return stands(
            f"logging formats this literal, which raises {type(error).__name__}: {error}", kind="constant", at=place
        )
    return falls("placeholders and arguments agree", kind="constant", at=place)


def _logger(module: Module, node: ast.expr) -> bool:
    name = module.resolve(node)
    if name == "logging":
        return True
    if not isinstance(node, ast.Name):
        return False
    statement = module.definitions.get(node.id)
    value = getattr(statement, "value", None)
    return isinstance(value, ast.Call) and module.resolve(value.func) == "logging.getLogger"
