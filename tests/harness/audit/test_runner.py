import pickle
import time

from harness import registry
from harness.audit.work import AuditWork
from harness.contracts import Bench
from harness.events import Progress
from harness.schema.run import RunStatus
from harness.schema.verdict import Verdict
from harness.source.project import Project
from harness.workers import Pool, Task
from tests.support.audits import ConstantVerifier, EvalAuditor, Log, audit, means, project, told
from tests.support.trees import tree_of


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


def test_processes_that_are_spawned_get_everything_they_need(tmp_path):
    """Where there is no fork, the work crosses to a worker by pickle: it must not hold what cannot."""
    root = project(tmp_path, {"a.py": "import time\n\n\nasync def f():\n    time.sleep(1)\n"})
    bench = Bench(project=Project(tree_of(root)), sandbox=None)
    work = pickle.loads(pickle.dumps(AuditWork(bench, registry.auditors(), registry.verifiers())))
    with Pool(work, jobs=1, monotonic=time.monotonic, method="spawn") as pool:
        (outcome,) = pool.run([Task("a", [{"auditor": "concurrency-checks"}])])
    assert outcome.value[0]["value"]["claims"]


def test_time_shows_while_a_lane_works_and_is_quiet_when_it_is_done(tmp_path):
    (tmp_path / "trap-eval").write_text("nap")
    log = Log()
    audit(project(tmp_path), means(tell=log, jobs=1))
    waiting = [e for e in log if isinstance(e, Progress) and e.stage == "discover" and e.done == 0]
    full = [e for e in log if isinstance(e, Progress) and e.stage == "discover" and e.done == e.total]
    assert len(waiting) > 3
    assert len(full) == 1
