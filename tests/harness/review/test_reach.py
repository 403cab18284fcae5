"""How far a change reaches, where the lines of a diff do not tell it."""

from pathlib import Path

from harness.review.diff import FileChange
from harness.review.reach import reach
from tests.support.trees import project_of

BEFORE = """CACHE = {}


def delete(key):
    forget(key)
    CACHE.pop(key, None)


def forget(key):
    return key
"""
AFTER = """CACHE = {}


def delete(key):
    forget(key)


def rename(key):
    CACHE.pop(key, None)


def forget(key):
    return key
"""


def test_a_function_that_lost_a_line_to_the_one_below_it_is_changed(tmp_path: Path) -> None:
    base, head = project_of(tmp_path / "base", {"m.py": BEFORE}), project_of(tmp_path / "head", {"m.py": AFTER})
    # As git tells it: three lines were added below `forget(key)`, and none was removed.
    change = FileChange(before="m.py", after="m.py", added=frozenset({6, 7, 8}), removed=frozenset(), cuts=frozenset())
    reached = reach(base, head, [change])
    assert [(s.first, s.last, s.said) for s in reached.functions["m.py"]] == [
        (8, 9, "`rename` is changed here"),
        (4, 5, "`delete` is not what it was"),
    ]
