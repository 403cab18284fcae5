"""PySASTBench, the synthetic pairs: a vulnerable file must be flagged, its fixed twin must not.

    python benchmarks/pysast.py CHECKOUT [--parity odd|even|all] [--list] [--semgrep PROGRAM --semgrep-rules FOLDER]

CHECKOUT is one of Victor725/PySASTBench. Flagged means: a finding in the file with the CWE of the case, or one of its family
(77, 78 and 88; 94, 95 and 1336); of ours only CONFIRMED findings count. `--parity odd` (the default) is for development: files of
pairs with an even number are neither read nor analysed. A pair is right when both of its files are.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HOUSE))

from benchmarks import peers  # noqa: E402  # the path is set above, so that the file runs as a script
from benchmarks.peers import Reported  # noqa: E402

CASE = re.compile(r"(\d+)_DS-(\d+)_(vul|fix)\.py")
FAMILY = {77: {77, 78, 88}, 94: {94, 95, 1336}, 22: {22, 23, 73}, 79: {79, 80}}
Flagged = dict[str, set[int]]


def copy(checkout: Path, target: Path, parity: str) -> list[str]:
    """Each file in a folder of its own, under the name that it had; returns the names."""
    names = []
    for path in sorted((checkout / "SyntheticDataset").rglob("*.py")):
        match = CASE.fullmatch(path.name)
        if match and (parity == "all" or int(match[2]) % 2 == (parity == "odd")):
            (target / path.stem).mkdir()
            shutil.copyfile(path, target / path.stem / "app.py")
            names.append(path.stem)
    return names


def ours(root: Path, state: Path) -> tuple[Flagged, Flagged]:
    """Folder -> CWEs of CONFIRMED findings, and of those that stay open."""
    command = [
        sys.executable, "-P", "-m", "harness.cli.main", "audit", str(root), "--dimension", "security", "--offline",
        "--no-exec", "--format", "json", "--fail-on", "none", "--quiet",
    ]  # fmt: skip
    environment = os.environ | {"XDG_STATE_HOME": str(state), "PYTHONPATH": str(HOUSE)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root.parent, env=environment)
    if done.returncode:
        raise SystemExit(f"harness audit ended with {done.returncode}:\n{done.stderr[-2000:]}")
    confirmed: Flagged = {}
    open_: Flagged = {}
    for finding in json.loads(done.stdout)["findings"]:
        table = {"CONFIRMED": confirmed, "UNCERTAIN": open_}.get(finding["verdict"])
        if table is not None and finding["cwe"]:
            table.setdefault(finding["path"].partition("/")[0], set()).add(finding["cwe"])
    return confirmed, open_


def flagged_by(reported: list[Reported]) -> Flagged:
    """Folder -> CWEs of a program's results."""
    found: Flagged = {}
    for one in reported:
        found.setdefault(Path(one.path).parent.name, set()).add(one.cwe)
    return found


def hit(name: str, found: Flagged) -> bool:
    """Whether the case is flagged with its CWE or one of its family."""
    cwe = int(name.partition("_")[0])
    return bool(found.get(name, set()) & FAMILY.get(cwe, {cwe}))


def right(names: list[str], found: Flagged) -> list[str]:
    """Names of files that are judged right."""
    return [n for n in names if hit(n, found) == n.endswith("_vul")]


def main() -> int:
    """Print the figures. Returns 0; it measures, it does not judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--parity", choices=("odd", "even", "all"), default="odd")
    parser.add_argument("--list", action="store_true", help="name the files that are judged wrong")
    peers.add_options(parser)
    options = parser.parse_args()
    others: dict[str, peers.Peer] = {"bandit": peers.bandit, "ruff S": peers.ruff} | peers.chosen(options)
    scratch = Path(tempfile.mkdtemp(prefix="harness-pysast-"))
    try:
        (scratch / "cases").mkdir()
        names = copy(options.checkout.resolve(), scratch / "cases", options.parity)
        pairs = sorted({n[:-4] for n in names})
        confirmed, open_ = ours(scratch / "cases", scratch / "state")
        tools = {"harness, CONFIRMED": confirmed}
        tools |= {name: flagged_by(peer(scratch / "cases")) for name, peer in others.items()}
        for tool, found in tools.items():
            good = set(right(names, found))
            both = sum({f"{p}_vul", f"{p}_fix"} <= good for p in pairs)
            flagged = sum(hit(n, found) for n in names if n.endswith("_vul"))
            wrongly = sum(hit(n, found) for n in names if n.endswith("_fix"))
            print(
                f"{tool:20} files right {len(good)} of {len(names)}; pairs right {both} of {len(pairs)}; "
                f"flagged {flagged} vulnerable, {wrongly} fixed"
            )
            if options.list and tool.startswith("harness"):
                for name in names:
                    if name not in good:
                        print(
                            f"  wrong: {name}   confirmed {sorted(found.get(name, ()))}   open {sorted(open_.get(name, ()))}"
                        )
    finally:
        shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
