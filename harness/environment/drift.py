"""What differs between two looks at an environment, and what did it, as far as anybody left a word.

A word is: a command run through `harness env run`, or what installers write beside a distribution (who, on request or as
what another one needs, from where, when). Shell history is not read. What was removed leaves no word of its own.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Literal

from harness.environment.installed import Damage, Distribution, Installed
from harness.schema.base import Record

Kind = Literal[
    "added", "removed", "version", "source", "files", "path", "interpreter", "platform", "damaged", "missing"
]
NOT_KNOWN = "not known"


class Change(Record):
    """One difference."""

    kind: Kind
    """`version`: another one; `source`: the same version from elsewhere; `files`: the same version, other files; `path`: a
    `.pth` file; `damaged` and `missing`: a file that is not what its distribution's own list says."""
    name: str
    """Of the distribution, the `.pth` file, or the file of a distribution."""
    before: str = ""
    """Version, source or platform."""
    after: str = ""
    """The same now."""
    cause: str = NOT_KNOWN
    """What did it."""


class Command(Record):
    """A command that `harness env run` ran, and what changed in the real environment meanwhile."""

    command: str
    """As typed, without credentials."""
    started: datetime
    """UTC."""
    ended: datetime
    """UTC."""
    exit_code: int
    """Of the command."""
    installed: tuple[str, ...] = ()
    """`name version` of what it put into the disposable environment."""
    touched: tuple[str, ...] = ()
    """Names that changed in the real environment, which an experiment should not do."""


def drift(before: Installed, after: Installed, commands: Sequence[Command] = ()) -> list[Change]:
    """What changed, interpreter first, then by name."""
    found = list(_below(before, after))
    old = {d.name: d for d in before.distributions}
    new = {d.name: d for d in after.distributions}
    for name in sorted(old.keys() | new.keys()):
        change = _distribution(old.get(name), new.get(name))
        if change is not None:
            found.append(change.model_copy(update={"cause": _cause(name, new.get(name), after, commands)}))
    for name in sorted(before.paths.keys() | after.paths.keys()):
        was, now = before.paths.get(name, ""), after.paths.get(name, "")
        if was != now:
            found.append(Change(kind="path", name=name, before=was[:12], after=now[:12], cause=_ran(name, commands)))
    return found


def as_changes(damages: Iterable[Damage]) -> list[Change]:
    """Files that are not what their distribution's list says."""
    return [Change(kind="missing" if d.missing else "damaged", name=f"{d.name}: {d.path}") for d in damages]


def _below(before: Installed, after: Installed) -> Iterator[Change]:
    if before.version != after.version:
        yield Change(kind="interpreter", name="python", before=before.version, after=after.version)
    if before.platform != after.platform:
        yield Change(kind="platform", name="platform", before=before.platform, after=after.platform)


def _distribution(old: Distribution | None, new: Distribution | None) -> Change | None:
    if old is None or new is None:
        one = new or old
        if one is None:
            return None
        if new is not None:
            return Change(kind="added", name=one.name, after=_said(one))
        return Change(kind="removed", name=one.name, before=_said(one))
    if old.version != new.version:
        return Change(kind="version", name=new.name, before=old.version, after=new.version)
    if old.direct != new.direct:
        return Change(kind="source", name=new.name, before=old.direct or "an index", after=new.direct or "an index")
    if old.files != new.files:
        return Change(kind="files", name=new.name, before=old.version, after=new.version)
    return None


def _said(one: Distribution) -> str:
    return f"{one.version} ({one.direct})" if one.direct else one.version


def _cause(name: str, now: Distribution | None, after: Installed, commands: Sequence[Command]) -> str:
    ran = _ran(name, commands, now.at if now else None)
    if ran != NOT_KNOWN or now is None or not now.installer:
        return ran
    when = f", {minute(now.at)}" if now.at else ""
    what = now.direct or f"{now.name}=={now.version}"
    if now.requested:
        return f"{now.installer} install {what}, by name{when}"
    needing = [d.name for d in after.distributions if name in d.needs]
    if needing:
        more = f" and {len(needing) - 1} more" if needing[1:] else ""
        return f"{now.installer}, as what {needing[0]}{more} needs{when}"
    return f"{now.installer} install {what}{when}"


def _ran(name: str, commands: Sequence[Command], at: datetime | None = None) -> str:
    """The newest command that is known to have changed it, or to have run when it changed."""
    for one in reversed(commands):
        if name in one.touched and (at is None or at <= one.ended):
            return f"{one.command} (harness env run, {minute(one.started)})"
    return NOT_KNOWN


def minute(at: datetime) -> str:
    """For people."""
    return f"{at:%Y-%m-%d %H:%M} UTC"
