"""The corpus convention: `tests/corpus/<group>/<case>/` holds a small project.

A line that carries `expect: RULE` must be claimed by RULE on that line and end CONFIRMED; `expect: RULE UNCERTAIN` and
`expect: RULE DISMISSED` name another end. Several may stand in one line, separated by `;`. Any other claim of a rule of
the group must end DISMISSED: that is how clean twins are clean. A claim about a file that cannot hold a comment is
expected in a file `EXPECT` in the case: `path:line: RULE [VERDICT]`, a line each.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from auditors.plugin import PLUGIN as AUDITORS
from harness.contracts import Bench
from harness.schema.finding import Claim, Finding
from harness.schema.verdict import Judgement, Verdict
from harness.source.project import Project
from tests.support.trees import tree_of
from verifiers.static.verifier import StaticVerifier

_EXPECT = re.compile(r"expect:\s*(.+?)\s*(?:-->|\*/|#\}|$)")
Place = tuple[str, int, str]


def expectations(root: Path) -> dict[Place, str]:
    """(path, line, rule) -> verdict, from the marks in the files."""
    found: dict[Place, str] = {}
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
            if name == "EXPECT":
                place, _, rest = line.rpartition(": ")
                file, _, at = place.rpartition(":")
                _note(found, file, int(at), rest)
            elif match := _EXPECT.search(line):
                for part in match.group(1).split(";"):
                    _note(found, name, number, part)
    return found


def _note(found: dict[Place, str], path: str, line: int, text: str) -> None:
    rule, _, verdict = text.strip().partition(" ")
    found[path, line, rule] = verdict.strip() or "CONFIRMED"


def outcomes(root: Path, group: str) -> dict[Place, str]:
    """(path, line, rule) -> verdict, from the auditors of the group that execute nothing and the static verifier."""
    bench = Bench(project=Project(tree_of(root)), sandbox=None)
    found: dict[Place, str] = {}
    for claim in claims(bench, group):
        place = (claim.location.path, claim.location.line, claim.rule)
        found[place] = judge(claim, bench).verdict.value
    return found


def claims(bench: Bench, group: str) -> Iterable[Claim]:
    """Claims of all auditors of the group; wrapped analysers (`tool:CODE`) are the group `wrapped` of the corpus."""
    for auditor in AUDITORS.auditors:
        wrapped = any(":" in rule.id for rule in auditor.rules)
        if ("wrapped" if wrapped else auditor.group) == group and not auditor.executes:
            for item in auditor.audit(bench):
                if isinstance(item, Claim):
                    yield item


def judge(claim: Claim, bench: Bench) -> Judgement:
    """What the static verifier says of a claim; UNCERTAIN where it has nothing for the kind."""
    finding = finding_of(claim)
    verifier = StaticVerifier()
    if not verifier.handles(finding):
        return Judgement(verifier="none", verdict=Verdict.UNCERTAIN, tier="E1", reason="no verifier for this kind")
    return verifier.verify(finding, bench)


def finding_of(claim: Claim) -> Finding:
    """The claim as admission would pass it on."""
    at = claim.location
    return Finding(
        id="0000", fingerprint="0000", dimension=("test",), auditors=("test",), rule=claim.rule, cwe=claim.cwe,
        severity=claim.severity, path=at.path, line=at.line, end_line=at.end_line, column=at.column,
        end_column=at.end_column, symbol=claim.symbol, quote=claim.quote, scenario=claim.scenario, fix=claim.fix,
        kind=claim.claim_kind, facts=claim.facts, related=claim.related,
    )  # fmt: skip
