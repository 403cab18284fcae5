"""`scripts/gate`: which base this repository's own gate is asked about, whatever kind of clone it is called in."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.hostile import plain_git, repository, write

ROOT = Path(__file__).parents[2]
FILES = {
    "scripts/gate": (ROOT / "scripts" / "gate").read_text(),
    "scripts/environment.sh": (ROOT / "scripts" / "environment.sh").read_text(),
    "requirements/runtime.txt": "",
    "requirements/dev.txt": "",
    "requirements/report.txt": "",
}


@pytest.fixture
def stand_in(tmp_path: Path) -> Path:
    """An environment that is complete and whose Python says what it was asked."""
    folder = tmp_path / "environment"
    (folder / "bin").mkdir(parents=True)
    python = folder / "bin" / "python"
    python.write_text('#!/bin/sh\ncase "$*" in *-c*) ;; *) printf "%s\\n" "$@" ;; esac\n')
    python.chmod(0o755)
    empty = subprocess.run(["cksum"], input=b"", capture_output=True, check=True).stdout
    for lock in ("runtime", "dev", "report"):
        (folder / f".locked-{lock}").write_bytes(empty)
    return folder


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    return repository(tmp_path / "origin", FILES)


def asked(folder: Path, stand_in: Path, *arguments: str) -> list[str]:
    """What the gate was asked, from `gate` on."""
    done = subprocess.run(
        ["bash", "scripts/gate", *arguments],
        cwd=folder, env=os.environ | {"HARNESS_VENV": str(stand_in)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    words = done.stdout.split()
    return words[words.index("gate") :]


def test_a_commit_with_a_parent_is_compared_with_what_the_gate_chooses(origin: Path, stand_in: Path) -> None:
    write(origin, {"more.py": "A = 1\n"})
    plain_git(origin, "add", "-A")
    plain_git(origin, "commit", "-q", "-m", "more")
    assert asked(origin, stand_in, "--quiet") == ["gate", ".", "--quiet"]
    plain_git(origin, "checkout", "-q", "--detach")
    assert asked(origin, stand_in) == ["gate", "."]


def test_the_first_commit_has_its_own_policy(origin: Path, stand_in: Path) -> None:
    assert asked(origin, stand_in, "--quiet") == ["gate", ".", "--base", "HEAD", "--quiet"]


def test_so_has_a_shallow_clone_of_one_commit(origin: Path, stand_in: Path, tmp_path: Path) -> None:
    write(origin, {"more.py": "A = 1\n"})
    plain_git(origin, "add", "-A")
    plain_git(origin, "commit", "-q", "-m", "more")
    plain_git(tmp_path, "clone", "-q", "--depth", "1", origin.as_uri(), str(tmp_path / "shallow"))
    assert asked(tmp_path / "shallow", stand_in) == ["gate", ".", "--base", "HEAD"]
