"""Claims put at random on functions of repositories that nobody calls vulnerable: what is CONFIRMED of them, for a person to read.

    python benchmarks/random_claims.py REPOSITORY... [--claims N] [--seed N] [--cwe N]...

Each claim says the first line of a function outside of tests, examples and documentation, and one of the CWEs below; of all pairs
`--claims` are drawn. They go to `harness verify` without a model and without execution. There is no answer key: a claim that is
CONFIRMED is printed with its reason, and is either a defect that nobody knew or a false confirmation.
"""

import argparse
import ast
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HOUSE))

from benchmarks.realvuln import Found, harness, sarif  # noqa: E402  # the path is set above, so that the file runs as a script

CWES = (
    16, 22, 78, 79, 80, 89, 94, 95, 113, 117, 200, 203, 209, 215, 256, 269, 284, 285, 287, 306, 312, 327, 328, 330, 338, 352, 384,
    489, 502, 522, 532, 601, 611, 614, 639, 643, 693, 798, 862, 863, 915, 916, 918, 943, 1004, 1333,
)  # fmt: skip
LEFT_OUT = {"test", "tests", "testing", "example", "examples", "docs", "doc"}


def heads(root: Path) -> list[tuple[str, int]]:
    """(path, line) of every function, in order."""
    found = []
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        if any(part in LEFT_OUT or part.startswith(("test_", ".")) for part in parts):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(path.read_text("utf-8"))
        except (SyntaxError, ValueError):
            continue
        name = "/".join(parts)
        found += [(name, n.lineno) for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    return found


def main() -> int:
    """Print the table and every CONFIRMED claim. Returns 0; it measures, it does not judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repositories", type=Path, nargs="+", metavar="REPOSITORY")
    parser.add_argument("--claims", type=int, default=2500, help="for each repository (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cwe", type=int, action="append", default=[], help="only this CWE; repeats")
    options = parser.parse_args()
    for root in [r.resolve() for r in options.repositories]:
        pairs = [Found(path, line, cwe) for path, line in heads(root) for cwe in options.cwe or CWES]
        drawn = random.Random(options.seed).sample(pairs, min(options.claims, len(pairs)))
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as name:
            log = Path(name) / "claims.sarif"
            log.write_text(sarif([(claim, "") for claim in sorted(drawn)]), "utf-8")
            report = harness(["verify", str(log), "--repo", str(root), "--offline", "--no-exec"], Path(name))
        counts = Counter(f["verdict"] for f in report["findings"])
        shown = ", ".join(f"{verdict} {counts[verdict]}" for verdict in sorted(counts))
        print(f"{root.name}: {len(drawn)} claims, {shown}, {time.monotonic() - started:.0f} s", flush=True)
        for f in report["findings"]:
            if f["verdict"] == "CONFIRMED":
                print(f"  {f['path']}:{f['line']} CWE-{f['cwe']} {f['reason']}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
