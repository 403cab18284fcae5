"""hardcoded-secret: does the text let anybody in, or is it a placeholder, an example, or replaced later?"""

import ast
import re

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_DEVELOPMENT = re.compile(
    r"(?:^|[/_.-])(?:dev|devel|development|local|test|testing|tests|example|examples|sample|samples|demo|docs|ci)(?:[/_.-]|$)"
)
_WHO = re.compile(r"user|login|name|account|email|admin", re.IGNORECASE)
SHORTEST = 3
_SECRET = re.compile(r"secret|passw|passphrase|token|pwd|credential|(?:^|_|\W)key|api_?key|[a-z]_key", re.IGNORECASE)
_ABOUT = re.compile(
    r"_(?:file|path|url|uri|name|header|field|id|env|prefix|type|algorithm|expir\w*|ttl|len\w*|size|hash|param\w*|label)\W*$",
    re.IGNORECASE,
)
"""Endings of names that say something about a secret."""
_MASK = re.compile(r"(.)\1*|(?:none|null|true|false|required|unset|empty|missing|password)", re.IGNORECASE)


def falsify(finding: Finding, project: Project) -> Ruling:
    """See the module's docstring."""
    module = module_of(finding, project)
    if module is None:
        return cannot_tell("the file cannot be read")
    if _DEVELOPMENT.search(finding.path):
        return cannot_tell("this file is for development, or an example")
    compare = node_at(module, finding, ast.Compare)
    if compare is not None:
        return _compared(module, compare)
    node: ast.Assign | ast.Call | None = node_at(module, finding, ast.Assign) or node_at(module, finding, ast.Call)
    if node is None:
        return cannot_tell("there is no comparison, assignment or call at this place")
    value = node.value if isinstance(node, ast.Assign) else node.args[1] if len(node.args) > 1 else None
    at = (module.location(node),)
    if value is not None and _from_outside(module, value):
        return falls("the value comes from the environment", kind="constant", at=at)
    if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
        return cannot_tell("what is assigned is no plain text")
    if _MASK.fullmatch(value.value) or len(value.value) < SHORTEST:
        return cannot_tell("the text looks like a mask, or is empty")
    if isinstance(node, ast.Call):
        return stands("the token is signed with a text of the source", kind="constant", at=at)
    target = ast.unparse(node.targets[0])
    if _ABOUT.search(target) or not _SECRET.search(target):
        return cannot_tell("by its name the target is something about a secret, or none")
    stores = [a for a in module.nodes(ast.Assign) if target in {ast.unparse(t) for t in a.targets}]
    if len(stores) > 1 or any(isinstance(up, ast.If | ast.Try | ast.IfExp) for up in module.ancestors(node)):
        return cannot_tell("the key is set in another place too, or under a condition")
    loads = [c for c in module.nodes(ast.Call) if isinstance(c.func, ast.Attribute) and c.func.attr.startswith("from_")]
    if any(c.lineno > node.lineno and "config" in ast.unparse(c.func) for c in loads):
        return cannot_tell("configuration that is loaded later may replace the key")
    return stands(f"`{target}` is a text of the source, in every installation", kind="constant", at=at)


def _from_outside(module: Module, value: ast.expr) -> bool:
    """`os.environ[...]`, or a read of the environment without a text to fall back on."""
    if isinstance(value, ast.Subscript):
        return module.resolve(value.value) == "os.environ"
    if not isinstance(value, ast.Call) or module.resolve(value.func) not in {"os.getenv", "os.environ.get"}:
        return False
    return len(value.args) == 1 and not value.keywords


def _compared(module: Module, compare: ast.Compare) -> Ruling:
    at = (module.location(compare),)
    sides = (compare.left, compare.comparators[0])
    text = next((s.value for s in sides if isinstance(s, ast.Constant) and isinstance(s.value, str)), "")
    if _MASK.fullmatch(text):
        return cannot_tell("the text looks like a mask or a word for no password")
    both = next((up for up in module.ancestors(compare) if isinstance(up, ast.BoolOp)), None)
    if both is None or not isinstance(both.op, ast.And) or compare not in both.values:
        return cannot_tell("no name of a user is compared beside it, so what the comparison decides does not show")
    for other in both.values:
        if other is not compare and isinstance(other, ast.Compare) and isinstance(other.ops[0], ast.Eq):
            operands = [other.left, *other.comparators]
            fixed = any(isinstance(o, ast.Constant) and isinstance(o.value, str) and o.value for o in operands)
            if fixed and any(_WHO.search(ast.unparse(o)) for o in operands if not isinstance(o, ast.Constant)):
                where = module.location(other)
                return stands("one user is let in with a password of the source", kind="constant", at=(*at, where))
    return cannot_tell("no name of a user is compared beside it, so what the comparison decides does not show")
