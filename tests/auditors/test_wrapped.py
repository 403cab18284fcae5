"""What the wrapped analysers owe the pipeline: order, honest coverage, complete wording, and a child that is gone."""

import sys
import time
from pathlib import Path

import pytest

from auditors.wrapped import AUDITORS
from auditors.wrapped.process import run
from auditors.wrapped.words import fill, names_in
from harness.contracts import Bench
from harness.errors import LaneFailed
from harness.schema.finding import Claim
from harness.schema.run import Skip
from tests.support.trees import project_of
from verifiers.static.wrapped import FALSIFIERS

RULES = {rule.id: rule for auditor in AUDITORS for rule in auditor.rules}


def test_every_falsifier_belongs_to_a_rule_that_can_be_raised() -> None:
    assert sorted(set(FALSIFIERS) - set(RULES)) == []


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_rule_has_a_page_without_open_slots(rule: str) -> None:
    page = RULES[rule].page
    assert "What it cannot see" in page
    assert "{at}" not in page
    assert "{code}" not in page


def test_messages_give_their_names_and_templates_take_them() -> None:
    names = names_in('Redefinition of unused `load` from line 3, assigned to: "token"')
    assert names == ["load", "token"]
    assert fill("`{0}` in {at}: {code}", names, at=None, code="x = 1") == "`load` in this module: x = 1"
    assert fill("{0}", [], at="f", code="{at}") == "{at}"


def test_a_file_that_does_not_parse_is_skipped_with_a_reason(tmp_path: Path) -> None:
    project = project_of(tmp_path, {"broken.py": "def f(:\n    import torch\n", "fine.py": "x = 1\n"})
    bench = Bench(project=project, sandbox=None)
    for auditor in AUDITORS:
        if auditor.id in {"correctness-ruff", "security-bandit", "correctness-vulture"}:
            skips = [item for item in auditor.audit(bench) if isinstance(item, Skip)]
            assert [skip.path for skip in skips] == ["broken.py"], auditor.id
            assert skips[0].reason


def test_claims_come_in_the_same_order_each_time(tmp_path: Path) -> None:
    texts = {f"m{n}.py": "def f(a=[]):\n    a.append(b)\n\n\ndef _g():\n    return c\n" for n in range(5)}
    bench = Bench(project=project_of(tmp_path, texts), sandbox=None)
    for auditor in AUDITORS:
        assert list(auditor.audit(bench)) == list(auditor.audit(bench))


def test_a_tool_that_does_not_end_is_killed() -> None:
    began = time.monotonic()
    with pytest.raises(LaneFailed, match="did not finish"):
        run([sys.executable, "-I", "-c", "import time; time.sleep(60)"], timeout=0.5)
    assert time.monotonic() - began < 20


def test_a_tool_that_prints_too_much_is_killed() -> None:
    with pytest.raises(LaneFailed, match="more than 1000 bytes"):
        run([sys.executable, "-I", "-c", "while True: print('x' * 100)"], cap=1000)


def test_a_tool_sees_nothing_of_our_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY", "secret-value")
    ended = run([sys.executable, "-I", "-c", "import os; print(sorted(os.environ), os.listdir())"])
    assert b"CANARY" not in ended.stdout
    assert b"[]" in ended.stdout


def test_a_tool_that_is_not_there_is_a_failed_lane() -> None:
    with pytest.raises(LaneFailed, match="could not be started"):
        run(["/nonexistent/tool"])


def test_a_file_that_kills_ruff_is_skipped_alone(tmp_path: Path) -> None:
    flaw = "def f(x):\n    return y\n"
    texts = {"a.py": flaw, "deep.py": "x = " + "+".join(["1"] * 20_000) + "\n", "z.py": flaw}
    lane = next(a for a in AUDITORS if a.id == "correctness-ruff")
    told = list(lane.audit(Bench(project=project_of(tmp_path, texts), sandbox=None)))
    assert [item.path for item in told if isinstance(item, Skip)] == ["deep.py"]
    assert [item.location.path for item in told if isinstance(item, Claim)] == ["a.py", "z.py"]
