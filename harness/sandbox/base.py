"""Where code of the audited repository may run.

The promise of a Sandbox: no network, no file outside the given folders, no secret of the caller; bounded time, memory,
processes, disk and output; nothing alive afterwards. Which mechanism keeps the promise is in `mechanism`; a machine that
has none gets SandboxUnavailable, never a weaker promise.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol


class Limits(NamedTuple):
    """Bounds of one execution."""

    wall_s: float = 60.0
    """Seconds of wall clock, then everything in it is killed."""
    memory_bytes: int = 1 << 30
    """Address space of each process, and size of its writable memory file systems."""
    processes: int = 64
    """Processes and threads together."""
    output_bytes: int = 1 << 20
    """Standard output and error together, then everything is killed."""
    file_bytes: int = 64 << 20
    """Size of any one file written."""


DEFAULT_LIMITS = Limits()


class Execution(NamedTuple):
    """What happened."""

    returncode: int | None
    """Exit code, None when it was killed for a limit."""
    stdout: bytes
    """Captured, cut at the limit."""
    stderr: bytes
    """Captured, cut at the limit."""
    limit: str | None
    """Which limit ended it: `wall`, `output`, `memory`, or None."""
    seconds: float
    """Wall clock."""


class Sandbox(Protocol):
    """A place to run untrusted code."""

    @property
    def mechanism(self) -> str:
        """Name and version, for the record: `bubblewrap 0.8.0 + seccomp`."""
        ...

    def run(
        self,
        argv: Sequence[str],
        *,
        writable: Path | None = None,
        readable: Sequence[Path] = (),
        cwd: Path | None = None,
        environment: Mapping[str, str] = {},
        stdin: bytes = b"",
        limits: Limits = DEFAULT_LIMITS,
    ) -> Execution:
        """Run `argv`; `writable` is a folder of ours that it may change and that is its default `cwd`, `readable` are
        bound read-only at their own paths. The Python that runs us is always readable. Raises SandboxUnavailable when
        the mechanism itself fails, which says nothing about the code."""
        ...
