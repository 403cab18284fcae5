"""Names that differ in case only, or that Windows cannot hold. Not in the corpus: this repository must be clonable everywhere."""

import sys
from pathlib import Path

import pytest

from tests.support.corpus import outcomes
from tests.support.trees import project_of

RULE = "unportable-file-name"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems cannot hold these names")


def test_names_that_collide_or_cannot_be_held(tmp_path: Path) -> None:
    files = {
        "docs/README.md": "two",
        "docs/Readme.md": "one",
        "docs/NOTES.md": "same",
        "docs/Notes.md": "same",
        "docs/12:30.txt": "hello",
        "docs/aux.md": "hello",
        "docs/auxiliary.md": "hello",
        "docs/guide.md": "hello",
    }
    project_of(tmp_path, files)
    assert outcomes(tmp_path, "platform") == {
        ("docs/Readme.md", 1, RULE): "CONFIRMED",
        ("docs/Notes.md", 1, RULE): "UNCERTAIN",
        ("docs/12:30.txt", 1, RULE): "CONFIRMED",
        ("docs/aux.md", 1, RULE): "CONFIRMED",
    }


def test_the_claim_stands_on_the_first_line_with_text(tmp_path: Path) -> None:
    project_of(tmp_path, {"a:b.txt": "\n\nhello"})
    assert outcomes(tmp_path, "platform") == {("a:b.txt", 3, RULE): "CONFIRMED"}
