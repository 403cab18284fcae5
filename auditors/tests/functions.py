"""Which functions of a module are tests, and which of their calls assert something."""

import ast
import re
from collections.abc import Iterator

from auditors.syntax import last_name
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

ASSERTING = re.compile(
    r"^_*(assert|check|verify|expect|fail|raises|warns|deprecated_call|should|ensure|validate|must|compare|skip|xfail|approve|match)",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_ASSERTION = re.compile(r"^[ \t]*assert\b|\.assert\w+\(|\braises\(|^[ \t]*>>> ", re.MULTILINE)
_FOLDERS = ("test", "tests", "testing", "__tests__", "spec", "specs")
_NAMES = ("test_*.py", "*_test.py", "conftest.py", "tests.py")
TEST_FILES: tuple[str, ...] = tuple(
    pattern for name in (*(f"{folder}/*" for folder in _FOLDERS), *_NAMES) for pattern in (name, f"*/{name}")
)
"""`fnmatch` patterns of test files, for searches that can be run again."""


def tests_of(module: Module) -> Iterator[tuple[str, FunctionNode]]:
    """Functions called `test...` at module level or in a class, in test code."""
    if not module.test:
        return
    for qualname, function in module.functions:
        if function.name.startswith("test") and isinstance(module.parents[function], ast.Module | ast.ClassDef):
            yield qualname, function


def asserts(node: ast.AST) -> bool:
    """An assert statement, a raise, or a call named like an assertion."""
    if isinstance(node, ast.Assert | ast.Raise):
        return True
    return isinstance(node, ast.Call) and bool(ASSERTING.match(last_name(node.func)))


def words_in_tests(project: Project) -> set[str]:
    """Every identifier-like word in the Python files that TEST_FILES matches; empty when none of them asserts anything."""
    found: set[str] = set()
    asserting = False
    for path in project.matching(*TEST_FILES):
        if project.entries[path].language == "python":
            text = project.text(path)
            asserting = asserting or bool(_ASSERTION.search(text))
            found.update(_WORD.findall(text))
    return found if asserting else set()
