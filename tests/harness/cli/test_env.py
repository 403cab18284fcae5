"""`harness env`: records, drift with its cause, and experiments that leave the real environment as it was."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import main
from harness.environment import trial
from harness.environment.place import find
from harness.errors import UsageError
from harness.files import sha256
from harness.state import State
from tests.support.environments import environment, install, wheel
from tests.support.hostile import plain_git, repository, write

ROOT = Path(__file__).parent.parent.parent.parent
Env = Callable[..., tuple[int, str, str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a virtual environment in it that git does not track."""
    root = repository(tmp_path / "shop", {"shop.py": "PRICE = 1\n", ".gitignore": ".venv/\n"})
    environment(root / ".venv")
    return root


@pytest.fixture
def env(project: Path, capfd: pytest.CaptureFixture[str]) -> Env:
    def run(name: str, *arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main(["env", name, "--repo", str(project), *arguments])
        return (code, *capfd.readouterr())

    return run


def packages(project: Path) -> Path:
    return next((project / ".venv").glob("lib/python3.*/site-packages"))


def changes(env: Env, *arguments: str) -> list[tuple[str, str, str, str]]:
    code, out, _ = env("check", "--format", "json", *arguments)
    found = json.loads(out)["changes"]
    assert code == (1 if found else 0)
    return [(c["kind"], c["name"], c["before"], c["after"]) for c in found]


def leftovers(project: Path) -> list[Path]:
    return list(State(project).disposable.glob("trial-*"))


def test_without_a_record_there_is_nothing_to_compare_with(env: Env) -> None:
    code, out, err = env("check")
    assert (code, out) == (4, "")
    assert "harness env record" in err


def test_nothing_drifted(project: Path, env: Env) -> None:
    head = plain_git(project, "rev-parse", "HEAD").strip()
    code, out, _ = env("record")
    assert code == 0
    assert "1 distribution, Python 3." in out
    assert f"HEAD {head[:12]}" in out
    code, out, _ = env("check")
    assert (code, out.splitlines()[-1]) == (0, "exit 0: nothing drifted")


def commit(project: Path, *trailers: str) -> str:
    plain_git(project, "commit", "-q", "--allow-empty", "-m", "\n".join(("State", "", *trailers)))
    return plain_git(project, "rev-parse", "HEAD").strip()


def test_a_record_names_the_newest_checkpoint_that_passed(project: Path, env: Env) -> None:
    green = commit(project, "Harness-Checkpoint: 0001", "Harness-Check: passed")
    assert f"checkpoint {green[:12]}" in env("record")[1]
    head = commit(project, "Harness-Checkpoint: 0002", "Harness-Check: failed")
    assert f"HEAD {head[:12]} after checkpoint {green[:12]}" in env("record")[1]
    newer = commit(project, "Harness-Checkpoint: 0003", "Harness-Check: passed")
    assert f"the newest green checkpoint, {newer[:12]}, has no record" in env("check")[1]


def test_a_checkpoint_that_passes_records(project: Path, env: Env, capfd: pytest.CaptureFixture[str]) -> None:
    plain_git(project, "config", "user.name", "Ada")
    plain_git(project, "config", "user.email", "ada@example.org")
    write(project, {"harness.toml": '[checkpoint]\ncheck = "true"\n'})
    commit_all = ["checkpoint", "--repo", str(project), "--all", "--run-check", "host"]
    assert main(commit_all) == 0
    assert env("check")[0] == 4, "HEAD had no check yet"
    write(project, {"shop.py": "PRICE = 2\n"})
    assert main(commit_all) == 0
    assert "environment record 0001" in capfd.readouterr().err
    code, out, _ = env("check")
    assert (code, out.splitlines()[0].rpartition(", ")[2]) == (
        0, f"checkpoint {plain_git(project, 'rev-parse', 'HEAD')[:12]}",
    )  # fmt: skip


def test_what_is_added_removed_and_exchanged_is_drift(project: Path, env: Env) -> None:
    site = packages(project)
    install(site, "gone", "A = 1\n")
    env("record")
    for left in ("gone.py", "gone-1.0.dist-info/METADATA", "gone-1.0.dist-info/RECORD"):
        (site / left).unlink()
    (site / "gone-1.0.dist-info").rmdir()
    install(site, "extra", "A = 1\n")
    (site / "till-1.0.dist-info").rename(site / "till-2.0.dist-info")
    metadata = site / "till-2.0.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("1.0", "2.0"))
    assert changes(env) == [
        ("added", "extra", "", "1.0"), ("removed", "gone", "1.0", ""), ("version", "till", "1.0", "2.0"),
    ]  # fmt: skip


def test_the_same_version_with_other_files_is_drift(project: Path, env: Env) -> None:
    env("record")
    install(packages(project), "till", "VERSION = 'mine'\n")
    assert changes(env) == [("files", "till", "1.0", "1.0")]


def test_a_file_that_puts_code_into_every_start_is_drift(project: Path, env: Env) -> None:
    env("record")
    (packages(project) / "sneaky.pth").write_text("import os\n")
    ((kind, name, _, _),) = changes(env)
    assert (kind, name) == ("path", "sneaky.pth")


def test_an_edited_file_is_found_when_asked_for(project: Path, env: Env) -> None:
    install(packages(project), "till", "VERSION = '1'\n", hashed=True)
    env("record")
    (packages(project) / "till.py").write_text("VERSION = 'edited'\n")
    assert changes(env) == []
    assert changes(env, "--files") == [("damaged", "till: till.py", "", "")]
    (packages(project) / "till.py").unlink()
    assert changes(env, "--files") == [("missing", "till: till.py", "", "")]


def test_the_cause_is_what_the_installer_left(project: Path, env: Env) -> None:
    env("record")
    site = packages(project)
    install(site, "coins", "A = 1\n")
    install(site, "purse", "A = 1\n")
    for name in ("coins", "purse"):
        (site / f"{name}-1.0.dist-info" / "INSTALLER").write_text("pip\n")
    (site / "purse-1.0.dist-info" / "REQUESTED").touch()
    metadata = site / "purse-1.0.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text() + "Requires-Dist: coins>=1\n")
    _, out, _ = env("check")
    assert "cause: pip, as what purse needs, 20" in out
    assert "cause: pip install purse==1.0, by name, 20" in out


def test_where_a_distribution_comes_from_is_kept_without_credentials(project: Path, env: Env) -> None:
    direct = packages(project) / "till-1.0.dist-info" / "direct_url.json"
    direct.write_text('{"url": "file:///home/me/till", "dir_info": {"editable": true}}')
    assert "not from an index: till 1.0 (-e /home/me/till)" in env("record")[1]
    direct.write_text('{"url": "https://me:pw1@git.example.org/till", "vcs_info": {"vcs": "git", "commit_id": "ab12"}}')
    ((kind, _, before, after),) = changes(env)
    assert (kind, before) == ("source", "-e /home/me/till")
    assert after == "git+https://[redacted]@git.example.org/till@ab12"


def test_records_live_in_the_repository_once_it_keeps_runs(project: Path, env: Env) -> None:
    assert main(["init", str(project)]) == 0
    env("record")
    assert (project / ".harness" / "environment" / "records" / "0001.json").is_file()
    assert "environment" not in plain_git(project, "status", "--porcelain", "-uall")


def test_another_environment_has_records_of_its_own(project: Path, env: Env, tmp_path: Path) -> None:
    other = environment(tmp_path / "other")
    env("record")
    code, _, err = env("check", "--python", str(other))
    assert code == 4
    assert str(project / ".venv") in err


def test_a_torn_record_says_what_to_do(project: Path, env: Env) -> None:
    env("record")
    path = next(State(project).environments.glob("records/*.json"))
    path.write_text(path.read_text()[:40])
    code, _, err = env("check")
    assert code == 2
    assert "Remove it and record again" in err


def test_no_environment_at_all(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no virtual environment"):
        find(tmp_path, "")


def test_an_environment_of_the_repository_is_refused(project: Path, env: Env) -> None:
    plain_git(project, "add", "-f", ".venv/pyvenv.cfg")
    code, _, err = env("record")
    assert code == 2
    assert "part of the repository" in err


def test_a_broken_environment_says_so(project: Path, env: Env, tmp_path: Path) -> None:
    for name in ("python", "python3"):
        link = project / ".venv" / "bin" / name
        link.unlink()
        link.symlink_to(tmp_path / "gone")
    code, _, err = env("record")
    assert code == 2
    assert f"is broken: {tmp_path / 'gone'} is gone" in err
    assert "--clear" in err


def test_the_systems_own_python_is_refused(tmp_path: Path, project: Path, env: Env) -> None:
    system = tmp_path / "system"
    library = system / "lib" / "python3.11"
    (library / "site-packages").mkdir(parents=True)
    (library / "EXTERNALLY-MANAGED").touch()
    (system / "bin").mkdir()
    python = system / "bin" / "python3.11"
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    code, _, err = env("record", "--python", str(python))
    assert code == 2
    assert "package tool owns" in err


def snapshot(folder: Path) -> dict[str, str]:
    return {
        str(p.relative_to(folder)): str(p.readlink()) if p.is_symlink() else sha256(p.read_bytes())
        for p in sorted(folder.rglob("*"))
        if (p.is_file() or p.is_symlink()) and "__pycache__" not in p.parts
    }


@pytest.mark.parametrize("pip", [True, False], ids=["with pip", "without"])
def test_an_experiment_installs_beside_the_real_environment(project: Path, env: Env, tmp_path: Path, pip: bool) -> None:
    made = wheel(tmp_path, "till", "2.0", "VERSION = '2'\n")
    if pip:
        subprocess.run([project / ".venv/bin/python", "-I", "-m", "ensurepip"], check=True, capture_output=True)
    before = snapshot(project / ".venv")
    show = "import till, sys; print(till.VERSION, sys.prefix)"
    script = f"pip install -q --no-index --no-deps {made} && python -c '{show}' && exit 7"
    code, out, err = env("run", "--", "sh", "-c", script)
    version, prefix = out.split()
    assert (code, version) == (7, "2")
    assert Path(prefix).parent == State(project).disposable
    assert "installed till 2.0, instead of 1.0" in err
    assert "unchanged: " in err
    if pip:  # which would take out what it sees below
        assert env("run", "--", "pip", "uninstall", "-q", "-y", "till")[0] == 0
    assert snapshot(project / ".venv") == before
    assert leftovers(project) == []


def test_an_experiment_sees_what_the_real_environment_has(project: Path, env: Env) -> None:
    tool = project / ".venv" / "bin" / "till-tool"
    tool.write_text(f"#!{project}/.venv/bin/python\nimport sys, till\nprint(till.VERSION, sys.prefix)\n")
    tool.chmod(0o755)
    code, out, _ = env("run", "--", "till-tool")
    assert code == 0
    version, prefix = out.split()
    assert version == "1"
    assert Path(prefix).parent == State(project).disposable


def test_a_kept_one_stays_also_when_the_next_sweeps(project: Path, env: Env) -> None:
    _, _, err = env("run", "--keep", "--", "true")
    (kept,) = leftovers(project)
    assert f"kept: {kept}" in err
    env("run", "--", "true")
    assert leftovers(project) == [kept]


def test_a_command_that_is_not_there(env: Env, project: Path) -> None:
    code, _, err = env("run", "--", "no-such-command")
    assert (code, leftovers(project)) == (127, [])
    assert "no-such-command" in err


def test_an_experiment_that_reaches_the_real_environment_is_told_on(project: Path, env: Env) -> None:
    env("record")
    inside = packages(project) / "extra-1.0.dist-info"
    script = f"mkdir {inside} && printf 'Name: extra\\nVersion: 1.0\\n' > {inside}/METADATA"
    code, _, err = env("run", "--", "sh", "-c", script)
    assert code == 1
    assert "THE REAL ENVIRONMENT CHANGED" in err
    code, out, _ = env("check")
    assert code == 1
    assert "added    extra 1.0  · cause: sh -c" in out
    assert "(harness env run, 20" in out


def test_the_report_of_an_experiment(project: Path, env: Env, tmp_path: Path) -> None:
    env("run", "--report", str(tmp_path / "said.json"), "--", "sh", "-c", "exit 3")
    said: dict[str, Any] = json.loads((tmp_path / "said.json").read_text())
    assert (said["command"], said["exit_code"], said["touched"]) == ("sh -c 'exit 3'", 3, [])


def started(project: Path, marker: Path) -> "subprocess.Popen[bytes]":
    """An experiment that runs until it is stopped, seen to have begun."""
    script = f"echo > {marker}; exec sleep 600"
    process = subprocess.Popen(
        [sys.executable, "-m", "harness.cli.main", "env", "run", "--repo", str(project), "--", "sh", "-c", script],
        env=os.environ | {"PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    while not marker.exists():
        assert process.poll() is None
        time.sleep(0.02)
    return process


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_it_cleans_up(project: Path, tmp_path: Path, number: int, code: int) -> None:
    process = started(project, tmp_path / "begun")
    process.send_signal(number)
    assert process.wait() == code
    assert leftovers(project) == []


def test_killed_the_next_one_sweeps_but_not_while_the_command_lives(project: Path, tmp_path: Path, env: Env) -> None:
    process = started(project, tmp_path / "begun")
    process.kill()
    process.wait()
    (left,) = leftovers(project)
    env("run", "--", "true")
    assert leftovers(project) == [left]
    os.killpg(process.pid, signal.SIGKILL)
    while held(left / ".lock"):
        time.sleep(0.02)
    env("run", "--", "true")
    assert leftovers(project) == []


def held(lock: Path) -> bool:
    with lock.open("rb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_a_command_that_does_not_end_when_told_is_killed(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "GRACE_S", 0.1)
    stubborn = (
        "import os, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nos.kill(os.getppid(), signal.SIGTERM)\n"
        "while True:\n    signal.pause()\n"
    )
    done = trial.tried([sys.executable, "-c", stubborn], find(project, ""), State(project).disposable, keep=False)
    assert (done.command.exit_code, leftovers(project)) == (137, [])
