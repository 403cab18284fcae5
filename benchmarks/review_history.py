"""Reviews changes out of a repository's own history: fixes taken back, which break something, and commits that break nothing.

    python -m benchmarks.review_history CLONE [--python VENV] [--fixes N] [--clean N] [--bugs FOLDER] [--test-command C]

CLONE is a git clone that may be changed; nothing of it is kept. A fix is taken back for the source alone, so that base = fixed,
head = broken and the tests are those of the fix. Which fixes: with --bugs the N of a project of BugsInPy (`projects/NAME` of
github.com/soarsmu/BugsInPy) whose patches change the fewest lines of source, lower number first among equals, out of those that
can be seen in the environment at all: the test that BugsInPy names passes on the fixed source and fails on the broken one, run
by hand with plain pytest or unittest (which runs the project's code on this machine, without a sandbox). Else the newest
N commits that say so and edit one or two Python files by at most 30 lines and a test. A clean commit says refactor, clean up,
rename, typing, typo or doc, not fix, and edits Python; with --bugs the newest up to the newest fix of the list. Counted is
what is CONFIRMED. --test-command is what an owner would have configured on the base, for tests that plain pytest does not find.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

_FIX = re.compile(r"(?i)\bfix(?:e[sd])?\b|\bbug\b|\bcrash")
_CLEAN = re.compile(
    r"(?i)\brefactor|clean[- ]?up|\brename|\btyp(?:o|ing|e hint)|\bdocs?\b|docstring|comment|reformat|\bstyle\b"
)
_AUTHOR = ("-c", "user.name=benchmark", "-c", "user.email=benchmark@example.org")
MOST_LINES = 30


_TEST = re.compile(r"(^|/)(tests?/|tests?_|conftest)")


class Commit(NamedTuple):
    """One commit of the history."""

    id: str
    subject: str
    source: tuple[str, ...]
    tests: tuple[str, ...]
    lines: int


class Bug(NamedTuple):
    """One bug of BugsInPy."""

    number: int
    fixed: str
    patch: Path
    """From the broken source to the mended one."""
    source: tuple[str, ...]
    """Files of the patch that are no tests."""
    lines: int
    """Added and removed lines in them."""
    tests: tuple[tuple[str, ...], ...]
    """Arguments of Python that run the tests that BugsInPy names."""


def git(clone: Path, *arguments: str) -> str:
    """What git says."""
    done = subprocess.run(["git", *arguments], cwd=clone, capture_output=True, text=True, check=True)
    return done.stdout


def named_tests(folder: Path) -> tuple[tuple[str, ...], ...]:
    """From `run_test.sh`, whatever it starts the tests with."""
    rows = [line.split() for line in (folder / "run_test.sh").read_text().splitlines() if "test" in line]
    return tuple(("-m", "unittest" if "unittest" in row else "pytest", "-q", row[-1]) for row in rows)


def passes(clone: Path, bug: Bug, python: str) -> bool:
    """Whether every named test passes in the clone as it is."""
    environment = os.environ | {"PYTHONPATH": str(clone), "PYTHONDONTWRITEBYTECODE": "1"}
    runs = [
        subprocess.run([f"{python}/bin/python", *test], cwd=clone, env=environment, capture_output=True, check=False)
        for test in bug.tests
    ]
    return all(run.returncode == 0 for run in runs)


def seen(clone: Path, bug: Bug, python: str | None, test_command: str | None) -> bool:
    """Takes the fix back; whether the named tests notice, in this environment."""
    check_out(clone, bug.fixed)
    fixed = python is None or passes(clone, bug, python)
    take_back(clone, bug, test_command)
    return fixed and (python is None or not passes(clone, bug, python))


def bugs(folder: Path) -> list[Bug]:
    """The bugs of a project, the smallest patch first."""
    found = []
    for info in sorted(folder.glob("bugs/*/bug.info")):
        fixed = re.search(r'fixed_commit_id="(\w+)"', info.read_text())
        patch = info.parent / "bug_patch.txt"
        source: list[str] = []
        lines = 0
        for line in patch.read_text("utf-8", "replace").splitlines():
            if line.startswith("+++ b/"):
                path = line[6:].split("\t")[0]
                source += [] if _TEST.search(path) else [path]
                counted = not _TEST.search(path)
            elif line.startswith(("+", "-")) and not line.startswith(("+++", "---")):
                lines += counted
        if fixed and source:
            found.append(Bug(int(info.parent.name), fixed[1], patch, tuple(source), lines, named_tests(info.parent)))
    return sorted(found, key=lambda bug: (bug.lines, bug.number))


def check_out(clone: Path, commit: str) -> None:
    """This state and nothing else."""
    git(clone, "checkout", "-q", "--force", "--detach", commit)
    git(clone, "clean", "-qfdx")


def take_back(clone: Path, bug: Bug, test_command: str | None) -> None:
    """A base commit with the fix, and a work tree in which its source is broken again."""
    check_out(clone, bug.fixed)
    configure(clone, test_command)
    git(clone, "apply", "-R", *(f"--include={path}" for path in bug.source), str(bug.patch))


def configure(clone: Path, test_command: str | None) -> None:
    """Commit what an owner would have: how the tests are run."""
    if test_command is None:
        return
    (clone / "harness.toml").write_text(f"[gate]\ntest_command = {json.dumps(test_command)}\n")
    git(clone, "add", "harness.toml")
    git(clone, *_AUTHOR, "commit", "-q", "--no-verify", "-m", "Configure the tests")


def commits(clone: Path, upto: str = "origin/HEAD") -> Iterator[Commit]:
    """Newest first, without merges."""
    for row in git(clone, "log", "--no-merges", "--format=%H%x1f%s", upto).splitlines():
        name, _, subject = row.partition("\x1f")
        source, tests, lines = [], [], 0
        for line in git(clone, "show", "--numstat", "--format=", "--no-renames", name).splitlines():
            added, removed, path = line.split("\t", 2)
            if not path.endswith(".py"):
                continue
            if _TEST.search(path):
                tests.append(path)
            else:
                source.append(path)
                lines += max(int(added), int(removed)) if added.isdigit() else 10**6
        yield Commit(name, subject, tuple(source), tuple(tests), lines)


def review(clone: Path, python: str | None, jobs: int) -> dict[str, Any]:
    """The JSON report on what is not committed, {} when there is none."""
    command = [
        sys.executable,
        "-m",
        "harness.cli.main",
        "review",
        str(clone),
        "--format",
        "json",
        "-q",
        "--jobs",
        str(jobs),
    ]
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


def told(name: str, what: str, report: dict[str, Any]) -> None:
    """One line a review, and one a finding."""
    tests = (report.get("review") or {}).get("tests") or {}
    seconds = report.get("run", {}).get("seconds", 0)
    said = tests.get("compared") or tests.get("reason")
    print(f"{name} {what[:90]}  {seconds:.0f} s  [{tests.get('status')}: {said}]", flush=True)
    for f in report.get("findings", []):
        if f["verdict"] == "CONFIRMED" or f["rule"] == "regression-by-test":
            print(
                f"    {f['verdict']} {f['tier']} {f['rule']} {f['path']}:{f['line']} {f['scenario'][:110]}", flush=True
            )


def fixes_of(asked: argparse.Namespace) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Takes each fix back in the clone; what it is called, and the files of its source."""
    if asked.bugs:
        taken = 0
        for bug in bugs(asked.bugs):
            what = f"{bug.number} {bug.fixed[:10]} {bug.lines} lines"
            if taken == asked.fixes:
                return
            if not seen(asked.clone, bug, asked.python, asked.test_command):
                print(f"-     {what}: its own test does not tell both sides apart here", flush=True)
                continue
            taken += 1
            yield what, bug.source
        return
    small = (c for c in commits(asked.clone) if 1 <= len(c.source) <= 2 and c.lines <= MOST_LINES)
    for commit in islice((c for c in small if _FIX.search(c.subject) and c.tests), asked.fixes):
        check_out(asked.clone, commit.id)
        configure(asked.clone, asked.test_command)
        before = git(asked.clone, "ls-tree", "-r", "--name-only", f"{commit.id}^").splitlines()
        for path in commit.source:
            if path in before:
                git(asked.clone, "checkout", "-q", f"{commit.id}^", "--", path)
            else:
                (asked.clone / path).unlink()
        yield f"{commit.id[:10]} {commit.subject}", commit.source


