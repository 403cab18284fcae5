"""DUR-01 and DUR-08 for checkpoints and rollbacks: killed between any two steps, the state is the old or the new one, no
byte is lost, and typing the command again ends it."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.cli.main import main
from tests.support.hostile import plain_git, repository, write
from tests.support.owned import contents, files, index

KILLED = """
import os, signal, sys
from pathlib import Path

left = int(sys.argv[1])

def counted(original):
    def call(*arguments, **more):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*arguments, **more)
    return call

from harness.repo import git, landing, rollback
git.stream = counted(git.stream)
landing._copy = counted(landing._copy)
rollback.write_atomic = counted(rollback.write_atomic)
landing.IndexLock.replace = counted(landing.IndexLock.replace)
Path.replace = counted(Path.replace)
Path.unlink = counted(Path.unlink)

from harness.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture
def app(tmp_path: Path) -> Path:
    root = repository(tmp_path / "app", {"a.py": "A = 1\n", "d/x": "1\n", "gone": "g\n"})
    plain_git(root, "config", "user.name", "Ada")
    plain_git(root, "config", "user.email", "ada@example.org")
    write(root, {"a.py": "A = 2\n"})
    plain_git(root, "add", "a.py")
    write(root, {"a.py": "A = 3\n", "new": "n\n"})
    (root / "gone").unlink()
    return root


def killed_after(step: int, *arguments: str) -> int:
    """Exit code of the command, negative when it was killed before it had done more than `step` steps."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(step), *arguments], capture_output=True, check=False, timeout=120,
                          cwd=Path(__file__).parents[2])  # fmt: skip
    assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
    return done.returncode


def state(root: Path) -> tuple[object, ...]:
    return plain_git(root, "rev-parse", "HEAD"), index(root), files(root)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["checkpoint"], ["checkpoint", "--all"]], ids=["staged", "all"])
def test_a_checkpoint(app: Path, arguments: list[str]) -> None:
    before, commits = contents(app), plain_git(app, "rev-list", "--count", "HEAD")
    old = state(app)
    step = 0
    while killed_after(step, *arguments, "--repo", str(app)):
        step += 1
        now = state(app)
        (app / ".git" / "index.lock").unlink(missing_ok=True)  # as the message about a lock says
        assert before <= contents(app), step
        assert now[2] == old[2], "no file of the work tree is touched"
        if now[0] == old[0]:
            assert now[1] == old[1] or (arguments[1:] and plain_git(app, "diff", "--name-only") == ""), step
            plain_git(app, "reset", "-q")
            plain_git(app, "update-index", "--cacheinfo", f"100644,{blob(app, 'A = 2')},a.py")
            old = state(app)
        else:
            break
    assert step > 8
    assert plain_git(app, "rev-list", "--count", "HEAD") == f"{int(commits) + 1}\n"
    if arguments[1:]:
        assert plain_git(app, "status", "--porcelain") == ""


def blob(app: Path, text: str) -> str:
    (app.parent / "text").write_text(text + "\n")
    return plain_git(app, "hash-object", "-w", "--no-filters", str(app.parent / "text")).strip()


@pytest.mark.slow
def test_a_rollback(app: Path) -> None:
    before = contents(app)
    step = 0
    halted = 0
    while killed_after(step, "rollback", "HEAD", "--repo", str(app)):
        step += 1
        assert before <= contents(app), step
        (app / ".git" / "index.lock").unlink(missing_ok=True)
        if (app / ".git" / "harness-rollback").exists():
            halted += 1
            assert main(["checkpoint", "--all", "--repo", str(app)]) == 2
            parked = (app / ".git" / "harness-rollback").read_text().split()[0]
            assert main(["rollback", "--unpark", parked, "--repo", str(app)]) == 0
            assert not (app / ".git" / "harness-rollback").exists()
            assert files(app)[b"a.py"] == ("file", b"A = 3\n")
    assert halted > 2
    assert plain_git(app, "status", "--porcelain") == ""
    assert before <= contents(app)


def test_a_signal_during_the_check_commits_nothing(app: Path) -> None:
    write(app, {"harness.toml": '[checkpoint]\ncheck = "sleep 60"\n'})
    plain_git(app, "add", "harness.toml")
    plain_git(app, "commit", "-q", "-m", "check")
    write(app, {"a.py": "A = 4\n"})
    old = state(app)
    process = subprocess.Popen(
        [sys.executable, "-m", "harness.cli.main", "checkpoint", "--all", "--repo", str(app), "--run-check", "host"],
        cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    while not any(b"sleep 60" in p.read_bytes() for p in children(process.pid)):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert state(app) == old
    assert not (app / ".git" / "index.lock").exists()


def children(pid: int) -> list[Path]:
    """Command lines of the children of a process."""
    try:
        numbers = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [path for n in numbers if (path := Path(f"/proc/{n}/cmdline")).exists()]


def test_a_reader_that_has_gone_does_not_undo_it(app: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m harness.cli.main checkpoint --all --repo {app} >&1 | :; exit ${{PIPESTATUS[0]}}",
        shell=True, executable="/bin/bash", cwd=Path(__file__).parents[2], capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode in (0, 141)
    assert plain_git(app, "status", "--porcelain") == ""
