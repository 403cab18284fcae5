"""One process with many threads, for tasks that mostly wait for an answer from elsewhere. The parent has no threads.

Same promises as `harness.workers.Pool`. When the process dies, the tasks in flight are tried again one by one, so that the
one that killed it cannot take the others along.
"""

import contextlib
import json
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple

from pydantic import JsonValue

from harness.workers import TICK_S, Outcome, Task, Work, settle_in

MakeWork = Callable[[], Work]
AHEAD = 4
"""One task for so many threads is handed over before it is its turn, so that a thread never waits for the parent."""


class _Flying(NamedTuple):
    task: Task
    attempt: int
    until: float


class Crew:
    """`width` threads that call what `make` makes, in a process of their own. Forks, so POSIX only."""

    def __init__(self, make: MakeWork, *, width: int, monotonic: Callable[[], float]) -> None:
        self._make = make
        self._width = width
        self._monotonic = monotonic
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._flying: dict[str, _Flying] = {}

    def __enter__(self) -> "Crew":
        return self

    def __exit__(self, *exc: object) -> None:
        self.kill()

    def run(
        self,
        tasks: Iterable[Task],
        *,
        begun: Callable[[Task], None] = lambda _: None,
        until: float | None = None,
        idle: Callable[[], None] = lambda: None,
    ) -> Iterator[Outcome]:
        """See `harness.workers.Pool.run`."""
        waiting = deque((task, 1) for task in tasks)
        try:
            while waiting or self._flying:
                if until is not None and self._monotonic() >= until:
                    return
                idle()
                while waiting and self._may_send(waiting[0][1]):
                    task, attempt = waiting.popleft()
                    begun(task)
                    self._send(task, attempt)
                for outcome, attempt in self._collect():
                    if outcome.crashed and attempt < outcome.task.tries:
                        waiting.appendleft((outcome.task, attempt + 1))
                    else:
                        yield outcome
        finally:
            if self._flying:
                self.kill()

    def _may_send(self, attempt: int) -> bool:
        """A task that was in flight when the process died is suspect: it goes out alone, so that it can only hurt itself."""
        if attempt > 1 or any(one.attempt > 1 for one in self._flying.values()):
            return not self._flying
        return len(self._flying) < self._width + self._width // AHEAD

    def kill(self) -> None:
        """End the process now."""
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.kill()
            self._process.join(2)
        self._process, self._connection = None, None
        self._flying.clear()

    def _send(self, task: Task, attempt: int) -> None:
        body = json.dumps([task.id, task.payload]).encode()
        self._flying[task.id] = _Flying(task, attempt, self._monotonic() + task.seconds)
        with contextlib.suppress(OSError):  # a process that died is noticed when its answer is awaited
            self._connected().send_bytes(body)

    def _connected(self) -> Connection:
        if self._connection is None:
            context = get_context("fork")
            ours, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs, ours, self._make, self._width, os.getpid()))
            self._process.start()
            theirs.close()
            self._connection = ours
        return self._connection

    def _collect(self) -> Iterator[tuple[Outcome, int]]:
        connection = self._connected()
        if not wait([connection], timeout=TICK_S):
            now = self._monotonic()
            late = [f for f in self._flying.values() if now >= f.until]
            if late:
                yield from self._lost(late)
            return
        try:
            name, answer = json.loads(connection.recv_bytes())
        except (EOFError, OSError):
            yield from self._lost([])
            return
        if name is None:
            failed = list(self._flying.values())
            self.kill()
            for one in failed:
                yield Outcome(one.task, None, answer["error"]), one.attempt
            return
        flying = self._flying.pop(name)
        yield Outcome(flying.task, answer["value"], answer["error"]), flying.attempt

    def _lost(self, late: list[_Flying]) -> Iterator[tuple[Outcome, int]]:
        """The process is gone, or must go because of `late` ones: those have failed, the others are tried again."""
        flying = list(self._flying.values())
        self.kill()
        for one in flying:
            if one in late:
                yield Outcome(one.task, None, f"took more than {one.task.seconds:g} s"), one.attempt
            else:
                # Ended through no fault of their own when another was late, so that costs them no try.
                attempt = one.attempt - 1 if late else one.attempt
                yield Outcome(one.task, None, "the process that asks models died", crashed=True), attempt


def _serve(connection: Connection, other: Connection, make: MakeWork, width: int, parent: int) -> None:
    other.close()
    settle_in(parent)
    try:
        work = make()
    except Exception as error:  # noqa: BLE001  # the boundary: the parent must hear why nothing can be asked
        connection.send_bytes(json.dumps([None, {"error": str(error) or repr(error)}]).encode())
        return
    writing = threading.Lock()

    def one(name: str, payload: JsonValue) -> None:
        try:
            answer: dict[str, JsonValue] = {"value": work(payload), "error": None}
        except Exception as error:  # noqa: BLE001  # the boundary: whatever the work raises is the task's failure
            answer = {"value": None, "error": str(error) or repr(error)}
        with writing, contextlib.suppress(OSError):  # the parent is gone
            connection.send_bytes(json.dumps([name, answer]).encode())

    threads = ThreadPoolExecutor(width, thread_name_prefix="crew")
    while True:
        try:
            name, payload = json.loads(connection.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)  # threads may be waiting for answers that nobody wants any more
        threads.submit(one, name, payload)
