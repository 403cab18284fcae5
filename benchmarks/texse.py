"""Broken documents of TeX.SE: how many are diagnosed at the right place, and how many rules alone bring to a clean compile.

    python benchmarks/texse.py PATH [--case NNN]... [--model SPEC [--budget B]... [--record DIR]]

PATH has a folder per document with `main.tex` and `meta.json` (`kind`, `xelatex.main_first_error`). A document counts as diagnosed
when the first mistake we name stands in the recorded file and line and is of the recorded kind; as repaired when the result
is clean by every sign and has lost nothing that `agent.tex.preserve` counts. None of the documents is part of this project.

With `--model` what the rules leave goes to the model the way a report's own draft would: `agent.mend`, its prompt, its two
rounds, its refusals. A document for which the model gave no answer (failure, budget) is not judged: it is counted apart, and
the exit code is 3.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

HOUSE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HOUSE))

from agent.mend import Mended, Mender  # noqa: E402  # the path is set above, so that the file runs as a script
from agent.records import Change, Compiled, Diagnosis  # noqa: E402
from agent.tex.compile import trial  # noqa: E402
from agent.tex.preserve import losses  # noqa: E402
from agent.tex.repair import mend  # noqa: E402
from harness.budget import parse  # noqa: E402
from harness.clock import SystemClock  # noqa: E402
from harness.errors import HarnessError, IncompleteError  # noqa: E402
from harness.files import sha256  # noqa: E402
from harness.llm.broker import opener  # noqa: E402
from harness.llm.client import Asker  # noqa: E402
from harness.llm.ledger import Ledger  # noqa: E402
from harness.llm.wire import Opening  # noqa: E402
from harness.sandbox.probe import find_sandbox  # noqa: E402

MAIN = "main.tex"
PASS_S = 60.0
WALL_S = 600.0

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
    """By rules alone."""
    rules: tuple[str, ...]
    stopped: str
    seconds: float
    by_model: bool | None = None
    """Clean with nothing lost once a model was asked; None when it was not asked, or gave no answer."""
    rounds: int = 0
    """Repairs that were asked for."""
    notes: tuple[str, ...] = ()
    """What became of them."""
    trouble: str = ""
    """Why the model gave no answer."""


def right_place(found: Diagnosis, recorded: dict[str, object]) -> bool:
    first = found.errors[0] if found.errors else None
    return first is not None and (first.file or "main.tex", first.line) == (recorded["file"], recorded["line"])


class Workshop:
    """Compiles and mends texts of one folder."""

    def __init__(self, work: Path) -> None:
        self._work = work
        self._sandbox, self._clock = find_sandbox(), SystemClock()

    def look(self, tex: str, wall_s: float = WALL_S) -> Diagnosis:
        return trial(
            tex,
            self._work,
            sandbox=self._sandbox,
            clock=self._clock,
            main=MAIN,
            pass_s=min(PASS_S, wall_s),
            wall_s=wall_s,
        )

    def compiled(self, tex: str, wall_s: float) -> Compiled:
        found = self.look(tex, wall_s)
        return Compiled(ok=not found.errors, diagnosis=found)

    def by_rules(self, tex: str, wall_s: float) -> tuple[str, tuple[Change, ...]]:
        found = mend(tex, self._work, sandbox=self._sandbox, clock=self._clock, main=MAIN, pass_s=PASS_S, wall_s=wall_s)
        return found.text, found.changes

    def by_model(self, tex: str, asker: Asker, wall_s: float) -> Mended:
        """Raises IncompleteError when the model gives no answer."""
        nonce = sha256(tex)[:12]  # no document holds its own hash
        return Mender(
            self.compiled, self.by_rules, self._clock, wall_s=wall_s, asker=asker, nonce=nonce,
            tell=lambda note: print(f"     {note}", file=sys.stderr, flush=True),
        ).mend(tex)  # fmt: skip


def run(case: Path, asker: Asker | None, wall_s: float) -> Outcome:
    started = time.monotonic()
    meta = json.loads((case / "meta.json").read_text("utf-8"))
    tex = (case / MAIN).read_text("utf-8")
    by_model, rounds, trouble = None, 0, ""
    notes: tuple[str, ...] = ()
    with tempfile.TemporaryDirectory() as name:
        shutil.copy(case / MAIN, Path(name) / MAIN)
        shop = Workshop(Path(name))
        found = shop.look(tex)
        text, changes = shop.by_rules(tex, WALL_S)
        left = shop.look(text)
        repaired = not left.errors and not losses(tex, text)
        if asker is not None and not repaired:
            try:
                made = shop.by_model(tex, asker, wall_s)
            except IncompleteError as error:
                trouble = str(error)
            else:
                by_model, rounds = made.compiled.ok and not losses(tex, made.tex), made.rounds
                notes = made.notes
    kind = found.errors[0].kind if found.errors else ""
    return Outcome(
        name=case.name,
        place=right_place(found, meta["xelatex"]["main_first_error"]),
        kind=COARSE.get(kind, kind) == meta["kind"],
        repaired=repaired,
        rules=tuple(change.rule for change in changes),
        stopped=left.fingerprint if left.errors else "",
        seconds=time.monotonic() - started,
        by_model=by_model,
        rounds=rounds,
        notes=notes,
        trouble=trouble,
    )


def connected(spec: str, budget: list[str], record: str | None, folder: Path) -> tuple[Asker, Ledger]:
    """The model behind all that a report's has around it. Raises UsageError."""
    opening = Opening(
        run="texse", ledger=str(folder / "usage.jsonl"), tape=str(folder / "calls"), record=record, tiers={"main": spec},
        caps=parse(budget)._asdict(), reserve=0.0, stages=("compile",),
    )  # fmt: skip
    return opener([spec], os.environ)(opening)["main"], Ledger(Path(opening.ledger))


