"""Runs examples one by one, each in a process of its own, and says in one line what each did.

The job comes as JSON on the standard input, with a nonce that begins the line of the report. Code of the project can feign a
defect of its own, or hide one; nothing else depends on what it says.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import functools
import importlib
import importlib.util
import io
import json
import math
import os
import resource
import select
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from types import ModuleType
from typing import Any

COPY = "/tmp/project"  # inside the sandbox, where it is ours alone
BUSIEST = 25.0
"""How many times longer than its processor time something may take by the clock, on a machine that others use too."""
UNRUN = "not run: the processor time for them was used up"
SHOWN = 300
"""Characters of a value that are handed on."""
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def main() -> None:
    """Read the job, run it, write the report."""
    job = json.loads(sys.stdin.read())
    output = os.dup(1)
    os.dup2(2, 1)
    shutil.copytree("/pinned", COPY, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", ".git"))
    os.chdir(COPY)
    sys.dont_write_bytecode = True
    sys.path[:0] = [os.path.join(COPY, "src"), COPY]
    answers: list[object] = []
    for module in job["modules"]:
        left = job["seconds"] - _used()
        if left <= 0:
            answers.append({"ended": UNRUN})
            continue
        answers.append(_forked(functools.partial(_module, module, job["cpu_s"], left), left * BUSIEST))
    os.write(output, (job["nonce"] + " " + json.dumps(answers) + "\n").encode())


def _forked(call: Callable[[], object], seconds: float, cpu_s: int = 0) -> object:
    """What `call` returns in a process of its own; {"ended": ...} when it gives nothing."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        if cpu_s:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
        try:
            answer = call()
        except BaseException as error:
            answer = {"ended": type(error).__name__ + ": " + str(error)[:SHOWN]}
        data = json.dumps(answer, default=repr).encode()
        with contextlib.suppress(OSError):
            while data:
                data = data[os.write(writing, data) :]
        os._exit(0)
    os.close(writing)
    data, end = b"", time.monotonic() + max(seconds, 0.0)
    while True:
        ready, _, _ = select.select([reading], [], [], max(end - time.monotonic(), 0))
        chunk = os.read(reading, 65536) if ready else b""
        data += chunk
        if not chunk:
            break
    os.close(reading)
    if not ready:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    try:
        return json.loads(data)
    except ValueError:
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) and cpu_s and ready:
            return {"kind": "hang"}
        return {"ended": "no answer"}


