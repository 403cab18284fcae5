"""A checkpoint, a rollback and the list of both for people at a terminal."""

from collections.abc import Iterator, Sequence

from harness.checkpoint.records import Checked, CheckpointResult, Listing, RollbackResult
from harness.errors import ExitCode
from harness.files import displayable

_SHOWN = 10


def checkpoint(result: CheckpointResult) -> str:
    """What was committed or why not, the check, the links, what to look at, what to type next."""
    return _text(_checkpoint(result))


def rollback(result: RollbackResult) -> str:
    """Where it is now, what is parked, and the command that undoes it."""
    return _text(_rollback(result))


def listing(found: Listing) -> str:
    """Checkpoints, then what is parked, newest first."""
    return _text(_listing(found))


def _checkpoint(result: CheckpointResult) -> Iterator[str]:
    where = f" on {result.branch}" if result.branch else " on a detached HEAD"
    if result.committed and result.commit:
        yield f"checkpoint {result.number} @ {result.commit[:12]}{where}: {result.subject}"
        yield f"  files      {_few(result.files)}"
    else:
        yield f"no checkpoint{where}: {result.refused}"
    if not result.read_only:
        yield f"  check      {_check(result.check)}"
        yield from (f"             {name}" for name in result.check.failing)
    if result.committed:
        yield f"  run        {result.run or 'none yet'}"
        yield f"  devlog     {result.devlog or 'no entry in it'}"
    if result.left:
        yield f"  left       {_count(result.left, 'file')} with changes that are not staged"
    if result.parked:
        yield f"  kept       staged contents that the work tree's replaced: refs/harness/parked/{result.parked}"
    if result.hooks_not_run:
        yield f"  hooks      not run: {', '.join(result.hooks_not_run)}"
    for nested in result.findings:
        yield f"  {nested.severity.upper()} {nested.rule}  {nested.path}: left out. {nested.scenario}"
        yield f"    fix      {nested.fix}"
    if result.parts:
        yield f"  warning    it spans {len(result.parts)} areas that have nothing to do with each other:"
        yield from (f"             {part.name}: {_few(part.files)}" for part in result.parts)
        if result.split:
            yield "             one checkpoint for each:"
            yield from (f"               {line}" for line in result.split)
    yield _end(result)


def _check(check: Checked) -> str:
    if check.status == "none":
        return "none is configured, so nothing was run ([tool.harness.checkpoint] check)"
    where = f", {check.where}" if check.where else ""
    said = f"{check.status.upper() if check.status != 'passed' else 'passed'} in {check.seconds:.0f} s"
    return f"{said} on a copy of these files ({check.command}{where})" + (f": {check.reason}" if check.reason else "")


def _end(result: CheckpointResult) -> str:
    if result.committed:
        return f"exit 0 · next: {result.next}; back to it: harness rollback {result.number}"
    if result.read_only:
        return f"exit {result.exit_code}: nothing was committed · take them out: {result.next}"
    if result.exit_code == ExitCode.INCOMPLETE:
        return f"exit {result.exit_code}: nothing was committed · all the same: {result.next}"
    return f"exit {result.exit_code}: nothing was committed · mend it, or all the same: {result.next}"


def _rollback(result: RollbackResult) -> Iterator[str]:
    what = f"checkpoint {result.number}" if result.number else "commit"
    red = f" (check: {result.check})" if result.check and result.check != "passed" else ""
    if not result.parked:
        yield f"already at {what} @ {result.commit[:12]}{red}: {result.subject}"
        yield "exit 0: nothing had to be changed"
        return
    yield f"at {what} @ {result.commit[:12]}{red}: {result.subject}"
    yield f"  files      {_few(result.changed)}"
    yield f"  parked     {result.parked}: files, untracked ones, and what was staged ({result.parked_ref})"
    if result.later:
        yield f"  commits    {_count(result.later, 'commit')} after it: git log {result.commit[:12]}..{result.parked_ref}^1"
    if result.as_stored:
        yield f"  as stored  a filter of yours did not run on: {_few(result.as_stored)} · git checkout -- FILE runs it"
    yield f"exit 0 · undo: harness rollback --unpark {result.parked}"


def _listing(found: Listing) -> Iterator[str]:
    if not found.checkpoints:
        yield "no checkpoint up to HEAD"
    for c in found.checkpoints:
        yield f"{c.id:<6}{c.commit[:12]}  {c.date[:16]}  {c.check or '-':<10}  {c.author}: {c.subject}"
    if found.parked:
        yield "parked:"
    for p in found.parked:
        how = f"harness rollback --unpark {p.id}" if p.kind == "state" else f"git show --stat {p.ref}"
        yield f"{p.id:<6}{p.commit[:12]}  {p.date[:16]}  {p.kind:<10}  {p.subject} · {how}"


def _few(files: Sequence[str]) -> str:
    more = f" and {len(files) - _SHOWN} more" if files[_SHOWN:] else ""
    return f"{len(files)}: {', '.join(files[:_SHOWN])}{more}" if files else "none"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _text(lines: Iterator[str]) -> str:
    return "".join(displayable(line, keep="") + "\n" for line in lines)