def line(one: Outcome, *, with_model: bool) -> str:
    marks = f"{'place' if one.place else '-':6}{'kind' if one.kind else '-':5}{'repaired' if one.repaired else '-':9}"
    if with_model:
        state = "" if one.repaired else "no answer" if one.trouble else "by model" if one.by_model else "not"
        marks += f"{state:10}{one.rounds or '':<2}"
    said = one.trouble or "; ".join([one.stopped, *one.notes])
    return f"{one.name}  {marks} {one.seconds:5.1f}s  {' '.join(one.rules)}  {said}"


def spent(ledger: Ledger) -> str:
    """Requests, tokens and dollars of all that was asked."""
    made = [e for e in ledger.entries() if e.outcome != "sent"]
    tokens = [sum((e.usage.input_tokens or 0) for e in made), sum((e.usage.output_tokens or 0) for e in made)]
    known = all(e.cost is not None for e in made)
    price = f"{sum(e.cost or 0.0 for e in made):.2f} usd" if known else "price not known"
    return f"{len(made)} requests, {tokens[0]} tokens in, {tokens[1]} out, {price}"


def main() -> int:
    """Print the figures. Returns 0; 3 when a model gave no answer for some document, 2 for a wrong call."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--case", action="append", default=[], help="only this document; repeats")
    parser.add_argument("--model", help="anthropic:NAME, openai:NAME, either with @URL, or replay:DIR")
    parser.add_argument("--budget", action="append", default=[], help="for the model: 2usd, 500ktok, 20min; repeats")
    parser.add_argument(
        "--wall", type=float, default=WALL_S, help="seconds for a document with the model, its answers included"
    )
    parser.add_argument("--record", help="keep the model's answers in this folder, for replay:DIR")
    options = parser.parse_args()
    if options.model is None and (options.budget or options.record):
        parser.error("--budget and --record go with --model")
    cases = [p for p in sorted(options.path.iterdir()) if (p / "meta.json").is_file()] if options.path.is_dir() else []
    cases = [p for p in cases if not options.case or p.name in options.case]
    if not cases:
        print(f"no documents below {options.path}", file=sys.stderr)
        return 2
    outcomes = []
    with tempfile.TemporaryDirectory() as name:
        asker, ledger = None, None
        if options.model not in (None, "offline"):
            try:
                asker, ledger = connected(options.model, options.budget, options.record, Path(name))
            except HarnessError as error:
                print(f"{error}\n{error.hint}".rstrip(), file=sys.stderr)
                return 2
        for case in cases:
            outcomes.append(run(case, asker, options.wall))
            print(line(outcomes[-1], with_model=asker is not None), flush=True)
        cost = spent(ledger) if ledger is not None else ""
    both = sum(one.place and one.kind for one in outcomes)
    ruled = sum(one.repaired for one in outcomes)
    print(f"\ndocuments {len(outcomes)}: right line and kind {both}, repaired by rules alone {ruled}")
    if not cost:
        return 0
    silent = sum(bool(one.trouble) for one in outcomes)
    more = sum(bool(one.by_model) for one in outcomes)
    print(f"with {options.model}: {more} more, {ruled + more} in all; no answer for {silent}\n{cost}")
    return 3 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
