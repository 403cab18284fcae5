"""Starts the worker and reports for it.

The worker is forked before the nonce is read, and has neither the nonce nor the descriptor of the report; the judge
imports nothing of the project and cannot be looked into. So the code under test can end the worker, print what it likes
and lie about itself, but it cannot write the report.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable

MOST_BYTES = 200_000
"""Of a worker's report."""
TOO_LONG = "it took too long"
_PR_SET_DUMPABLE = 4


def main(templates: dict[str, Callable[[dict[str, object]], dict[str, object]]]) -> None:
    """Argument 1 names a template, 2 is the length of its job, 3 the seconds it has. The input is the job in JSON, which is
    too long for an argument, and then a line with the nonce, of which nothing is read before the fork."""
    name, job, seconds = sys.argv[1], json.loads(_exactly(int(sys.argv[2]))), float(sys.argv[3])
    reading, writing = os.pipe()
    worker = os.fork()
    if worker == 0:
        os.close(reading)
        _work(lambda: templates[name](job), writing)
    os.close(writing)
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    nonce = sys.stdin.readline().strip()
    answer = receive(reading, seconds)
    with contextlib.suppress(ProcessLookupError):
        os.kill(worker, signal.SIGKILL)
    os.write(1, f"{nonce} {json.dumps(answer)}\n".encode())
    os._exit(0)


def _exactly(size: int) -> bytes:
    """So many bytes of the input, and not one that follows: no buffer may hold the nonce."""
    data = b""
    while len(data) < size:
        chunk = os.read(0, size - len(data))
        if not chunk:
            break
        data += chunk
    return data


def _work(call: Callable[[], dict[str, object]], writing: int) -> None:
    """Never returns. Standard output of the project goes where its errors go."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    send(writing, call)
    os._exit(0)


def send(writing: int, call: Callable[[], dict[str, object]]) -> None:
    """Write what `call` returns, or why it raised, as JSON."""
    try:
        answer: dict[str, object] = {"answer": call()}
    except BaseException as error:  # noqa: BLE001  # whatever the project raises, also SystemExit, is a result
        answer = {"error": f"{type(error).__name__}: {error}"[:2000]}
    data = json.dumps(answer, default=repr).encode()
    with contextlib.suppress(OSError):
        while data:
            data = data[os.write(writing, data) :]


def receive(reading: int, seconds: float) -> dict[str, object]:
    """What `send` wrote at the other end, or why nothing came. Closes `reading`."""
    deadline = time.monotonic() + seconds
    data = b""
    while len(data) <= MOST_BYTES:
        ready, _, _ = select.select([reading], [], [], max(deadline - time.monotonic(), 0))
        if not ready:
            os.close(reading)
            return {"error": TOO_LONG}
        chunk = os.read(reading, 65536)
        if not chunk:
            break
        data += chunk
    os.close(reading)
    try:
        answer = json.loads(data)
    except ValueError:
        return {"error": "the process ended without an answer"}
    return answer if isinstance(answer, dict) else {"error": "the answer is no object"}


def isolated(call: Callable[[], dict[str, object]], seconds: float) -> dict[str, object]:
    """`call` in a process of its own: {"answer": ...} or {"error": ...}; nothing it changes stays."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        send(writing, call)
        os._exit(0)
    os.close(writing)
    answer = receive(reading, seconds)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return answer
