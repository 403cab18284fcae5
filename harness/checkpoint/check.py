"""The quick check: the owner's command, on a private copy of exactly what is committed."""

import tempfile
from pathlib import Path

from harness.checkpoint.records import Checked
from harness.config import CheckpointSettings
from harness.errors import SandboxUnavailable
from harness.repo import git
from harness.repo.export import export_tree
from harness.repo.shadow import Shadow
from harness.review.testing import Bed, Python, TestRun, run_tests
from harness.sandbox.probe import find_sandbox
from harness.sandbox.provided import Lacking, provided
from harness.sandbox.python import examine, located

NAMED = 10


def checked(shadow: Shadow, tree: str, settings: CheckpointSettings, *, host: bool, python: str | None) -> Checked:
    """Run the check on a tree that the shadow can read. Raises UsageError for a Python that cannot be used.

    Submodules and files that git does not track are not in the copy.
    """
    if not settings.check:
        return Checked(status="none")
    try:
        bed = _bed(settings, host=host, python=python)
        with tempfile.TemporaryDirectory(prefix="harness-check-") as name:
            root = Path(name) / "tree"
            export_tree(shadow, tree, root)
            run = run_tests(root, bed)
    except SandboxUnavailable as error:
        return Checked(status="incomplete", command=settings.check, reason=f"{error}. {error.hint}".strip())
    except (Lacking, git.GitFailed) as error:
        return Checked(status="incomplete", command=settings.check, reason=str(error))
    return Checked(status=run.status, command=bed.command, where=bed.where, reason=run.reason,
                   failing=_failing(run)[:NAMED], seconds=run.seconds)  # fmt: skip


def _bed(settings: CheckpointSettings, *, host: bool, python: str | None) -> Bed:
    named = Path(python) if python else None
    if host:
        return Bed(settings.check, settings.check_seconds, None, Python(str(located(named))) if named else Python())
    sandbox = find_sandbox()
    if named is None:
        return Bed(settings.check, settings.check_seconds, sandbox, Python())
    found = examine(named, sandbox)
    lent = provided(found, *(("pytest",) if "pytest" in settings.check else ()))
    runs = Python(found.executable, (*found.readable, *lent.readable), lent.path)
    return Bed(settings.check, settings.check_seconds, sandbox, runs)


def _failing(run: TestRun) -> tuple[str, ...]:
    failed = [name for name, outcome in run.outcomes.items() if outcome == "failed"]
    return (*(f"{name}: {why}" for name, why in run.uncollected.items()),
            *(f"{name}: {run.failing[name].message}" if name in run.failing else name for name in failed))  # fmt: skip
