"""Switches that turn a protection off: is it really off, for everybody, without being asked for?"""

import ast
import re
from collections.abc import Iterator

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_ASKED = re.compile(r"insecure|verify|no_check|skip|unsafe|debug|dev|test|local|trust", re.IGNORECASE)
_DEVELOPMENT = re.compile(
    r"(?:^|[/_.-])(?:dev|devel|development|local|test|testing|tests|example|examples|sample|demo|ci)(?:[/_.-]|$)"
)
_LOCAL = re.compile(r"localhost|127\.0\.0\.1|\[::1\]")


def certificate(finding: Finding, project: Project) -> Ruling:
    """certificate-check-off: dismissed behind an option that asks for it; open where only this machine is called."""
    module = module_of(finding, project)
    node = _node(module, finding) if module else None
    if module is None or node is None:
        return cannot_tell("there is no such call or assignment at this place")
    asked = _asked(module, node)
    if asked is not None:
        return falls(
            f"only when somebody asks for it: `{ast.unparse(asked)[:80]}`",
            kind="guard",
            at=(module.location(node), module.location(asked)),
        )
    if _DEVELOPMENT.search(finding.path):
        return cannot_tell("this file is for development")
    if any(_LOCAL.search(text) for text in _texts(node)):
        return cannot_tell("the call goes to this machine")
    if isinstance(node, ast.Assign) and not _context(module, node):
        return cannot_tell("whether this is a TLS context does not show")
    if module.enclosing_function(node) is None:
        return cannot_tell("it runs when the module is loaded, and what it is used for does not show")
    return stands(
        "no condition stands before it: every call accepts any certificate",
        kind="constant",
        at=(module.location(node),),
    )


def debug(finding: Finding, project: Project) -> Ruling:
    """debug-on: confirmed where the port is open to other machines or the switch is in production settings."""
    module = module_of(finding, project)
    node = _node(module, finding) if module else None
    if module is None or node is None:
        return cannot_tell("there is no such call or assignment at this place")
    if _DEVELOPMENT.search(finding.path):
        return cannot_tell("this file is for development")
    at = (module.location(node),)
    if isinstance(node, ast.Call):
        host = next((k.value for k in node.keywords if k.arg == "host"), None)
        if isinstance(host, ast.Constant) and host.value in {"0.0.0.0", "::"}:  # a comparison, nothing is bound
            return stands(
                "debug mode on all interfaces: the debugger runs code for whoever reaches the port",
                kind="constant",
                at=at,
            )
        return cannot_tell("the server listens to this machine only, unless told otherwise")
    later = [n for n in module.nodes(ast.Name) if n.id == "DEBUG" and isinstance(n.ctx, ast.Store)]
    if len(later) > 1 or any("import *" in ast.unparse(n) for n in module.nodes(ast.ImportFrom)):
        return cannot_tell("the setting is changed again, or another settings module has its say")
    served = _served(module, project)
    if served is not None:
        return stands(
            f"`{served}` serves the application with these settings",
            kind="constant",
            at=at,
            detail=f"named in {served}",
        )
    return cannot_tell("another settings module may replace it in production")


def _served(module: Module, project: Project) -> str | None:
    """The WSGI or ASGI module that names this settings module as the one to use, None when there is none or several."""
    suffixes = {module.name.split(".", n)[-1] for n in range(module.name.count("."))} | {module.name}
    found = []
    for name, path in project.index.module_paths.items():
        if name.rpartition(".")[2] in {"wsgi", "asgi"}:
            server = project.module(path)
            named = {c.value for c in server.nodes(ast.Constant) if isinstance(c.value, str)}
            if named & suffixes:
                found.append(path)
    return sorted(found)[-1] if found else None


def cors(finding: Finding, project: Project) -> Ruling:
    """cors-any-origin: confirmed when both options are constants and nothing asks first."""
    module = module_of(finding, project)
    node = _node(module, finding) if module else None
    if module is None or not isinstance(node, ast.Call):
        return cannot_tell("there is no call at this place")
    asked = _asked(module, node)
    if asked is not None:
        return cannot_tell(f"only under a condition: `{ast.unparse(asked)[:80]}`")
    if _DEVELOPMENT.search(finding.path):
        return cannot_tell("this file is for development")
    options = {k.arg: k.value for k in node.keywords}
    stars = [v for v in options.values() if any(isinstance(n, ast.Constant) and n.value == "*" for n in ast.walk(v))]
    on = [
        k
        for k, v in options.items()
        if k and k.endswith("credentials") and isinstance(v, ast.Constant) and v.value is True
    ]
    if not stars or not on:
        return falls("not both any origin and credentials", kind="constant", at=(module.location(node),))
    return stands(f"any origin together with `{on[0]}=True`", kind="constant", at=(module.location(node),))


