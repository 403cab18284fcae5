"""posix-only-call: a function or module that only POSIX has, without a look at the platform.

Why: on Windows the import fails or the attribute is missing, at start or in the middle of the work.

Example:

    import fcntl                              # try/except ImportError, with another way to lock
    os.kill(pid, signal.SIGKILL)              # process.kill()

What it cannot see: projects that mean to run on POSIX only without saying so.
"""

import ast
from collections.abc import Iterator

from auditors.bodies import marginal
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="posix-only-call",
    group="platform",
    title="Only POSIX has this",
    severity=Severity.MEDIUM,
    cwe=None,
    page=__doc__,
)

MODULES = {"fcntl", "pwd", "grp", "resource", "termios", "tty", "pty", "syslog", "readline", "crypt", "spwd", "posix"}
NAMES = {
    "os.fork", "os.forkpty", "os.getuid", "os.geteuid", "os.getgid", "os.getegid", "os.setuid", "os.setgid", "os.setsid",
    "os.setpgid", "os.setpgrp", "os.getpgid", "os.getpgrp", "os.killpg", "os.wait", "os.waitid", "os.mkfifo", "os.mknod",
    "os.chown", "os.lchown", "os.chroot", "os.nice", "os.getloadavg", "os.sysconf", "os.uname", "os.sync", "os.getgroups",
    "os.initgroups", "os.openpty", "os.statvfs", "os.sched_getaffinity", "signal.SIGKILL", "signal.SIGHUP", "signal.SIGUSR1",
    "signal.SIGUSR2", "signal.SIGALRM", "signal.SIGCHLD", "signal.SIGPIPE", "signal.SIGQUIT", "signal.SIGSTOP",
    "signal.SIGCONT", "signal.alarm", "signal.setitimer", "signal.pthread_sigmask", "signal.sigwait", "socket.AF_UNIX",
    "time.tzset", "os.O_NOFOLLOW", "os.O_DIRECTORY", "os.O_NONBLOCK", "os.O_CLOEXEC",
}  # fmt: skip


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Imports of POSIX modules, and uses of POSIX names of os, signal, socket and time; one claim a name and module."""
    del project
    if marginal(module):
        return
    seen: set[str] = set()
    imported: list[tuple[ast.stmt, str]] = [(n, a.name) for n in module.nodes(ast.Import) for a in n.names]
    imported += [(n, n.module or "") for n in module.nodes(ast.ImportFrom) if not n.level]
    for node, name in imported:
        if name in MODULES and name not in seen:
            seen.add(name)
            yield _claim(module, node, name, "import")
    for attribute in module.nodes(ast.Attribute):
        resolved = module.resolve(attribute)
        if resolved in NAMES and resolved not in seen and isinstance(attribute.ctx, ast.Load):
            seen.add(resolved)
            yield _claim(module, attribute, resolved, "use")


def _claim(module: Module, node: ast.stmt | ast.expr, name: str, shape: str) -> Claim:
    error = "ModuleNotFoundError" if shape == "import" else "AttributeError"
    when = "is imported" if module.enclosing_function(node) is None else f"runs `{module.symbol(node)}`"
    return module.claim(
        RULE,
        node,
        scenario=f"On Windows there is no `{name}`: {error} as soon as somebody's program {when} here.",
        fix="Ask for it (hasattr, try/except, sys.platform) and say what happens without it.",
        facts={"name": name, "shape": shape},
    )


CHECK = Check(rules=(RULE,), module=check)
