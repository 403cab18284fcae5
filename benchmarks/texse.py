"""Broken documents of TeX.SE: how many are diagnosed at the right place, and how many rules alone bring to a clean compile.

    python benchmarks/texse.py PATH [--case NNN]...

PATH has a folder per document with `main.tex` and `meta.json` (`kind`, `xelatex.main_first_error`). A document counts as diagnosed
when the first mistake we name stands in the recorded file and line and is of the recorded kind; as repaired when the result
is clean by every sign and has lost nothing that `agent.tex.preserve` counts. None of the documents is part of this project.
"""

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from agent.records import Diagnosis
from agent.tex.compile import trial
from agent.tex.preserve import losses
from agent.tex.repair import mend
from harness.clock import SystemClock
from harness.sandbox.probe import find_sandbox

COARSE = {
    "double-superscript": "double-subscript",
    "wrong-use": "runaway-argument",
    "extra-alignment-tab": "alignment",
    "misplaced-alignment-tab": "alignment",
    "misplaced-omit": "alignment",
    "missing-item": "latex-error",
    "no-line-to-end": "latex-error",
    "missing-begin-document": "latex-error",
    "environment-mismatch": "latex-error",
    "missing-dollar": "unbalanced-group-or-math",
    "missing-brace": "unbalanced-group-or-math",
    "extra-brace": "unbalanced-group-or-math",
}
"""Our kinds to those of the data set, where they are named differently."""


class Outcome(NamedTuple):
    """What became of one document."""

    name: str
    place: bool
    kind: bool
    repaired: bool
    rules: tuple[str, ...]
    stopped: str
    seconds: float


def right_place(found: Diagnosis, recorded: dict[str, object]) -> bool:
    first = found.errors[0] if found.errors else None
    return first is not None and (first.file or "main.tex", first.line) == (recorded["file"], recorded["line"])


def run(case: Path) -> Outcome:
    started = time.monotonic()
    meta = json.loads((case / "meta.json").read_text("utf-8"))
    tex = (case / "main.tex").read_text("utf-8")
    sandbox, clock = find_sandbox(), SystemClock()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        shutil.copy(case / "main.tex", work / "main.tex")
        found = trial(tex, work, sandbox=sandbox, clock=clock, main="main.tex", pass_s=60)
        mended = mend(tex, work, sandbox=sandbox, clock=clock, main="main.tex", pass_s=60)
    kind = found.errors[0].kind if found.errors else ""
    return Outcome(
        name=case.name,
        place=right_place(found, meta["xelatex"]["main_first_error"]),
        kind=COARSE.get(kind, kind) == meta["kind"],
        repaired=not mended.diagnosis.errors and not losses(tex, mended.text),
        rules=tuple(change.rule for change in mended.changes),
        stopped=mended.stopped,
        seconds=time.monotonic() - started,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--case", action="append", default=[], help="only this document; repeats")
    options = parser.parse_args()
    cases = [p for p in sorted(options.path.iterdir()) if (p / "meta.json").is_file()]
    cases = [p for p in cases if not options.case or p.name in options.case]
    if not cases:
        print(f"no documents below {options.path}", file=sys.stderr)
        return 2
    outcomes = []
    for case in cases:
        one = run(case)
        outcomes.append(one)
        marks = (
            f"{'place' if one.place else '-':6}{'kind' if one.kind else '-':5}{'repaired' if one.repaired else '-':9}"
        )
        print(f"{one.name}  {marks} {one.seconds:5.1f}s  {' '.join(one.rules)}  {one.stopped}", flush=True)
    both = sum(one.place and one.kind for one in outcomes)
    print(
        f"\ndocuments {len(outcomes)}: right line and kind {both}, repaired by rules alone {sum(one.repaired for one in outcomes)}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
