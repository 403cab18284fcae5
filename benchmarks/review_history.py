"""Reviews changes out of a repository's own history: fixes taken back, which break something, and commits that break nothing.

    python -m benchmarks.review_history CLONE [--python VENV] [--fixes N] [--clean N]

CLONE is a git clone that may be changed; nothing of it is kept. A fix is a commit that says so, edits one or two Python
files by at most 30 lines and a test; it is taken back for the source alone, so that base = fixed, head = broken and the tests
are those of the fix. A clean commit says refactor, clean up, rename, typing, typo or doc. Counted is what is CONFIRMED.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

_FIX = re.compile(r"(?i)\bfix(?:e[sd])?\b|\bbug\b|\bcrash")
_CLEAN = re.compile(
    r"(?i)\brefactor|clean[- ]?up|\brename|\btyp(?:o|ing|e hint)|\bdocs?\b|docstring|comment|reformat|\bstyle\b"
)
MOST_LINES = 30


class Commit(NamedTuple):
    """One commit of the history."""

    id: str
    subject: str
    source: tuple[str, ...]
    tests: tuple[str, ...]
    lines: int


def git(clone: Path, *arguments: str) -> str:
    """What git says."""
    done = subprocess.run(["git", *arguments], cwd=clone, capture_output=True, text=True, check=True)
    return done.stdout


def commits(clone: Path) -> Iterator[Commit]:
    """Newest first, without merges."""
    for row in git(clone, "log", "--no-merges", "--format=%H%x1f%s", "origin/HEAD").splitlines():
        name, _, subject = row.partition("\x1f")
        source, tests, lines = [], [], 0
        for line in git(clone, "show", "--numstat", "--format=", "--no-renames", name).splitlines():
            added, removed, path = line.split("\t", 2)
            if not path.endswith(".py"):
                continue
            if re.search(r"(^|/)(tests?/|test_|conftest)", path):
                tests.append(path)
            else:
                source.append(path)
                lines += max(int(added), int(removed)) if added.isdigit() else 10**6
        yield Commit(name, subject, tuple(source), tuple(tests), lines)


def review(clone: Path, base: str, python: str | None) -> dict[str, Any]:
    """The JSON report, {} when there is none."""
    command = [sys.executable, "-m", "harness.cli.main", "review", str(clone), "--base", base, "--format", "json", "-q"]
    command += ["--python", python] if python else []
    root = str(Path(__file__).parent.parent)
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": root})
    if not done.stdout:
        print(f"  exit {done.returncode}: {done.stderr.strip()[:200]}")
        return {}
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def confirmed(report: dict[str, Any]) -> list[dict[str, Any]]:
    """What stands."""
    return [f for f in report.get("findings", []) if f["verdict"] == "CONFIRMED"]


def told(name: str, commit: Commit, report: dict[str, Any]) -> None:
    """One line a review, and one a finding."""
    tests = (report.get("review") or {}).get("tests") or {}
    seconds = report.get("run", {}).get("seconds", 0)
    print(
        f"{name} {commit.id[:10]} {seconds:5.1f} s  {commit.subject[:70]}  [{tests.get('status')}: {tests.get('compared')}]"
    )
    for f in confirmed(report):
        print(f"    {f['tier']} {f['rule']} {f['path']}:{f['line']} {f['scenario'][:110]}")


def main() -> None:
    """Run both halves and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path)
    parser.add_argument("--python")
    parser.add_argument("--fixes", type=int, default=10)
    parser.add_argument("--clean", type=int, default=10)
    asked = parser.parse_args()
    history = list(commits(asked.clone))
    small = [c for c in history if 1 <= len(c.source) <= 2 and c.lines <= MOST_LINES]
    fixes = [c for c in small if _FIX.search(c.subject) and c.tests][: asked.fixes]
    clean = [c for c in history if _CLEAN.search(c.subject) and not _FIX.search(c.subject) and c.source][: asked.clean]
    found = at_source = 0
    for commit in fixes:
        git(asked.clone, "checkout", "-q", "--force", commit.id)
        git(asked.clone, "clean", "-qfdx")
        before = git(asked.clone, "ls-tree", "-r", "--name-only", f"{commit.id}^").splitlines()
        for path in commit.source:
            if path in before:
                git(asked.clone, "checkout", "-q", f"{commit.id}^", "--", path)
            else:
                (asked.clone / path).unlink()
        report = review(asked.clone, "HEAD", asked.python)
        told("fix  ", commit, report)
        strong = [f for f in confirmed(report) if f["tier"] == "E5"]
        found += bool(strong)
        at_source += any(f["path"] in commit.source for f in strong)
    noisy = 0
    for commit in clean:
        git(asked.clone, "checkout", "-q", "--force", commit.id)
        git(asked.clone, "clean", "-qfdx")
        report = review(asked.clone, "HEAD~1", asked.python)
        told("clean", commit, report)
        noisy += bool(confirmed(report))
    print(f"fixes taken back: {found} of {len(fixes)} CONFIRMED at E5, {at_source} of them in a file of the fix")
    print(f"clean commits: {noisy} of {len(clean)} with anything CONFIRMED")


if __name__ == "__main__":
    main()
