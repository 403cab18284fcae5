"""RealVuln: detection of labelled defects and traps, and the verifier alone on the published findings of models.

    python benchmarks/realvuln.py CHECKOUT SOURCES [--list] [--verifier [--scanner NAME]... [--share N]]

CHECKOUT is one of kolega-ai/Real-Vuln-Benchmark; SOURCES holds a folder for each application (`vampi`, `dvpwa` ...) at the
commit of the benchmark's manifest. Only the applications below are read: they are for development, and the rest stays unseen.

A finding matches a label when its file is the same, its CWE is one that the label accepts and its line is at most ten
away, each label once, true ones first: the benchmark's own rule. What matches nothing, or a trap, is wrong. Ours are the
CONFIRMED findings (and, beside them, those that stay open); Semgrep's are the published ones.

`--verifier` gives the published findings of models to `harness verify`, each place and CWE once. There a finding is true when
it matches a true label by itself, whatever else was found of that label. TPR is the share of true ones that are confirmed
among those decided, TNR the share of wrong ones that are dismissed. A defect that nobody labelled counts as wrong.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

HOUSE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HOUSE))

from benchmarks import peers  # noqa: E402  # the path is set above, so that the file runs as a script
from benchmarks.peers import Peer, number  # noqa: E402

APPS = ("vulnpy", "pygoat", "dsvpwa", "dvpwa", "vampi", "vfapi", "pythonssti", "python-insecure-app")
TOLERANCE = 10
STATIC_TOOLS = ("semgrep", "snyk", "sonarqube")


class Found(NamedTuple):
    """One finding of any tool."""

    path: str
    line: int
    cwe: int


class Score(NamedTuple):
    """Counts; `traps` are wrong findings that match a label of something harmless."""

    right: int
    wrong: int
    missed: int
    traps: int
    all_traps: int

    def plus(self, other: "Score") -> "Score":
        return Score(*(a + b for a, b in zip(self, other, strict=True)))

    def rates(self) -> tuple[float, float, float, float, float]:
        """Precision, recall, F1, F2, share of traps hit."""
        precision = self.right / max(1, self.right + self.wrong)
        recall = self.right / max(1, self.right + self.missed)
        f1, f2 = (
            (1 + b) * precision * recall / (b * precision + recall) if precision + recall else 0.0 for b in (1, 4)
        )
        return precision, recall, f1, f2, self.traps / max(1, self.all_traps)


def labels(checkout: Path, app: str) -> list[dict[str, Any]]:
    """The labels of an application."""
    text = (checkout / "ground-truth" / f"realvuln-{app}" / "ground-truth.json").read_text("utf-8")
    return list(json.loads(text)["findings"])


def match(found: list[Found], truth: list[dict[str, Any]]) -> list[dict[str, Any] | None]:
    """The label of each finding, each label once; None where there is none."""
    taken: set[str] = set()
    result: list[dict[str, Any] | None] = []
    for one in found:
        best: dict[str, Any] | None = None
        for label in truth:
            where = label["location"]
            first, last = where.get("start_line"), where.get("end_line")
            near = first is None or first - TOLERANCE <= one.line <= (last or first) + TOLERANCE
            fits = one.cwe in {number(c) for c in label["acceptable_cwes"]}
            better = best is None or (label["is_vulnerable"] and not best["is_vulnerable"])
            if label["id"] not in taken and label["file"] == one.path and near and fits and better:
                best = label
        if best is not None:
            taken.add(best["id"])
        result.append(best)
    return result


def scored(found: list[Found], truth: list[dict[str, Any]]) -> Score:
    """Counts for one application."""
    matched = match(found, truth)
    right = sum(m is not None and m["is_vulnerable"] for m in matched)
    traps = sum(m is not None and not m["is_vulnerable"] for m in matched)
    real = sum(t["is_vulnerable"] for t in truth)
    return Score(right, len(found) - right, real - right, traps, len(truth) - real)


def harness(command: list[str], state: Path) -> dict[str, Any]:
    """The JSON report of a command of ours."""
    line = [
        sys.executable,
        "-P",
        "-m",
        "harness.cli.main",
        *command,
        "--format",
        "json",
        "--quiet",
        "--fail-on",
        "none",
    ]
    environment = os.environ | {"XDG_STATE_HOME": str(state), "PYTHONPATH": str(HOUSE)}
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=state, env=environment)
    try:
        return dict(json.loads(done.stdout))
    except json.JSONDecodeError:
        raise SystemExit(f"{' '.join(line)} ended with {done.returncode}:\n{done.stderr[-2000:]}") from None


def ours(root: Path, state: Path) -> dict[str, list[Found]]:
    """Verdict -> findings with a CWE."""
    report = harness(["audit", str(root), "--dimension", "security", "--offline", "--no-exec"], state)
    found: dict[str, list[Found]] = {}
    for f in report["findings"]:
        if f["cwe"]:
            found.setdefault(f["verdict"], []).append(Found(f["path"], f["line"], f["cwe"]))
    return found


def published(file: Path) -> list[tuple[Found, str]]:
    """Findings in Semgrep's form, one a CWE, with their messages."""
    found = []
    for result in json.loads(file.read_text("utf-8")).get("results", []):
        meta = result.get("extra", {}).get("metadata", {})
        cwes = meta.get("cwe", [])
        for cwe in [cwes] if isinstance(cwes, str) else cwes:
            if number(cwe):
                path = result["path"].removeprefix("./").lstrip("/")
                message = str(result["extra"].get("message", ""))
                found.append((Found(path, result.get("start", {}).get("line") or 1, number(cwe)), message))
    return found


