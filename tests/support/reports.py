"""Reports for tests of renderers: a small realistic one, and ones whose every text is hostile."""

import datetime

from hypothesis import strategies as st

from harness.schema.evidence import Evidence, Tier
from harness.schema.finding import Claim, Finding, Rejection, Rule, Severity
from harness.schema.frame import Frame
from harness.schema.location import Location, RelatedLocation
from harness.schema.run import Counts, Coverage, LaneCoverage, Report, RunInfo, RunStatus, Skip, Stats, Usage
from harness.schema.verdict import Judgement, Verdict
from harness.schema.waiver import Waiver, WaiverKind

STARTED = datetime.datetime(2026, 6, 10, 12, 0, tzinfo=datetime.UTC)
RULES = {
    "command-injection": Rule(
        id="command-injection", group="security", title="Untrusted input reaches a shell", severity=Severity.HIGH,
        cwe=78, page="command-injection: a shell runs text from outside.\n\nWhy: whoever sends the text runs commands.",
    ),
    "limit-disagrees": Rule(
        id="limit-disagrees", group="consistency", title="One limit, two values", severity=Severity.MEDIUM,
    ),
}  # fmt: skip


def finding(**changes) -> Finding:
    """A CONFIRMED command injection, with code, a source and evidence."""
    source = Location(path="shop/export.py", line=87, end_line=87, column=12, end_column=32)
    base = {
        "id": "3c1f", "fingerprint": "3c1f" + "0" * 28, "dimension": ("security",), "auditors": ("security-checks",),
        "rule": "command-injection", "cwe": 78, "severity": Severity.HIGH, "path": "shop/export.py", "line": 88,
        "end_line": 88, "column": 12, "end_column": 37, "symbol": "export", "quote": 'return os.popen(f"tar c {name}").read()',
        "scenario": "GET /export?name=... reaches `os.popen` unquoted: `name=a;id` ran `id`.",
        "fix": 'subprocess.run(["tar", "c", "--", name], check=True)', "kind": "taint",
        "related": (RelatedLocation(role="source", location=source, message="untrusted input enters here"),),
        "verdict": Verdict.CONFIRMED, "tier": Tier.E4, "reason": "The reproducer ran a planted command.",
        "evidence": (
            Evidence(tier=Tier.E3, kind="flow", summary="request.args reaches os.popen in two steps", locations=(source,)),
            Evidence(tier=Tier.E4, kind="reproducer", summary="reproducer exited with marker 7f3a; control `name=a` did not",
                     detail="$ pytest -q repro.py\n1 failed", sha256="ab" * 32),
        ),
        "judgements": (Judgement(verifier="executed", verdict=Verdict.CONFIRMED, tier=Tier.E4, reason="ran"),),
        "frames": (
            Frame(path="shop/export.py", line=86, lines=(
                "def export():", '    name = request.args["name"]', '    return os.popen(f"tar c {name}").read()', "")),
            Frame(path="shop/export.py", line=87, lines=('    name = request.args["name"]',)),
        ),
        "line_hash": "c129715d7a2bc9a3:1",
    }  # fmt: skip
    return Finding(**(base | changes))


def limit(**changes) -> Finding:
    """A CONFIRMED medium finding of consistency, proved statically, without a frame."""
    base = {
        "id": "9b20", "fingerprint": "9b20" + "1" * 28, "dimension": ("consistency", "correctness"), "rule": "limit-disagrees",
        "cwe": None, "severity": Severity.MEDIUM, "path": "llm/anthropic.py", "line": 14, "end_line": 14, "column": 1,
        "end_column": None, "symbol": None, "quote": "MAX = 32000", "frames": (), "line_hash": "", "related": (),
        "scenario": "The cap is 32000 here and 64000 in llm/deepseek.py:19: long reports end early.",
        "fix": "Import the one constant.", "tier": Tier.E3, "kind": "limit",
        "evidence": (Evidence(tier=Tier.E3, kind="constant", summary="both values reach the same caller"),),
    }  # fmt: skip
    return finding(**(base | changes))


def uncertain(**changes) -> Finding:
    """An open question."""
    return limit(**({"id": "77aa", "fingerprint": "77aa" + "2" * 28, "verdict": Verdict.UNCERTAIN, "tier": Tier.E1,
                     "line": 20, "end_line": 20, "reason": "No verifier could tell."} | changes))  # fmt: skip


def refuted(**changes) -> Finding:
    """A dismissed finding."""
    return finding(**({"id": "d15c", "fingerprint": "d15c" + "3" * 28, "verdict": Verdict.DISMISSED, "tier": Tier.E3,
                       "path": "api/files.py", "line": 41, "end_line": 41, "column": 1, "end_column": None,
                       "frames": (), "line_hash": "",
                       "evidence": (Evidence(tier=Tier.E3, kind="guard", summary="line 33 aborts before line 41"),),
                       "reason": "A guard dominates the sink."} | changes))  # fmt: skip


def waiver(**changes) -> Waiver:
    """A waiver of `finding()`."""
    base = {"fingerprint": finding().fingerprint, "kind": WaiverKind.DEFER, "reason": "after the release", "author": "Ada",
            "date": datetime.date(2026, 6, 1), "until": datetime.date(2026, 9, 1)}  # fmt: skip
    return Waiver(**(base | changes))


