"""missing-f-prefix: a plain string names local variables in braces and is shown as it stands.

Why: the reader of the message sees `{path}` instead of the path.

Example:

    raise ValueError("cannot read {path}")       # f"cannot read {path}"

What it cannot see: strings that are formatted later, somewhere else; those are not claimed where that is likely.
"""

import ast
import re
from collections.abc import Iterator

from auditors.syntax import last_name, parameters, stored
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="missing-f-prefix",
    group="correctness",
    title="String was meant to be an f-string",
    severity=Severity.LOW,
    page=__doc__,
)
_PLACE = re.compile(r"(?<!\{)\{([A-Za-z_]\w*)(?:![rsa])?\}(?!\})")
FORMATTERS = frozenset({"format", "format_map", "Template", "compile", "safe_substitute", "substitute", "_", "gettext"})


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Strings in a function, not docstrings, whose every `{name}` is bound in that function."""
    if module.test:
        return
    del project
    bound: dict[FunctionNode, set[str]] = {}
    for text in module.nodes(ast.Constant):
        if not isinstance(text.value, str) or "{" not in text.value:
            continue
        names = _PLACE.findall(text.value)
        function = module.enclosing_function(text)
        if not names or function is None or _used_as_template(module, text, names):
            continue
        if function not in bound:
            bound[function] = stored(function.body) | {p.arg for p in parameters(function)}
        if set(names) <= bound[function]:
            yield module.claim(
                RULE,
                text,
                scenario=f"The text keeps `{{{names[0]}}}` as it stands; the value of `{names[0]}` is not in it.",
                fix="Put an `f` before the string.",
                facts={"names": ",".join(dict.fromkeys(names))},
            )


def _used_as_template(module: Module, text: ast.Constant, names: list[str]) -> bool:
    """Formatted at once, or handed to a call together with one of the values."""
    parent = module.parents.get(text)
    if isinstance(parent, ast.Expr | ast.JoinedStr | ast.FormattedValue):
        return True
    if isinstance(parent, ast.Attribute) and parent.attr in FORMATTERS:
        return True
    if not isinstance(parent, ast.Call):
        return False
    return last_name(parent.func) in FORMATTERS or any(k.arg in names for k in parent.keywords)


CHECK = Check(rules=(RULE,), module=check)