def _used() -> float:
    """Seconds of processor that ended children have used: unlike the clock, the same on a busy machine."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _module(job: dict[str, Any], cpu_s: int, seconds: float) -> object:
    """Import one module and run its examples."""
    sys.setrecursionlimit(1000)
    with contextlib.redirect_stdout(io.StringIO()):
        module = load(job["path"], job["name"])
    file = os.path.realpath(os.path.join(COPY, job["path"]))
    answers: list[object] = []
    hanging: set[str] = set()
    for one in job["examples"]:
        if one["symbol"] in hanging:
            answers.append({"kind": "unclear", "got": "not run: another example of the function does not end"})
            continue
        if _used() > seconds:
            answers.append({"kind": "unclear", "got": UNRUN})
            continue
        answer = _forked(functools.partial(example, module, file, one), cpu_s * BUSIEST, cpu_s)
        if answer == {"kind": "hang"}:
            hanging.add(one["symbol"])
        answers.append(answer)
    return answers


def load(path: str, name: str) -> ModuleType:
    """Import the module at `path`: by name where that finds this very file, else straight from the file."""
    file = os.path.join(COPY, path)
    with contextlib.suppress(ModuleNotFoundError):
        module = importlib.import_module(name)
        if os.path.realpath(module.__file__ or "") == os.path.realpath(file):
            return module
    sys.path.insert(0, os.path.dirname(file))
    spec = importlib.util.spec_from_file_location(os.path.basename(file)[:-3], file)
    if spec is None or spec.loader is None:
        raise ImportError(path + " is no module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def example(module: ModuleType, file: str, job: dict[str, str]) -> dict[str, str]:
    """{"kind": "same" | "other" | "raised" | "unclear", ...}; a hang or too much memory shows outside."""
    if job["form"] not in ("value", "text"):
        return _driven(module, file, job)
    space = dict(vars(module))
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(job["setup"], space)
    except BaseException as error:
        return {"kind": "unclear", "got": "its set-up raised " + type(error).__name__}
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            got = eval(job["call"], space)
            if job["form"] == "value" and not isinstance(got, (str, bytes, list, tuple, dict, set, frozenset)):
                got = _listed(got, ast.literal_eval(job["expected"]))
    except BaseException as error:
        return _raised(error, file)
    if job["form"] == "text":
        shown = printed.getvalue() + ("" if got is None else repr(got) + "\n")
        if doctest.OutputChecker().check_output(job["expected"] + "\n", shown, FLAGS):
            return {"kind": "same", "got": ""}
        comparable = got is not None and not printed.getvalue() and " at 0x" not in shown and not _own(got)
        return {"kind": "other" if comparable else "unclear", "got": shown[:SHOWN].strip()}
    if got is None and printed.getvalue().strip():
        same = printed.getvalue().strip() in (job["expected"], str(ast.literal_eval(job["expected"])))
        return {"kind": "same" if same else "unclear", "got": printed.getvalue()[:SHOWN].strip()}
    expected = ast.literal_eval(job["expected"])
    if alike(got, expected, job["expected"]):
        return {"kind": "same", "got": repr(got)[:SHOWN]}
    return {"kind": "unclear" if _own(got) else "other", "got": repr(got)[:SHOWN]}


def _driven(module: ModuleType, file: str, job: dict[str, str]) -> dict[str, str]:
    """A call that must end (`ends`, `described`), or whose result must have a relation to its input (`sorted`, `back`)."""
    space = dict(vars(module))
    allowed, _, subject = job["expected"].partition("\0")
    try:
        exec(job["setup"], space)
        if allowed and not eval(allowed, space):
            return {"kind": "unclear", "got": "not allowed by the precondition"}
    except Exception:
        return {"kind": "unclear", "got": "the precondition cannot be told"}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            got = eval(job["call"], dict(vars(module)))
            if hasattr(got, "__next__"):
                got = [item for _, item in zip(range(200), got)]
    except BaseException as error:
        return _raised(error, file)
    if not subject:
        return {"kind": "same", "got": ""}
    given = ast.literal_eval(subject)
    if job["form"] == "sorted" and not isinstance(got, (list, tuple)):
        return {"kind": "unclear", "got": repr(type(got))}
    wanted = sorted(given) if job["form"] == "sorted" else given
    return {"kind": "same" if alike(got, wanted, repr(wanted)) else "other", "got": repr(got)[:SHOWN]}


def _raised(error: BaseException, file: str) -> dict[str, str]:
    """An exception counts when it left a function of the project's own, and tells of the code and not of this place."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [f for f in frames if os.path.realpath(f.filename) == file]
    elsewhere = (OSError, ImportError, NotImplementedError, SystemExit, KeyboardInterrupt, EOFError, Warning)
    if isinstance(error, MemoryError):
        return {"kind": "memory", "got": "MemoryError"}
    if not inside or isinstance(error, elsewhere):
        return {"kind": "unclear", "got": type(error).__name__}
    said = traceback.format_exception_only(type(error), error)[-1].strip()[:SHOWN]
    deepest = os.path.realpath(frames[-1].filename) == file
    return {"kind": "raised", "got": said, "line": str(inside[-1].lineno if deepest else 0)}


def _own(value: object) -> bool:
    """Objects without a literal form are compared by nobody."""
    try:
        ast.literal_eval(repr(value))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return not _plain(value)
    return False


def _plain(value: object) -> bool:
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(_plain(v) for v in value)
    if isinstance(value, dict):
        return all(_plain(k) and _plain(v) for k, v in value.items())
    return type(value).__module__ == "builtins" and type(value) is not object  # also iterators, which equal no data


def _listed(got: object, expected: object) -> object:
    """An iterator as the collection that is expected of it."""
    if isinstance(expected, (list, tuple, set, frozenset)) and hasattr(got, "__iter__"):
        items = []
        for item in got:
            items.append(item)
            if len(items) > 10_000:
                break
        return items
    return got


def alike(got: Any, expected: Any, written: str) -> bool:
    """Equal, or as equal as a person who wrote this means: rounded as written, a list for a tuple, ('a') for ('a',)."""
    if isinstance(expected, float) and isinstance(got, (int, float)) and not isinstance(got, bool):
        decimals = len(written.strip().rstrip(")]},").rpartition(".")[2]) if "." in written else 6
        if math.isnan(expected) or math.isinf(expected):
            return bool(got == expected or (got != got and expected != expected))
        return bool(math.isclose(got, expected, rel_tol=1e-6, abs_tol=1e-9)) or (
            1 <= decimals <= 12 and abs(got - expected) <= 0.5000001 * 10.0**-decimals
        )
    if isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)):
        return len(got) == len(expected) and all(alike(g, e, repr(e)) for g, e in zip(got, expected))
    if isinstance(got, tuple) and len(got) == 1 and not isinstance(expected, tuple):
        return alike(got[0], expected, written)
    if isinstance(expected, (set, frozenset)) and isinstance(got, (list, tuple, set, frozenset)):
        try:
            return set(got) == set(expected) and len(got) == len(expected)
        except TypeError:
            return False
    if isinstance(expected, dict) and isinstance(got, dict):
        return got.keys() == expected.keys() and all(alike(got[k], e, repr(e)) for k, e in expected.items())
    try:
        return bool(got == expected)
    except Exception:
        return False


if __name__ == "__main__":
    main()
