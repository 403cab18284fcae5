from harness.schema.run import RunStatus
from tests.support.audits import audit, project, told


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


def test_the_second_run_is_the_same_and_asks_no_worker(tmp_path):
    root = project(tmp_path)
    first = audit(root)
    second = audit(root)
    assert told(second) == told(first)
