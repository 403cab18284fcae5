"""Other programs on the same files: bandit, ruff, and Semgrep where it is named.

Each is a process of its own and reads no settings of the files.
"""

import json
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

RUFF_CWE = {
    "S102": 94, "S103": 732, "S104": 605, "S105": 259, "S108": 377, "S110": 703, "S112": 703, "S113": 400, "S301": 502,
    "S302": 502, "S303": 328, "S307": 94, "S308": 79, "S310": 22, "S311": 330, "S313": 611, "S314": 611, "S315": 611,
    "S316": 611, "S317": 611, "S318": 611, "S319": 611, "S320": 611, "S324": 328, "S501": 295, "S506": 502, "S602": 78,
    "S603": 78, "S604": 78, "S605": 78, "S606": 78, "S607": 78, "S608": 89, "S701": 79, "S704": 79,
}  # fmt: skip
"""ruff prints no CWE; these are the ones its documentation gives."""


class Reported(NamedTuple):
    """One result of a program, once for each CWE that it names."""

    path: str
    """Relative to the folder."""
    line: int
    cwe: int
    """0 when it names none."""


Peer = Callable[[Path], list[Reported]]


def number(cwe: str) -> int:
    """`CWE-89: ...` -> 89, 0 for anything else."""
    digits = cwe.upper().removeprefix("CWE-").partition(":")[0].strip()
    return int(digits) if digits.isdigit() else 0


def bandit(root: Path) -> list[Reported]:
    """bandit on the folder, with its own CWE numbers."""
    command = [sys.executable, "-m", "bandit", "-q", "-r", str(root), "-f", "json", "--ignore-nosec"]
    output = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root.parent).stdout
    results = json.loads(output)["results"] if output else []
    return [Reported(_below(root, r["filename"]), r["line_number"], int(r["issue_cwe"].get("id", 0))) for r in results]


def ruff(root: Path, rules: str = "S", *, target: str = "py311") -> list[Reported]:
    """ruff on the folder, isolated."""
    command = [
        sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", rules, "--exit-zero", "--ignore-noqa",
        "--target-version", target, "--output-format", "json", str(root),
    ]  # fmt: skip
    output = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root.parent).stdout
    return [
        Reported(_below(root, r["filename"]), r["location"]["row"], RUFF_CWE.get(r["code"] or "", 0))
        for r in json.loads(output)
    ]


def semgrep(root: Path, program: str, rules: Path) -> list[Reported]:
    """Semgrep with a folder of rules, without network. Raises SystemExit when it fails."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / ".semgrepignore").write_text("")  # without one it leaves out folders that are named for tests
        command = [
            program, "scan", "--config", str(rules), "--metrics", "off", "--disable-version-check", "--disable-nosem",
            "--no-git-ignore", "--json", "--quiet", str(root),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=name)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{program} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return [
        Reported(_below(root, r["path"]), r["start"]["line"], cwe)
        for r in json.loads(done.stdout)["results"]
        for cwe in _cwes(r["extra"].get("metadata", {})) or [0]
    ]


def _cwes(metadata: dict[str, Any]) -> list[int]:
    given = metadata.get("cwe", [])
    return [number(cwe) for cwe in ([given] if isinstance(given, str) else given)]


def _below(root: Path, name: str) -> str:
    return Path(name).relative_to(root).as_posix()


def add_options(parser: ArgumentParser) -> None:
    """`--semgrep PROGRAM --semgrep-rules FOLDER`."""
    parser.add_argument("--semgrep", metavar="PROGRAM", help="Semgrep of an environment of its own, measured as well")
    parser.add_argument(
        "--semgrep-rules",
        type=Path,
        metavar="FOLDER",
        help="its rules: `python` of a checkout of semgrep/semgrep-rules",
    )


def chosen(options: Namespace) -> dict[str, Peer]:
    """Semgrep by its name, when it was asked for; otherwise nothing. Raises SystemExit for one option without the other."""
    if options.semgrep is None and options.semgrep_rules is None:
        return {}
    if options.semgrep is None or options.semgrep_rules is None:
        raise SystemExit("--semgrep and --semgrep-rules go together")
    return {"Semgrep": partial(semgrep, program=options.semgrep, rules=options.semgrep_rules.resolve())}
