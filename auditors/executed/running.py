"""Runs examples in the sandbox, in batches, and brings back what each of them did."""

import json
import re
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, TypeAdapter, ValidationError

from auditors.executed.stated import Example
from harness.contracts import Bench
from harness.sandbox.base import Limits, Mount
from harness.source.module import Module

CPU_S = 2
"""Seconds of processor that one example gets: a thousand times what the inputs of documentation need."""
MOST_BYTES = 64 << 20
"""Size of a project of which a copy is made."""
UNRUN = "not run: the processor time for them was used up"
"""What `Seen.got` says of a call for which no time was left; `inside.observe` writes it."""
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")
_INSIDE = Path(__file__).parent / "inside"


class CannotRun(Exception):
    """The examples cannot be run here; the message is the reason."""


class Seen(NamedTuple):
    """What one example did."""

    kind: str
    """`same`, `other`, `raised`, `hang`, `memory`, or `unclear`."""
    got: str
    """The value, or the exception as Python prints it."""
    line: int
    """Line of the module that an exception came from, 0 when it came from elsewhere."""


class _Said(BaseModel):
    kind: str = "unclear"
    got: str = ""
    line: int = 0
    ended: str = ""


_ANSWERS = TypeAdapter(list[list[_Said] | _Said])


def observe(
    bench: Bench, modules: Sequence[tuple[Module, Sequence[Example]]], seconds: float, seed: int
) -> list[list[Seen] | str]:
    """For each module what its examples did, or why it could not be imported, within `seconds` of processor time.

    Raises CannotRun, SandboxUnavailable.
    """
    if bench.sandbox is None:
        raise CannotRun("there is no sandbox")
    if sum(entry.size for entry in bench.project.tree.files) > MOST_BYTES:
        raise CannotRun(f"the project is larger than {MOST_BYTES >> 20} MB")
    nonce = secrets.token_hex(16)
    job = {
        "nonce": nonce,
        "seconds": seconds,
        "cpu_s": CPU_S,
        "modules": [
            {"path": module.path, "name": module.name, "examples": [e._asdict() for e in examples]}
            for module, examples in modules
        ],
    }
    python = bench.python
    done = bench.sandbox.run(
        [python.executable if python else sys.executable, "-P", "-s", "/observer/observe.py"],
        readable=[
            *(python.readable if python else ()),
            Mount(bench.project.root, "/pinned"),
            Mount(_INSIDE, "/observer"),
        ],
        cwd="/tmp",  # inside the sandbox
        environment={"PYTHONHASHSEED": str(seed), "PYTHONDONTWRITEBYTECODE": "1", "HOME": "/tmp"},
        stdin=json.dumps(job).encode(),
        limits=Limits(wall_s=seconds * 10 + 20, output_bytes=4 << 20, memory_bytes=1 << 30),
    )
    lines = [line for line in done.stdout.decode("utf-8", "replace").splitlines() if line.startswith(f"{nonce} ")]
    if len(lines) != 1:
        ending = f"the limit of {done.limit}" if done.returncode is None else f"exit code {done.returncode}"
        raise CannotRun(f"the examples ended at {ending} and left no report")
    try:
        answers = _ANSWERS.validate_json(lines[0].removeprefix(f"{nonce} "))
    except ValidationError as error:
        raise CannotRun("the report of the examples has another shape") from error
    return [a.ended or "no answer" if isinstance(a, _Said) else [_seen(s) for s in a] for a in answers]


def _seen(said: _Said) -> Seen:
    return Seen("unclear", said.ended, 0) if said.ended else Seen(said.kind, _ADDRESS.sub("0x…", said.got), said.line)