def by(peer: Peer, root: Path) -> list[Found]:
    """What a program finds in the folder."""
    return [Found(*one) for one in peer(root)]


def row(name: str, score: Score) -> str:
    """One line of the table."""
    precision, recall, f1, f2, traps = score.rates()
    counts = f"{score.right:4} right {score.wrong:4} wrong {score.missed:4} missed"
    rates = f"P {precision:.3f}  R {recall:.3f}  F1 {f1:.3f}  F2 {f2:.3f}"
    return f"{name:22} {rates}  traps {score.traps}/{score.all_traps} ({traps:.0%})  {counts}"


def detection(checkout: Path, sources: Path, apps: list[str], *, listed: bool) -> None:
    """Print the table of detection."""
    totals: dict[str, Score] = {}
    for app in apps:
        truth = labels(checkout, app)
        with tempfile.TemporaryDirectory() as state:
            by_verdict = ours(sources / app, Path(state))
        confirmed = by_verdict.get("CONFIRMED", [])
        tools = {"harness, CONFIRMED": confirmed, "harness, with open": confirmed + by_verdict.get("UNCERTAIN", [])}
        for tool in STATIC_TOOLS:
            file = checkout / "scan-results" / f"realvuln-{app}" / tool / "results.json"
            tools[tool] = [f for f, _ in published(file)] if file.exists() else []
        tools |= {"bandit": by(peers.bandit, sources / app), "ruff S": by(peers.ruff, sources / app)}
        print(f"## {app}")
        for tool, found in tools.items():
            score = scored(found, truth)
            totals[tool] = totals.get(tool, Score(0, 0, 0, 0, 0)).plus(score)
            print(row(tool, score))
        if listed:
            show(confirmed, by_verdict.get("UNCERTAIN", []), truth)
    print("## all")
    for tool, score in totals.items():
        print(row(tool, score))


def show(confirmed: list[Found], open_: list[Found], truth: list[dict[str, Any]]) -> None:
    """Every label that is missed and every finding that is wrong."""
    matched = match(confirmed, truth)
    hit = {m["id"] for m in matched if m is not None}
    later = {m["id"] for m in match(open_, truth) if m is not None} - hit
    for one, label in zip(confirmed, matched, strict=True):
        if label is None or not label["is_vulnerable"]:
            print(f"  wrong   {one.path}:{one.line} CWE-{one.cwe} {'TRAP' if label else ''}")
    for label in truth:
        if label["is_vulnerable"] and label["id"] not in hit:
            where = label["location"]
            state = "open  " if label["id"] in later else "missed"
            print(
                f"  {state}  {label['file']}:{where.get('start_line')} {label['vulnerability_class']} {label['acceptable_cwes']}"
            )


