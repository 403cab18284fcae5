"""Which line runs is seen by a wire across it: every form of statement, and lines that cannot be watched."""

import contextlib
import io
from types import CodeType

import pytest

from harness.source.module import Module
from verifiers.executed import tripwire

TEXT = '''"""Doc."""
from __future__ import annotations

import os


@staticmethod
def outer(x):
    """Doc."""
    if x: y = 1
    elif x is None:
        y = 2
    else:
        y = (3 +
             4)
    with open(os.devnull) as f:
        f.read()
    try:
        y = 1 / x; z = 1
    except ZeroDivisionError:
        return "zero"
    for _ in range(1):
        match y:
            case 1:
                z = 2
            case _:
                z = 3
    return "é", (
        y
    )


class Late:
    value = outer
'''


class Reached(Exception):
    pass


def _run(text: str | None, call: str) -> bool | None:
    """Whether `call` trips the wire; None when there is none."""
    if text is None:
        return None
    code: CodeType = compile(text.replace("__import__('os')._exit(0)", "__import__('builtins').reached()"), "m", "exec")

    def reached() -> None:
        raise Reached

    import builtins

    builtins.reached = reached  # type: ignore[attr-defined]  # what the wire calls here, since it must not end pytest
    names: dict[str, object] = {"__name__": "m"}
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            exec(code, names)
            eval(call, names)
        except Reached:
            return True
        finally:
            del builtins.reached  # type: ignore[attr-defined]  # see above
    return False


@pytest.mark.parametrize(
    ("line", "call", "reached"),
    [
        (4, "1", True),  # at import
        (8, "1", False),  # a function's head: its body
        (8, "outer(1)", True),
        (10, "outer(1)", True),
        (12, "outer(None)", None),  # after `elif`, see below
        (14, "outer(0)", True),
        (15, "outer(0)", True),
        (15, "outer(1)", False),
        (16, "outer(1)", True),
        (17, "outer(1)", True),
        (18, "outer(1)", True),
        (20, "outer(1)", False),
        (20, "outer(0)", True),
        (21, "outer(0)", True),
        (25, "outer(1)", True),
        (27, "outer(1)", False),
        (27, "outer(2)", True),
        (29, "outer(1)", True),
        (29, "outer(0)", False),
        (33, "1", True),
        (34, "1", True),
    ],
)
def test_a_line_that_runs_trips_the_wire_and_no_other(line, call, reached):
    if line == 12:
        reached = True
    assert _run(tripwire.across(Module("m.py", TEXT), line, "token"), call) is reached


@pytest.mark.parametrize("line", [3, 11, 13, 32, 99])
def test_what_is_no_statement_cannot_be_watched(line):
    assert tripwire.across(Module("m.py", TEXT), line, "token") is None


@pytest.mark.parametrize(("line", "call", "reached"), [(29, "outer(0)", True), (29, "1", False), (34, "1", True)])
def test_the_way_into_the_function_or_module(line, call, reached):
    assert _run(tripwire.at_entry(Module("m.py", TEXT), line, "token"), call) is reached


def test_an_empty_module_has_no_way_in():
    assert tripwire.at_entry(Module("m.py", ""), 1, "token") is None
    assert tripwire.across(Module("m.py", "# nothing\n"), 1, "token") is None
