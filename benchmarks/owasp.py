"""OWASP Benchmark for Python: what an audit confirms, beside bandit, ruff S and Semgrep on the same files.

    python benchmarks/owasp.py PATH [--parity even|odd|all] [--wrong] [--execute] [--semgrep PROGRAM --semgrep-rules FOLDER]

PATH is a checkout of BenchmarkPython v0.1. Score = true positive rate - false positive rate, for each category and as
the mean over categories. A tool has found a case when it reports the case's CWE in the case's file; of ours only
CONFIRMED findings count. `--parity even` (the default) is for development, `odd` is for measuring: files of cases
of the other parity are neither read nor analysed.
"""

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

HOUSE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HOUSE))

from benchmarks import peers  # noqa: E402  # the path is set above, so that the file runs as a script
from benchmarks.peers import Reported  # noqa: E402

CASE = re.compile(r"BenchmarkTest(\d{5})")
Found = set[tuple[str, int]]


class Case(NamedTuple):
    """One test case."""

    name: str
    category: str
    real: bool
    cwe: int


def wanted(name: str, parity: str) -> bool:
    """Whether a file belongs to the chosen half; files of no case always do."""
    match = CASE.search(name)
    return match is None or parity == "all" or int(match.group(1)) % 2 == (parity == "odd")


def cases(root: Path, parity: str) -> list[Case]:
    """Expected results of the chosen half."""
    with (root / "expectedresults-0.1.csv").open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.reader(stream) if row and CASE.fullmatch(row[0]) and wanted(row[0], parity)]
    return [Case(name, category, real == "true", int(cwe)) for name, category, real, cwe, *_ in rows]


def copy(root: Path, target: Path, parity: str) -> None:
    """The Python files of the chosen half, and what they share."""
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        if relative.parts[0] not in {".git", "scripts"} and wanted(path.name, parity):
            (target / relative).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / relative)


def ours(root: Path, state: Path, *, execute: bool) -> tuple[Found, dict[str, int]]:
    """What a whole audit with the dimension `security` CONFIRMS, and how many findings got which verdict."""
    command = [
        sys.executable, "-m", "harness.cli.main", "audit", str(root), "--dimension", "security", "--offline",
        "--format", "json", "--fail-on", "none", "--quiet", *([] if execute else ["--no-exec"]),
    ]  # fmt: skip
    environment = os.environ | {"XDG_STATE_HOME": str(state), "PYTHONPATH": str(HOUSE)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root.parent, env=environment)
    if done.returncode:
        raise SystemExit(f"harness audit ended with {done.returncode}:\n{done.stderr[-2000:]}")
    found: Found = set()
    verdicts: Counter[str] = Counter()
    for finding in json.loads(done.stdout)["findings"]:
        verdicts[finding["verdict"]] += 1
        if finding["verdict"] == "CONFIRMED" and finding["cwe"] is not None:
            _note(found, finding["path"], finding["cwe"])
    return found, dict(verdicts)


def _note(found: Found, path: str, cwe: int) -> None:
    match = CASE.search(path)
    if match:
        found.add((match.group(0), cwe))


def cited(reported: list[Reported]) -> Found:
    """The cases that a program's results are about."""
    found: Found = set()
    for one in reported:
        _note(found, one.path, one.cwe)
    return found


def scores(expected: list[Case], found: Found) -> dict[str, tuple[float, float]]:
    """Category -> (true positive rate, false positive rate)."""
    table = {}
    for category in sorted({case.category for case in expected}):
        rates = []
        for real in (True, False):
            group = [case for case in expected if case.category == category and case.real is real]
            hits = sum((case.name, case.cwe) in found for case in group)
            rates.append(hits / len(group) if group else 0.0)
        table[category] = (rates[0], rates[1])
    return table


def mean(table: dict[str, tuple[float, float]]) -> float:
    """Mean over categories of TPR - FPR."""
    return sum(tpr - fpr for tpr, fpr in table.values()) / len(table)


def main() -> int:
    """Print the table. Returns 0; it measures, it does not judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--parity", choices=("even", "odd", "all"), default="even")
    parser.add_argument("--wrong", action="store_true", help="list the cases we get wrong")
    parser.add_argument("--execute", action="store_true", help="run reproducers in the sandbox, too")
    peers.add_options(parser)
    options = parser.parse_args()
    others = peers.chosen(options)
    expected = cases(options.path, options.parity)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "benchmark"
        root.mkdir()
        copy(options.path, root, options.parity)
        started = time.monotonic()
        found, verdicts = ours(root, Path(folder) / "state", execute=options.execute)
        seconds = time.monotonic() - started
        tools = {
            "harness": found,
            "bandit": cited(peers.bandit(root)),
            "ruff S": cited(peers.ruff(root, target="py313")),
        }
        tools |= {name: cited(peer(root)) for name, peer in others.items()}
    tables = {name: scores(expected, result) for name, result in tools.items()}
    print(f"OWASP BenchmarkPython 0.1, {options.parity} cases: {len(expected)}; CWE must match exactly")
    print(f"{'category':16}" + "".join(f"{name:>24}" for name in tables))
    print(f"{'':16}" + f"{'TPR    FPR   score':>24}" * len(tables))
    for category in sorted({case.category for case in expected}):
        rows = [table[category] for table in tables.values()]
        print(f"{category:16}" + "".join(f"{tpr:>12.2f}{fpr:>6.2f}{tpr - fpr:>6.2f}" for tpr, fpr in rows))
    print(f"{'mean':16}" + "".join(f"{mean(table):>24.3f}" for table in tables.values()))
    print(f"ours: {seconds:.1f} s; findings " + ", ".join(f"{n} {v}" for v, n in sorted(verdicts.items())))
    if options.wrong:
        for case in expected:
            if ((case.name, case.cwe) in found) is not case.real:
                print(f"{'missed' if case.real else 'wrongly confirmed'}: {case.name} {case.category}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
