"""Where code of the audited repository may run.

The promise of a Sandbox: no network, no file outside the given folders, no secret of the caller; bounded time, memory,
processes, disk and output; nothing alive afterwards. Which mechanism keeps the promise is in `mechanism`; a machine that
has none gets SandboxUnavailable, never a weaker promise.

What it does not promise: that what comes out is true. Output, exit code and everything in `writable` are the words of the
code that ran; read them as data, follow no link among them.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol


class Limits(NamedTuple):
    """Bounds of one execution."""

    wall_s: float = 60.0
    """Seconds of wall clock, then everything in it is killed."""
    memory_bytes: int = 1 << 30
    """Address space of each process, and resident memory of all together; its memory file systems get a quarter each."""
    processes: int = 64
    """Processes and threads together."""
    output_bytes: int = 1 << 20
    """Standard output and error together, then everything is killed."""
    file_bytes: int = 64 << 20
    """Size of any one file written."""
    disk_bytes: int = 512 << 20
    """Growth of `writable`, then everything is killed."""


DEFAULT_LIMITS = Limits()


class Execution(NamedTuple):
    """What happened."""

    returncode: int | None
    """Exit code (128 + n for signal n), None when it was killed for a limit."""
    stdout: bytes
    """Captured, cut at the limit."""
    stderr: bytes
    """Captured, cut at the limit."""
    limit: str | None
    """Which limit ended it: `wall`, `output`, `memory`, `disk`, `processes`, `file`, or None. With a return code it is what
    a failed program said last (the kernel refused, the program gave up): a label for people, never a ground for a verdict."""
    seconds: float
    """Wall clock."""


class Mount(NamedTuple):
    """A folder or file seen at another place inside, so that no path of this machine shows in what the code prints."""

    source: Path
    """Where it is."""
    at: str
    """Absolute path inside."""


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
        writable: Path | Mount | None = None,
        readable: Sequence[Path | Mount] = (),
        cwd: Path | str | None = None,
        environment: Mapping[str, str] = {},
        stdin: bytes = b"",
        limits: Limits = DEFAULT_LIMITS,
    ) -> Execution:
        """Run `argv`; `writable` is a folder of ours that it may change and that is its default `cwd`, `readable` are
        bound read-only, at their own paths unless Mounts (another interpreter's prefix may be among them), a later one
        over an earlier one. The Python that runs us is always readable. Nothing of our environment is passed on. When we
        are root, `writable` is given to the sandbox's user, and below its top folder `readable` shows what others may
        read. Raises SandboxUnavailable when the mechanism itself fails, which says nothing about the code."""
        ...
