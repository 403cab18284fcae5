"""What differs between two trees: every line is accounted for, and files that move stay one change."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from harness.review.diff import FileChange, compare
from tests.support.trees import project_of

LINES = st.lists(st.sampled_from(["a = 1", "b = 2", "", "def f():", "    return 1", "c"]), max_size=25)


def changes_of(folder: Path, before: dict[str, str], after: dict[str, str]) -> tuple[FileChange, ...]:
    for name in ("before", "after"):
        (folder / name).mkdir()
    return compare(project_of(folder / "before", before), project_of(folder / "after", after))


@given(before=LINES, after=LINES)
def test_each_line_of_the_head_is_new_or_stands_for_an_equal_one_of_the_base(
    tmp_path_factory, before: list[str], after: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("trees")
    found = changes_of(folder, {"a.py": "\n".join(before)}, {"a.py": "\n".join(after)})
    if before == after:
        assert found == ()
        return
    if not found:  # they differ in nothing but the end of the last line
        assert [x for x in before if x] == [x for x in after if x]
        return
    [change] = found
    lines = "\n".join(after).split("\n")
    old = "\n".join(before).split("\n")
    lines, old = (x[:-1] if not x[-1] else x for x in (lines, old))
    assert change.added | change.back.keys() == set(range(1, len(lines) + 1))
    assert not change.added & change.back.keys()
    assert all(lines[n - 1] == old[was - 1] for n, was in change.back.items())
    assert change.removed | set(change.back.values()) == set(range(1, len(old) + 1))
    assert list(change.back.values()) == sorted(set(change.back.values()))


def test_a_file_that_moves_and_changes_a_little_is_one_change(tmp_path: Path) -> None:
    text = "".join(f"line_{n} = {n}\n" for n in range(20))
    [change] = changes_of(tmp_path, {"a.py": text}, {"b.py": text.replace("= 7\n", "= 8\n")})
    assert (change.before, change.after, change.added, change.size) == ("a.py", "b.py", {8}, 1)


def test_files_with_nothing_in_common_are_two_changes(tmp_path: Path) -> None:
    found = changes_of(tmp_path, {"a.py": "x = 1\ny = 2\n"}, {"b.py": "def f():\n    return 0\n"})
    assert [(c.before, c.after) for c in found] == [("a.py", None), (None, "b.py")]


def test_a_small_change_of_a_large_file_is_cheap_and_exact(tmp_path: Path) -> None:
    lines = [f"value_{n} = {n}" for n in range(60_000)]
    before = "\n".join(lines)
    lines[30_000] = "other = 1"
    [change] = changes_of(tmp_path, {"a.py": before}, {"a.py": "\n".join(lines)})
    assert change.added == {30_001}
    assert change.near == {30_001: 30_001}


def test_a_large_file_that_changes_at_both_ends_counts_as_changed_between_them(tmp_path: Path) -> None:
    lines = [f"value_{n} = {n}" for n in range(10_000)]
    [change] = changes_of(tmp_path, {"a.py": "\n".join(lines)}, {"a.py": "\n".join(["x", *lines[1:-1], "y"])})
    assert len(change.added) == 10_000


def test_removed_lines_mark_their_neighbours(tmp_path: Path) -> None:
    [change] = changes_of(tmp_path, {"a.py": "a\nb\nc\n"}, {"a.py": "a\nc\n"})
    assert (change.added, change.removed, change.cuts) == (frozenset(), {2}, {1, 2})
