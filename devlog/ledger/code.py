"""Modules, lines and tests of a pinned revision. Nothing of it is run or imported."""

import ast
import os
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from harness.files import decode_path
from harness.repo.checkout import pin
from harness.schema.tree import FileEntry, Tree


class Code(NamedTuple):
    """What was counted."""

    modules: int
    """Python files that are not test code by their place or name."""
    lines: int
    """Lines in them."""
    test_modules: int
    """Python files that are."""
    tests: int
    """Functions called `test_...` at the top of a test file or of a class in it; one with parameters counts once."""
    unparsed: int
    """Test files that the running Python cannot parse, whose tests are not counted."""


def count(root: Path, revision: str | None, exclude: Sequence[str]) -> Code:
    """Of a commit, or of the folder as it is. Raises UsageError."""
    with tempfile.TemporaryDirectory(prefix="harness-ledger-") as place:
        tree = pin(root, Path(place) / "tree", revision=revision, exclude=exclude)
        python = [f for f in tree.files if f.language == "python"]
        own = [f for f in python if not f.test]
        counts = [_tests(tree, f) for f in python if f.test]
        return Code(
            modules=len(own),
            lines=sum(f.lines for f in own),
            test_modules=len(counts),
            tests=sum(n for n in counts if n is not None),
            unparsed=counts.count(None),
        )


def _tests(tree: Tree, file: FileEntry) -> int | None:
    source = Path(os.fsdecode(os.fsencode(tree.root) + b"/" + decode_path(file.path))).read_bytes()
    if b"test_" not in source:
        return 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the counted code, not of ours
            module = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return _in(module.body)


def _in(body: Sequence[ast.stmt]) -> int:
    functions = sum(isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef) and s.name.startswith("test_") for s in body)
    return functions + sum(_in(s.body) for s in body if isinstance(s, ast.ClassDef))
