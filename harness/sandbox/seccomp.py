"""The system calls that sandboxed code does not get: a second wall behind the namespaces.

A deny list, because the code under test is arbitrary Python: everything that reaches kernel interfaces with a history
(bpf, io_uring, keyctl, userfaultfd ...), other processes' memory, mounts and namespaces, terminals, address families
beyond AF_UNIX, AF_INET and AF_INET6 (AF_VSOCK reaches the host of a virtual machine and knows no network namespace), and
memory that no limit counts (memfd, System V segments).
"""

import errno
import tempfile

_REFUSED = (
    "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "process_madvise",
    "bpf", "perf_event_open", "add_key", "keyctl", "request_key", "userfaultfd",
    "io_uring_setup", "io_uring_enter", "io_uring_register",
    "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "open_tree_attr", "mount_setattr",
    "fsopen", "fsconfig", "fsmount", "fspick", "unshare", "setns",
    "name_to_handle_at", "open_by_handle_at", "fanotify_init", "quotactl", "quotactl_fd", "acct",
    "swapon", "swapoff", "reboot", "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module",
    "syslog", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname",
    "iopl", "ioperm", "modify_ldt", "uselib", "nfsservctl", "lookup_dcookie", "vhangup",
)  # fmt: skip
_ABSENT = ("clone3", "memfd_create", "memfd_secret", "shmget")
"""Answered with ENOSYS, so that libraries fall back: clone3 hides its flags from the filter (glibc then uses clone)."""
_NAMESPACE_FLAGS = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
"""CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET}."""
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_FAMILIES = frozenset({1, 2, 10, 16})
"""AF_UNIX, AF_INET, AF_INET6, and AF_NETLINK, by which the C library lists the (only) interface."""


class FilterUnavailable(Exception):
    """libseccomp is missing or too old; the message says which."""


def compile_filter() -> bytes:
    """Classic BPF, as `bwrap --seccomp` takes it, for this machine's architecture; a call of another one kills.

    Raises FilterUnavailable.
    """
    try:
        import pyseccomp  # loads libseccomp, which may be absent: an answer of ours, not an import error
    except (RuntimeError, OSError, ImportError) as error:
        raise FilterUnavailable(f"libseccomp cannot be loaded: {error}") from error
    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    known = [name for name in _REFUSED if pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) >= 0]
    for name in known:
        rules.add_rule(pyseccomp.ERRNO(errno.EPERM), name)
    for name in _ABSENT:
        if pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) >= 0:
            rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), name)
    for flag in _NAMESPACE_FLAGS:
        rules.add_rule(pyseccomp.ERRNO(errno.EPERM), "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    for request in (_TIOCSTI, _TIOCLINUX):
        rules.add_rule(
            pyseccomp.ERRNO(errno.EPERM), "ioctl", pyseccomp.Arg(1, pyseccomp.MASKED_EQ, 0xFFFFFFFF, request)
        )
    refuse = pyseccomp.ERRNO(errno.EAFNOSUPPORT)
    for call in ("socket", "socketpair"):
        for family in range(max(_FAMILIES) + 1):
            if family not in _FAMILIES:
                rules.add_rule(refuse, call, pyseccomp.Arg(0, pyseccomp.MASKED_EQ, 0xFFFFFFFF, family))
        rules.add_rule(refuse, call, pyseccomp.Arg(0, pyseccomp.GT, max(_FAMILIES)))
    with tempfile.TemporaryFile() as stream:
        rules.export_bpf(stream)
        stream.seek(0)
        return stream.read()
