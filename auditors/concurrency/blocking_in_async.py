"""blocking-call-in-async: a call that blocks the thread inside `async def`, there or one function further.

Why: while it waits, the event loop runs nothing else: every other request, timer and heartbeat of the process stands still.

Example:

    async def fetch(url):
        time.sleep(1)            # await asyncio.sleep(1)
        return requests.get(url)  # await client.get(url), or asyncio.to_thread(requests.get, url)

What it cannot see: blocking calls two functions away, methods of other objects, and libraries that are not in its list.
"""

import ast
from collections.abc import Iterator

from auditors.bodies import marginal, own
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.index import Function
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="blocking-call-in-async",
    group="concurrency",
    title="Blocking call in async code",
    severity=Severity.MEDIUM,
    cwe=834,
    page=__doc__,
)

BLOCKING = {
    "time.sleep": "await asyncio.sleep(...)",
    "requests.get": "await asyncio.to_thread(requests.get, ...)",
    "requests.post": "await asyncio.to_thread(requests.post, ...)",
    "requests.put": "await asyncio.to_thread(requests.put, ...)",
    "requests.delete": "await asyncio.to_thread(requests.delete, ...)",
    "requests.request": "await asyncio.to_thread(requests.request, ...)",
    "httpx.get": "await client.get(...) of an httpx.AsyncClient",
    "httpx.post": "await client.post(...) of an httpx.AsyncClient",
    "urllib.request.urlopen": "await asyncio.to_thread(urllib.request.urlopen, ...)",
    "subprocess.run": "await asyncio.create_subprocess_exec(...)",
    "subprocess.call": "await asyncio.create_subprocess_exec(...)",
    "subprocess.check_call": "await asyncio.create_subprocess_exec(...)",
    "subprocess.check_output": "await asyncio.create_subprocess_exec(...)",
    "os.system": "await asyncio.create_subprocess_shell(...)",
    "socket.create_connection": "await asyncio.open_connection(...)",
}
"""Calls of the standard library, requests and httpx that wait for a clock, a process or the network."""


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Calls in the table whose innermost function is `async def`, and calls there of functions that make such a call."""
    if marginal(module):
        return
    for call in module.nodes(ast.Call):
        function = module.enclosing_function(call)
        if not isinstance(function, ast.AsyncFunctionDef):
            continue
        name = module.resolve(call.func)
        if name in BLOCKING:
            yield module.claim(
                RULE,
                call,
                scenario=f"While `{name}` waits inside `async def {module.symbol(call)}`, the event loop serves nothing else.",
                fix=BLOCKING[name],
                facts={"call": name},
            )
        elif name:
            yield from _through(module, project, call, name)


def _through(module: Module, project: Project, call: ast.Call, name: str) -> Iterator[Claim]:
    callee = _callee(module, project, call, name)
    if callee is None or callee.is_async or callee.is_generator or callee.test:
        return
    home = project.module(callee.path)
    body = next((f for _, f in home.functions if f.lineno == callee.line and home.qualname(f) == callee.qualname), None)
    blocking = _blocking(home, body) if body is not None else None
    if blocking is None:
        return
    found = home.resolve(blocking.func) or ""
    yield module.claim(
        RULE,
        call,
        scenario=f"`{callee.qualname}` calls `{found}` ({callee.path}:{blocking.lineno}); while it waits inside "
        f"`async def {module.symbol(call)}`, the event loop serves nothing else.",
        fix=f"await asyncio.to_thread({ast.unparse(call.func)}, ...)",
        facts={
            "call": found,
            "through": callee.name,
            "blocking_path": callee.path,
            "blocking_line": str(blocking.lineno),
        },
        related=(home.related("sink", blocking, "this waits"),),
    )


def _callee(module: Module, project: Project, call: ast.Call, name: str) -> Function | None:
    head, _, attribute = name.partition(".")
    if head == "self":
        cls = module.enclosing_class(call)
        if cls is None or "." in attribute:
            return None
        name = f"{module.name}.{module.qualname(cls)}.{attribute}".lstrip(".")
    return project.index.function(name)


def _blocking(module: Module, function: FunctionNode) -> ast.Call | None:
    for node in own(function.body):
        if isinstance(node, ast.Call) and module.resolve(node.func) in BLOCKING:
            return node
    return None


CHECK = Check(rules=(RULE,), module=check)