def sarif(found: list[tuple[Found, str]]) -> str:
    """The findings as a SARIF log of a tool without rules of its own."""
    cwes = sorted({f.cwe for f, _ in found})
    rules = [{"id": f"CWE-{c}", "properties": {"tags": [f"external/cwe/cwe-{c}"]}} for c in cwes]
    results = [
        {
            "ruleId": f"CWE-{f.cwe}",
            "level": "error",
            "message": {"text": message or "no message"},
            "locations": [
                {"physicalLocation": {"artifactLocation": {"uri": f.path}, "region": {"startLine": max(1, f.line)}}}
            ],
        }
        for f, message in found
    ]
    return json.dumps(
        {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "model", "rules": rules}}, "results": results}]}
    )


def verifier(checkout: Path, sources: Path, apps: list[str], scanners: list[str], *, listed: bool) -> None:
    """Print what `harness verify` makes of the findings of models, the same finding of several runs once."""
    counts: Counter[tuple[bool, str]] = Counter()
    kinds: Counter[tuple[int, bool, str]] = Counter()
    for app in apps:
        truth = labels(checkout, app)
        pool: dict[Found, tuple[str, bool]] = {}
        for folder in sorted((checkout / "scan-results" / f"realvuln-{app}").iterdir()):
            if (
                folder.name in STATIC_TOOLS
                or folder.name.startswith("kolega")
                or (scanners and folder.name not in scanners)
            ):
                continue
            for file in sorted(f for f in folder.glob("run-*.json") if not f.name.endswith(".metrics.json")):
                found = published(file)
                for one, message in found:
                    label = match([one], truth)[0]
                    pool[one] = (message, label is not None and label["is_vulnerable"])
        with tempfile.TemporaryDirectory() as folder_name:
            log = Path(folder_name) / "findings.sarif"
            given = sorted(pool)
            log.write_text(sarif([(f, pool[f][0]) for f in given]), "utf-8")
            report = harness(
                ["verify", str(log), "--repo", str(sources / app), "--offline", "--no-exec"], Path(folder_name)
            )
        verdicts: dict[Found, str] = {}
        for f in report["findings"]:
            cwe = f["cwe"] or number(f["rule"].partition(":")[2])
            verdicts[Found(f["path"], f["line"], cwe)] = f["verdict"]
        for one in given:
            verdict = verdicts.get(one, "MOVED")
            counts[pool[one][1], verdict] += 1
            kinds[one.cwe, pool[one][1], verdict] += 1
            wrong = verdict == ("DISMISSED" if pool[one][1] else "CONFIRMED")
            if listed and wrong:
                print(
                    f"  {verdict} though {'true' if pool[one][1] else 'wrong'}: {app}/{one.path}:{one.line} CWE-{one.cwe}"
                )
    kept, lost = counts[True, "CONFIRMED"], counts[True, "DISMISSED"]
    removed, believed = counts[False, "DISMISSED"], counts[False, "CONFIRMED"]
    total, decided = sum(counts.values()), kept + lost + removed + believed
    print(f"{total} findings of models, {sum(v for (t, _), v in counts.items() if t)} true")
    print(f"decided {decided} ({decided / max(1, total):.1%})")
    print(f"TPR {kept / max(1, kept + lost):.3f} ({kept} of {kept + lost})")
    print(f"TNR {removed / max(1, removed + believed):.3f} ({removed} of {removed + believed})")
    if listed:
        print(dict(counts))
        for (cwe, true, verdict), amount in sorted(kinds.items()):
            print(f"  CWE-{cwe:<5} {'true ' if true else 'wrong'} {verdict:11} {amount}")


def main() -> int:
    """Print the figures. Returns 0; it measures, it does not judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--app", action="append", choices=APPS, default=[])
    parser.add_argument("--list", action="store_true", help="name what is missed and what is wrong")
    parser.add_argument("--verifier", action="store_true")
    parser.add_argument("--scanner", action="append", default=[], help="a folder of scan-results; default all models")
    options = parser.parse_args()
    sources = options.sources.resolve()
    apps = [a for a in options.app or APPS if (sources / a).is_dir()]
    absent = [a for a in APPS if a not in apps]
    print(f"applications: {', '.join(apps)}" + (f"; not there: {', '.join(absent)}" if absent else ""))
    if options.verifier:
        verifier(options.checkout.resolve(), sources, apps, options.scanner, listed=options.list)
    else:
        detection(options.checkout.resolve(), sources, apps, listed=options.list)
    return 0


if __name__ == "__main__":
    sys.exit(main())
