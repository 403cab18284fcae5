import pytest

from harness.errors import UsageError
from harness.state import State


def test_auditing_a_tree_leaves_nothing_in_it(tmp_path, own_state):
    root = tmp_path / "project"
    root.mkdir()
    run = State(root).new_run()
    assert run.path.is_relative_to(own_state)
    assert run.path.stat().st_mode & 0o077 == 0
    assert list(root.iterdir()) == []


def test_numbers_go_on_and_are_taken_at_once(tmp_path):
    state = State(tmp_path)
    assert [state.new_run().id for _ in range(3)] == ["0001", "0002", "0003"]
    (state.runs / "0010").mkdir()
    (state.runs / "notes").mkdir()
    assert State(tmp_path).new_run().id == "0011"
    assert state.run("2").id == "0002"
    with pytest.raises(UsageError, match=r"no run 99 .*0011"):
        state.run("99")


def test_folders_of_one_name_do_not_share_their_runs(tmp_path):
    for name in ("a/x", "b/x"):
        (tmp_path / name).mkdir(parents=True)
    assert State(tmp_path / "a/x").runs != State(tmp_path / "b/x").runs
    (tmp_path / "link").symlink_to(tmp_path / "a/x")
    assert State(tmp_path / "link").runs == State(tmp_path / "a/x").runs


def test_runs_live_in_the_repository_only_when_the_user_wanted_it(tmp_path, own_state):
    root = tmp_path / "project"
    (root / ".harness" / "runs").mkdir(parents=True)
    assert State(root).runs.is_relative_to(own_state)
    assert State(root).adopt() == State(root).runs == root / ".harness" / "runs"
    assert State(root).cache.is_relative_to(own_state)


@pytest.mark.parametrize("link", [".harness", ".harness/runs"])
def test_a_folder_that_is_swapped_for_a_link_is_not_used(tmp_path, own_state, link):
    root = tmp_path / "project"
    State(root).adopt()
    elsewhere = tmp_path / "elsewhere"
    (root / link).rename(elsewhere)
    (root / link).symlink_to(elsewhere)
    assert State(root).runs.is_relative_to(own_state)


def test_a_place_that_cannot_be_written_is_a_usage_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write to the state directory"):
        State(tmp_path, {"HARNESS_STATE_DIR": str(tmp_path / "file")}).new_run()
