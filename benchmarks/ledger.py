"""How long `harness ledger` takes over a long record: 2,000 commits, 300 runs, 12,000 lines of usage.

    python -m benchmarks.ledger [--commits 2000] [--runs 300] [--repeat 3]

The record is made in a temporary folder: a repository of 40 modules and 40 test files, a report of some 60 findings a run,
every third run with 60 calls of a model, every sixtieth with claims that never got a verdict. Wanted: under two seconds,
start of the process included, with the page written.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

from benchmarks.devlog import best
from harness.journal.register import RunLine, append
from harness.llm.ledger import Entry, Labels
from harness.llm.messages import Usage
from harness.state import State

DAY = 86400
BEGIN = 1767225600
"""2026-01-01, UTC."""
DAYS = 150


def history(root: Path, commits: int) -> None:
    """A repository with so many commits, every fortieth a checkpoint."""
    parts = []
    for number in range(commits):
        at = BEGIN + number * DAYS * DAY // commits
        message = f"Change {number}\n" + (f"\nHarness-Checkpoint: {number:04}\n" if number % 40 == 0 else "")
        parts.append(f"commit refs/heads/main\ncommitter A <a@b> {at} +0200\ndata {len(message)}\n{message}\n")
        text = f"# {number}\n" + "".join(f"def test_{n}():\n    assert {n}\n\n\n" for n in range(20))
        for path in (f"shop/module_{number % 40}.py", f"tests/test_{number % 40}.py"):
            parts.append(f"M 100644 inline {path}\ndata {len(text)}\n{text}\n")
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    subprocess.run(["git", "fast-import", "--quiet"], cwd=root, input="".join(parts).encode(), check=True)


def runs(root: Path, count: int) -> None:
    """So many runs that ended."""
    state = State(root)
    for number in range(count):
        folder = state.new_run()
        left = 2 if number % 60 == 59 else 0
        started = f"2026-{1 + number * 5 // count:02}-{1 + number % 28:02}T10:00:00+00:00"
        line = RunLine(
            run=folder.id, kind="audit", started=started, seconds=3, status="complete", exit_code=0, raised=70,
            admitted=64, confirmed=12, uncertain=8, dismissed=40, unverified=left,
        )  # fmt: skip
        append(folder.register, line)
        findings = [
            {"fingerprint": f"{number:08x}{n:024x}", "rule": "command-injection", "path": "shop/export.py", "line": n + 1,
             "verdict": "UNVERIFIED" if n < left else "CONFIRMED", "reason": "quota", "evidence": "x" * 1500}
            for n in range(60)
        ]  # fmt: skip
        folder.report.write_text(json.dumps({"findings": findings}))
        if number % 3 == 0:
            folder.usage.write_text("".join(_call(folder.id, started, n) for n in range(60)))


def _call(run: str, at: str, number: int) -> str:
    labels = Labels(stage="verify" if number % 2 else "discover", lane="security")
    sent = Entry(at=at, run=run, labels=labels, spec="openai:m", key="k", attempt=1, outcome="sent")
    used = Usage(input_tokens=9000, cached_tokens=2500, output_tokens=700)
    done = sent.model_copy(update={"outcome": "complete", "usage": used, "cost": 0.02})
    return sent.model_dump_json() + "\n" + done.model_dump_json() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commits", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, mock.patch.dict(os.environ, HARNESS_STATE_DIR=f"{place}/state"):
        root = Path(place) / "shop"
        history(root, options.commits)
        with mock.patch("os.fsync"):
            runs(root, options.runs)
        git = best(["git", "-C", str(root), "log", "--format=%H %at %s", "main"], options.repeat)
        page = f"--output=html={place}/page.html"
        ours = best([sys.executable, "-m", "harness.cli.main", "ledger", str(root), page], options.repeat)
        print(f"{options.commits} commits, {options.runs} runs, best of {options.repeat}")
        print(f"{'git log':<16} {git.wall:.3f} s wall, {git.cpu:.3f} s CPU")
        print(f"{'harness ledger':<16} {ours.wall:.3f} s wall, {ours.cpu:.3f} s CPU")


if __name__ == "__main__":
    main()
