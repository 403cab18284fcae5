"""Read-only zones."""

import pytest

from harness.checkpoint.zones import forbidden


@pytest.mark.parametrize(
    ("pattern", "path", "within"),
    [
        ("base_docs/", "base_docs/a/b.md", True),
        ("base_docs/**", "base_docs/a.md", True),
        ("base_docs", "x/base_docs/a.md", True),
        ("base_docs/", "base_docs_2/a.md", False),
        ("legal/*.txt", "legal/a.txt", True),
        ("legal/*.txt", "src/legal/a.txt", False),
        ("*.lock", "x/y.lock", True),
        ("/", "x", False),
        ("a/b", "a/b/c", True),
        ("a/b", "a/bc", False),
    ],
)
def test_patterns(pattern: str, path: str, within: bool) -> None:
    assert forbidden([path], [pattern]) == ((path,) if within else ())
