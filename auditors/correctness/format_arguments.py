"""format-arguments: a log call or a format constant gets another number of values than it has places.

Why: `logging` prints a traceback to stderr instead of the message; `%` and `.format` raise, often in the error path that
needed the message most.

Example:

    log.error("cannot read %s: %s", path)        # TypeError inside logging, the message is lost

What it cannot see: format strings built at run time.
"""

import ast
import re
from collections.abc import Iterator

from auditors.syntax import dotted, last_name
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="format-arguments",
    group="correctness",
    title="Format string and values do not fit",
    severity=Severity.MEDIUM,
    cwe=685,
    page=__doc__,
)
LEVELS = frozenset({"debug", "info", "warning", "warn", "error", "exception", "critical", "fatal"})
LOGGERS = re.compile(r"(^|\.|_)(log|logger|logging|_log|_logger|LOG|LOGGER)$")
_PLACE = re.compile(r"%(?:%|(?P<name>\([^)]*\))?[-#0 +]*(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d+))?[hlL]?[a-zA-Z])")


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Log calls with a literal message; `%` with a literal or a module constant on its left and a tuple on its right."""
    if module.test:
        return
    del project
    for call in module.nodes(ast.Call):
        receiver = dotted(call.func.value) if isinstance(call.func, ast.Attribute) else ""
        if last_name(call.func) not in LEVELS or not LOGGERS.search(receiver) or not call.args:
            continue
        text, values = _text(module, call.args[0]), call.args[1:]
        if text is None or not values or any(isinstance(v, ast.Starred | ast.Dict) for v in values):
            continue
        yield from _compare(module, call, text, len(values), "logging")
    for operation in module.nodes(ast.BinOp):
        if isinstance(operation.op, ast.Mod) and isinstance(operation.right, ast.Tuple):
            text = _text(module, operation.left)
            elements = operation.right.elts
            if text is not None and not any(isinstance(e, ast.Starred) for e in elements):
                yield from _compare(module, operation, text, len(elements), "percent")


def _compare(module: Module, node: ast.AST, text: str, given: int, form: str) -> Iterator[Claim]:
    wanted = 0
    for place in _PLACE.finditer(text):
        if place["name"]:
            return
        if place.group() != "%%":
            wanted += 1 + (place["width"] == "*") + (place["precision"] == "*")
    if wanted != given:
        yield module.claim(
            RULE,
            node,
            scenario=f"The format has {wanted} places and gets {given} values: TypeError instead of the message.",
            fix="Give one value for each place.",
            facts={"places": str(wanted), "values": str(given), "form": form},
        )


def _text(module: Module, node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name) and node.id.isupper():
        definition = module.definitions.get(node.id)
        value = definition.value if isinstance(definition, ast.Assign) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return value.value
    return None


CHECK = Check(rules=(RULE,), module=check)
