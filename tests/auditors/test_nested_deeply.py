"""Code that a program made: a chain of branches deeper than any recursion of ours costs that file, never the lane."""

from pathlib import Path

import pytest

from auditors.plugin import PLUGIN
from harness.contracts import Auditor, Bench
from harness.schema.run import Skip
from tests.support.trees import project_of

STATIC = [a for a in PLUGIN.auditors if not a.executes]
CHAIN = "def f(x):\n    if x == 0:\n        return 0\n" + "".join(
    f"    elif x == {n}:\n        return {n}\n" for n in range(1, 1500)
)


@pytest.mark.parametrize("auditor", STATIC, ids=lambda a: a.id)
def test_a_long_chain_of_branches_fails_no_lane(tmp_path: Path, auditor: Auditor) -> None:
    project = project_of(tmp_path, {"chain.py": CHAIN, "sum.py": "x = " + "+".join(["1"] * 20_000) + "\n"})
    skipped = [item for item in auditor.audit(Bench(project=project, sandbox=None)) if isinstance(item, Skip)]
    assert all(skip.path in {"chain.py", "sum.py"} for skip in skipped)
