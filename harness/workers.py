"""Processes that work through tasks, and a parent that survives whatever happens to them.

A task is a JSON value in, a JSON value out. The parent has no threads. A worker that dies is replaced and its task tried
again, at most `Task.tries` times in all (a poison task costs three workers, not the run). A task that raises has failed and
is not tried again. Leaving the loop, for whatever reason, kills every worker and all that it started in its session.

Workers are forked where that exists, so they inherit what `work` holds without copying it; elsewhere they are spawned
and `work` is pickled once for each. Guarantees nothing about the order of outcomes.
"""

import contextlib
import gc
import json
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple

from pydantic import JsonValue

Work = Callable[[JsonValue], JsonValue]
ANSWER_BYTES = 128 << 20
"""Largest answer of a task; a worker that sends more is taken for broken."""
TICK_S = 0.2
"""How often deadlines are looked at while nothing arrives."""


class Task(NamedTuple):
    """One piece of work."""

    id: str
    """Unique in the pool's run."""
    payload: JsonValue
    """What `work` is called with."""
    seconds: float = 3600.0
    """Time it may take, then its worker is killed and it has failed."""
    tries: int = 3
    """Workers it may cost before it is given up."""


class Outcome(NamedTuple):
    """What became of a task."""

    task: Task
    """The task."""
    value: JsonValue
    """The answer, None when there is none."""
    error: str | None
    """Why there is no answer."""
    crashed: bool = False
    """The worker died each time it was tried."""


class _Worker(NamedTuple):
    process: BaseProcess
    connection: Connection


class _Busy(NamedTuple):
    task: Task
    attempt: int
    until: float


class Pool:
    """`jobs` processes that call `work`."""

    def __init__(self, work: Work, *, jobs: int, monotonic: Callable[[], float], method: str | None = None) -> None:
        self._work = work
        self._jobs = max(1, jobs)
        self._monotonic = monotonic
        self._method = method or ("fork" if "fork" in get_all_start_methods() else "spawn")
        self._idle: list[_Worker] = []
        self._busy: dict[_Worker, _Busy] = {}
        self._begun: list[BaseProcess] = []
        """Every process, noted before it starts: a signal may come between its start and its first task."""

    def __enter__(self) -> "Pool":
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
        """Outcomes as they come. `begun` is called before a task is sent, each time it is; `idle` every `TICK_S` at least.
        After `until` (monotonic) nothing more is begun, what is in flight is killed, and the rest has no outcome."""
        waiting = deque((task, 1) for task in tasks)
        try:
            while waiting or self._busy:
                if until is not None and self._monotonic() >= until:
                    return
                idle()
                while waiting and len(self._busy) < self._jobs:
                    task, attempt = waiting.popleft()
                    begun(task)
                    self._send(task, attempt)
                for outcome, attempt in self._collect():
                    if outcome.crashed and attempt < outcome.task.tries:
                        waiting.appendleft((outcome.task, attempt + 1))
                    else:
                        yield outcome
        finally:
            for worker in list(self._busy):
                self._kill(worker)

    def kill(self) -> None:
        """End every worker now."""
        for worker in [*self._idle, *self._busy]:
            self._kill(worker)
        self._idle.clear()
        for process in self._begun:
            _end(process)
        self._begun.clear()

    def _send(self, task: Task, attempt: int) -> None:
        body = json.dumps(task.payload).encode()
        while True:
            worker = self._idle.pop() if self._idle else self._start()
            try:
                worker.connection.send_bytes(body)
            except OSError:  # it died while idle, which is nobody's fault
                self._kill(worker)
                continue
            self._busy[worker] = _Busy(task, attempt, self._monotonic() + task.seconds)
            return

    def _collect(self) -> Iterator[tuple[Outcome, int]]:
        ready = set(wait([w.connection for w in self._busy], timeout=TICK_S))
        now = self._monotonic()
        for worker, busy in list(self._busy.items()):
            if worker.connection in ready:
                yield self._receive(worker, busy), busy.attempt
            elif now >= busy.until:
                self._kill(worker)
                yield Outcome(busy.task, None, f"took more than {busy.task.seconds:g} s"), busy.attempt

    def _receive(self, worker: _Worker, busy: _Busy) -> Outcome:
        try:
            answer = json.loads(worker.connection.recv_bytes(ANSWER_BYTES))
        except (EOFError, OSError):
            self._kill(worker)
            code = worker.process.exitcode
            how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
            return Outcome(busy.task, None, f"the worker died ({how})", crashed=True)
        del self._busy[worker]
        self._idle.append(worker)
        return Outcome(busy.task, answer["value"], answer["error"])

    def _start(self) -> _Worker:
        context = get_context(self._method)
        ours, theirs = context.Pipe()
        inherited = [w.connection for w in [*self._idle, *self._busy]] + [ours] if self._method == "fork" else []
        process = context.Process(target=_serve, args=(theirs, inherited, self._work, os.getpid()), daemon=False)  # type: ignore[attr-defined]  # BaseContext lacks Process in the stubs
        self._begun = [p for p in self._begun if p.exitcode is None]
        self._begun.append(process)
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def _kill(self, worker: _Worker) -> None:
        self._busy.pop(worker, None)
        worker.connection.close()
        _end(worker.process)


def _end(process: BaseProcess) -> None:
    """Kill it and its group, when it was started at all and still runs."""
    if process.pid is None or process.exitcode is not None:
        return
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join(2)


def _serve(connection: Connection, inherited: list[Connection], work: Work, parent: int) -> None:
    """The life of a worker: tasks from the pipe until it ends."""
    for other in inherited:
        other.close()
    settle_in(parent)
    while True:
        try:
            payload = json.loads(connection.recv_bytes())
        except (EOFError, OSError):
            return
        try:
            answer: dict[str, JsonValue] = {"value": work(payload), "error": None}
        except Exception as error:  # noqa: BLE001  # the boundary: whatever the work raises is the task's failure
            answer = {"value": None, "error": str(error) or repr(error)}
        with contextlib.suppress(OSError):  # the parent is gone: the next read ends this worker
            connection.send_bytes(json.dumps(answer).encode())


def settle_in(parent: int) -> None:
    """Own session, so that Ctrl-C reaches the parent alone; no work for a parent that is gone; rare collections,
    because what is inherited is not garbage and syntax trees hold no cycles."""
    if hasattr(os, "setsid"):
        with contextlib.suppress(OSError):
            os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if hasattr(os, "getppid") and sys.platform != "win32" and os.getppid() != parent:
        os._exit(1)
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)
