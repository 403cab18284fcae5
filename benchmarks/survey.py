"""What the offline audit says of real repositories: coverage, verdicts, and every CONFIRMED finding to be judged by a person.

    python benchmarks/survey.py PATH... [--exec]

Also counts the Python files that the running interpreter's own grammar cannot parse, and how many of them were analysed.
"""

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any


def audit(path: Path, *, execute: bool) -> tuple[dict[str, Any], float]:
    """The JSON report of a fresh run, and its wall time in seconds."""
    with tempfile.TemporaryDirectory() as state:
        command = [
            sys.executable,
            "-m",
            "harness.cli.main",
            "audit",
            str(path),
            "--format",
            "json",
            "--fail-on",
            "none",
            "-q",
        ]
        environment = {**os.environ, "HARNESS_STATE_DIR": state, "PYTHONPATH": str(Path(__file__).parents[1])}
        started = time.monotonic()
        done = subprocess.run(
            command + ([] if execute else ["--no-exec"]), env=environment, capture_output=True, check=False
        )
        return json.loads(done.stdout), time.monotonic() - started


def unparsable(path: Path) -> set[str]:
    """Python files that `ast.parse` of this interpreter refuses."""
    found = set()
    for file in path.rglob("*.py"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(file.read_bytes())
        except (SyntaxError, ValueError):
            found.add(file.relative_to(path).as_posix())
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--exec", action="store_true", dest="execute", help="also run executed checks")
    arguments = parser.parse_args()
    for path in arguments.paths:
        report, seconds = audit(path.resolve(), execute=arguments.execute)
        stats, coverage, run = report["stats"], report["coverage"], report["run"]
        newer = unparsable(path)
        skipped = {
            s["path"]: s["reason"]
            for lane in coverage["lanes"]
            if lane["auditor"].endswith("-checks")
            for s in lane["skipped"]
        }
        lost = sorted(newer & skipped.keys())
        print(f"## {run['target']} at {(run['head'] or 'no commit')[:12]}, run {run['status']}")
        print(f"{coverage['files']} files, {coverage['lines']} lines, {seconds:.1f} s")
        print(f"beyond this interpreter's grammar: {len(newer)} files, of which not analysed: {len(lost)}")
        for name in lost:
            print(f"    {name}: {skipped[name]}")
        print(", ".join(f"{stats[k]} {k}" for k in ("raised", "confirmed", "uncertain", "dismissed", "unverified")))
        for f in report["findings"]:
            if f["verdict"] == "CONFIRMED":
                print(f"    {f['severity']:6} {f['tier']} {f['path']}:{f['line']} {f['rule']}: {f['reason'][:150]}")
        print()


if __name__ == "__main__":
    main()
