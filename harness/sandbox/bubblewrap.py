"""The sandbox made of bubblewrap: namespaces of its own, no network, a file system put together from parts, few calls.

Two ways to the same promise. A plain user gets a user namespace in which none can be nested. Root gets no user namespace
but a user id that nothing else has, because the kernel exempts root's own id from the process limit however it is mapped.

It is not a virtual machine: the kernel is shared, and a hole in it is a hole in this. It says nothing about what code
does with the folders it is given. Processor time is bounded by the wall clock only, and kernel memory that belongs to
no process (buffers of sockets and pipes) only by the numbers of processes and descriptors.
"""

import itertools
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from harness.errors import SandboxUnavailable
from harness.sandbox.base import DEFAULT_LIMITS, Execution, Limits, Mount
from harness.sandbox.interpreter import interpreter_mounts
from harness.sandbox.supervise import Job, supervise

SETPRIV = "/usr/bin/setpriv"
_INNER_ID = 65533
"""Shown inside to a plain user's code. Not 65534: some file systems keep reserved blocks for that id."""
_FIRST_ID, _IDS = 2_000_000_000, 100_000_000
"""User ids that no account and no container range has, for root's sandboxes."""
_TEMPORARY = "/tmp"  # inside, where it is a file system of the sandbox's own
_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": _TEMPORARY,
    "TMPDIR": _TEMPORARY,
    "USER": "sandbox",
    "LOGNAME": "sandbox",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONDONTWRITEBYTECODE": "1",
}
_FILES = {
    "/etc/passwd": "root:x:0:0::/:/bin/sh\nsandbox:x:{id}:{id}::/tmp:/bin/sh\n",
    "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
}
_serial = itertools.count()


class Bubblewrap:
    """See `harness.sandbox.base.Sandbox`. Made by `harness.sandbox.probe`, which proves that it works here."""

    def __init__(self, binary: Path, version: str, seccomp: bytes, *, disable_userns: bool = True) -> None:
        self.mechanism = f"bubblewrap {version} + seccomp"
        self._binary = binary
        self._seccomp = seccomp
        self._disable_userns = disable_userns
        self._interpreter = interpreter_mounts()

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
        """See `harness.sandbox.base.Sandbox.run`."""
        uid = _fresh_id() if os.geteuid() == 0 else None
        folder = None if writable is None else _mount(writable)
        mounts = (*self._interpreter, *map(_mount, readable))
        inside = str(cwd) if cwd is not None else folder.at if folder is not None else _TEMPORARY
        try:
            with ExitStack() as stack:
                if folder is not None and uid is not None:
                    _give(folder.source, uid)
                shown = _INNER_ID if uid is None else uid
                files = {at: _descriptor(stack, text.format(id=shown).encode()) for at, text in _FILES.items()}
                seccomp = _descriptor(stack, self._seccomp)
                arguments = [
                    *(self._plain_user() if uid is None else _root()),
                    *("--die-with-parent", "--new-session", "--hostname", "sandbox", "--seccomp", str(seccomp)),
                    *_system(limits, files),
                    *(word for mount in mounts for word in _bind(mount, others=uid is not None)),
                    *(() if folder is None else (*_parents(folder.at), "--bind", str(folder.source), folder.at)),
                    *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", inside, "--clearenv"),
                    *(w for key, value in {**_ENVIRONMENT, **environment}.items() for w in ("--setenv", key, value)),
                    *("--", *(() if uid is None else _become(uid)), *argv),
                ]
                source = None if folder is None else folder.source
                passed = (*files.values(), seccomp)
                return supervise(Job(str(self._binary), arguments, passed, stdin, limits, source))
        except OSError as error:
            raise SandboxUnavailable(f"the sandbox cannot be prepared: {error}") from error

    def _plain_user(self) -> Iterator[str]:
        yield from ("--unshare-all", "--unshare-user", "--uid", str(_INNER_ID), "--gid", str(_INNER_ID))
        yield from ("--cap-drop", "ALL")
        if self._disable_userns:
            yield "--disable-userns"


def _root() -> Iterator[str]:
    """Only the capabilities by which `_become` gives up all of them, and the one to enter a folder of the fresh id's."""
    yield from ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
    yield from ("--cap-drop", "ALL")
    for name in ("SETUID", "SETGID", "SETPCAP", "DAC_READ_SEARCH"):
        yield from ("--cap-add", f"CAP_{name}")


def _become(uid: int) -> tuple[str, ...]:
    identity = ("--reuid", str(uid), "--regid", str(uid), "--clear-groups")
    return (SETPRIV, *identity, "--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all", "--")


def _fresh_id() -> int:
    """A user id for one execution, within what this user namespace maps."""
    ranges = [line.split() for line in Path("/proc/self/uid_map").read_text("ascii").splitlines()]
    top = max(int(first) + int(count) for first, _, count in ranges)
    slot = os.getpid() * 1024 + next(_serial) % 1024
    if top > _FIRST_ID + _IDS:
        return _FIRST_ID + slot % _IDS
    return max(top - 1 - slot % 1000, 1)


def _system(limits: Limits, files: Mapping[str, int]) -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev")
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
    yield from ("--perms", "0755", "--dir", "/etc")
    for name in ("/etc/ld.so.cache", "/etc/alternatives"):
        yield from ("--ro-bind-try", name, name)
    for at, descriptor in files.items():
        yield from ("--perms", "0644", "--ro-bind-data", str(descriptor), at)
    for at in (_TEMPORARY, "/dev/shm"):
        yield from ("--perms", "1777", "--size", str(limits.memory_bytes // 4), "--tmpfs", at)


def _bind(mount: Mount, *, others: bool) -> Iterator[str]:
    """Read-only. A top folder that is closed to others is put together from what it holds when `others` must read it."""
    yield from _parents(mount.at)
    state = mount.source.stat()
    if not (others and stat.S_ISDIR(state.st_mode) and state.st_mode & 0o005 != 0o005):
        yield from ("--ro-bind", str(mount.source), mount.at)
        return
    yield from ("--perms", "0755", "--dir", mount.at)
    for child in sorted(mount.source.iterdir()):
        at = f"{mount.at}/{child.name}"
        yield from ("--symlink", str(child.readlink()), at) if child.is_symlink() else ("--ro-bind", str(child), at)


def _parents(at: str) -> Iterator[str]:
    for parent in reversed(Path(at).parents):
        if parent != parent.parent:
            yield from ("--perms", "0755", "--dir", str(parent))


def _mount(what: Path | Mount) -> Mount:
    return what if isinstance(what, Mount) else Mount(what, os.path.abspath(what))  # noqa: PTH100  # links stay


def _give(folder: Path, uid: int) -> None:
    """Make `uid` the owner of the folder and all below it; links themselves, never what they point to."""
    for _, _, names, descriptor in os.fwalk(folder, topdown=True, follow_symlinks=False):
        os.fchown(descriptor, uid, uid)
        for name in names:
            os.chown(name, uid, uid, dir_fd=descriptor, follow_symlinks=False)


def _descriptor(stack: ExitStack, content: bytes) -> int:
    """A descriptor from which bubblewrap reads `content`."""
    descriptor = os.memfd_create("sandbox")
    stack.callback(os.close, descriptor)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
