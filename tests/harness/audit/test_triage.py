"""Waivers and suppressions reach the report of a run."""

import datetime

import pytest

from harness.audit import waivers
from harness.errors import ConfigError
from tests.support.audits import EvalAuditor, audit, means, project

TODAY = datetime.date(2026, 1, 1)
FILES = {
    "a.py": "def f(x):\n    return eval(x)\n\n\ndef g(x):\n    return eval(x)  # harness: ignore[eval-used] the input is ours\n",
    "b.py": "x = 1  # harness: ignore[eval-used] nothing here\n",
}


def test_decisions_are_applied_counted_and_unused_ones_named(tmp_path):
    root = project(tmp_path, FILES)
    with_ = means(auditors=(EvalAuditor(),))
    first = audit(root, with_)
    assert [(f.symbol, f.suppressed) for f in first.findings] == [("f", None), ("g", "inline: the input is ours")]
    assert first.stats.unused_suppressions[0].path == "b.py"
    waiver = waivers.for_finding(first.findings[0], kind="accept", reason="known", author="me", today=TODAY, until=None)
    waivers.add(root / waivers.FILE, waiver)
    second = audit(root, with_)
    assert [f.waiver is not None for f in second.findings] == [True, False]
    assert (second.stats.waived, second.stats.suppressed) == (1, 1)
    (root / "a.py").write_text(FILES["a.py"].replace("return eval(x)\n", "return eval(x + 1)\n", 1))
    assert audit(root, with_).findings[0].waiver is None


def test_a_broken_waiver_file_ends_the_run_before_the_work(tmp_path):
    root = project(tmp_path, {**FILES, ".harness/waivers.toml": "[[waiver]\n"})
    (tmp_path / "trap-eval").write_text("raise")
    with pytest.raises(ConfigError, match=r"waivers\.toml"):
        audit(root, means(auditors=(EvalAuditor(),)))
    assert (tmp_path / "trap-eval").read_text() == "raise"
