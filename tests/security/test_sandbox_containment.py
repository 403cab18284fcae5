"""What hostile code can reach, use up or leave behind from inside the sandbox (cases TST-01..03, 05, 07)."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.sandbox.base import Execution, Limits, Mount, Sandbox

PYTHON = sys.executable
TWENTY_SECONDS = Limits(wall_s=20)


def run(sandbox: Sandbox, code: str, *, limits: Limits = TWENTY_SECONDS, **options: object) -> Execution:
    return sandbox.run([PYTHON, "-c", textwrap.dedent(code)], limits=limits, **options)  # type: ignore[arg-type]


def say(execution: Execution) -> dict[str, object]:
    assert execution.returncode == 0, execution
    seen = json.loads(execution.stdout)
    assert isinstance(seen, dict)
    return seen


def alive(mark: str) -> list[str]:
    """Processes of the machine that carry `mark` in their command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found


@pytest.fixture
def listener() -> Iterator[tuple[int, list[object]]]:
    """A listener on this machine's loopback that remembers who came."""
    came: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        stop = threading.Event()

        def accept() -> None:
            while not stop.is_set():
                try:
                    connection, peer = server.accept()
                except TimeoutError:
                    continue
                came.append(peer)
                connection.close()

        thread = threading.Thread(target=accept)
        thread.start()
        yield server.getsockname()[1], came
        stop.set()
        thread.join()


