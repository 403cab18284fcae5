"""Calls a function as its documentation shows, each call in a process of its own, and says what each gave."""

from __future__ import annotations

import ast
import contextlib
import doctest
import functools
import io
import os
import resource
import signal
import traceback
from collections.abc import Callable
from typing import Any

from . import judge, project

_SHOWN = 600


def run(job: dict[str, Any]) -> dict[str, object]:
    """{"calls": [{"saw": "stated" | "differs" | "raised" | "hang" | "unlike" | "nothing", "value": ...}]} in order."""
    root = project.enter(bool(job["copy"]))
    with contextlib.redirect_stdout(io.StringIO()):
        module = project.load(root, job["path"], job["module"])
    file = os.path.realpath(os.path.join(root, job["path"]))
    return {"calls": [apart(functools.partial(_call, vars(module), file, c), job["cpu_s"]) for c in job["calls"]]}


def apart(call: Callable[[], dict[str, object]], cpu_s: int) -> dict[str, object]:
    """`call` in a process that gets so many seconds of processor, and eight times as many by the clock."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
        judge.send(writing, call)
        os._exit(0)
    os.close(writing)
    said = judge.receive(reading, cpu_s * 8.0)
    if said.get("error") == judge.TOO_LONG:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    answer = said.get("answer")
    if isinstance(answer, dict):
        return answer
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        return {"saw": "hang", "value": ""}
    return {"saw": "nothing", "value": str(said.get("error", ""))[:_SHOWN]}


def _call(names: dict[str, Any], file: str, job: dict[str, str]) -> dict[str, object]:
    """One call, compared with what is stated of it."""
    space = dict(names)
    printed = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()):
        exec(job["setup"], space)
    try:
        with contextlib.redirect_stdout(printed):
            value = eval(job["call"], space)
            if job["form"] == "value" and hasattr(value, "__next__"):
                value = [item for _, item in zip(range(10_000), value)]
    except Exception as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if os.path.realpath(f.filename) == file]
        outside = (OSError, ImportError, NotImplementedError, MemoryError, EOFError)
        saw = "raised" if frames and not isinstance(error, outside) else "unlike"
        return {"saw": saw, "value": traceback.format_exception_only(type(error), error)[-1].strip()[:_SHOWN]}
    shown = repr(value)
    if job["form"] == "text":
        text = printed.getvalue() + ("" if value is None else shown + "\n")
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        same = doctest.OutputChecker().check_output(job["expected"] + "\n", text, flags)
        return {"saw": "stated" if same else "differs" if _data(value) else "unlike", "value": text[:_SHOWN]}
    stated = ast.literal_eval(job["expected"])
    if value is None and stated is not None and printed.getvalue():
        return {"saw": "unlike", "value": "it printed"}
    if canonical(value) == canonical(stated) or _as_written(value, stated, job["expected"]):
        return {"saw": "stated", "value": shown[:_SHOWN]}
    return {"saw": "differs" if _data(value) else "unlike", "value": shown[:_SHOWN]}


def canonical(value: Any) -> Any:
    """One form for what people write as one: sequences by their items, sets and mappings without order, floats to 6 digits."""
    if isinstance(value, bool) or value is None or isinstance(value, (str, bytes)):
        return value
    if isinstance(value, (int, float)):
        return float(f"{value:.6g}") if abs(value) < 1e15 else value
    if isinstance(value, (list, tuple, range)):
        items = [canonical(v) for v in value]
        return items[0] if isinstance(value, tuple) and len(items) == 1 else ("sequence", items)
    if isinstance(value, (set, frozenset)):
        return ("set", sorted(map(repr, map(canonical, value))))
    if isinstance(value, dict):
        return ("mapping", sorted((repr(canonical(k)), repr(canonical(v))) for k, v in value.items()))
    return value


def _as_written(value: Any, stated: Any, text: str) -> bool:
    """A float that rounds to what is written."""
    if isinstance(stated, float) and isinstance(value, (int, float)) and "." in text:
        digits = len(text.rpartition(".")[2])
        return digits <= 12 and round(value, digits) == stated
    if isinstance(stated, (list, tuple)) and isinstance(value, (list, tuple)) and len(stated) == len(value):
        return all(canonical(v) == canonical(s) or _as_written(v, s, repr(s)) for v, s in zip(value, stated))
    return False


def _data(value: Any) -> bool:
    """Whether equality means what it says: built-in data, and built-in iterators, which equal no data."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(map(_data, value))
    if isinstance(value, dict):
        return all(map(_data, value)) and all(map(_data, value.values()))
    return type(value).__module__ == "builtins" and type(value) is not object
