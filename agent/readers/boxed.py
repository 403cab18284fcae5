"""Binary formats, parsed where they can do no harm: a child process with limits, in the sandbox when there is one.

The bytes are copied to a folder of ours under plain names, so neither a name nor a link of the data folder gets there.
All files go through one process; when it dies, the file it was at is given up and the rest goes through another.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from harness.sandbox.base import Limits, Mount, Sandbox

_INSIDE = Path(__file__).parent / "inside"
_START = "import sys; sys.path.insert(0, {at!r}); from harness_readers.main import main; main()"
_LIMITS = Limits(wall_s=120, memory_bytes=3 << 30, processes=32, output_bytes=160 << 20, file_bytes=1 << 20)
_MOST_ROUNDS = 8
"""Files of one call that may end the process before the rest is given up."""


class Boxed(NamedTuple):
    """A file to be read inside."""

    key: str
    """What the caller knows it by."""
    form: str
    """One of the formats of `inside.main`."""
    content: bytes


def read_boxed(
    files: Sequence[Boxed], sandbox: Sandbox | None, *, limits: Limits = _LIMITS
) -> dict[str, dict[str, JsonValue]]:
    """What each file holds, by key; `problem` says why it could not be read. Never raises for what a file holds."""
    answers: dict[str, dict[str, JsonValue]] = {}
    if not files:
        return answers
    with tempfile.TemporaryDirectory(prefix="readers-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        names = {}
        for i, file in enumerate(files):
            target = folder / f"{i}.bin"
            target.write_bytes(file.content)
            target.chmod(0o644)
            names[target.name] = file
        waiting = list(names)
        for _ in range(_MOST_ROUNDS):
            jobs = [word for n in waiting for word in (n, names[n].form)]
            done, begun, how = _run(folder, jobs, sandbox, limits)
            for n, answer in done.items():
                answers[names[n].key] = answer
            waiting = [n for n in waiting if n not in done]
            if not waiting:
                break
            culprit = begun if begun in waiting else waiting[0]
            answers[names[culprit].key] = {"problem": f"reading it was ended: {how}"}
            waiting.remove(culprit)
        for n in waiting:
            answers[names[n].key] = {"problem": "not read: too many files before it ended their reader"}
    return answers


def _run(
    folder: Path, jobs: Sequence[str], sandbox: Sandbox | None, limits: Limits
) -> tuple[dict[str, dict[str, JsonValue]], str, str]:
    """Answers by file name, the file begun last, and how it ended."""
    if sandbox is None:
        output, how = _bare(folder, jobs, limits)
    else:
        done = sandbox.run(
            [sys.executable, "-I", "-c", _START.format(at="/reader"), "/material", *jobs],
            readable=[Mount(folder, "/material"), Mount(_INSIDE, "/reader/harness_readers")],
            cwd="/tmp",  # inside the sandbox
            environment={"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            limits=limits,
        )
        output = done.stdout
        how = f"limit of {done.limit}" if done.limit else f"exit code {done.returncode}"
    return (*_answers(output, set(jobs[::2])), how)


def _answers(output: bytes, asked: set[str]) -> tuple[dict[str, dict[str, JsonValue]], str]:
    answers: dict[str, dict[str, JsonValue]] = {}
    begun = ""
    for line in output.split(b"\n"):
        try:
            said = json.loads(line)
        except ValueError:
            continue  # the last line of a process that was ended may be cut
        if not isinstance(said, dict):
            continue
        if said.get("begun") in asked:
            begun = str(said["begun"])
        elif said.get("file") in asked:
            answers.setdefault(str(said.pop("file")), said)
    return answers, begun


def _bare(folder: Path, jobs: Sequence[str], limits: Limits) -> tuple[bytes, str]:
    """Without a sandbox: a process of its own with limits, an empty environment and no input. It parses, and runs nothing
    that the files hold; what a hole in a parser could reach is what the user could."""
    with tempfile.TemporaryDirectory(prefix="readers-") as scratch:
        link = Path(scratch, "harness_readers")
        link.symlink_to(_INSIDE, target_is_directory=True)
        environment: Mapping[str, str] = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "LANG": "C.UTF-8"}
        output = Path(scratch, "output")
        with output.open("wb") as stream:
            process = subprocess.Popen(
                [sys.executable, "-I", "-c", _CAPPED + _START.format(at=scratch), str(folder), *jobs],
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.DEVNULL,
                env={**environment, **({"SYSTEMROOT": os.environ["SYSTEMROOT"]} if "SYSTEMROOT" in os.environ else {})},
                cwd=scratch,
                start_new_session=True,
            )
            try:
                code = process.wait(limits.wall_s)
                how = f"exit code {code}"
            except subprocess.TimeoutExpired:
                how = "limit of wall"
            finally:
                process.kill()
                process.wait()
        return output.read_bytes()[: limits.output_bytes], how


_CAPPED = f"""
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, ({_LIMITS.memory_bytes}, {_LIMITS.memory_bytes}))
    resource.setrlimit(resource.RLIMIT_FSIZE, ({_LIMITS.output_bytes}, {_LIMITS.output_bytes}))
    resource.setrlimit(resource.RLIMIT_CPU, ({int(_LIMITS.wall_s)}, {int(_LIMITS.wall_s)}))
except ImportError:  # Windows
    pass
"""
