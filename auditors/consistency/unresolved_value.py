"""unresolved-value-used: a value is resolved or normalised, and then the raw one is used where the resolved one belongs.

Why: the client is made for the resolved model and the price is looked up under the alias; the check is made on the real path
and the file is opened by the raw one. The two part company exactly when resolving mattered.

Example:

    model = resolve(requested)
    client = CLIENTS[model]
    price = PRICES[requested]         # PRICES[model]: KeyError, or another model's price

What it cannot see: raw and resolved values in different functions.
"""

import ast
import re
from collections.abc import Iterator

from auditors.syntax import dotted, last_name, own
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="unresolved-value-used",
    group="consistency",
    title="Raw value used after it was resolved",
    severity=Severity.MEDIUM,
    page=__doc__,
)
RESOLVERS = re.compile(
    r"^_*(resolve|normali[sz]e|canonical|realpath|abspath|sanitize|sanitise|clean|canonicali[sz]e|secure_filename|expand|"
    r"normpath|lookup_alias|unalias)(_|$)|_(resolved|normali[sz]ed|canonical)$"
)
SKIPPED = re.compile(
    r"(log|logger|logging|warn|warning|debug|info|error|print|format|repr|str|Error|Exception|exception)$"
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """For each resolving assignment, the first later use of the raw name as an argument or key."""
    del project
    if module.test:
        return
    for assign in module.nodes(ast.Assign):
        function = module.enclosing_function(assign)
        call = assign.value
        if function is None or not isinstance(call, ast.Call) or len(assign.targets) != 1:
            continue
        resolved = dotted(assign.targets[0])
        raw = _raw_of(module, call)
        if not resolved or not raw or raw == resolved or raw == "self":
            continue
        use = _later_use(module, function, assign, raw)
        if use is not None:
            yield module.claim(
                RULE,
                use,
                scenario=f"`{raw}` was resolved to `{resolved}` in line {assign.lineno}, but this uses `{raw}`: for every value "
                "that resolving changes, the two disagree.",
                fix=f"Use `{resolved}` here as well.",
                facts={"raw": raw, "resolved": resolved, "resolver": last_name(call.func), "line": str(assign.lineno)},
                related=(module.related("definition", assign, "resolved here"),),
            )


def _raw_of(module: Module, call: ast.Call) -> str:
    """The name that is resolved: the one argument of `resolve(x)` or `self.resolve(x)`, or the receiver of `x.resolve()`."""
    if not RESOLVERS.search(last_name(call.func)):
        return ""
    receiver = dotted(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    if receiver and receiver not in {"self", "cls"} and receiver.partition(".")[0] not in module.imports:
        return "" if call.args or call.keywords else receiver
    return dotted(call.args[0]) if len(call.args) == 1 else ""


def _later_use(module: Module, function: FunctionNode, assign: ast.Assign, raw: str) -> ast.AST | None:
    for node in own(function.body):
        if getattr(node, "lineno", 0) <= (assign.end_lineno or assign.lineno):
            continue
        if isinstance(node, ast.Name) and node.id == raw.partition(".")[0] and isinstance(node.ctx, ast.Store):
            return None
        values: list[ast.expr] = []
        if isinstance(node, ast.Call) and not SKIPPED.search(last_name(node.func)):
            values = [*node.args, *(k.value for k in node.keywords)]
            if RESOLVERS.search(last_name(node.func)):
                values = []
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            values = [node.slice]
        if any(dotted(v) == raw for v in values) and not isinstance(module.statement(node), ast.Raise):
            return node
    return None


CHECK = Check(rules=(RULE,), module=check)
