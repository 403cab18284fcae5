"""Starts bubblewrap, puts the limits on the first process inside before it goes on, and attends it to its end."""

import contextlib
import json
import os
import resource
import select
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NamedTuple

from harness.errors import Bug, SandboxUnavailable
from harness.sandbox.base import Execution, Limits
from harness.sandbox.usage import Watch, last_words

_TICK_S = 0.05
_GRACE_S = 10.0
"""How long the kernel may take to end what was killed."""
_DESCRIPTORS = 256
_STACK = 8 << 20
_NOT_STARTED = (b"bwrap: execvp ", b"setpriv: failed to execute ")
_NOT_FOUND = 127


class Job(NamedTuple):
    """One execution."""

    binary: str
    """bubblewrap."""
    arguments: Sequence[str]
    """Its arguments, the command included."""
    files: Sequence[int]
    """Descriptors that `arguments` speak of; bubblewrap reads and closes them."""
    stdin: bytes
    """Input of the command."""
    limits: Limits
    """Its bounds."""
    folder: Path | None
    """The writable folder."""


class _Ending(NamedTuple):
    limit: str | None
    stdout: bytes
    stderr: bytes


def supervise(job: Job) -> Execution:
    """Run to the end; nothing of it is alive on return. Raises SandboxUnavailable when bubblewrap itself fails."""
    started = time.monotonic()
    status, status_end = os.pipe()
    go_end, go = os.pipe()
    try:
        process = subprocess.Popen(
            [job.binary, "--json-status-fd", str(status_end), "--block-fd", str(go_end), *job.arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={},
            cwd="/",
            pass_fds=(status_end, go_end, *job.files),
        )
    except OSError as error:
        _close(status, status_end, go_end, go)
        raise SandboxUnavailable(f"bubblewrap cannot be started: {error}") from error
    _close(status_end, go_end)
    with process:
        try:
            ending = _attend(process, _first_process(status), go, job, started)
            if ending.limit is not None:
                process.kill()
            code = _exit_code(status)
        except (OSError, ValueError, KeyError) as error:
            process.kill()
            said = _last_line(_rest(process.stderr))
            raise SandboxUnavailable(f"bubblewrap failed: {said or error}") from error
        finally:
            process.kill()
            _close(status, go)
    return _execution(ending, code, time.monotonic() - started)


def _attend(process: subprocess.Popen[bytes], first: int, go: int, job: Job, started: float) -> _Ending:
    inside = os.pidfd_open(first)
    try:
        _bound(first, job.limits)
        watch = Watch(first, job.limits, job.folder)
        os.write(go, b"\0")
        return _collect(process, inside, watch, job, started)
    finally:
        _kill(inside)
        gone, _, _ = select.select([inside], [], [], _GRACE_S)
        os.close(inside)
        if not gone:
            raise SandboxUnavailable("a sandboxed process could not be ended")


def _bound(pid: int, limits: Limits) -> None:
    """The limits that the kernel keeps; all processes inside inherit them."""
    for what, value in (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_NPROC, limits.processes),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, _DESCRIPTORS),
        (resource.RLIMIT_STACK, _STACK),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
    ):
        resource.prlimit(pid, what, (value, value))


def _collect(process: subprocess.Popen[bytes], inside: int, watch: Watch, job: Job, started: float) -> _Ending:
    """Feed and read until both outputs end, or a limit is passed. The outer bubblewrap holds them open to the end."""
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise Bug("bubblewrap was started without pipes")
    outputs = {process.stdout: bytearray(), process.stderr: bytearray()}
    deadline = started + job.limits.wall_s
    limit: str | None = None
    left = memoryview(job.stdin)
    next_look = started + _TICK_S
    with selectors.DefaultSelector() as selector:
        for stream in outputs:
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, selectors.EVENT_READ)
        os.set_blocking(process.stdin.fileno(), False)
        selector.register(process.stdin, selectors.EVENT_WRITE)
        while any(stream in outputs for stream in (k.fileobj for k in selector.get_map().values())):
            for key, _ in selector.select(_TICK_S):
                if key.fileobj is process.stdin:
                    left = _feed(process.stdin, left)
                    if not left:
                        selector.unregister(process.stdin)
                        with contextlib.suppress(BrokenPipeError):
                            process.stdin.close()
                elif not (chunk := os.read(key.fd, 65536)):
                    selector.unregister(key.fileobj)
                else:
                    outputs[key.fileobj] += chunk  # type: ignore[index]  # only the two outputs are registered to read
            now = time.monotonic()
            if limit is None:
                limit = "wall" if now > deadline else _too_loud(outputs, job.limits)
                if limit is None and now > next_look:
                    limit, next_look = watch.over(), now + _TICK_S
                if limit is not None:
                    _kill(inside)
            elif now > deadline + _GRACE_S:
                break
            if limit is not None:
                _trim(outputs, job.limits)
    stdout, stderr = (bytes(b) for b in _trim(outputs, job.limits).values())
    return _Ending(limit, stdout, stderr)


def _feed(stream: IO[bytes], left: memoryview) -> memoryview:
    try:
        return left[os.write(stream.fileno(), left[:65536]) :] if left else left
    except BlockingIOError:
        return left
    except BrokenPipeError:
        return left[:0]


def _too_loud(outputs: dict[IO[bytes], bytearray], limits: Limits) -> str | None:
    return "output" if sum(map(len, outputs.values())) > limits.output_bytes else None


def _trim(outputs: dict[IO[bytes], bytearray], limits: Limits) -> dict[IO[bytes], bytearray]:
    room = limits.output_bytes
    for captured in outputs.values():
        del captured[room:]
        room -= len(captured)
    return outputs


def _kill(pidfd: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)


def _first_process(status: int) -> int:
    """Id of the first process inside, as bubblewrap reports it. Raises ValueError when it reports none."""
    text = b""
    while b"\n" not in text:
        ready, _, _ = select.select([status], [], [], _GRACE_S)
        chunk = os.read(status, 4096) if ready else b""
        if not chunk:
            raise ValueError("it reported no process")
        text += chunk
    return int(json.loads(text.split(b"\n", 1)[0])["child-pid"])


def _exit_code(status: int) -> int | None:
    """What bubblewrap says of the command's end: nothing when the command never began."""
    text = b""
    while chunk := os.read(status, 4096):
        text += chunk
    found = [json.loads(line) for line in text.splitlines() if b"exit-code" in line]
    return int(found[-1]["exit-code"]) if found else None


def _execution(ending: _Ending, code: int | None, seconds: float) -> Execution:
    if ending.limit is not None:
        return Execution(None, ending.stdout, ending.stderr, ending.limit, seconds)
    if code is None:
        if not ending.stderr.startswith(_NOT_STARTED):
            raise SandboxUnavailable(f"bubblewrap failed: {_last_line(ending.stderr) or 'it said nothing'}")
        code = _NOT_FOUND
    return Execution(code, ending.stdout, ending.stderr, last_words(code, ending.stderr), seconds)


def _rest(stream: IO[bytes] | None) -> bytes:
    return (stream.read(65536) if stream else None) or b""


def _last_line(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
