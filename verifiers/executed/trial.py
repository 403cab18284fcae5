"""One reproducer in the sandbox, and what may be believed of what comes back.

The report crosses as one line of capped size that begins with a nonce. Inside, the judge (`inside.judge`) reads the nonce
after it has forked the worker, and only the worker imports code of the project. So that code can print, exit, kill or
fill what it likes: it cannot produce the line, and a trial without exactly one such line has no result.

What remains forgeable: the worker's observations, since it shares a process with the code that it observes. Such code
can feign a defect of its own, or hide one from this method; a trial that shows nothing therefore dismisses nothing.
"""

import json
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from harness.contracts import Bench
from harness.files import decode_path
from harness.sandbox.base import Limits, Mount, Sandbox
from harness.scratch import scratch
from harness.source.project import Project
from verifiers.executed.interpreter import Interpreter, chosen

_START = (
    "import sys; sys.path += [p for p in sys.argv[4:] if p]; sys.path.insert(0, '/reproducer'); "
    "from harness_reproducer.templates import main; main()"
)
_INSIDE = Path(__file__).parent / "inside"
COPIED_BYTES = 64 << 20
"""Projects up to this size get a copy that they may write to; larger ones are read-only."""
SECONDS = 90.0
_LIMITS = Limits(wall_s=SECONDS + 20, output_bytes=1 << 20)
_LONGEST, _MOST_ITEMS = 1500, 60
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")


class NoReport(Exception):
    """The boundary did not hold what was expected: nothing may be concluded."""


class Report(NamedTuple):
    """What a worker said."""

    answer: dict[str, JsonValue]
    """Its answer, empty when there is none."""
    trouble: str
    """Why there is none: the project could not be imported, took too long ..."""


def run_inside(
    sandbox: Sandbox,
    bench: Bench,
    template: str,
    job: Mapping[str, JsonValue],
    python: Interpreter | None = None,
    hash_seed: int = 0,
) -> Report:
    """Run a template of `inside.templates` on the project, by default in the `chosen` Python.

    Raises NoReport, SandboxUnavailable.
    """
    python = python or chosen(bench)
    nonce = secrets.token_hex(16)
    copied = sum(entry.size for entry in bench.project.tree.files) <= COPIED_BYTES
    data = json.dumps({**job, "copy": copied}).encode()
    done = sandbox.run(
        [python.executable, "-I", "-c", _START, template, str(len(data)), str(SECONDS), python.packages],
        readable=[
            *python.readable,
            Mount(bench.project.root, "/pinned"),
            Mount(_INSIDE, "/reproducer/harness_reproducer"),
        ],
        cwd="/tmp",  # inside the sandbox
        environment={"PYTHONHASHSEED": str(hash_seed)},
        stdin=data + f"{nonce}\n".encode(),
        limits=_LIMITS,
    )
    if done.limit is not None and done.returncode is None:
        return Report({}, f"it was ended at the limit of {done.limit}")
    lines = [line for line in done.stdout.decode("utf-8", "replace").splitlines() if line.startswith(f"{nonce} ")]
    if len(lines) != 1:
        raise NoReport(f"the reproducer ended with exit code {done.returncode} and left no report")
    try:
        said = json.loads(_ADDRESS.sub("0x…", lines[0].removeprefix(f"{nonce} ")))
    except ValueError as error:
        raise NoReport("the report of the reproducer is not JSON") from error
    answer = said.get("answer") if isinstance(said, dict) else None
    if isinstance(answer, dict):
        return Report({key: _clipped(value) for key, value in answer.items()}, "")
    trouble = str(said.get("error", "it gave no answer"))[:500] if isinstance(said, dict) else "no answer"
    return Report({}, f"{trouble}; {bench.advice}" if bench.advice and "ModuleNotFoundError" in trouble else trouble)


def _clipped(value: JsonValue) -> JsonValue:
    """The value with long texts and lists cut, so that no observation fills a report."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else value[:_LONGEST] + "…"
    if isinstance(value, list):
        return [_clipped(item) for item in value[:_MOST_ITEMS]]
    if isinstance(value, dict):
        return {key[:200]: _clipped(item) for key, item in list(value.items())[:_MOST_ITEMS]}
    return value


@contextmanager
def changed_copy(project: Project, path: str, text: str | None) -> Iterator[Path]:
    """A throw-away copy of the project that a sandbox may write to, with `text` at `path` when one is given."""
    with scratch("copy") as folder:
        root = folder / "project"
        shutil.copytree(project.root, root, symlinks=True)
        if text is not None:
            target = root / decode_path(path).decode("utf-8", "surrogateescape")
            target.unlink()
            target.write_text(text, encoding="utf-8", errors="surrogatepass")
        yield root
