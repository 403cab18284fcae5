"""exists-then-create: a row is looked for and, when there is none, created in a second query.

Why: two requests at once both find none and both create it: two accounts with one name, or an IntegrityError that the
second user sees as a crash.

Example:

    if not User.objects.filter(name=name).exists():
        User.objects.create(name=name)            # get_or_create, with a unique constraint

What it cannot see: rows that are looked for by raw SQL, and constraints of the database that the models do not name.
"""

import ast
import re
from collections.abc import Iterator

from auditors.bodies import ends, marginal, own
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="exists-then-create",
    group="concurrency",
    title="Row looked for, then created",
    severity=Severity.MEDIUM,
    cwe=367,
    page=__doc__,
)

_LOOKS = re.compile(
    r"^(\w+(?:\.\w+)*)\.objects\.(?:filter|get)\(.*\)(?:\.exists\(\)|\.first\(\)|\.count\(\))?$", re.DOTALL
)
_QUERY = re.compile(r"\.query\((\w+)\)|(\w+)\.query\b")


def check(module: Module, project: Project) -> Iterator[Claim]:
    """A decision on a look-up of a model (there, or through a local), and a creation of the same model that relies on it."""
    del project
    if marginal(module) or not any(word in module.text for word in (".objects.", ".query")):
        return
    for decision in module.nodes(ast.If):
        looked = _looked(module, decision)
        if looked is None:
            continue
        model, look = looked
        parent = module.parents.get(decision)
        block = getattr(parent, "body", [])
        later = block[block.index(decision) + 1 :] if ends(decision.body) and decision in block else []
        for node in own([*decision.body, *decision.orelse, *later]):
            if isinstance(node, ast.Call) and _creates(node, model):
                yield module.claim(
                    RULE,
                    node,
                    scenario=f"Two requests at once look for the same `{model}` in line {look.lineno}, both find none, and both "
                    "create it: two rows, or an IntegrityError for the second.",
                    fix="A unique constraint, and get_or_create or a handler for IntegrityError.",
                    facts={"model": model, "test_line": str(look.lineno), "decision_line": str(decision.lineno)},
                    related=(module.related("test", look, "looked for here"),),
                )
                break


def _looked(module: Module, decision: ast.If) -> tuple[str, ast.expr] | None:
    model = _model(decision.test)
    if model is not None:
        return model, decision.test
    function = module.enclosing_function(decision)
    names = {n.id for n in ast.walk(decision.test) if isinstance(n, ast.Name)}
    for node in own(function.body) if function is not None else ():
        if isinstance(node, ast.Assign) and node.lineno < decision.lineno and isinstance(node.targets[0], ast.Name):
            found = _model(node.value) if node.targets[0].id in names else None
            if found is not None:
                return found, node.value
    return None


def _model(expression: ast.expr) -> str | None:
    """The model that a look-up in `expression` is about."""
    for node in ast.walk(expression):
        if not isinstance(node, ast.Call):
            continue
        text = ast.unparse(node)
        match = _LOOKS.match(text)
        if match:
            return match.group(1)
        query = _QUERY.search(text) if text.endswith((".first()", ".one_or_none()", ".scalar()", ".count()")) else None
        if query:
            return query.group(1) or query.group(2)
    return None


def _creates(call: ast.Call, model: str) -> bool:
    text = ast.unparse(call.func)
    return text in {f"{model}.objects.create", model}


CHECK = Check(rules=(RULE,), module=check)
