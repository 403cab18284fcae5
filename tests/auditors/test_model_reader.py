"""The model auditor on scripted replies: what is cut is read in two, what cannot be read is never read."""

import json
import re
from pathlib import Path

import pytest

from auditors.model.reader import ModelReader
from auditors.model.units import Part, Unit, halves
from harness.contracts import Bench
from harness.errors import LaneFailed
from harness.llm.failure import ModelFailure, TooLong
from harness.llm.ledger import Labels
from harness.llm.messages import Finish, Reply, Request
from harness.llm.scripted import ScriptedClient, says
from harness.registry import dimensions
from harness.schema.finding import Claim
from tests.support.trees import project_of

LINES = "".join(f"def f{n}(x):\n    return x / {n}\n" for n in range(100))


class Asker:
    """A scripted client as an asker."""

    family, model = "scripted", "m"

    def __init__(self, client: ScriptedClient) -> None:
        self._client = client

    def ask(self, request: Request, labels: Labels) -> Reply:
        return self._client.send(request, deadline_s=1)


def shown(request: Request) -> list[int]:
    """Numbers of the lines of the unit in a question."""
    text = request.messages[-1].text
    body = re.search(r"<data \w+ file>\n(.*?)\n</data", text, re.DOTALL)
    assert body
    return [int(line.split(maxsplit=1)[0]) for line in body[1].splitlines()]


def answer(request: Request) -> Reply:
    """One finding, on the first line of the unit."""
    nonce = re.findall(r'"nonce": "(\w{16})"', request.messages[-1].text)[0]
    number = shown(request)[0]
    lines = LINES.splitlines()
    item = {
        "path": "m.py", "line": number, "end_line": number, "quote": lines[number - 1], "symbol": None, "severity": "low",
        "cwe": None, "scenario": "f0(1) divides by zero in this line.", "fix": "Leave it out.", "missing_pattern": None,
    }  # fmt: skip
    return says(json.dumps({"nonce": nonce, "findings": [item]}), request)


def read(folder: Path, client: ScriptedClient, text: str = LINES) -> list[Claim]:
    project = project_of(folder, {"m.py": text})
    reader = ModelReader(dimensions()["correctness"])
    (part,) = reader.readings(project)
    return [c for c in reader.read(part.payload, Bench(project, None), Asker(client)) if isinstance(c, Claim)]


@pytest.mark.parametrize("why", ["cut twice", "too long"])
def test_llm_06_what_does_not_fit_is_read_in_two_parts(tmp_path: Path, why: str) -> None:
    def script(request: Request) -> Reply | ModelFailure:
        if len(shown(request)) > 150:
            return TooLong("too long") if why == "too long" else says('{"nonce": "', request, finish=Finish.TRUNCATED)
        return answer(request)

    client = ScriptedClient(script)
    found = read(tmp_path, client)
    assert [c.location.line for c in found] == [1, 95]
    assert len(client.requests) == {"cut twice": 4, "too long": 3}[why]


def test_llm_06_what_is_always_cut_fails_however_whole_its_beginning_looks(tmp_path: Path) -> None:
    def script(request: Request) -> Reply | ModelFailure:
        return answer(request).model_copy(update={"finish": Finish.TRUNCATED})

    with pytest.raises(LaneFailed, match="cut twice"):
        read(tmp_path, ScriptedClient(script))


def test_halves_cover_every_line_and_files_stay_whole() -> None:
    two = Unit(parts=(Part(path="a", first=1, last=9), Part(path="b", first=1, last=9)))
    first, second = halves(two) or (two, two)
    assert (first.parts, second.parts) == (two.parts[:1], two.parts[1:])
    whole = Unit(parts=(Part(path="a", first=11, last=110),))
    first, second = halves(whole) or (whole, whole)
    assert (first.parts[0].first, second.parts[0].last) == (11, 110)
    assert first.parts[0].last >= second.parts[0].first
    assert halves(Unit(parts=(Part(path="a", first=1, last=79),))) is None