def test_tst_01_a_hostile_conftest_acts_only_inside(
    sandbox: Sandbox, tmp_path: Path, listener: tuple[int, list[object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = secrets.token_hex(8)
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    port, came = listener
    marker = tmp_path.parent / f"marker-{secret}"
    project = tmp_path / "project"
    project.mkdir()
    (project / "conftest.py").write_text(
        textwrap.dedent(f"""
        import os, pathlib, socket
        pathlib.Path("inside").write_text("was here")
        seen = [repr(dict(os.environ))]
        for pid in filter(str.isdigit, os.listdir("/proc")):
            for name in ("environ", "cmdline"):
                try:
                    seen.append(repr(pathlib.Path("/proc", pid, name).read_bytes()))
                except OSError:
                    pass
        try:
            pathlib.Path({str(marker)!r}).write_text("outside")
        except OSError as error:
            seen.append(repr(error))
        try:
            socket.create_connection(("127.0.0.1", {port}), timeout=2)
            seen.append("connected")
        except OSError as error:
            seen.append(repr(error))
        pathlib.Path("seen").write_text("\\n".join(seen))
        """)
    )
    (project / "test_it.py").write_text("def test_it():\n    pass\n")
    done = sandbox.run([PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider"], writable=Mount(project, "/project"))
    assert done.returncode == 0, done
    assert (project / "inside").read_text() == "was here"
    seen = (project / "seen").read_text()
    assert secret not in seen
    assert "connected" not in seen
    assert "ConnectionRefusedError" in seen
    assert came == []
    assert not marker.exists()


def test_tst_02_a_daemon_does_not_outlive_the_time_limit(sandbox: Sandbox) -> None:
    mark = secrets.token_hex(8)
    code = f"""
        import os, subprocess, sys, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                subprocess.Popen(["/bin/sh", "-c", "sleep 300 # {mark}"])
                time.sleep(300)
            os._exit(0)
        print("started", flush=True)
        time.sleep(300)
    """
    ended = run(sandbox, code, limits=Limits(wall_s=1.0))
    assert (ended.returncode, ended.limit) == (None, "wall")
    assert ended.stdout == b"started\n"
    assert 1.0 <= ended.seconds < 6
    assert alive(mark) == []


def test_tst_02_a_daemon_does_not_outlive_a_program_that_ends_well(sandbox: Sandbox) -> None:
    mark = secrets.token_hex(8)
    code = f"""
        import subprocess
        subprocess.Popen(["/bin/sh", "-c", "sleep 300 # {mark}"], start_new_session=True)
    """
    assert run(sandbox, code).returncode == 0
    assert alive(mark) == []


def test_tst_02_nothing_outlives_a_caller_that_is_killed(tmp_path: Path) -> None:
    mark = secrets.token_hex(8)
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from pathlib import Path
from harness.sandbox.probe import find_sandbox
find_sandbox().run(["/bin/sh", "-c", "touch started; sleep 300 # {mark}"], writable=Path({str(tmp_path)!r}))
"""
    caller = subprocess.Popen([PYTHON, "-c", code])
    deadline = time.monotonic() + 30
    while not (tmp_path / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(alive(f"sleep 300 # {mark}")) >= 1
    caller.kill()
    caller.wait()
    while alive(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert alive(mark) == []


def test_tst_03_a_fork_loop_stops_at_the_process_limit(sandbox: Sandbox) -> None:
    code = """
        import os, sys, time
        children = 0
        for _ in range(500):
            try:
                if os.fork() == 0:
                    time.sleep(60)
                    os._exit(0)
            except BlockingIOError:
                print(children, flush=True)
                raise
            children += 1
    """
    ended = run(sandbox, code, limits=Limits(wall_s=20, processes=40))
    assert ended.limit == "processes", ended
    assert 20 <= int(ended.stdout) <= 40


def test_tst_03_threads_count_as_processes(sandbox: Sandbox) -> None:
    code = """
        import threading
        for _ in range(500):
            threading.Thread(target=threading.Event().wait, daemon=True).start()
    """
    ended = run(sandbox, code, limits=Limits(wall_s=20, processes=40, memory_bytes=2 << 30))
    assert ended.limit == "processes", ended


def test_tst_03_one_large_allocation_fails(sandbox: Sandbox) -> None:
    ended = run(sandbox, "b = bytearray(8 << 30)")
    assert ended.limit == "memory"


def test_tst_03_many_processes_do_not_add_up_to_more_memory(sandbox: Sandbox) -> None:
    code = """
        import os, time
        for _ in range(8):
            if os.fork() == 0:
                b = b"x" * (60 << 20)
                time.sleep(60)
        time.sleep(60)
    """
    ended = run(sandbox, code, limits=Limits(wall_s=30, memory_bytes=256 << 20))
    assert (ended.returncode, ended.limit) == (None, "memory")
    assert ended.seconds < 20


def test_tst_03_file_systems_in_memory_are_small_and_the_rest_is_read_only(sandbox: Sandbox) -> None:
    code = """
        import errno, json, os
        written = {}
        for folder in ("/tmp", "/dev/shm", "/", "/dev", "/etc", "/usr", "/root"):
            total = 0
            try:
                for n in range(200):
                    with open(f"{folder}/fill{n}", "wb", buffering=0) as stream:
                        for _ in range(16):
                            total += stream.write(b"x" * (1 << 20))
            except OSError as error:
                written[folder] = [total >> 20, errno.errorcode[error.errno]]
        print(json.dumps(written))
    """
    seen = say(run(sandbox, code, limits=Limits(wall_s=60, memory_bytes=256 << 20)))
    for folder in ("/tmp", "/dev/shm"):
        megabytes, why = seen[folder]  # type: ignore[misc]  # a pair, as written above
        assert (megabytes <= 64, why) == (True, "ENOSPC")
    for folder in ("/", "/dev", "/etc", "/usr"):
        assert seen[folder] in ([0, "EROFS"], [0, "EACCES"])
    assert seen["/root"] in ([0, "EROFS"], [0, "EACCES"], [0, "ENOENT"])


def test_tst_03_a_full_file_system_is_named_as_the_limit(sandbox: Sandbox) -> None:
    code = """
        for n in range(100):
            with open(f"/tmp/{n}", "wb") as stream:
                stream.write(b"x" * (16 << 20))
    """
    assert run(sandbox, code, limits=Limits(wall_s=30, memory_bytes=128 << 20)).limit == "disk"


def test_tst_03_one_file_has_a_largest_size(sandbox: Sandbox, tmp_path: Path) -> None:
    code = """
        with open("large", "wb") as stream:
            for _ in range(64):
                stream.write(b"x" * (1 << 20))
    """
    ended = run(sandbox, code, writable=tmp_path, limits=Limits(wall_s=30, file_bytes=4 << 20))
    assert ended.limit == "file"
    assert (tmp_path / "large").stat().st_size <= 4 << 20


def test_tst_03_the_writable_folder_has_a_largest_size(sandbox: Sandbox, tmp_path: Path) -> None:
    code = """
        import os
        for n in range(2000):
            with open(f"{n}", "wb", buffering=0) as stream:
                stream.write(os.urandom(1 << 20))
                os.fsync(stream.fileno())
    """
    ended = run(sandbox, code, writable=tmp_path, limits=Limits(wall_s=60, disk_bytes=40 << 20))
    size = sum(p.stat().st_size for p in tmp_path.iterdir())
    assert (ended.returncode, ended.limit) == (None, "disk"), (ended, size)
    assert size < 1 << 30


def test_tst_05_what_is_readable_cannot_be_changed_for_the_next_step(sandbox: Sandbox, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name in (".git/hooks/pre-commit", ".venv/bin/python", "pyproject.toml", "pkg/__init__.py"):
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("clean\n")
    tree.chmod(0o700)  # closed to others, as a temporary folder is
    code = """
        import json, os, pathlib
        failed = []
        for name in (".git/hooks/pre-commit", ".git/hooks/new", ".venv/bin/python", "pyproject.toml", "new.py"):
            for attempt in (lambda p: p.write_text("evil"), lambda p: p.unlink(), lambda p: p.chmod(0o777)):
                try:
                    attempt(pathlib.Path("/project", name))
                except OSError as error:
                    failed.append(name)
        print(json.dumps({"failed": len(failed), "read": pathlib.Path("/project/pyproject.toml").read_text()}))
    """
    seen = say(run(sandbox, code, readable=[Mount(tree, "/project")], cwd="/project"))
    assert seen == {"failed": 15, "read": "clean\n"}
    assert {p.read_text() for p in tree.rglob("*") if p.is_file()} == {"clean\n"}
    assert sum(p.is_file() for p in tree.rglob("*")) == 4


def test_tst_05_no_interpreter_of_ours_can_be_changed(sandbox: Sandbox) -> None:
    code = """
        import json, os, site, sys
        places = [sys.executable, os.path.realpath(sys.executable), os.__file__, *site.getsitepackages()]
        print(json.dumps({"writable": [p for p in places if os.access(p, os.W_OK)]}))
    """
    assert say(run(sandbox, code)) == {"writable": []}


def test_tst_07_no_descriptor_of_ours_is_open_inside(sandbox: Sandbox, tmp_path: Path) -> None:
    with (tmp_path / "secret").open("w") as stream:
        os.set_inheritable(stream.fileno(), True)
        code = """
            import json, os
            found = {}
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    names = os.listdir(f"/proc/{pid}/fd")
                    found[pid] = [os.readlink(f"/proc/{pid}/fd/{n}") for n in names if n.isdigit()]
                except OSError:
                    continue
            print(json.dumps({"found": [t for texts in found.values() for t in texts]}))
        """
        found = say(run(sandbox, code))["found"]
    assert isinstance(found, list)
    assert [t for t in found if not t.startswith(("pipe:", "/proc/", "/dev/null", "anon_inode:"))] == []


def test_tst_07_first_process_has_nothing_of_our_environment(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = secrets.token_hex(8)
    monkeypatch.setenv("ANTHROPIC_API_KEY", secret)
    ended = sandbox.run(["/bin/sh", "-c", "cat /proc/*/environ 2>/dev/null; env; true"], environment={"GIVEN": "yes"})
    assert secret.encode() not in ended.stdout
    assert b"GIVEN=yes" in ended.stdout


def test_tst_07_no_socket_of_the_machine_is_reached(sandbox: Sandbox, tmp_path: Path) -> None:
    name = f"sandbox-test-{secrets.token_hex(8)}"
    with (
        socket.socket(socket.AF_UNIX) as abstract,
        socket.socket(socket.AF_UNIX) as pathname,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
    ):
        abstract.bind(f"\0{name}")
        abstract.listen()
        pathname.bind(str(tmp_path / "s"))
        pathname.listen()
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)
        code = f"""
            import json, socket
            def attempt(call):
                try:
                    call()
                    return "reached"
                except OSError as error:
                    return type(error).__name__
            def unix(address):
                with socket.socket(socket.AF_UNIX) as s:
                    s.connect(address)
            def datagram(address):
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
                    s.sendto(b"x", address)
            print(json.dumps({{
                "abstract": attempt(lambda: unix("\\0{name}")),
                "pathname": attempt(lambda: unix({str(tmp_path / "s")!r})),
                "outside": attempt(lambda: datagram(("192.0.2.1", 53))),
                "vsock": attempt(lambda: socket.socket(socket.AF_VSOCK)),
                "packet": attempt(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)),
                "alg": attempt(lambda: socket.socket(38, socket.SOCK_SEQPACKET)),
                "raw": attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)),
            }}))
            try:
                datagram(("127.0.0.1", {udp.getsockname()[1]}))
            except OSError:
                pass
        """
        seen = say(run(sandbox, code))
        assert [what for what, how in seen.items() if how == "reached"] == []
        time.sleep(0.1)
        with pytest.raises(BlockingIOError):
            udp.recv(10)


CALLS = {
    "io_uring_setup": "libc.syscall(425, 8, ctypes.create_string_buffer(256))",
    "bpf": "libc.syscall(321, 0, ctypes.create_string_buffer(128), 128)",
    "userfaultfd": "libc.syscall(323, 1)",
    "keyctl": "libc.syscall(250, 0, -3, 0)",
    "ptrace": "libc.ptrace(16, os.getppid(), 0, 0)",
    "process_vm_readv": "libc.process_vm_readv(os.getppid(), 0, 0, 0, 0, 0)",
    "new user namespace": "libc.unshare(0x10000000)",
    "new mount namespace": "libc.unshare(0x20000)",
    "clone into a user namespace": "libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0)",
    "clone3": "libc.syscall(435, ctypes.create_string_buffer(88), 88)",
    "mount": "libc.mount(b'none', b'/tmp', b'tmpfs', 0, None)",
    "umount": "libc.umount2(b'/etc/hosts', 2)",
    "memfd_create": "libc.memfd_create(b'x', 0)",
    "shmget": "libc.shmget(0, 4096, 0o1600)",
    "TIOCSTI": "libc.ioctl(0, 0x5412, b'x')",
    "TIOCSTI in other words": "libc.ioctl(0, ctypes.c_ulong(0xffffffff00005412), b'x')",
    "setuid": "libc.setuid(0) if os.getuid() != 65533 else libc.setgroups(0, None)",  # 0 is no id in a user's namespace
    "setgroups": "libc.setgroups(1, (ctypes.c_uint * 1)(0))",
    "chroot": "libc.chroot(b'/tmp')",
    "sethostname": "libc.sethostname(b'x', 1)",
}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers of system calls are those of x86_64")
def test_tst_07_kernel_interfaces_are_closed(sandbox: Sandbox) -> None:
    attempts = "\n".join(f"    attempt({name!r}, lambda: {call})" for name, call in CALLS.items())
    code = (
        "import ctypes, errno, json, os\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "done = {}\n"
        "def attempt(name, call):\n"
        "    done[name] = 'done' if call() >= 0 else errno.errorcode[ctypes.get_errno()]\n"
        f"if True:\n{attempts}\n"
        "print(json.dumps({n: how for n, how in done.items() if how not in ('EPERM', 'ENOSYS')}))\n"
    )
    assert say(run(sandbox, code)) == {}


def test_tst_07_pushed_terminal_input_is_refused_by_the_filter(sandbox: Sandbox) -> None:
    code = """
        import errno, fcntl, json, os, pty
        ours, theirs = pty.openpty()
        try:
            fcntl.ioctl(theirs, 0x5412, b"x")
            print(json.dumps({"refused": False}))
        except OSError as error:
            print(json.dumps({"refused": error.errno == errno.EPERM}))
    """
    assert say(run(sandbox, code)) == {"refused": True}


def test_the_home_of_the_caller_is_not_there(sandbox: Sandbox) -> None:
    """Of the folders of users only the way to the interpreter is there, wherever it is installed."""
    code = """
        import json, os, sys
        running, home = {sys.prefix, sys.base_prefix}, []
        folders = [f for f in ("/root", "/home") if os.path.isdir(f)]
        while folders:
            for entry in os.scandir(folders.pop()):
                if any(r.startswith(entry.path + "/") for r in running):
                    folders.append(entry.path)
                elif entry.path not in running and entry.name != ".pyenv":
                    home.append(entry.path)
        there = [p for p in ("/var", "/srv", "/boot", "/sys", "/run") if os.path.exists(p)]
        print(json.dumps({"home": home, "there": there}))
    """
    assert say(run(sandbox, code)) == {"home": [], "there": []}


def test_another_interpreter_can_be_made_readable(sandbox: Sandbox, tmp_path: Path) -> None:
    prefix = tmp_path / "other"
    (prefix / "bin").mkdir(parents=True)
    shutil.copy("/bin/echo", prefix / "bin" / "python")
    done = sandbox.run([str(prefix / "bin" / "python"), "hello"], readable=[prefix])
    assert (done.returncode, done.stdout) == (0, b"hello\n")


def test_what_code_leaves_in_the_writable_folder_is_there_afterwards(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "given").write_text("1")
    (tmp_path / "sub").mkdir()
    code = "open('given', 'a').write('2'); open('sub/made', 'w').write('3')"
    assert run(sandbox, code, writable=Mount(tmp_path, "/project")).returncode == 0
    assert (tmp_path / "given").read_text() == "12"
    assert (tmp_path / "sub" / "made").read_text() == "3"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_all_of_this_holds_for_a_plain_user_as_well() -> None:
    packages = ":".join(p for p in sys.path if p.endswith("site-packages"))
    root = Path(__file__).parents[2]
    become = ["setpriv", "--reuid", "4321", "--regid", "4321", "--clear-groups", "env", "-i", "PATH=/usr/bin:/bin"]
    become += [f"PYTHONPATH={packages}", "/usr/bin/python3", "-B"]
    can = subprocess.run([*become, "-c", "import pytest, pydantic, pyseccomp"], cwd=root / "tests" / "security")
    if can.returncode:
        pytest.skip("no system Python that reads this folder and imports what the tests need")
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, 4321, 4321)
        command = [*become, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={folder}/t", __file__]
        command += [
            "-k",
            "not tst_01 and not plain_user",
        ]  # tst_01 needs pytest inside, which the system's Python lacks
        done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
