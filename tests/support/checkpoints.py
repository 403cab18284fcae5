"""Repositories of somebody who commits, and the commands about checkpoints as a program calls them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import main
from tests.support.hostile import plain_git, repository

Call = Callable[..., tuple[int, dict[str, Any]]]


def own(folder: Path, given: dict[str, str]) -> Path:
    """A repository with these files committed, and somebody who may commit."""
    return owned(repository(folder, given))


def owned(folder: Path) -> Path:
    """The repository, with somebody who may commit."""
    plain_git(folder, "config", "user.name", "Ada")
    plain_git(folder, "config", "user.email", "ada@example.org")
    return folder


def caller(folder: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs `checkpoint` or `rollback`; returns (exit code, what it says as JSON, or {"error": stderr})."""

    def run(name: str, *arguments: str, at: Path = folder) -> tuple[int, dict[str, Any]]:
        capsys.readouterr()
        code = main([name, "--repo", str(at), "--format", "json", *arguments])
        said = capsys.readouterr()
        return code, json.loads(said.out) if said.out else {"error": said.err}

    return run


def head(folder: Path) -> str:
    """Its commit."""
    return plain_git(folder, "rev-parse", "HEAD").strip()
