"""Calls a function and watches whether it comes back to a state it was in: then it never ends.

A state is a place in the code and the values of all local names there. It proves something only where every value has a literal
form, since whatever else there is may hide a state of its own (an iterator, a file, a generator). One state seen a thousand times
at a `while` is a loop without end for inputs as small as these; one seen in two activations of a function that are both on the
stack is a recursion without end.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import io
import sys
import traceback
from collections import Counter
from types import CodeType, FrameType
from typing import Any

from . import project
from .example import apart

AGAIN = 1000
"""Times that one state must be seen at a `while`."""
_SHOWN = 600


def run(job: dict[str, Any]) -> dict[str, object]:
    """{"calls": [...]}: what each call did, in order."""
    root = project.enter(bool(job["copy"]))
    with contextlib.redirect_stdout(io.StringIO()):
        module = project.load(root, job["path"], job["module"])
    loops = {int(n) for n in job["loops"]}
    return {
        "calls": [
            apart(functools.partial(_call, vars(module), str(module.__file__), one, loops), job["cpu_s"])
            for one in job["calls"]
        ]
    }


class Recurrence(Exception):
    """The call is in a state it was in before."""


def _call(names: dict[str, Any], file: str, job: dict[str, str], loops: set[int]) -> dict[str, object]:
    space = dict(names)
    if job["precondition"]:
        given = dict(names)
        exec(job["setup"], given)
        if not eval(job["precondition"], given):
            return {"saw": "not allowed", "value": ""}
    if job["watch"]:
        sys.settrace(functools.partial(_entered, file=file, loops=loops, seen=Counter(), active=Counter()))
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            value = eval(job["call"], space)
            if hasattr(value, "__next__"):
                value = [item for _, item in zip(range(200), value)]
    except Recurrence as error:
        return {"saw": "recurs", "value": str(error)}
    except Exception as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
        said = traceback.format_exception_only(type(error), error)[-1].strip()[:_SHOWN]
        return {"saw": "raised", "value": said, "line": frames[-1].lineno if frames else 0}
    finally:
        sys.settrace(None)
    return {"saw": "ended", "value": repr(value)[:_SHOWN], "kept": _relation(job, value)}


def _entered(
    frame: FrameType,
    event: str,
    _: object,
    *,
    file: str,
    loops: set[int],
    seen: Counter[object],
    active: Counter[object],
) -> Any:
    """Global trace function: is a function entered with values with which it is already at work?"""
    if event != "call" or frame.f_code.co_filename != file:
        return None
    arguments = _values(frame, frame.f_code.co_varnames[: frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount])
    state = (frame.f_code, arguments)
    pure = arguments is not None and not _generator(frame.f_code)
    if pure:
        active[state] += 1
        if active[state] > 2:
            raise Recurrence(f"{frame.f_code.co_name} calls itself with {arguments} over and over")

    def local(inner: FrameType, what: str, _: object) -> Any:
        if what == "return" and pure:
            active[state] -= 1
        if what == "line" and inner.f_lineno in loops:
            values = _values(inner, tuple(inner.f_locals))
            if values is not None:
                seen[id(inner), inner.f_lineno, values] += 1
                if seen[id(inner), inner.f_lineno, values] >= AGAIN:
                    raise Recurrence(f"line {inner.f_lineno} is reached with {values} over and over")
        return local

    return local


def _generator(code: CodeType) -> bool:
    return bool(code.co_flags & 0x20)


def _values(frame: FrameType, names: tuple[str, ...]) -> str | None:
    """The names with their values, None when one of them has no literal form."""
    parts = []
    for name in names:
        value = frame.f_locals.get(name)
        text = repr(value)
        if len(text) > 2000:
            return None
        try:
            ast.literal_eval(text)
        except (ValueError, SyntaxError, TypeError, RecursionError):
            return None
        parts.append(f"{name}={text}")
    return ", ".join(parts)


def _relation(job: dict[str, str], value: Any) -> bool | None:
    """Whether the promised relation holds, None when none is promised or it cannot be told."""
    if not job["subject"]:
        return None
    given = ast.literal_eval(job["subject"])
    if job["form"] == "back":
        return bool(value == given)
    if not isinstance(value, (list, tuple)) or not isinstance(given, list):
        return None
    ascending = all(value[n] <= value[n + 1] for n in range(len(value) - 1))
    return ascending and Counter(map(repr, value)) == Counter(map(repr, given))
