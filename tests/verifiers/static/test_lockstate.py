"""Which acquisitions are open at a step, and where locks come from."""

import ast
from pathlib import Path

import pytest

from harness.source.module import Module
from tests.support.trees import project_of
from verifiers.static.concurrency.lockstate import constructor, held_by_callers, known_locks, steps


def held_at(body: str, mark: str) -> list[str]:
    """Locks open at the first step of `f` whose text begins with `mark`, with their region numbers."""
    module = Module("m.py", "def f(self):\n" + "".join(f"    {line}\n" for line in body.split("\n")))
    _, function = module.functions[0]
    for step in steps(function, frozenset()):
        if ast.unparse(step.node).startswith(mark):
            return sorted(f"{r.lock}#{r.number}" for r in step.regions)
    raise AssertionError(f"no step {mark}")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("with self._lock:\n    x()", ["self._lock#1"]),
        ("with self._lock:\n    pass\nx()", []),
        ("with self._lock:\n    pass\nwith self._lock:\n    x()", ["self._lock#2"]),
        ("self._lock.acquire()\nx()", ["self._lock#1"]),
        ("self._lock.acquire()\nself._lock.release()\nx()", []),
        ("self._lock.acquire()\ntry:\n    x()\nfinally:\n    self._lock.release()", ["self._lock#1"]),
        ("self._lock.acquire()\ntry:\n    pass\nfinally:\n    self._lock.release()\nx()", []),
        ("with locks[key]:\n    x()", ["locks[key]#1"]),
        ("with open(path):\n    x()", []),
        ("with self.clock:\n    x()", []),
        ("for a in b:\n    with self.mutex:\n        x()", ["self.mutex#1"]),
    ],
)
def test_regions(body: str, expected: list[str]) -> None:
    assert held_at(body, "x()") == expected


def test_a_decorator_that_locks_covers_the_whole_function() -> None:
    module = Module("m.py", "@locked\ndef f(self):\n    x()\n@cached\ndef g(self):\n    x()\n")
    held = [[r.lock for s in steps(function, frozenset()) for r in s.regions] for _, function in module.functions]
    assert held == [["@locked"], []]


def test_locks_are_found_in_the_class_its_bases_and_the_module(tmp_path: Path) -> None:
    project = project_of(
        tmp_path,
        {
            "base.py": "import threading\nclass Base:\n    def __init__(self):\n        self._cv = threading.Condition()\n",
            "m.py": "import asyncio\nfrom collections import defaultdict\nfrom base import Base\n"
            "G: asyncio.Lock = asyncio.Lock()\nMANY = defaultdict(asyncio.Lock)\nclass C(Base):\n    x = None\n",
        },
    )
    module = project.module("m.py")
    _, cls = module.classes[0]
    assert constructor(module, project, cls, "self._cv") == "threading.Condition"
    assert constructor(module, project, cls, "G") == "asyncio.Lock"
    assert constructor(module, project, None, "MANY[key]") == "asyncio.Lock"
    assert constructor(module, project, cls, "self.x") is None
    assert known_locks(module, cls) == {"G", "MANY"}


@pytest.mark.parametrize(
    ("callers", "expected"),
    [
        ("def a(self):\n        with self._lock:\n            self._work()", True),
        ("def __init__(self):\n        self._work()", True),
        ("def a(self):\n        self._work()", False),
        (
            "def a(self):\n        with self._lock:\n            self._work()\n    def b(self):\n        self._work()",
            False,
        ),
        (
            "def a(self):\n        with self._lock:\n            self._middle()\n    def _middle(self):\n        self._work()",
            True,
        ),
        ("def a(self):\n        pass", False),
    ],
)
def test_a_private_function_is_covered_when_every_caller_holds_a_lock(
    tmp_path: Path, callers: str, expected: bool
) -> None:
    project = project_of(tmp_path, {"m.py": f"class C:\n    {callers}\n    def _work(self):\n        pass\n"})
    module = project.module("m.py")
    function = next(f for _, f in module.functions if f.name == "_work")
    assert (held_by_callers(module, project, function) is not None) is expected
