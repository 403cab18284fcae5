import pytest

from harness import registry
from harness.audit.plan import chosen
from harness.errors import NothingInScope, UsageError
from harness.state import State
from tests.support.audits import EvalAuditor, audit, means, project


def ids(dimensions):
    return [d.id for d in dimensions]


def test_the_profiles_are_those_of_the_specification():
    known = registry.dimensions()
    assert ids(chosen(known, "full", ())) == ["correctness", "docs", "frontend", "pipeline", "security", "tests"]
    assert ids(chosen(known, "session", ())) == ["concurrency", "data-integrity", "regression", "security"]


def test_named_dimensions_replace_the_profile():
    assert ids(chosen(registry.dimensions(), "full", ("tests", "concurrency"))) == ["concurrency", "tests"]


def test_a_misspelt_dimension_names_the_nearest():
    with pytest.raises(UsageError, match="no dimension is called 'secruity'") as caught:
        chosen(registry.dimensions(), "full", ("secruity",))
    assert caught.value.hint == "Did you mean 'security'?"


def test_every_group_of_every_dimension_has_an_auditor():
    served = {auditor.group for auditor in registry.auditors()}
    wanted = {group for dimension in registry.dimensions().values() for group in dimension.groups}
    assert wanted <= served


def test_an_empty_folder_is_nothing_in_scope_and_never_success(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    with pytest.raises(NothingInScope, match="no file to audit") as caught:
        audit(root)
    assert caught.value.exit_code == 4
    (folder,) = State(root).all_runs()
    assert not folder.copy.exists()


def test_files_that_no_lane_looks_at_are_nothing_in_scope(tmp_path):
    with pytest.raises(NothingInScope, match="none of the 1 files"):
        audit(project(tmp_path, {"data.csv": "1,2\n"}))


def test_a_lane_without_files_of_its_languages_is_skipped_and_that_is_fine(tmp_path):
    class Pages(EvalAuditor):
        def wants(self, language):
            return language == "html"

    report = audit(project(tmp_path), means(auditors=(EvalAuditor(), Pages("evil", "other"))))
    lane = next(lane for lane in report.coverage.lanes if lane.auditor == "evil")
    assert (lane.status, lane.reason, lane.planned) == ("skipped", "no file of its languages", 0)
    assert report.run.reason is None


def test_an_excluded_tree_says_what_hid_it(tmp_path):
    from tests.support.audits import pin as copy

    def pin(origin, into, **more):
        from harness.schema.run import Skip

        tree = copy(origin, into)
        return tree.model_copy(update={"files": (), "excluded": (Skip(path="a.py", reason="excluded by `*`"),)})

    with pytest.raises(NothingInScope, match=r"1 left out, most of them: excluded by `\*`"):
        audit(project(tmp_path), means(pin=pin))
