"""Logic bugs in small programs: how many buggy ones are CONFIRMED by execution, and how many right ones are accused.

    python benchmarks/logic_bugs.py [--quixbugs CHECKOUT] [--humanevalfix CHECKOUT] [--list]
                                    [--semgrep PROGRAM --semgrep-rules FOLDER]

QuixBugs (jkoppel/QuixBugs): its 40 Python programs with a bug, and the right ones. The right ones carry no documentation; so that
they can be accused at all they get that of the buggy program. HumanEvalFix (bigcode-project/octopack): 164 functions with a bug,
and the right ones. No test of either is shown to the audit. A program counts when the audit, offline, has a finding in its file
that is CONFIRMED at E4. Of the peers every result in the file counts.
"""

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HOUSE))

from benchmarks import peers  # noqa: E402  # the path is set above, so that the file runs as a script

NO_PROGRAMS = {"node"}
"""Modules of QuixBugs that others import."""


def quixbugs(checkout: Path, target: Path) -> int:
    """Write `buggy/` and `right/`; return the number of programs."""
    names = sorted(p.stem for p in (checkout / "python_programs").glob("*.py") if not p.stem.endswith("_test"))
    for kind in ("buggy", "right"):
        (target / kind).mkdir()
    for name in names:
        buggy = (checkout / "python_programs" / f"{name}.py").read_text("utf-8")
        (target / "buggy" / f"{name}.py").write_text(buggy, "utf-8")
        right = (checkout / "correct_python_programs" / f"{name}.py").read_text("utf-8")
        (target / "right" / f"{name}.py").write_text(right + documentation(buggy), "utf-8")
    return len(set(names) - NO_PROGRAMS)


def documentation(text: str) -> str:
    """The strings that stand alone at the top level, as source."""
    strings = [
        ast.get_source_segment(text, node) or ""
        for node in ast.parse(text).body
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    return "".join(f"\n\n{string}\n" for string in strings)


def humanevalfix(checkout: Path, target: Path) -> int:
    """Write `buggy/` and `right/`; return the number of programs."""
    for kind in ("buggy", "right"):
        (target / kind).mkdir()
    file = checkout / "evaluation/create/humaneval-x/data/python/data/humanevalpack.jsonl"
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    for row in rows:
        name = f"p{int(row['task_id'].partition('/')[2]):03}.py"
        (target / "buggy" / name).write_text(row["prompt"] + row["buggy_solution"], "utf-8")
        (target / "right" / name).write_text(row["prompt"] + row["canonical_solution"], "utf-8")
    return len(rows)


def ours(root: Path, state: Path) -> dict[str, str]:
    """File -> scenario of a finding CONFIRMED at E4 or above."""
    command = [
        sys.executable, "-P", "-m", "harness.cli.main", "audit", str(root), "--dimension", "correctness", "--offline",
        "--format", "json", "--fail-on", "none", "--quiet",
    ]  # fmt: skip
    environment = os.environ | {"XDG_STATE_HOME": str(state), "PYTHONPATH": str(HOUSE)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root.parent, env=environment)
    if done.returncode:
        raise SystemExit(f"harness audit ended with {done.returncode}:\n{done.stderr[-2000:]}")
    found = json.loads(done.stdout)["findings"]
    return {f["path"]: f["scenario"] for f in found if f["verdict"] == "CONFIRMED" and f["tier"] in {"E4", "E5"}}


def accused(reported: list[peers.Reported]) -> int:
    """Files with any result."""
    return len({one.path for one in reported})


def main() -> int:
    """Print the figures. Returns 0; it measures, it does not judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quixbugs", type=Path)
    parser.add_argument("--humanevalfix", type=Path)
    parser.add_argument(
        "--list", action="store_true", help="print what is confirmed in right programs, and which buggy ones are missed"
    )
    peers.add_options(parser)
    options = parser.parse_args()
    others: dict[str, peers.Peer] = {
        "bandit": peers.bandit,
        "ruff S": peers.ruff,
        "ruff F,B,PL,RUF": lambda root: peers.ruff(root, "F,B,PL,RUF"),
    } | peers.chosen(options)
    for name, checkout, write in (
        ("QuixBugs", options.quixbugs, quixbugs),
        ("HumanEvalFix", options.humanevalfix, humanevalfix),
    ):
        if checkout is None:
            continue
        scratch = Path(tempfile.mkdtemp(prefix="harness-logic-"))
        try:
            total = write(checkout.resolve(), scratch)
            print(f"{name}: {total} programs   buggy   right")
            found = {kind: ours(scratch / kind, scratch / "state") for kind in ("buggy", "right")}
            print(f"  harness, CONFIRMED at E4   {len(found['buggy']):5}   {len(found['right']):5}")
            for program, peer in others.items():
                print(f"  {program:26} {accused(peer(scratch / 'buggy')):5}   {accused(peer(scratch / 'right')):5}")
            if options.list:
                for path, scenario in sorted(found["right"].items()):
                    print(f"  accused {path}: {scenario[:150]}")
                missed = sorted({p.name for p in (scratch / "buggy").glob("*.py")} - set(found["buggy"]))
                print(f"  missed {' '.join(missed)}")
        finally:
            shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
