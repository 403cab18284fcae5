"""What a report says beyond its findings when it is about a change."""

from typing import Literal

from harness.schema.base import Record


class Round(Record):
    """How this review stands to the last one of the same base."""

    number: int = 1
    """1 for the first review of this base."""
    previous: str | None = None
    """Run of the round before, None in the first."""
    new: tuple[str, ...] = ()
    """Ids of findings that the round before did not have."""
    still_open: tuple[str, ...] = ()
    """Ids of findings that it had and that are neither fixed nor decided."""
    gone: tuple[str, ...] = ()
    """Findings that it had and this one does not: `rule path`, in its order."""
    answered: int = 0
    """Findings dismissed then and now, which are not reported again."""


class TestsInfo(Record):
    """The project's own tests."""

    __test__ = False  # to pytest: no test class, whatever its name

    status: Literal["passed", "failed", "incomplete", "not run"]
    """`incomplete` when they were ended at a limit or left no report; that says nothing about the code."""
    command: str = ""
    """What was run."""
    where: str = ""
    """The sandbox, or `this machine`."""
    reason: str = ""
    """Why they were not run, or did not come to an end, or how they failed."""
    passed: int = 0
    """Tests that passed."""
    failed: int = 0
    """Tests that failed."""
    skipped: int = 0
    """Tests that were skipped, or expected to fail."""
    failing: tuple[str, ...] = ()
    """Ids of failing tests, at most 50."""
    seconds: float = 0.0
    """Wall clock."""
    compared: str = ""
    """What the comparison with the base says; empty when there was none."""


class ReviewInfo(Record):
    """The change, and what of the findings belongs to it."""

    kind: Literal["work tree", "staged", "patch", "commits"]
    """What the head is."""
    base: str
    """Commit it is compared with."""
    head: str | None = None
    """Commit that the head is or comes after."""
    head_tree: str = ""
    """Content hash of the files in scope of the head."""
    base_tree: str = ""
    """The same of the base."""
    lines: int = 0
    """Lines added, and lines removed without one in their place."""
    files: tuple[str, ...] = ()
    """Files that differ."""
    advice: str = ""
    """For a small change: that solo verification is cheaper, and what was done."""
    whole: bool = False
    """True when every finding of the head is reported, as the gate wants, not only what the change causes."""
    known: int = 0
    """Findings left out because the base has them too."""
    elsewhere: int = 0
    """New findings left out because nothing ties them to the change."""
    round: Round = Round()
    """Which round of the review this is."""
    tests: TestsInfo | None = None
    """The project's tests, None when nobody asked for them."""
    policy: tuple[str, ...] = ()
    """Ways in which the change itself would loosen what is checked; read from the base, they do not count."""