_SECRET_WORD = re.compile(r"secret|passw|token|key|pwd|salt", re.IGNORECASE)


def default_secret(finding: Finding, project: Project) -> Ruling:
    """default-secret: dismissed when the module refuses the default; open in files for development."""
    module = module_of(finding, project)
    call = node_at(module, finding, ast.Call) if module else None
    if module is None or call is None or not call.args:
        return cannot_tell("there is no call at this place")
    default = call.args[1] if len(call.args) > 1 else next((k.value for k in call.keywords if k.arg == "default"), None)
    if not isinstance(default, ast.Constant) or not isinstance(default.value, str):
        return falls("the default is no text", kind="constant", at=(module.location(call),))
    if not default.value.strip():
        return falls("the default is empty", kind="constant", at=(module.location(call),))
    statement = module.statement(call)
    names = {t.id for t in getattr(statement, "targets", []) if isinstance(t, ast.Name)}
    for test in _refusals(module, default.value, names):
        return falls("the default is refused here", kind="guard", at=(module.location(call), module.location(test)))
    if _DEVELOPMENT.search(finding.path):
        return cannot_tell("this file is for development")
    variable = str(finding.facts.get("variable", ""))
    if re.search(
        r"_(?:file|path|url|name|header|id|env|prefix|type|algorithm|expir\w*|ttl|minutes)$", variable, re.IGNORECASE
    ):
        return cannot_tell("the variable names something about a secret, not the secret")
    words = variable.lower().strip("_").split("_")
    if not any(_SECRET_WORD.search(word) for word in words[-2:]):
        return cannot_tell("by its last words the variable is not the secret itself")
    if re.search(r"\s", default.value.strip()):
        return cannot_tell("the default is a phrase, which nobody uses as a secret")
    if _asked(module, call) is not None:
        return cannot_tell("only under a condition")
    return stands(
        "without the variable the program works with a secret that is in the source",
        kind="constant",
        at=(module.location(call),),
    )


def _refusals(module: Module, default: str, names: set[str]) -> Iterator[ast.Compare]:
    """Comparisons with the default whose outcome raises or exits."""
    for test in module.nodes(ast.Compare):
        operands = [test.left, *test.comparators]
        same = any(isinstance(n, ast.Constant) and n.value == default for o in operands for n in ast.walk(o))
        ours = any(isinstance(o, ast.Name) and o.id in names for o in operands)
        around = next((a for a in module.ancestors(test) if isinstance(a, ast.If | ast.Assert)), None)
        if same and ours and around is not None:
            yield test


def _context(module: Module, node: ast.Assign) -> bool:
    """Whether the object whose `verify_mode` is set was made by the module ssl, in the same function."""
    target = node.targets[0]
    owner = target.value if isinstance(target, ast.Attribute) else None
    scope = module.enclosing_function(node) or module.tree
    for statement in ast.walk(scope):
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call) and isinstance(owner, ast.Name):
            made = module.resolve(statement.value.func) or ""
            ours = any(isinstance(t, ast.Name) and t.id == owner.id for t in statement.targets)
            if ours and (made.startswith("ssl.") or made.endswith("create_urllib3_context")):
                return True
    return False


def _node(module: Module, finding: Finding) -> ast.Call | ast.Assign | None:
    return node_at(module, finding, ast.Call) or node_at(module, finding, ast.Assign)


def _asked(module: Module, node: ast.AST) -> ast.expr | None:
    """The condition around `node` that speaks of a switch, None when there is none."""
    for up in module.ancestors(node):
        if isinstance(up, ast.If | ast.IfExp) and any(_ASKED.search(word) for word in _texts(up.test)):
            return up.test
        if isinstance(up, ast.FunctionDef | ast.AsyncFunctionDef):
            break
    return None


def _texts(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        match part:
            case ast.Name():
                yield part.id
            case ast.Attribute():
                yield part.attr
            case ast.Constant(value=str() as text):
                yield text
