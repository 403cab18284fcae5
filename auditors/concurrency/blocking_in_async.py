"""blocking-call-in-async: a call that blocks the thread inside `async def`.

Why: while it waits, the event loop runs nothing else: every other request, timer and heartbeat of the process stands still.

Example:

    async def fetch(url):
        time.sleep(1)            # await asyncio.sleep(1)
        return requests.get(url)  # await client.get(url), or asyncio.to_thread(requests.get, url)

What it cannot see: blocking calls behind functions of the project, and libraries that are not in its list.
"""

import ast
from collections.abc import Iterator

from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
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
    "urllib.request.urlopen": "await asyncio.to_thread(urllib.request.urlopen, ...)",
    "subprocess.run": "await asyncio.create_subprocess_exec(...)",
    "subprocess.call": "await asyncio.create_subprocess_exec(...)",
    "subprocess.check_call": "await asyncio.create_subprocess_exec(...)",
    "subprocess.check_output": "await asyncio.create_subprocess_exec(...)",
    "os.system": "await asyncio.create_subprocess_shell(...)",
    "socket.create_connection": "await asyncio.open_connection(...)",
}
"""Calls of the standard library and of requests that wait for a clock, a process or the network."""


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Calls in the table whose innermost function is `async def`."""
    del project
    for call in module.nodes(ast.Call):
        name = module.resolve(call.func)
        if name not in BLOCKING or not isinstance(module.enclosing_function(call), ast.AsyncFunctionDef):
            continue
        yield module.claim(
            RULE,
            call,
            scenario=f"While `{name}` waits inside `async def {module.symbol(call)}`, the event loop serves nothing else.",
            fix=BLOCKING[name],
            facts={"call": name},
        )


CHECK = Check(rules=(RULE,), module=check)
