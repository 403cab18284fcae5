"""The message of a checkpoint."""

import pytest

from harness.checkpoint.message import LONGEST, written
from harness.errors import UsageError

OURS = {"Harness-Checkpoint": "0007", "Harness-Run": ""}


def test_without_words_it_is_called_by_its_number() -> None:
    assert written(None, "0007", 1, OURS) == "Checkpoint 0007: 1 file\n\nHarness-Checkpoint: 0007\n"


def test_trailers_of_the_person_stay_trailers() -> None:
    text = written("Add x\n\nCo-authored-by: B <b@c>", "7", 2, OURS)
    assert text.endswith("\n\nCo-authored-by: B <b@c>\nHarness-Checkpoint: 0007\n")
    assert written("fix: x", "7", 2, OURS) == "fix: x\n\nHarness-Checkpoint: 0007\n"


def test_what_steers_a_terminal_or_deceives_is_written_as_an_escape() -> None:
    text = written("a\x1b]8;;http://x\x07b\u202ec\x00\r", "7", 2, OURS)
    assert text.startswith("a\\x1b]8;;http://x\\x07b\\u202ec\\x00")


@pytest.mark.parametrize(
    "words", ["", " \n", "x\nharness-check : passed", "x\n  HARNESS-CHECKPOINT: 1", "x" * (LONGEST + 1)]
)
def test_what_is_refused(words: str) -> None:
    with pytest.raises(UsageError):
        written(words, "7", 2, OURS)
