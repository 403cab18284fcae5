"""Calls that switch a protection off: is it that function, is the value really the dangerous one, and is it meant for use?"""

import ast
import re
from collections.abc import Callable

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.ruling import Falsifier, Ruling, cannot_tell, falls, stands
from verifiers.static.wrapped.sites import constant, keyword, site, splats

Look = Callable[[Module, ast.Call], Ruling | str]
"""A ruling, or the sentence that says why the claim stands."""
_ASIDE = re.compile(r"(?:^|/)(?:examples?|samples?|demos?|docs?|benchmarks?|scripts|tools|fixtures)/")

_REMOVES = re.compile(r"(?:^|\.)(?:remove|unlink|rmdir|rmtree|func)$")
"""`func` is what `shutil.rmtree` hands to its error callback."""


def _call(look: Look) -> Falsifier:
    def falsify(finding: Finding, project: Project) -> Ruling:
        found = site(finding, project, ast.Call)
        if found is None or not isinstance(found.node, ast.Call):
            return cannot_tell("there is no call at this place")
        module, call = found
        answer = look(module, call)
        place = (module.location(call),)
        if isinstance(answer, Ruling):
            return answer
        if _shadowed(module, call):
            return cannot_tell("a local name shadows the module")
        if fallback := _for_missing(module, call):
            return cannot_tell(f"it is what is done where an import fails (line {fallback.lineno})")
        if _ASIDE.search(module.path):
            return cannot_tell("the file is an example or a tool of the developers")
        return stands(answer, kind="constant", at=place)

    return falsify


def _for_missing(module: Module, call: ast.Call) -> ast.ExceptHandler | None:
    """The `except ImportError` around the call, None when there is none."""
    for up in module.ancestors(call):
        if isinstance(up, ast.ExceptHandler) and up.type is not None:
            names = {n.id for n in ast.walk(up.type) if isinstance(n, ast.Name)}
            if names & {"ImportError", "ModuleNotFoundError"}:
                return up
    return None


def _shadowed(module: Module, call: ast.Call) -> bool:
    root: ast.expr = call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    function = module.enclosing_function(call)
    if not isinstance(root, ast.Name) or function is None:
        return False
    names = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    names |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return root.id in names


def _mode(module: Module, call: ast.Call) -> Ruling | str:
    value = keyword(call, "mode") or next((a for a in call.args[-1:]), None)
    mode = constant(value, module)
    if not isinstance(mode, int):
        return cannot_tell("the mode is known only while running")
    if mode & 0o1000:
        return falls("the sticky bit keeps others from replacing files", kind="constant", at=(module.location(call),))
    if removed := _removed_next(module, call):
        return falls("the file is removed right after", kind="flow", at=(module.location(removed),))
    if mode & 0o002:
        return f"mode {mode:#o} lets every user write"
    return falls(f"mode {mode:#o} lets nobody but owner and group write", kind="constant", at=(module.location(call),))


def _removed_next(module: Module, call: ast.Call) -> ast.Call | None:
    """The call that removes the file in the same block or the one around it, soon after `call`."""
    path = ast.unparse(call.args[0]) if call.args else ""
    function = module.enclosing_function(call)
    for node in ast.walk(function) if function is not None and path else ():
        if isinstance(node, ast.Call) and call.lineno < node.lineno <= call.lineno + 3:
            named = path in {ast.unparse(a) for a in node.args[:1]}
            called = ast.unparse(node.func)
            if (named and _REMOVES.search(called)) or called == f"{path}.unlink":
                return node
    return None


def _no_timeout(module: Module, call: ast.Call) -> Ruling | str:
    name = module.resolve(call.func) or ""
    if not re.fullmatch(r"requests\.(?:get|post|put|delete|patch|head|options|request)", name):
        return cannot_tell("the call is not one of requests itself")
    if splats(call):
        return cannot_tell("a timeout may come with the ** arguments")
    timeout = keyword(call, "timeout")
    if timeout is not None and constant(timeout) is not None:
        return falls("a timeout is passed", kind="constant", at=(module.location(call),))
    return f"{name} waits without end when no timeout is passed"


def _verify(module: Module, call: ast.Call) -> Ruling | str:
    name = module.resolve(call.func) or ""
    value = keyword(call, "verify")
    if value is None or constant(value, module) is not False:
        return cannot_tell("verify is not a literal False here")
    if name.split(".")[0] not in {"requests", "httpx"}:
        return cannot_tell("the call is not known to be one of requests or httpx")
    return f"{name} is told to accept any certificate"


def _unverified(module: Module, call: ast.Call) -> Ruling | str:
    if module.resolve(call.func) != "ssl._create_unverified_context":
        return cannot_tell("the call is not the one of ssl")
    return "the context that ssl._create_unverified_context gives checks no certificate"


