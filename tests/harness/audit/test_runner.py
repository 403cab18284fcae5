from harness.schema.run import RunStatus
from harness.schema.verdict import Verdict
from tests.support.audits import ConstantVerifier, EvalAuditor, audit, means, project, told


def test_a_run_finds_judges_and_counts(tmp_path):
    report = audit(project(tmp_path))
    assert report.run.status is RunStatus.COMPLETE
    assert [(f.path, f.line, f.verdict, f.tier) for f in report.findings] == [
        ("a.py", 2, "CONFIRMED", "E3"),
        ("a.py", 6, "DISMISSED", "E3"),
        ("b.py", 3, "CONFIRMED", "E3"),
    ]
    first = report.findings[0]
    assert first.dimension == ("security", "web")
    assert first.auditors == ("eval", "evil")
    stats = report.stats
    assert (stats.raised, stats.admitted, stats.duplicates, stats.confirmed, stats.dismissed) == (9, 9, 6, 2, 1)
    assert stats.by_verifier["constant"].confirmed == 2
    assert {n: (c.raised, c.duplicates) for n, c in stats.by_dimension.items()} == {"security": (3, 0), "web": (6, 6)}


def test_the_second_run_is_the_same_and_asks_no_worker(tmp_path, monkeypatch):
    root = project(tmp_path)
    first = audit(root)

    def no_worker(self):
        raise AssertionError("a worker was started for what is known")

    monkeypatch.setattr("harness.workers.Pool._start", no_worker)
    second = audit(root)
    assert told(second) == told(first)
    assert second.run.id == "0002"


def test_what_changed_is_worked_out_again(tmp_path):
    root = project(tmp_path)
    audit(root)
    (root / "b.py").write_text("def third(z):\n    return z\n")
    assert [f.path for f in audit(root).findings] == ["a.py", "a.py"]


def test_another_version_of_an_auditor_or_verifier_is_asked_again(tmp_path, monkeypatch):
    root = project(tmp_path)
    audit(root)

    class Stricter(ConstantVerifier):
        version = "2"

        def verify(self, finding, bench):
            judgement = super().verify(finding, bench)
            return judgement.model_copy(update={"verdict": Verdict.CONFIRMED})

    assert {f.verdict for f in audit(root, means(verifiers=(Stricter(),))).findings} == {Verdict.CONFIRMED}
    monkeypatch.setattr(EvalAuditor, "version", "2")
    (tmp_path / "trap-eval").write_text("raise")
    assert audit(root).run.status is RunStatus.INCOMPLETE