def report(*findings: Finding, **changes) -> Report:
    """A complete offline run with these findings and honest counts."""
    verdicts = [f.verdict for f in findings]
    numbers = {
        "raised": len(findings) + 1, "admitted": len(findings), "confirmed": verdicts.count(Verdict.CONFIRMED),
        "uncertain": verdicts.count(Verdict.UNCERTAIN), "dismissed": verdicts.count(Verdict.DISMISSED),
        "unverified": verdicts.count(Verdict.UNVERIFIED),
    }  # fmt: skip
    lane = LaneCoverage(auditor="security-checks", dimension="security", status="done", planned=3, done=2, raised=5,
                        skipped=(Skip(path="old.py", reason="does not parse: line 3: bad"),))  # fmt: skip
    gone = Claim(
        rule="x",
        severity=Severity.LOW,
        location=Location(path="a.py", line=1, end_line=1),
        quote="",
        scenario="s",
        fix="f",
    )
    base = {
        "run": RunInfo(id="0042", status=RunStatus.COMPLETE, head="3f2a91c" + "0" * 33, target="shop", started=STARTED,
                       seconds=11.2, config="pyproject.toml"),
        "findings": findings,
        "coverage": Coverage(files=3, lines=1200, languages={"python": 3}, lanes=(lane,), sandbox="bubblewrap"),
        "stats": Stats(**numbers, by_dimension={"security": Counts(**numbers)}, by_verifier={"static": Counts(**numbers)},
                       rejected=(Rejection(claim=gone, auditor="a", reason="the quote is nowhere"),)),
        "usage": Usage(),
    }  # fmt: skip
    return Report(**(base | changes))


def sample() -> Report:
    """One of each."""
    hidden = limit(id="5eed", fingerprint="5eed" + "4" * 28, line=30, end_line=30, suppressed="inline: checked by hand")
    waived = finding(id="aced", fingerprint="aced" + "5" * 28, line=90, end_line=90, waiver=waiver(), frames=())
    return report(finding(), limit(), uncertain(), refuted(), hidden, waived)


def incomplete() -> Report:
    """A run that ran out of budget."""
    lost = uncertain(verdict=Verdict.UNVERIFIED, reason="quota exhausted")
    run = RunInfo(id="0042", status=RunStatus.INCOMPLETE, reason="quota exhausted after 19 of 31", started=STARTED)
    lane = LaneCoverage(auditor="docs-checks", dimension="docs", status="failed", reason="check x failed on a.py")
    return report(finding(), lost, run=run, coverage=Coverage(files=2, lines=10, lanes=(lane,)))


HOSTILE = [
    "![](http://evil.example/?k=1)", "<script>alert(1)</script>", "\x1b]8;;http://evil.example\x07click\x1b]8;;\x07",
    "\x1b]52;c;aGk=\x07", "@org/team", "```\n# escaped", "~~~\n", "\x1b[2J\x1b[31m", "[link](http://evil.example)",
    "::error file=a::b", "\n::stop-commands::x\n", "\u202egnp.exe", "\u200b\u2066", "</textarea><img src=x onerror=y>",
    "{{ 7 * 7 }}", "{% raw %}", "\x9b31m", "a|b|c", "https://evil.example/", "]]>", "&lt;", "\r", "\u2028", "\ufeff",
    "\U000e0041\U000e0042", "#1 GH-2", "<!-- x", "--><b>", "%0A%3A", "\"'`", "\\x1b[2J", "javascript:alert(1)", "\ufffe",
]  # fmt: skip
"""Texts that would do something in a terminal, in Markdown, in HTML, in a CI log, if they were not made inert."""


def hostile(text: str) -> Report:
    """A report in which every free text is `text`."""
    at = Location(path=text or "a", line=3, end_line=4, column=2, end_column=9)
    proof = Evidence(tier=Tier.E3, kind=text, summary=text, detail=text, locations=(at,))
    frame = Frame(path=at.path, line=2, lines=(text, text, text, text))
    one = finding(
        path=at.path, line=3, end_line=4, column=2, end_column=9, symbol=text, quote=text, scenario=text, fix=text,
        reason=text, evidence=(proof,), related=(RelatedLocation(role=text, location=at, message=text),), facts={text: text},
        dimension=(text,), frames=(frame,),
    )  # fmt: skip
    others = [
        one.model_copy(update={"id": f"{n}{n}{n}{n}", "fingerprint": str(n) * 32} | change)
        for n, change in enumerate(
            (
                {"verdict": Verdict.UNCERTAIN, "tier": Tier.E1},
                {"verdict": Verdict.DISMISSED},
                {"waiver": waiver(reason=text or "r", author=text)},
                {"suppressed": text},
                {"frames": ()},
            )
        )
    ]
    run = RunInfo(
        id="0001", status=RunStatus.INCOMPLETE, reason=text, target=text, started=STARTED, config=text, models=(text,)
    )
    skip = Skip(path=at.path, reason=text)
    lane = LaneCoverage(auditor=text, dimension=text, status="failed", reason=text, skipped=(skip,))
    return report(
        one, *others, run=run, coverage=Coverage(files=1, lines=1, lanes=(lane,), excluded=(skip,), sandbox=text),
        stats=Stats(confirmed=3, unused_suppressions=(skip,), by_dimension={text: Counts(confirmed=1)}),
    )  # fmt: skip


texts = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=60), st.lists(st.sampled_from(HOSTILE)).map("".join))
"""Hostile and arbitrary texts."""
EVERYTHING = ("open", "dismissed", "settled")
