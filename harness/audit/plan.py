"""plan: pin the revision, choose the dimensions, list every lane with the files it will look at."""

import difflib
import glob
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from harness.audit import material
from harness.audit.desk import Desk
from harness.contracts import Auditor
from harness.errors import NothingInScope, UsageError
from harness.journal.store import failures
from harness.places import state_home
from harness.schema.base import Record
from harness.schema.dimension import Dimension
from harness.schema.run import Skip
from harness.schema.tree import Tree
from harness.state import discard_copy, room_for_copy

NAME = "plan"


class Lane(NamedTuple):
    """One auditor at work for one dimension."""

    auditor: Auditor
    dimension: str
    files: int
    """Files of its languages."""
    skip: str
    """Why it does not run, '' when it does."""
    missing: bool
    """True when it was wanted and could not be had: then the run cannot be complete."""


class Plan(NamedTuple):
    """What will be done."""

    tree: Tree
    dimensions: tuple[Dimension, ...]
    lanes: tuple[Lane, ...]


class _Pinned(Record):
    tree: Tree


def plan(desk: Desk) -> Plan:
    """The plan; the pinned tree is durable, so a resumed run audits the same bytes. Raises NothingInScope,
    UsageError, JournalFailed."""
    if desk.order.imported:
        return _of_imported(desk)
    dimensions = chosen(desk.dimensions, desk.order.profile, desk.order.dimensions)
    tree = _pinned(desk)
    lanes = tuple(lane for d in dimensions for lane in _lanes(desk, d, tree))
    if not tree.files:
        why = _most(tree.excluded)
        raise NothingInScope(f"no file to audit in {desk.order.origin}{why}", hint="Check the path and `exclude`.")
    if not any(lane.files for lane in lanes):
        raise NothingInScope(
            f"none of the {len(tree.files)} files in {desk.order.origin} is of a kind that these dimensions look at",
            hint="Python, JavaScript, HTML and documents are; see harness audit --help.",
        )
    return Plan(tree, dimensions, lanes)


def _of_imported(desk: Desk) -> Plan:
    """What was found elsewhere, by tool; for a recheck also the lanes of ours that look for the same rules again."""
    brought = material.read(desk.folder, desk.order)
    wanted = brought.rules if desk.order.recheck else frozenset()
    tree = _pinned(desk)
    again = tuple(a for a in desk.auditors if wanted & {rule.id for rule in a.rules})
    ours = Dimension(id=material.OURS, title="Looked for again", brief="", groups=tuple({a.group for a in again}))
    lanes = tuple(lane for lane in _lanes(desk, ours, tree) if lane.auditor in again)
    named = {name: Dimension(id=name, title=f"Findings of {name}", brief="", groups=()) for name in brought.tools}
    if lanes:
        named[ours.id] = ours
    if not brought.count:
        raise NothingInScope(
            "the file holds no result: there is nothing to verify", hint="Check what the scanner wrote."
        )
    return Plan(tree, tuple(named[name] for name in sorted(named)), lanes)


def chosen(known: Mapping[str, Dimension], profile: str, wanted: tuple[str, ...]) -> tuple[Dimension, ...]:
    """The wanted dimensions, else those of the profile, in order of id. Raises UsageError for a name nobody knows."""
    for name in wanted:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"Known: {', '.join(known)}."
            raise UsageError(f"no dimension is called {name!r}", hint=hint)
    picked = [d for d in known.values() if (d.id in wanted if wanted else profile in d.profiles)]
    if not picked:
        raise UsageError(f"the profile {profile!r} has no dimension", hint="Profiles: full, session.")
    return tuple(picked)


def _pinned(desk: Desk) -> Tree:
    known = desk.journal.state(NAME)
    if known.done:
        tree = _Pinned.model_validate(known.result).tree
        return tree if Path(tree.root).is_dir() else _again(desk, tree)
    desk.journal.begin(NAME)
    tree = _copied(desk)
    for pattern in desk.order.exclude:
        if not any(s.reason.startswith(f"excluded by `{pattern.strip('/')}`") for s in tree.excluded):
            desk.warn(f"exclude `{pattern}` leaves nothing out: no path is like it")
    desk.journal.finish(NAME, _Pinned(tree=tree).model_dump(mode="json"))
    return tree


def _copied(desk: Desk) -> Tree:
    with failures(desk.folder.copy):
        return desk.pin(
            Path(desk.order.origin),
            room_for_copy(desk.folder),
            revision=desk.order.revision,
            exclude=(*desk.order.exclude, *_own_state(Path(desk.order.origin))),
        )


def _again(desk: Desk, tree: Tree) -> Tree:
    """The copy is gone (the machine was restarted, or somebody cleaned up): made again, if it is the same to the byte."""
    if desk.working:
        copied = _copied(desk)
        if copied.digest == tree.digest:
            return copied
        discard_copy(desk.folder)
    raise UsageError(
        f"the copy that run {desk.folder.id} works on is gone and {desk.order.origin} has changed since",
        hint="Start a new audit: what has not changed comes from the cache.",
    )


def _own_state(origin: Path) -> tuple[str, ...]:
    """A pattern for our own state where it lies inside the audited folder: the copy would copy itself into itself."""
    home = state_home().resolve()
    if not home.is_relative_to(origin):
        return ()
    return (f"{glob.escape(home.relative_to(origin).as_posix())}/*",)


def _lanes(desk: Desk, dimension: Dimension, tree: Tree) -> list[Lane]:
    found = []
    for auditor in desk.auditors:
        if auditor.group not in dimension.groups or not auditor.rules:
            continue
        files = sum(auditor.wants(entry.language) for entry in tree.files)
        skip, missing = "", False
        if not files:
            skip = "no file of its languages"
        elif auditor.executes and not desk.order.execute:
            skip = "it runs code of the project, which was switched off"
        elif auditor.executes and desk.sandbox is None:
            skip, missing = f"no sandbox: {desk.no_sandbox}", True
        found.append(Lane(auditor, dimension.id, files, skip, missing))
    return found


def _most(excluded: tuple[Skip, ...]) -> str:
    reasons = [skip.reason for skip in excluded]
    return f": {len(reasons)} left out, most of them: {max(sorted(set(reasons)), key=reasons.count)}" if reasons else ""
