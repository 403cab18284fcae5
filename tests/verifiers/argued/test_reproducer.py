"""What a reproducer does to a vote: it strengthens `stands`, and nothing else comes of it but one sentence to its author."""

import json
import re

import pytest

from harness.contracts import Bench
from harness.llm.ledger import Labels
from harness.llm.scripted import ScriptedClient
from harness.sandbox.probe import find_sandbox
from harness.schema.finding import Severity
from tests.support.reproducers import CONTROL, GOOD, LINE, QUOTE, average
from verifiers.argued.panel import ArguedVerifier


@pytest.fixture(scope="module")
def sandbox():
    return find_sandbox()


class Asker:
    """Answers with votes, in order; the nonce is taken from the request, as a model would."""

    family = "scripted"
    model = "test"

    def __init__(self, *votes):
        self.client = ScriptedClient(self._answer)
        self._votes = list(votes)

    def ask(self, request, labels: Labels):
        del labels
        return self.client.send(request, deadline_s=1)

    def _answer(self, request):
        from harness.llm.scripted import says

        nonce = re.search(r'"nonce": "(\w+)"', str(request.messages[1].text))[1]
        return says(json.dumps({"nonce": nonce, **self._votes.pop(0)}), request)


def vote(verdict, program=None, control=CONTROL, reason="because of this line"):
    quotes = [] if verdict == "cannot_tell" else [{"path": "calc.py", "line": LINE, "text": QUOTE}]
    reproducer = {"program": program, "control": control} if program else None
    return {"verdict": verdict, "reason": reason, "quotes": quotes, "reproducer": reproducer}


@pytest.fixture
def judged(tmp_path, sandbox):
    def judge(*votes, box=sandbox, severity=Severity.LOW):
        project, finding = average(tmp_path / "p")
        asker = Asker(*votes)
        finding = finding.model_copy(update={"severity": severity})
        said = ArguedVerifier({"verifier": asker}).verify(finding, Bench(project=project, sandbox=box))
        return said, asker.client.requests

    return judge


HARMLESS = GOOD.replace("values = []", "values = [3]")


def test_proved_and_stands_is_reproduced_without_another_question(judged):
    said, requests = judged(vote("stands", GOOD))
    assert (said.verdict, said.tier, len(requests)) == ("CONFIRMED", "E4", 1)
    argument, proof = said.evidence
    assert (argument.tier, proof.tier, proof.kind) == ("E2", "E4", "reproducer")
    assert "exited 1" in proof.summary
    assert GOOD.strip() in proof.detail


def test_not_reproduced_is_told_in_one_sentence_and_the_next_vote_counts(judged):
    said, requests = judged(vote("stands", HARMLESS), vote("refuted", reason="it is guarded"))
    assert (said.verdict, said.tier) == ("DISMISSED", "E2")
    told = requests[1].messages[-1].text
    assert f"the program exited 0, the control exited 0; line {LINE} was reached in the program" in told
    assert "scenario" not in told
    assert not requests[1].tools


def test_not_reproduced_never_dismisses_by_itself(judged):
    said, _ = judged(vote("stands", HARMLESS), vote("stands"))
    assert (said.verdict, said.tier) == ("CONFIRMED", "E2")
    assert {e.tier for e in said.evidence} == {"E2"}
    assert "its reproducer: the program exited 0" in said.evidence[0].detail


def test_one_further_turn_and_no_more(judged):
    said, requests = judged(vote("stands", HARMLESS), vote("stands", GOOD))
    assert (said.tier, len(requests)) == ("E2", 2)


@pytest.mark.parametrize("first", ["refuted", "cannot_tell"])
def test_a_proof_alone_confirms_nothing(judged, first):
    said, requests = judged(vote(first, GOOD), vote(first))
    assert said.verdict == {"refuted": "DISMISSED", "cannot_tell": "UNCERTAIN"}[first]
    assert len(requests) == 2


def test_who_refuted_is_not_talked_into_a_finding_by_a_program(judged):
    said, _ = judged(vote("refuted", GOOD), vote("stands"))
    assert (said.verdict, said.tier) == ("UNCERTAIN", "E1")


def test_who_could_not_tell_may_ask_for_a_run_and_then_vote(judged):
    said, _ = judged(vote("cannot_tell", GOOD), vote("stands"))
    assert (said.verdict, said.tier) == ("CONFIRMED", "E4")


@pytest.mark.parametrize(
    ("program", "control"),
    [
        ("import sys\nsys.exit(1)\n", "import sys\nsys.exit(0)\n"),
        ("import sys\nsys.exit(1 if [] == [] else 0)\n", "import sys\nsys.exit(1 if [] == [1] else 0)\n"),
        (GOOD, "print('nothing')\n"),
        ("import os\nos.write(1, b'reached\\n' * 99)\nos._exit(1 if 1 else 0)\n",
         "import os\nos.write(1, b'reached\\n' * 99)\nos._exit(1 if 0 else 0)\n"),
    ],
)  # fmt: skip
def test_a_lying_reproducer_is_not_evidence(judged, program, control):
    said, requests = judged(vote("stands", program, control), vote("stands"))
    assert (said.verdict, said.tier, len(requests)) == ("CONFIRMED", "E2", 2)


def test_without_a_sandbox_nothing_is_run_and_nothing_asked_again(judged):
    said, requests = judged(vote("stands", GOOD), box=None)
    assert (said.verdict, said.tier, len(requests)) == ("CONFIRMED", "E2", 1)


def test_an_answer_that_fails_after_the_run_is_no_vote(judged):
    said, _ = judged(vote("stands", HARMLESS), {"verdict": "nonsense"}, {"verdict": "nonsense"})
    assert said.verdict == "UNVERIFIED"


def test_a_proof_does_not_settle_a_panel_that_disagrees(judged):
    said, _ = judged(vote("stands", GOOD), vote("refuted"), vote("stands"), severity=Severity.HIGH)
    assert (said.verdict, said.tier) == ("UNCERTAIN", "E1")
    said, _ = judged(vote("stands"), vote("stands", GOOD), vote("stands"), severity=Severity.HIGH)
    assert (said.verdict, said.tier) == ("CONFIRMED", "E4")
