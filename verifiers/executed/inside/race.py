"""Template: the same call twice, one after the other and then interleaved.

The first call is held at the claimed act, or at a line between its test and its act, until the second call has ended or
waits (for a lock, most likely). What both calls return, what the state holds and what was lost from it is compared with
the two calls in a row.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import inspect
import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, NamedTuple

from .judge import isolated
from .project import enter, load

HELD_S = 1.5
"""How long the first call is held when the second one does not end."""
SCENARIO_S = 15.0
_FOLDER = "/tmp"  # inside the sandbox
_PATH_NAMES = ("path", "file", "filename", "folder", "directory", "dir", "target", "destination", "dst", "src", "dest")
_RESOURCE = ("close", "terminate", "kill", "cancel", "stop", "shutdown", "join", "disconnect")


class Subject(NamedTuple):
    """One call, ready to be made."""

    call: Callable[[], Any]
    state: Callable[[], Any]
    code: CodeType
    shown: str


def run(job: dict[str, Any]) -> dict[str, object]:
    """Two serial runs, to see that they agree, and one interleaved a hold, each in a process of its own."""
    root = enter(job["copy"])
    module = load(root, job["path"], job["module"])
    for filler in ("a", 1):
        make = functools.partial(_subject, module, job, filler)
        serial = [isolated(functools.partial(_serial, make), SCENARIO_S) for _ in range(2)]
        first = serial[0].get("answer")
        if isinstance(first, dict) and first["kinds"][0].startswith("returned"):
            break
    interleaved = [
        isolated(functools.partial(_interleaved, make, job["act"], hold), SCENARIO_S) for hold in job["holds"]
    ]
    return {"serial": serial, "interleaved": interleaved}


def _subject(module: Any, job: dict[str, Any], filler: object) -> Subject:
    owner: Any = module
    *outer, name = job["function"].split(".")
    for part in outer:
        owner = getattr(owner, part)
    if isinstance(owner, type) and not isinstance(vars(owner).get(name), (staticmethod, classmethod)):
        owner = owner(*_arguments(owner, filler))
    function = getattr(owner, name)
    arguments = _arguments(function, filler)
    code: CodeType = inspect.unwrap(getattr(function, "__func__", function)).__code__
    shown = f"{job['function']}({', '.join(map(repr, arguments))})"
    return Subject(lambda: function(*arguments), lambda: _state(module, owner, job["state"]), code, shown)


def _arguments(function: Any, filler: object) -> list[object]:
    """A simple value for every required positional parameter."""
    found: list[object] = []
    for parameter in inspect.signature(function).parameters.values():
        if (
            parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            or parameter.default is not parameter.empty
        ):
            continue
        annotation = str(parameter.annotation)
        if "Path" in annotation:
            found.append(importlib.import_module("pathlib").Path(f"{_FOLDER}/a"))
        elif parameter.name.lower().endswith(_PATH_NAMES):
            found.append(f"{_FOLDER}/a")
        elif annotation in ("<class 'int'>", "<class 'float'>", "int", "float"):
            found.append(1)
        elif annotation in ("<class 'str'>", "str"):
            found.append("a")
        else:
            found.append(filler)
    return found


def _state(module: Any, owner: Any, name: str) -> Any:
    """The value that the claim calls `name`: `self.x.y`, a module global."""
    first, *rest = name.split(".")
    value = owner if first in ("self", "cls") else getattr(module, first, None)
    for part in rest:
        value = getattr(value, part, None)
    return value


def _held(value: Any) -> list[Any]:
    """The objects that a state consists of."""
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, (list, set, tuple, frozenset)):
        return list(value)
    return [] if value is None else [value]


class Outcome:
    """What two calls did."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.results: list[tuple[str, Any]] = []
        self.once_held: list[Any] = []
        """Objects that the state held at some time before the end."""

    def record(self, call: Callable[[], Any]) -> None:
        try:
            self.results.append(("returned", call()))
        except BaseException as error:  # noqa: BLE001  # that it raises, and what, is the result
            self.results.append((f"raised {type(error).__name__}", None))
        self.look()

    def look(self) -> None:
        """Note what the state holds now."""
        self.once_held += _held(self.subject.state())

    def summary(self) -> dict[str, object]:
        last = self.subject.state()
        held = _held(last)
        lost = [v for v in self.once_held if not any(v is w or _equal(v, w) for w in held)]
        values = [value for _, value in self.results]
        return {
            "shown": self.subject.shown,
            "kinds": [
                kind if kind.startswith("raised") else f"{kind} {_canonical(value)}" for kind, value in self.results
            ],
            "same": len(values) == 2 and (values[0] is values[1] or _equal(values[0], values[1])),
            "state": _canonical(last),
            "lost": [type(v).__name__ for v in lost],
            "resources": [type(v).__name__ for v in lost if any(callable(getattr(v, n, None)) for n in _RESOURCE)],
        }


