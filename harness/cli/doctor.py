"""`harness doctor`: what this machine has, what is missing, and how to get it."""

import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

import harness
from harness.errors import ExitCode, SandboxUnavailable, UsageError

_ANALYSERS = ("ruff", "bandit", "vulture", "detect-secrets", "coverage", "pytest")
_NEWER = range(sys.version_info.minor + 1, sys.version_info.minor + 8)
_PROJECT_PYTHON = "HARNESS_PROJECT_PYTHON"
_KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY")


class Part(NamedTuple):
    """One thing looked at."""

    name: str
    """What."""
    status: str
    """`ok`; `absent` for something optional; `missing` for something without which part of an audit does not run."""
    detail: str
    """Version and place, or why not."""
    fix: str = ""
    """How to get it, '' when there is nothing to get."""


@click.command("doctor")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="For people, or for programs.")  # fmt: skip
def command(form: str) -> int:
    """Say what this machine has, what is missing and how to get it.

    Exit code 0 when everything that an audit needs is there, 3 when part of it will not run.
    """
    parts = list(examine())
    missing = [part.name for part in parts if part.status == "missing"]
    verdict = _verdict(missing)
    if form == "json":
        report = {
            "schema_version": "harness.doctor/1",
            "status": "incomplete" if missing else "complete",
            "summary": verdict,
            "parts": [part._asdict() for part in parts],
        }
        click.echo(json.dumps(report, indent=2))
    else:
        _show(parts)
        click.echo(f"\n{verdict}")
    return ExitCode.INCOMPLETE if missing else ExitCode.PASS


def examine() -> Iterator[Part]:
    """Every part, in the order in which it is shown. Takes about half a second; opens no connection."""
    yield Part("harness", "ok", f"{harness.__version__} on {platform.platform()}")
    yield Part("python", "ok", f"{platform.python_version()} {sys.executable}")
    yield _program("git", "git", "--version", lacking="missing", fix="Install it: `apt install git`, or git-scm.com.")
    yield _sandbox()
    for name in _ANALYSERS:
        yield _analyser(name)
    yield _newer_pythons()
    yield _project_python()
    yield _program(
        "xelatex", "xelatex", "--version", lacking="absent",
        fix="Only reports need it: `apt install texlive-xetex lmodern`.",
    )  # fmt: skip
    yield _state()
    yield _network()


def _program(name: str, program: str, flag: str, *, lacking: str, fix: str) -> Part:
    found = shutil.which(program)
    if found is None:
        return Part(name, lacking, "not on PATH", fix)
    version = _version(found, flag)
    return Part(name, "ok", f"{version} {found}") if version else Part(name, lacking, f"{found} does not run", fix)


def _version(program: str, flag: str) -> str:
    """What a program calls its version, '' when it does not run."""
    command = [program, flag]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=20, cwd="/", check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    found = re.search(r"\d+\.[\w.-]+", done.stdout)
    return found.group() if found else "unknown version"


def _sandbox() -> Part:
    from harness.sandbox.probe import find_sandbox

    try:
        return Part("sandbox", "ok", find_sandbox().mechanism)
    except SandboxUnavailable as error:
        return Part("sandbox", "missing", str(error), error.hint)


def _analyser(name: str) -> Part:
    try:
        return Part(name, "ok", importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Part(name, "missing", "not installed beside harness", f"Install it: `pip install {name}`.")


def _newer_pythons() -> Part:
    programs = [p for p in (shutil.which(f"python3.{minor}") for minor in _NEWER) if p]
    if versions := [v for v in (_version(program, "--version") for program in programs) if v]:
        return Part("newer Pythons", "ok", ", ".join(versions))
    detail = f"none above 3.{sys.version_info.minor} on PATH"
    return Part("newer Pythons", "absent", detail, "Optional: code in a newer grammar can then be run as well as read.")


def _project_python() -> Part:
    from harness.sandbox.probe import find_sandbox
    from harness.sandbox.python import examine

    named = os.environ.get(_PROJECT_PYTHON)
    if not named:
        detail = "none named: code of a project runs with the Python above, which may lack its dependencies"
        return Part(
            "project Python", "absent", detail, f"Optional: harness audit --python .venv, or {_PROJECT_PYTHON}."
        )
    try:
        return Part("project Python", "ok", str(examine(Path(named), find_sandbox())))
    except UsageError as error:
        return Part("project Python", "missing", str(error), f"{error.hint}, in {_PROJECT_PYTHON} here.")
    except SandboxUnavailable:
        return Part("project Python", "absent", f"{named} cannot be tried without a sandbox")


def _state() -> Part:
    from harness.places import state_home

    folder = state_home()
    there = next(p for p in (folder, *folder.parents) if p.exists())
    if not os.access(there, os.W_OK | os.X_OK) or not there.is_dir():
        fix = "Make it writable, or set HARNESS_STATE_DIR to a folder that is."
        return Part("state directory", "missing", f"{folder} cannot be written", fix)
    free = shutil.disk_usage(there).free
    return Part("state directory", "ok", f"{folder} ({free / 1e9:.1f} GB free)")


def _network() -> Part:
    keys = [key for key in _KEYS if os.environ.get(key)]
    named = f"; {', '.join(keys)} set, used only when a model is named" if keys else ""
    return Part("offline", "ok", f"audits need no key and no network{named}")


def _verdict(missing: list[str]) -> str:
    if not missing:
        return "Everything an audit needs is here."
    if missing == ["sandbox"]:
        return "Audits run; checks that execute code of the project do not, and each report will say so."
    return f"Part of an audit will not run, for want of: {', '.join(missing)}."


def _show(parts: list[Part]) -> None:
    from harness.files import displayable

    colors = {"ok": "green", "absent": "yellow", "missing": "red"}
    for part in parts:
        status = click.style(f"{part.status:<7}", fg=colors[part.status])
        click.echo(f"{status}  {part.name:<15}  {displayable(part.detail)}")
        if part.fix and part.status != "ok":
            click.echo(f"{'':26}{displayable(part.fix)}")
