"""How the whole audit scales: wall time beside bandit's on the same tree, memory, a second run, and the same bytes twice.

    python benchmarks/scale.py PATH [--runs 1]

Prints one line a figure. Memory is the proportional set size of the whole process tree, sampled five times a second.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple


class Measured(NamedTuple):
    """One command, run once."""

    seconds: float
    peak_mb: float
    returncode: int
    output: bytes


def tree_memory(root: int) -> int:
    """Proportional set size of a process and its descendants, in bytes (Linux)."""
    total = 0
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            waiting.extend(int(child) for child in children)
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
        except OSError:
            continue  # the process has ended in the meantime
    return total


def measure(command: list[str], environment: dict[str, str]) -> Measured:
    """Run a command to its end and watch its memory."""
    with tempfile.TemporaryFile() as output:
        started = time.monotonic()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, env=environment)
        peak = 0
        while process.poll() is None:
            peak = max(peak, tree_memory(process.pid))
            time.sleep(0.2)
        seconds = time.monotonic() - started
        output.seek(0)
        return Measured(seconds, peak / 1e6, process.returncode, output.read())


def stable(report: bytes) -> str:
    """Hash of a JSON report without what names the run itself."""
    document = json.loads(report)
    for key in ("id", "started", "seconds"):
        document["run"].pop(key, None)
    for lane in document["coverage"]["lanes"]:
        lane.pop("cached", None)
    return hashlib.sha256(json.dumps(document).encode()).hexdigest()[:16]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    arguments = parser.parse_args()
    path = str(arguments.path.resolve())
    bandit = measure([sys.executable, "-I", "-m", "bandit", "-q", "-r", path, "-f", "json"], dict(os.environ))
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as other:
        audit = [sys.executable, "-m", "harness.cli.main", "audit", path, "--format", "json", "--fail-on", "none"]
        cold = measure(audit, {**os.environ, "HARNESS_STATE_DIR": first, "PYTHONHASHSEED": "1"})
        warm = measure(audit, {**os.environ, "HARNESS_STATE_DIR": first, "PYTHONHASHSEED": "2"})
        again = measure(audit, {**os.environ, "HARNESS_STATE_DIR": other, "PYTHONHASHSEED": "3"})
    report = json.loads(cold.output)
    coverage, stats = report["coverage"], report["stats"]
    print(f"tree              {coverage['files']} files, {coverage['lines']} lines in scope")
    print(f"bandit            {bandit.seconds:.1f} s, {bandit.peak_mb:.0f} MB")
    print(f"audit, first run  {cold.seconds:.1f} s, {cold.peak_mb:.0f} MB, exit {cold.returncode}")
    print(f"  over bandit     {cold.seconds / bandit.seconds:.2f}   (bound 5)")
    print(f"audit, unchanged  {warm.seconds:.1f} s, exit {warm.returncode}")
    print(f"  over first run  {warm.seconds / cold.seconds:.3f}   (bound 0.1)")
    print(f"same bytes        {stable(cold.output) == stable(warm.output) == stable(again.output)}")
    print(
        f"findings          {stats['raised']} raised, {stats['confirmed']} confirmed, {stats['uncertain']} uncertain, "
        f"{stats['dismissed']} dismissed, {stats['unverified']} unverified; run {report['run']['status']}"
    )


if __name__ == "__main__":
    main()
