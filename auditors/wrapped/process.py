"""Runs a tool over hostile files: our arguments only, an empty folder of our own to stand in, no environment of the caller.

Guarantees that the child is gone and no more than `cap` bytes of its output were kept when `run` returns or raises. It is
no sandbox: it is for tools that read files as text and execute none of them.
"""

import os
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from typing import NamedTuple

from harness.errors import LaneFailed
from harness.scratch import scratch

TIMEOUT_S = 300.0
"""Wall clock of one child; half a million lines take the slowest of them well under a minute."""
OUTPUT_CAP = 64 << 20
"""Bytes of standard output."""
STDERR_KEPT = 2000
"""Bytes of standard error that an error message may quote."""


class Finished(NamedTuple):
    """A child that ended by itself."""

    returncode: int
    """Its exit code."""
    stdout: bytes
    """All it printed."""
    stderr: str
    """The end of what it said."""


def run(
    argv: Sequence[str | bytes], *, stdin: bytes = b"", timeout: float = TIMEOUT_S, cap: int = OUTPUT_CAP
) -> Finished:
    """Run `argv` and wait for its end. Raises LaneFailed on a time-out, on too much output, and when it cannot start."""
    name = os.path.basename(os.fsdecode(argv[0]))  # noqa: PTH119  # argv may hold bytes, which pathlib refuses
    with scratch("tool") as nowhere, tempfile.TemporaryFile() as talk:
        with tempfile.TemporaryFile() as given:
            given.write(stdin)
            given.seek(0)
            try:
                child = subprocess.Popen(
                    argv, stdin=given, stdout=subprocess.PIPE, stderr=talk, cwd=nowhere, env=_environment(str(nowhere))
                )
            except OSError as error:
                raise LaneFailed(f"{name} could not be started: {error}") from error
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            child.kill()

        timer = threading.Timer(timeout, expire)
        timer.start()
        try:
            assert child.stdout is not None
            output = child.stdout.read(cap + 1)
            if len(output) > cap:
                raise LaneFailed(f"{name} printed more than {cap} bytes")
            returncode = child.wait()
        finally:
            timer.cancel()
            child.kill()
            child.wait()
            if child.stdout is not None:
                child.stdout.close()
        if expired.is_set():
            raise LaneFailed(f"{name} did not finish within {timeout:.0f} s")
        talk.seek(0)
        return Finished(returncode, output, talk.read()[-STDERR_KEPT:].decode("utf-8", "replace"))


def _environment(home: str) -> dict[str, str]:
    """What a tool needs to start, and nothing that could configure it."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP", "TMP") if name in os.environ}
    return {**kept, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home, "LC_ALL": "C.UTF-8"}
