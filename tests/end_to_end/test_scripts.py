"""`scripts/audit` and `scripts/test` on a machine that lacks what they use.

A system of its own: a PATH with the few programs that every Debian has, so that nothing of this machine is found.
What a script does where it may install is seen in what it asks `apt-get` for.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
ESSENTIAL = ("bash", "cat", "chmod", "cksum", "dirname", "env", "rm")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the scripts are for Debian")


class System:
    """A PATH folder, and the scripts run with nothing else."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.environment = folder / "venv"
        self.program("ldconfig", "true")
        for name in ESSENTIAL:
            (self.bin / name).symlink_to(shutil.which(name) or pytest.skip(f"{name} is not here"))

    def program(self, name: str, lines: str) -> None:
        """Put a shell program on the PATH."""
        (self.bin / name).write_text(f"#!/bin/bash\n{lines}\n")
        (self.bin / name).chmod(0o755)

    def run(self, script: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """A script of ours, without HOME and locale."""
        return subprocess.run(
            [str(REPOSITORY / "scripts" / script), *arguments],
            env={"PATH": str(self.bin), "HARNESS_VENV": str(self.environment)},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def system(tmp_path):
    return System(tmp_path)


def test_a_user_is_told_exactly_what_to_install_all_at_once(system):
    system.program("id", "echo 1000")
    audit, test = system.run("audit", "."), system.run("test")
    assert (audit.returncode, audit.stdout, test.returncode, test.stdout) == (2, "", 2, "")
    assert audit.stderr.splitlines() == [
        "Python 3.11 or newer with venv is missing",
        "git is missing: folders are audited as they are, without their history",
        "Install what is missing, for instance: sudo apt-get install python3 python3-venv git",
    ]
    script = f'. {REPOSITORY}/scripts/environment.sh; printf "%s\\n" "${{for_test[@]}}"'
    listed = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.splitlines()
    packages = " ".join(entry.split("|")[1] for entry in listed)
    assert packages.startswith("python3 python3-venv git bubblewrap ")
    assert test.stderr.splitlines()[-1] == f"Install what is missing, for instance: sudo apt-get install {packages}"


def test_root_without_apt_is_told_the_same(system):
    system.program("id", "echo 0")
    assert "sudo apt-get install python3 python3-venv git" in system.run("audit", ".").stderr


def test_root_installs_each_missing_package_and_goes_on_without_what_may_be_missing(system, tmp_path):
    system.program("id", "echo 0")
    python = tmp_path / "python"
    python.write_text(
        '#!/bin/bash\n[ "$3" = "import pip" ] && exit 1\n[ "$2" = -c ] && exit 0\necho "started: $*"\nexit 1\n'
    )
    python.chmod(0o755)
    link = f"{shutil.which('ln')} -s {python} {system.bin}/python3"
    system.program("apt-get", f'echo "$*" >>{tmp_path}/asked\nfor word; do [ "$word" != python3 ] || {link}; done')
    done = system.run("audit", ".")
    asked = (tmp_path / "asked").read_text().splitlines()
    assert [line.split()[0] for line in asked] == ["update", "install", "install"]
    assert asked[1].endswith("--no-install-recommends python3 python3-venv")
    assert asked[2].endswith("--no-install-recommends git")
    assert "git is missing: folders are audited as they are" in done.stderr
    assert f"started: -P -m venv {system.environment}" in done.stderr
    assert (done.returncode, done.stdout) == (2, "")


def test_an_environment_that_was_interrupted_while_it_was_made_is_made_again(system, tmp_path):
    system.program("id", "echo 1000")
    system.program("python3", 'case "$*" in *ensurepip*) exit 0;; *) echo "made again: $*" >&2; exit 1;; esac')
    half = system.environment / "bin" / "python"
    half.parent.mkdir(parents=True)
    half.write_text(f'#!/bin/bash\nexec {os.path.realpath(sys.executable)} -S -I "$@"\n')
    half.chmod(0o755)
    assert f"made again: -P -m venv {system.environment}" in system.run("audit", ".").stderr
