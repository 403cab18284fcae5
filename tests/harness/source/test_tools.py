"""Read-only tools: what a model may see, and the absence of any way to see more."""

from pathlib import Path

import pytest

from harness.source.tools import READ_LINES, Reading, tools
from tests.support.trees import project_of

FILES = {
    "pkg/__init__.py": "",
    "pkg/a.py": "import os\n\n\ndef work(x):\n    return os.path.join(x)\n\n\n"
    "class Box:\n    def get(self):\n        return work(1)\n",
    "long.txt": "\n".join(f"line {n}" for n in range(1, 1001)),
}


@pytest.fixture
def named(tmp_path: Path) -> dict[str, Reading]:
    root = tmp_path / "root"
    (tmp_path / "secret.txt").write_text("secret")
    return {t.name: t for t in tools(project_of(root, FILES))}


def test_listing_and_reading(named: dict[str, Reading]) -> None:
    assert named["list_dir"].call({}) == "long.txt\npkg/"
    assert named["list_dir"].call({"path": "pkg"}) == "__init__.py\na.py"
    assert named["read_file"].call({"path": "pkg/a.py", "offset": 4, "limit": 2}).splitlines()[:2] == [
        "    4 def work(x):",
        "    5     return os.path.join(x)",
    ]
    text = named["read_file"].call({"path": "long.txt"})
    assert text.endswith(f"[1000 lines in all; continue with offset={READ_LINES + 1}]")


def test_searching(named: dict[str, Reading]) -> None:
    assert (
        named["grep"].call({"pattern": r"def \w+", "paths": "*.py"})
        == "pkg/a.py:4: def work(x):\npkg/a.py:9:     def get(self):"
    )
    assert named["find_symbol"].call({"name": "Box.get"}) == "pkg/a.py:9: def Box.get(self)"
    assert named["callers"].call({"name": "work"}) == "pkg/a.py:10: in Box.get: return work(1)"


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "pkg/../../secret.txt", "", "pkg", "\0", "x" * 5000])
def test_there_is_no_other_file(named: dict[str, Reading], path: str) -> None:
    assert named["read_file"].call({"path": path}).startswith("error: ")


@pytest.mark.parametrize(
    "arguments", [{}, {"pattern": "("}, {"pattern": "(a+)+$"}, {"pattern": 3}, {"path": None}, {"offset": "x"}]
)
def test_bad_arguments_are_answered(named: dict[str, Reading], arguments: dict[str, str]) -> None:
    for tool in named.values():
        assert isinstance(tool.call(arguments), str)