def _mktemp(module: Module, call: ast.Call) -> Ruling | str:
    if module.resolve(call.func) != "tempfile.mktemp":
        return cannot_tell("the call is not tempfile.mktemp")
    return "tempfile.mktemp returns a name and creates nothing"


def _yaml(module: Module, call: ast.Call) -> Ruling | str:
    loader = keyword(call, "Loader") or (call.args[1] if len(call.args) > 1 else None)
    name = module.resolve(loader) if loader is not None else None
    if name in {"yaml.SafeLoader", "yaml.CSafeLoader"}:
        return falls("the loader is a safe one", kind="constant", at=(module.location(call),))
    if call.args and isinstance(call.args[0], ast.Constant):
        return falls("the document is a literal", kind="constant", at=(module.location(call),))
    return cannot_tell("who writes the document is not known")


def _extract(module: Module, call: ast.Call) -> Ruling | str:
    value = keyword(call, "filter")
    if value is not None and constant(value) in {"data", "tar"}:
        return falls("a filter is passed", kind="constant", at=(module.location(call),))
    return cannot_tell("whether the archive comes from outside is not known")


def _host_keys(module: Module, call: ast.Call) -> Ruling | str:
    policy = call.args[0] if call.args else keyword(call, "policy")
    if "Policy" in (module.resolve(call.func) or ""):
        policy = call
    name = module.resolve(policy.func if isinstance(policy, ast.Call) else policy) if policy is not None else ""
    if name and name.rpartition(".")[2] in {"AutoAddPolicy", "WarningPolicy"} and name.startswith("paramiko"):
        return f"{name} accepts a host that it has never seen"
    return cannot_tell("the policy is not a literal one of paramiko")


def _key_size(module: Module, call: ast.Call) -> Ruling | str:
    for value in (*(k.value for k in call.keywords), *call.args):
        size = constant(value, module)
        if isinstance(size, int) and not isinstance(size, bool) and 256 <= size < 2048:
            return f"{size} bits are asked for"
    return cannot_tell("the size is known only while running")


def _tls(module: Module, call: ast.Call) -> Ruling | str:
    for value in (*call.args, *(k.value for k in call.keywords)):
        name = module.resolve(value) or ""
        if re.fullmatch(r"ssl\.PROTOCOL_(?:SSLv2|SSLv3|TLSv1|TLSv1_1)", name):
            return f"{name} is asked for"
    return cannot_tell("the version is not a literal of ssl")


def _shell(module: Module, call: ast.Call) -> Ruling | str:
    command = call.args[0] if call.args else keyword(call, "args")
    if command is None:
        return cannot_tell("there is no command")
    if isinstance(constant(command, module), str):
        return falls("the command is a constant that nobody can change", kind="constant", at=(module.location(call),))
    return cannot_tell("where the command comes from is left to the taint analysis")


def _listen(module: Module, call: ast.Call) -> Ruling | str:
    if module.resolve(call.func) == "logging.config.listen" and keyword(call, "verify") is None and len(call.args) < 2:
        return "what arrives at the port is not verified"
    return cannot_tell("the call may verify what it receives")


def _dataclass_default(module: Module, call: ast.Call) -> Ruling | str:
    name = module.resolve(call.func) or ""
    if name in {
        "datetime.datetime.now",
        "datetime.datetime.utcnow",
        "datetime.date.today",
        "time.time",
        "uuid.uuid4",
        "uuid.uuid1",
    }:
        return f"{name}() is called once, when the class is made"
    return cannot_tell("the object may be immutable")


def _torch(module: Module, call: ast.Call) -> Ruling | str:
    if constant(keyword(call, "weights_only")) is True:
        return falls("weights_only is True", kind="constant", at=(module.location(call),))
    return cannot_tell("where the model file comes from, and the version of torch, are not known")


def _revision(module: Module, call: ast.Call) -> Ruling | str:
    revision = keyword(call, "revision")
    if revision is not None and isinstance(constant(revision, module), str):
        return falls("a revision is pinned", kind="constant", at=(module.location(call),))
    return cannot_tell("whether the repository is one's own is not known")


CALLS: dict[str, Falsifier] = {
    "ruff:S103": _call(_mode),
    "ruff:S113": _call(_no_timeout),
    "ruff:S202": _call(_extract),
    "ruff:S306": _call(_mktemp),
    "ruff:S323": _call(_unverified),
    "ruff:S501": _call(_verify),
    "ruff:S502": _call(_tls),
    "ruff:S505": _call(_key_size),
    "ruff:S506": _call(_yaml),
    "ruff:S507": _call(_host_keys),
    "ruff:S602": _call(_shell),
    "ruff:S605": _call(_shell),
    "ruff:S612": _call(_listen),
    "ruff:RUF009": _call(_dataclass_default),
    "bandit:B614": _call(_torch),
    "bandit:B615": _call(_revision),
}
"""Kinds decided by what a call is given."""
