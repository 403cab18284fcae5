"""exists-then-open: a file is looked for first and then opened, made or removed in a second step.

Why: between the two somebody else makes or removes it. The second step then fails, or overwrites what the other one
has just written.

Example:

    if not os.path.exists(folder):
        os.makedirs(folder)            # two workers: one gets FileExistsError. os.makedirs(folder, exist_ok=True)
    if path.exists():
        path.unlink()                  # path.unlink(missing_ok=True)

What it cannot see: paths that are spelt in two ways, and answers that are kept in a variable. Files that are only read
are looked at in modules that import threads, asyncio or a web framework.
"""

import ast
from collections.abc import Iterator

from auditors.bodies import constant, ends, keyword, marginal, own
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="exists-then-open",
    group="concurrency",
    title="File looked for, then used",
    severity=Severity.LOW,
    cwe=367,
    page=__doc__,
)

_ASKS = {"os.path.exists", "os.path.isfile", "os.path.isdir", "os.path.lexists"}
_METHOD_ASKS = {"exists", "is_file", "is_dir"}
_PARALLEL = {"threading", "asyncio", "concurrent", "multiprocessing", "flask", "fastapi", "django", "anyio"}
_MAKES = {"os.mkdir": "mkdir", "os.makedirs": "mkdir"}
_REMOVES = {"os.remove", "os.unlink", "os.rmdir", "shutil.rmtree"}


def check(module: Module, project: Project) -> Iterator[Claim]:
    """`if exists(p)` with a use of `p`, spelt the same, in the branch that relies on the answer."""
    del project
    if marginal(module):
        return
    parallel = any(target.partition(".")[0] in _PARALLEL for target in module.imports.values())
    for decision in module.nodes(ast.If):
        asked = _asked(module, decision.test)
        if asked is None:
            continue
        path, positive = asked
        for body, there in ((decision.body, positive), (_otherwise(module, decision), not positive)):
            for node in own(body):
                use = _use(module, node, path, there) if isinstance(node, ast.Call) else None
                if use is None or (use == "read" and not parallel):
                    continue
                yield module.claim(
                    RULE,
                    node,
                    scenario=_scenario(use, path, decision.test.lineno),
                    fix=_FIXES[use],
                    facts={"path": path, "use": use, "test_line": str(decision.test.lineno)},
                    related=(module.related("test", decision.test, "looked for here"),),
                )
                break


def _asked(module: Module, test: ast.expr) -> tuple[str, bool] | None:
    positive = True
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, positive = test.operand, False
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and positive:
        for part in test.values:
            found = _asked(module, part)
            if found is not None:
                return found
    if not isinstance(test, ast.Call):
        return None
    if module.resolve(test.func) in _ASKS and test.args:
        return ast.unparse(test.args[0]), positive
    if isinstance(test.func, ast.Attribute) and test.func.attr in _METHOD_ASKS and not test.args:
        return ast.unparse(test.func.value), positive
    return None


def _otherwise(module: Module, decision: ast.If) -> list[ast.stmt]:
    """What runs when the test is false: the else branch, or the rest of the block when the body ends the path."""
    if decision.orelse or not ends(decision.body):
        return decision.orelse
    parent = module.parents.get(decision)
    block = getattr(parent, "body", [])
    return block[block.index(decision) + 1 :] if decision in block else []


def _use(module: Module, call: ast.Call, path: str, there: bool) -> str | None:
    name = module.resolve(call.func) or ""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    on_path = method and ast.unparse(call.func.value) == path  # type: ignore[attr-defined]  # an attribute has a value
    of_path = bool(call.args) and ast.unparse(call.args[0]) == path
    if not there:
        if (of_path and name in _MAKES and keyword(call, "exist_ok") is None) or (
            on_path and method == "mkdir" and keyword(call, "exist_ok") is None
        ):
            return "mkdir"
        mode = _mode(call, 1 if of_path else 0)
        if (of_path and name in {"open", "io.open"}) or (on_path and method == "open"):
            return "create" if mode.startswith("w") else None
        return "create" if on_path and method in {"write_text", "write_bytes"} else None
    if (of_path and name in _REMOVES and keyword(call, "ignore_errors") is None) or (
        on_path and method in {"unlink", "rmdir"} and keyword(call, "missing_ok") is None
    ):
        return "remove"
    if ((of_path and name == "open") or (on_path and method == "open")) and _mode(call, 1 if of_path else 0)[:1] == "r":
        return "read"
    return "read" if on_path and method in {"read_text", "read_bytes"} else None


def _mode(call: ast.Call, position: int) -> str:
    given = keyword(call, "mode") or (call.args[position] if len(call.args) > position else None)
    return "r" if given is None else constant(given) or "?"


def _scenario(use: str, path: str, line: int) -> str:
    then = {
        "mkdir": f"another process makes `{path}` after the look in line {line}: FileExistsError",
        "create": f"two processes both find `{path}` missing in line {line}; the second overwrites what the first wrote",
        "remove": f"another process removes `{path}` after the look in line {line}: FileNotFoundError",
        "read": f"another process removes `{path}` after the look in line {line}: FileNotFoundError",
    }
    return f"Two run at once: {then[use]}."


_FIXES = {
    "mkdir": "exist_ok=True instead of the look.",
    "create": 'Open with mode "x" and handle FileExistsError.',
    "remove": "missing_ok=True, or handle FileNotFoundError, instead of the look.",
    "read": "Open, and handle FileNotFoundError.",
}

CHECK = Check(rules=(RULE,), module=check)