def clean_of(asked: argparse.Namespace) -> Iterator[str]:
    """Makes each clean commit a change of the work tree; what it is called."""
    upto = "origin/HEAD"
    if asked.bugs:
        upto = git(
            asked.clone, "log", "-1", "--no-walk=sorted", "--format=%H", *(b.fixed for b in bugs(asked.bugs))
        ).strip()
    history = commits(asked.clone, upto)
    fitting = (c for c in history if _CLEAN.search(c.subject) and not _FIX.search(c.subject) and c.source)
    for commit in islice(fitting, asked.clean):
        check_out(asked.clone, f"{commit.id}^")
        configure(asked.clone, asked.test_command)
        git(asked.clone, "checkout", "-q", "--no-overlay", commit.id, "--", ".")
        if asked.test_command:
            git(asked.clone, "checkout", "-q", "HEAD", "--", "harness.toml")
        yield f"{commit.id[:10]} {commit.subject}"


def main() -> None:
    """Run both halves and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path)
    parser.add_argument("--python")
    parser.add_argument("--bugs", type=Path)
    parser.add_argument("--test-command")
    parser.add_argument("--fixes", type=int, default=10)
    parser.add_argument("--clean", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    fixes = found = at_source = 0
    for what, source in fixes_of(asked):
        report = review(asked.clone, asked.python, asked.jobs)
        told("fix  ", what, report)
        strong = [f for f in confirmed(report) if f["tier"] == "E5"]
        fixes += 1
        found += bool(strong)
        at_source += any(f["path"] in source for f in strong)
    clean = noisy = 0
    for what in clean_of(asked):
        report = review(asked.clone, asked.python, asked.jobs)
        told("clean", what, report)
        clean += 1
        noisy += bool(confirmed(report))
    print(f"fixes taken back: {found} of {fixes} CONFIRMED at E5, {at_source} of them in a file of the fix")
    print(f"clean commits: {noisy} of {clean} with anything CONFIRMED")


if __name__ == "__main__":
    main()
