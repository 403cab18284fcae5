"""The verifier that asks models, on scripted replies: what counts as a verdict, and what never does."""

import json
import re
from pathlib import Path

import pytest

from harness.contracts import Bench
from harness.llm.failure import ModelFailure, QuotaExhausted
from harness.llm.ledger import Labels
from harness.llm.messages import Finish, Reply, Request
from harness.llm.scripted import ScriptedClient, says
from harness.schema.evidence import DISAGREEMENT
from harness.schema.finding import Finding, Severity
from harness.schema.verdict import Judgement, Verdict
from tests.support.claims import finding_at
from tests.support.trees import project_of
from verifiers.argued.panel import ArguedVerifier

CODE = "def mean(values):\n    return sum(values) / len(values)\n"
KEY = "sk-0123456789abcdef0123"


class Asker:
    """A scripted client as an asker."""

    family, model = "scripted", "m"

    def __init__(self, client: ScriptedClient) -> None:
        self._client = client

    def ask(self, request: Request, labels: Labels) -> Reply:
        return self._client.send(request, deadline_s=1)


def vote(request: Request, verdict: str, *quotes: tuple[str, int, str], nonce: str | None = None) -> Reply:
    own = re.findall(r'"nonce": "(\w{16})"', request.messages[1].text)[0]
    body = {
        "nonce": nonce or own, "verdict": verdict, "reason": "because", "reproducer": None,
        "quotes": [{"path": p, "line": n, "text": t} for p, n, t in quotes],
    }  # fmt: skip
    return says(json.dumps(body), request)


LINE = ("m.py", 2, "return sum(values) / len(values)")


def judged(
    folder: Path, client: ScriptedClient, *, severity: Severity = Severity.MEDIUM, code: str = CODE
) -> Judgement:
    project = project_of(folder, {"m.py": code})
    found = finding_at(project, "m.py", "sum(values) / len(values)", kind="model-claim", facts={})
    finding: Finding = found.model_copy(update={"severity": severity})
    return ArguedVerifier({"verifier": Asker(client)}).verify(finding, Bench(project, None))


def test_gate_01_readers_that_disagree_decide_nothing(tmp_path: Path) -> None:
    def script(request: Request) -> Reply | ModelFailure:
        return vote(request, "refuted" if request.sample == 1 else "stands", LINE)

    judgement = judged(tmp_path, ScriptedClient(script), severity=Severity.HIGH)
    assert (judgement.verdict, [e.kind for e in judgement.evidence]) == (Verdict.UNCERTAIN, [DISAGREEMENT])
    assert "disagree" in judgement.reason


def test_an_empty_panel_decides_nothing(tmp_path: Path) -> None:
    project = project_of(tmp_path, {"m.py": CODE})
    finding = finding_at(project, "m.py", "sum(values) / len(values)", kind="model-claim", facts={})
    assert not ArguedVerifier({}).handles(finding)
    client = ScriptedClient(lambda request: vote(request, "stands", LINE))
    said = ArguedVerifier({"verifier": Asker(client)}, panel=0).verify(finding, Bench(project, None))
    assert (said.verdict, said.tier) == (Verdict.UNCERTAIN, "E1")
    assert client.requests == []


@pytest.mark.parametrize(
    "bad",
    [
        lambda _: QuotaExhausted("no money"),
        lambda r: vote(r, "refuted", ("m.py", 2, "if not values: return 0")),
        lambda r: vote(r, "refuted"),
        lambda r: vote(r, "refuted", LINE, nonce="0" * 16),
        lambda r: says("", r, finish=Finish.REFUSED),
        lambda r: vote(r, "stands", LINE).model_copy(update={"finish": Finish.TRUNCATED}),
        lambda r: says('<tool_call>{"name": "read_file"}</tool_call>', r),
    ],
    ids=["quota", "invented quote", "no quote", "forged nonce", "refusal", "cut", "markup"],
)
def test_what_is_no_verdict_leaves_the_finding_unverified(tmp_path: Path, bad) -> None:  # type: ignore[no-untyped-def]  # a table of scripts
    one = judged(tmp_path / "one", ScriptedClient(bad))
    assert (one.verdict, one.evidence) == (Verdict.UNVERIFIED, ())
    among = ScriptedClient(lambda r: bad(r) if r.sample == 2 else vote(r, "stands", LINE))
    panel = judged(tmp_path / "panel", among, severity=Severity.HIGH)
    assert panel.verdict is Verdict.UNVERIFIED


def test_a_verdict_may_quote_a_line_as_it_was_shown(tmp_path: Path) -> None:
    code = f"KEY = '{KEY}'\n{CODE}"
    client = ScriptedClient(lambda r: vote(r, "stands", ("m.py", 1, "KEY = '[redacted]'")))
    assert judged(tmp_path, client, code=code).verdict is Verdict.CONFIRMED
    invented = ScriptedClient(lambda r: vote(r, "stands", ("m.py", 1, "OTHER = '[redacted]'")))
    assert judged(tmp_path / "other", invented, code=code).verdict is Verdict.UNVERIFIED