def _equal(left: Any, right: Any) -> bool:
    try:
        return bool(left == right)
    except Exception:  # noqa: BLE001  # a comparison of the project's own that fails
        return False


def _canonical(value: Any, depth: int = 3) -> str:
    """The same text for equal values, in whatever process; objects by their type alone."""
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return repr(value)[:80]
    if depth and isinstance(value, dict):
        inner = (f"{_canonical(k, depth - 1)}: {_canonical(v, depth - 1)}" for k, v in list(value.items())[:10])
        return "{" + ", ".join(inner) + "}"
    if depth and isinstance(value, (list, tuple)):
        return "[" + ", ".join(_canonical(v, depth - 1) for v in value[:10]) + "]"
    if isinstance(value, (set, frozenset)):
        return "{" + ", ".join(sorted(map(_canonical, value))) + "}"
    return type(value).__name__


def _serial(make: Callable[[], Subject]) -> dict[str, object]:
    subject = make()
    outcome = Outcome(subject)
    if inspect.CO_COROUTINE & subject.code.co_flags:

        async def both() -> None:
            for _ in range(2):
                await _awaited(outcome, subject)

        asyncio.run(both())
    else:
        outcome.record(subject.call)
        outcome.record(subject.call)
    return outcome.summary()


def _interleaved(make: Callable[[], Subject], act: list[int], hold: list[int]) -> dict[str, object]:
    subject = make()
    outcome = Outcome(subject)
    if inspect.CO_COROUTINE & subject.code.co_flags:

        async def together() -> None:
            await asyncio.gather(_awaited(outcome, subject), _awaited(outcome, subject))

        asyncio.run(together())
        return {**outcome.summary(), "held": True}
    there, go = threading.Event(), threading.Event()

    def first() -> None:
        sys.settrace(_holding(subject.code, act, hold, there, go, outcome.look))
        try:
            outcome.record(subject.call)
        finally:
            sys.settrace(None)
            there.set()

    def second() -> None:
        outcome.record(subject.call)
        go.set()

    one, two = threading.Thread(target=first, daemon=True), threading.Thread(target=second, daemon=True)
    one.start()
    there.wait(SCENARIO_S / 3)
    held = one.is_alive()
    two.start()
    for thread in (one, two):
        thread.join(SCENARIO_S / 3)
    if one.is_alive() or two.is_alive():
        raise RuntimeError("the two calls wait for each other")
    return {**outcome.summary(), "held": held}


async def _awaited(outcome: Outcome, subject: Subject) -> None:
    try:
        value = await subject.call()
    except Exception as error:  # noqa: BLE001  # that it raises, and what, is the result
        failure = error
        outcome.record(lambda: _raise(failure))
    else:
        outcome.record(lambda: value)


def _raise(error: Exception) -> Any:
    raise error


def _holding(
    code: CodeType,
    act: list[int],
    hold: list[int],
    there: threading.Event,
    go: threading.Event,
    look: Callable[[], None],
) -> Any:
    """A trace function that holds its thread once, and looks when the act is done: with the lock still held."""

    def local(frame: FrameType, event: str, argument: object) -> Any:
        del argument
        if event == "line" and hold[0] <= frame.f_lineno <= hold[1] and not there.is_set():
            there.set()
            go.wait(HELD_S)
        elif there.is_set() and not act[0] <= frame.f_lineno <= act[1]:
            look()
        return local

    def tracer(frame: FrameType, event: str, argument: object) -> Any:
        del event, argument
        return local if frame.f_code is code else None

    return tracer
