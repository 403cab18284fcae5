"""Audits of small projects, made without the repository layer, the registry or the command line."""

import ast
import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.audit import runner, start
from harness.audit.order import Order
from harness.contracts import Bench
from harness.events import Event
from harness.schema.dimension import Dimension
from harness.schema.evidence import Evidence, Tier
from harness.schema.finding import Claim, Finding, Rule, Severity
from harness.schema.run import Report, Skip
from harness.schema.tree import Tree
from harness.schema.verdict import Judgement, Verdict
from tests.support.trees import tree_of

PLANNED = {
    "a.py": "def first(x):\n    return eval(x)\n\n\ndef second(y):\n    return eval('1')\n",
    "b.py": "def third(z):\n    assert z\n    return eval(z)\n",
}
"""Two files with three calls of eval: one is constant, so it is dismissed."""


def pin(origin: Path, into: Path, *, revision: str | None = None, exclude: tuple[str, ...] = ()) -> Tree:
    """A copy of a plain folder."""
    shutil.copytree(origin, into)
    return tree_of(into).model_copy(update={"name": origin.name, "origin": str(origin)})


class EvalAuditor:
    """Raises one claim for each call of eval; a `trap` file makes it misbehave: `raise`, `kill`, `sleep`, `nap`."""

    version = "1"
    executes = False

    def __init__(self, name: str = "eval", group: str = "security", *, traps: bool = True) -> None:
        self.id = name
        self.group = group
        self.rules = (Rule(id=f"{name}-used", group=group, title="eval", severity=Severity.HIGH, cwe=95),)
        self._traps = traps

    def wants(self, language: str) -> bool:
        return language == "python"

    def audit(self, bench: Bench) -> Iterator[Claim | Skip]:
        if self._traps:
            spring(bench, self.id)
        for module in bench.project.modules(test=None):
            for call in module.nodes(ast.Call):
                if module.resolve(call.func) == "eval":
                    facts = {"sink": "eval", "argument": module.segment(call.args[0])}
                    yield module.claim(
                        self.rules[0], call, scenario="`x` runs as code.", fix="ast.literal_eval", facts=facts
                    )
        for path, reason in sorted(bench.project.failures.items()):
            yield Skip(path=path, reason=reason)


class ConstantVerifier:
    """Dismisses eval of a literal, confirms the rest."""

    id = "constant"
    version = "1"
    executes = False

    def handles(self, finding: Finding) -> bool:
        return finding.kind.endswith("-used")

    def verify(self, finding: Finding, bench: Bench) -> Judgement:
        spring(bench, f"{self.id}-{finding.symbol}")
        constant = finding.facts["argument"].startswith("'")
        verdict = Verdict.DISMISSED if constant else Verdict.CONFIRMED
        shown = Evidence(tier=Tier.E3, kind="constant", summary="the argument", detail=finding.facts["argument"])
        return Judgement(verifier=self.id, verdict=verdict, tier=Tier.E3, reason="looked at it", evidence=(shown,))


def spring(bench: Bench, name: str) -> None:
    """Do what the file `trap-<name>` beside the original says, once for each line of it that is left."""
    trap = Path(bench.project.tree.origin).parent / f"trap-{name}"
    if not trap.exists():
        return
    words = trap.read_text().split()
    trap.write_text(" ".join(words[1:]))
    match words[:1]:
        case ["kill"]:
            os.kill(os.getpid(), signal.SIGKILL)
        case ["raise"]:
            raise RuntimeError("sprung")
        case ["sleep"]:
            signal.pause()
        case ["nap"]:
            time.sleep(1)


DIMENSIONS = {
    name: Dimension(id=name, title=name, brief=name, groups=groups, profiles=profiles)
    for name, groups, profiles in (
        ("other", ("other",), ()),
        ("security", ("security",), ("full", "session")),
        ("web", ("security", "other"), ("full",)),
    )
}


class Log(list[Event]):
    """A sink that keeps what it is told."""

    def __call__(self, event: Event) -> None:
        self.append(event)


def means(**changes: Any) -> start.Means:
    """Two auditors of two groups, one verifier, two workers, no sandbox."""
    found = start.Means(
        tell=Log(), pin=pin, auditors=(EvalAuditor(), EvalAuditor("evil", "other")), verifiers=(ConstantVerifier(),),
        dimensions=DIMENSIONS, no_sandbox="none in this test", jobs=2,
    )  # fmt: skip
    return found._replace(**changes)


def project(folder: Path, files: dict[str, str] = PLANNED) -> Path:
    """A folder `project` with these files."""
    root = folder / "project"
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def audit(root: Path, with_: start.Means | None = None, **order: Any) -> Report:
    """The report of a new run."""
    with start.new(Order(origin=str(root), **order), with_ or means()) as desk:
        return runner.run(desk)


def told(report: Report) -> dict[str, object]:
    """What must be equal between runs of the same input."""
    return report.model_dump(mode="json", exclude={"run": {"id", "started", "seconds"}})
