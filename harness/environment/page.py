"""Records, drift and trials for people."""

from typing import TYPE_CHECKING

from harness.environment.drift import Change, minute
from harness.environment.history import Comparison, EnvironmentRecord
from harness.environment.place import Place
from harness.files import displayable

if TYPE_CHECKING:
    from harness.environment.trial import Trial  # which needs a POSIX system

_WORDS = {
    "added": "added", "removed": "removed", "version": "changed", "source": "changed", "files": "replaced", "path": "path",
    "interpreter": "changed", "platform": "changed", "damaged": "edited", "missing": "missing",
}  # fmt: skip


def recorded(record: EnvironmentRecord) -> str:
    """What was recorded, and of which commit."""
    found = record.environment
    count = len(found.distributions)
    lines = [
        f"record {record.number:04}: {count} distribution{'s'[: count != 1]}, Python {found.version}, {found.prefix}",
        f"  {_commit(record.head, record.checkpoint)} · digest {found.digest[:12]}",
    ]
    odd = [f"{d.name} {d.version} ({d.direct})" for d in found.distributions if d.direct]
    lines += [f"  not from an index: {one}" for one in odd]
    lines += [f"  puts something on the path: {name}" for name in found.paths]
    return _safe(lines)


def compared(said: Comparison) -> str:
    """One line a change, then what it comes to."""
    lines = [f"since record {said.record:04} of {minute(said.at)}, {_commit(said.head, said.checkpoint)}"]
    lines += [_line(change) for change in said.changes]
    count = len(said.changes)
    if said.newest_checkpoint not in (None, said.checkpoint):
        lines.append(f"  the newest green checkpoint, {said.newest_checkpoint[:12]}, has no record")
    lines.append(f"exit 1: {count} change{'s'[: count != 1]}" if count else "exit 0: nothing drifted")
    return _safe(lines)


def tried(trial: "Trial", real: Place) -> str:
    """What an experiment did."""
    code = trial.command.exit_code
    seconds = (trial.command.ended - trial.command.started).total_seconds()
    lines = [f"env run: exit {code} after {seconds:.0f} s: {trial.command.command}"]
    for one in trial.installed:
        instead = f", instead of {trial.below[one.name]}" if one.name in trial.below else ""
        lines.append(f"  installed {one.name} {one.version}{instead}")
    lines += [] if trial.installed else ["  installed nothing"]
    if trial.touched:
        lines.append(f"  THE REAL ENVIRONMENT CHANGED: {real.prefix}")
        lines += [_line(change, cause=False) for change in trial.touched]
    else:
        lines.append(f"  unchanged: {real.prefix}")
    lines.append(f"  kept: {trial.kept}" if trial.kept else "  the disposable environment is removed")
    return _safe(lines)


def _line(change: Change, *, cause: bool = True) -> str:
    what = {
        "added": change.after,
        "removed": change.before,
        "files": f"{change.after}, other files",
        "path": "a file that acts at every start" if change.after else "is gone",
        "damaged": "is not what its installer wrote",
        "missing": "is gone",
    }.get(change.kind, f"{change.before} -> {change.after}")
    said = f"  {_WORDS[change.kind]:<9}{change.name} {what}"
    return f"{said}  · cause: {change.cause}" if cause and change.kind not in ("damaged", "missing") else said


def _commit(head: str | None, checkpoint: str | None) -> str:
    if head is None:
        return "outside git"
    if checkpoint is None:
        return f"HEAD {head[:12]}"
    return f"checkpoint {head[:12]}" if checkpoint == head else f"HEAD {head[:12]} after checkpoint {checkpoint[:12]}"


def _safe(lines: list[str]) -> str:
    return "\n".join(displayable(line, keep="") for line in lines)
