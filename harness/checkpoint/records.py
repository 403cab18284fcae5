"""What a checkpoint and a rollback come to."""

from typing import Literal

from harness.schema.base import Record


class Nested(Record):
    """A repository inside the work tree that is no submodule: git obeys its configuration as soon as it looks at it."""

    rule: Literal["nested-repository"] = "nested-repository"
    """Id of the finding."""
    severity: Literal["medium"] = "medium"
    """It stops nothing."""
    path: str
    """Record path of the folder."""
    scenario: str = "git status here runs what this repository configures (core.fsmonitor, filters), with your rights."
    """What goes wrong."""
    fix: str = (
        "Look at its configuration, then move the folder away, or make it a submodule: git submodule add URL PATH."
    )
    """What to do."""


class Checked(Record):
    """What the quick check said of the files that are committed."""

    status: Literal["passed", "failed", "incomplete", "none"]
    """`incomplete` came to no result, `none` is not configured."""
    command: str = ""
    """Shell command."""
    where: str = ""
    """The sandbox, or this machine."""
    reason: str = ""
    """Why it is not `passed`."""
    failing: tuple[str, ...] = ()
    """Failing tests, the first ones."""
    seconds: float = 0.0
    """Wall clock."""


class Part(Record):
    """Files that belong together as far as folders, imports and names tell."""

    name: str
    """Folder or file that stands for it."""
    files: tuple[str, ...]
    """Record paths."""


class CheckpointResult(Record):
    """One `harness checkpoint`."""

    schema_version: Literal["harness.checkpoint/1"] = "harness.checkpoint/1"
    """Version of this shape."""
    exit_code: int
    """0 committed, 1 refused (red check, read-only path), 3 no result of the check."""
    committed: bool
    """Whether there is a new commit."""
    refused: str = ""
    """Why there is none."""
    commit: str | None = None
    """Its id."""
    number: str = ""
    """Value of its trailer Harness-Checkpoint."""
    branch: str | None = None
    """Branch it is on, None for a detached HEAD."""
    subject: str = ""
    """First line of its message."""
    files: tuple[str, ...] = ()
    """Record paths that it changes."""
    left: int = 0
    """Files with changes that are not in it."""
    check: Checked
    """The quick check."""
    run: str = ""
    """Newest run, '' for none."""
    devlog: str = ""
    """Newest devlog entry in it, '' for none."""
    read_only: tuple[str, ...] = ()
    """Of its files those that may not be changed."""
    findings: tuple[Nested, ...] = ()
    """Repositories inside the work tree; left out."""
    parts: tuple[Part, ...] = ()
    """More than one when it spans areas that have nothing to do with each other."""
    split: tuple[str, ...] = ()
    """Commands that split it."""
    parked: str = ""
    """Id under which staged contents are kept that `--all` replaced by those of the work tree."""
    hooks_not_run: tuple[str, ...] = ()
    """Hooks of the repository that git commit would have run."""
    next: str = ""
    """What to type to go on."""


class RollbackResult(Record):
    """One `harness rollback`."""

    schema_version: Literal["harness.rollback/1"] = "harness.rollback/1"
    """Version of this shape."""
    exit_code: int = 0
    """0: it is where it was to go."""
    commit: str
    """HEAD now."""
    number: str = ""
    """Of the checkpoint, '' for a commit that is none."""
    subject: str = ""
    """First line of its message."""
    check: str = ""
    """What its check said."""
    before: str
    """HEAD before."""
    parked: str = ""
    """Id of what was put aside; '' when nothing differed."""
    parked_ref: str = ""
    """Its reference; the first parent is HEAD before."""
    later: int = 0
    """Commits that HEAD had and has no longer; reachable from `parked_ref`."""
    changed: tuple[str, ...] = ()
    """Record paths of files that are not what they were."""
    as_stored: tuple[str, ...] = ()
    """Of these, files that a filter of yours (such as LFS) stores in another form; they lie there as stored."""


class Listed(Record):
    """One line of `harness rollback --list`."""

    id: str
    """Number of a checkpoint, or id of what was parked."""
    commit: str
    """Id."""
    date: str
    """ISO 8601."""
    subject: str
    """First line of the message."""
    author: str = ""
    """Who made the checkpoint."""
    check: str = ""
    """What its check said."""
    kind: str = ""
    """Of what was parked: a whole `state`, or what was `staged`."""
    ref: str = ""
    """Its reference."""


class Listing(Record):
    """`harness rollback --list`."""

    schema_version: Literal["harness.rollback-list/1"] = "harness.rollback-list/1"
    """Version of this shape."""
    checkpoints: tuple[Listed, ...]
    """Up to HEAD, newest first."""
    parked: tuple[Listed, ...]
    """Newest first."""
