"""Runs the project's tests on one exported state, in the sandbox or, where the person at the machine says so, beside it.

What comes back are the words of the code that ran: a hostile project can always say that its own tests pass. What it
cannot do by accident, by crashing or by leaving early is to be taken for passing: for pytest the record of its end has to
be there and to agree with the exit code.
"""

import json
import os
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field, JsonValue, ValidationError

from harness.errors import SandboxUnavailable
from harness.files import displayable, sha256
from harness.repo.guard import Guard, Unreadable
from harness.sandbox.base import Execution, Limits, Mount, Sandbox
from harness.schema.base import Record
from harness.scratch import scratch

PLUGIN = "harness_tests_seen"
_INSIDE = Path(__file__).parent / "inside" / f"{PLUGIN}.py"
_AT = "/tests-of"
_RECORDS = 64 << 20
"""Bytes of records read."""
_TAIL = 300
NO_TESTS = 5
"""pytest's exit code when it collected nothing."""


class Python(NamedTuple):
    """What runs the tests."""

    executable: str = sys.executable
    """Absolute path."""
    readable: tuple[Path | Mount, ...] = ()
    """Folders that the sandbox must show for it, beyond what it always shows."""
    appended: str = ""
    """Folder to look for packages in when it has them nowhere else."""


class Failing(Record):
    """One failing test."""

    message: str = ""
    """First line of what it said."""
    places: tuple[tuple[str, int], ...] = ()
    """Path and line of each step of its traceback inside the project, outermost first."""


class TestRun(Record):
    """What a run of the tests came to."""

    __test__ = False  # to pytest: no test class, whatever its name

    status: Literal["passed", "failed", "incomplete"]
    """`incomplete` says nothing about the code."""
    reason: str = ""
    """Why it is not `passed`."""
    exit_code: int | None = None
    """Of the command, None when it was killed."""
    outcomes: dict[str, Literal["passed", "failed", "skipped"]] = Field(default_factory=dict)
    """By id of the test; empty for a command that is not pytest."""
    failing: dict[str, Failing] = Field(default_factory=dict)
    """More about those that failed."""
    uncollected: dict[str, str] = Field(default_factory=dict)
    """Test files that could not be imported -> why."""
    called: dict[str, tuple[tuple[str, int], ...]] = Field(default_factory=dict)
    """Functions (path, first line) of watched files that each test called."""
    seconds: float = 0.0
    """Wall clock."""


class Bed(NamedTuple):
    """Where and how tests are run."""

    command: str
    """A shell command."""
    seconds: float
    """Wall clock of one run."""
    sandbox: Sandbox | None
    """None to run on this machine itself."""
    python: Python
    on: bool = False
    """Whether a test file that cannot be imported leaves the others to run, as a comparison wants."""

    @property
    def where(self) -> str:
        """For people."""
        return self.sandbox.mechanism if self.sandbox else "this machine, without a sandbox"

    def again(self, tests: Iterable[str]) -> "Bed":
        """For these tests alone, whatever else the command has."""
        return self._replace(command=" ".join(("python -m pytest -q -p no:cacheprovider", *map(shlex.quote, tests))))


def run_tests(root: Path, bed: Bed, *, watched: Iterable[str] = ()) -> TestRun:
    """Run the command on a throw-away copy of `root`. Raises SandboxUnavailable when the sandbox itself fails."""
    with scratch("tests") as folder:
        project = folder / "project"
        shutil.copytree(root, project, symlinks=True)
        _prepare(folder, bed.python)
        records = f"records-{secrets.token_hex(8)}"
        environment = _environment(bed, records, watched, Path(_AT) if bed.sandbox else folder)
        started = time.monotonic()
        done = _sandboxed(folder, bed, environment) if bed.sandbox else _beside(project, bed, environment)
        seconds = round(time.monotonic() - started, 3)
        lines = _records(folder, records)
    return _run(bed, done, lines, seconds)


def _prepare(folder: Path, python: Python) -> None:
    """The plug-in, and `python` and `python3` on the search path: a link would hide a virtual environment from itself."""
    (folder / "plugin").mkdir()
    shutil.copy(_INSIDE, folder / "plugin")
    if python.appended:
        (folder / "plugin" / "sitecustomize.py").write_text(f"import sys\n\nsys.path.append({python.appended!r})\n")
    (folder / "bin").mkdir()
    for name in ("python", "python3"):
        start = folder / "bin" / name
        start.write_text(f'#!/bin/sh\nexec {shlex.quote(python.executable)} "$@"\n')
        start.chmod(0o755)


def _environment(bed: Bed, records: str, watched: Iterable[str], at: Path) -> dict[str, str]:
    project = at / "project"
    options = {"PYTEST_ADDOPTS": "--continue-on-collection-errors"} if bed.on else {}
    return options | {
        "PATH": f"{at}/bin:{Path(bed.python.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "PYTHONPATH": f"{project}:{project}/src:{at}/plugin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTEST_PLUGINS": PLUGIN,
        "HARNESS_TESTS_SEEN": str(at / records),
        "HARNESS_WATCHED": json.dumps(sorted(watched)),
    }


def _sandboxed(folder: Path, bed: Bed, environment: Mapping[str, str]) -> Execution:
    if bed.sandbox is None:
        raise SandboxUnavailable("there is no sandbox")
    limits = Limits(wall_s=bed.seconds, memory_bytes=2 << 30, processes=256, output_bytes=16 << 20, disk_bytes=1 << 30)
    return bed.sandbox.run(
        ["/bin/sh", "-c", bed.command],
        writable=Mount(folder, _AT), readable=bed.python.readable, cwd=f"{_AT}/project", environment=environment,
        limits=limits,
    )  # fmt: skip


def _beside(project: Path, bed: Bed, environment: Mapping[str, str]) -> Execution:
    started = time.monotonic()
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            ["/bin/sh", "-c", bed.command],
            cwd=project, env={**inherited, **environment}, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            start_new_session=True,
        )  # fmt: skip
        try:
            code: int | None = process.wait(bed.seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end_group(process)
        out.seek(0)
        err.seek(0)
        said, complained = out.read(1 << 20), err.read(1 << 20)
    return Execution(code, said, complained, "wall" if code is None else None, time.monotonic() - started)


def _end_group(process: "subprocess.Popen[bytes]") -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    finally:
        process.wait()


def _records(folder: Path, name: str) -> list[dict[str, JsonValue]]:
    """The records, read as data of a stranger: no link followed, no more than so many bytes, nothing but JSON objects."""
    try:
        with Guard(folder) as guard:
            raw = guard.read(os.fsencode(name), _RECORDS)
    except (Unreadable, OSError):
        return []
    found = []
    for line in raw.splitlines():
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if isinstance(said, dict):
            found.append(said)
    return found


def _run(bed: Bed, done: Execution, records: list[dict[str, JsonValue]], seconds: float) -> TestRun:
    pytest = "pytest" in bed.command
    try:
        seen = _seen(records)
    except (ValidationError, TypeError, ValueError) as error:
        return TestRun(status="incomplete", reason=f"its records cannot be read: {error}", seconds=seconds)
    status, reason = _status(done, seen, _ends(records), pytest)
    return seen.model_copy(
        update={
            "status": status,
            "reason": displayable(reason, keep=""),
            "exit_code": done.returncode,
            "seconds": seconds,
        }
    )


def _ends(records: list[dict[str, JsonValue]]) -> list[JsonValue]:
    return [record["end"] for record in records if "end" in record]


def _seen(records: list[dict[str, JsonValue]]) -> TestRun:
    outcomes: dict[str, str] = {}
    failing: dict[str, JsonValue] = {}
    uncollected: dict[str, str] = {}
    called: dict[str, JsonValue] = {}
    for record in records:
        name = str(record.get("test", ""))
        if "uncollected" in record:
            uncollected[str(record["uncollected"])] = displayable(str(record.get("message", "")), keep="")
        if not name:
            continue
        outcome = str(record.get("outcome"))
        if outcome == "failed":
            outcomes[name] = "failed"
            said = {"message": displayable(str(record.get("message", "")), keep=""), "places": record.get("places", [])}
            failing.setdefault(name, said)
        elif outcome == "skipped" or record.get("expected"):
            outcomes.setdefault(name, "skipped")
        elif record.get("when") == "call":
            outcomes.setdefault(name, "passed")
        if "called" in record:
            called[name] = record["called"]
    return TestRun.model_validate(
        {"status": "incomplete", "outcomes": outcomes, "failing": failing, "uncollected": uncollected, "called": called}
    )


def _status(
    done: Execution, seen: TestRun, ends: list[JsonValue], pytest: bool
) -> tuple[Literal["passed", "failed", "incomplete"], str]:
    if done.returncode is None:
        return "incomplete", f"ended at the limit of {done.limit} after {done.seconds:.0f} s"
    last = _last_words(done)
    code = done.returncode
    if not pytest:
        if code in (126, 127):
            return "incomplete", f"the command could not be started: {last}"
        return ("passed", "") if code == 0 else ("failed", f"exit code {code}: {last}")
    if not ends:
        return "incomplete", f"pytest did not come to its end (exit code {code}): {last}"
    failed = sum(outcome == "failed" for outcome in seen.outcomes.values())
    if code == 0 and ends == [0] and not failed and not seen.uncollected:
        if "passed" not in seen.outcomes.values():
            return "incomplete", "no test passed, because none ran"
        return "passed", ""
    if code == NO_TESTS:
        return "incomplete", "no test was collected"
    if code == 0:
        return (
            "incomplete",
            f"exit code 0, but {failed} tests failed and {len(seen.uncollected)} files were not imported",
        )
    if seen.uncollected:
        path, why = next(iter(seen.uncollected.items()))
        return "failed", f"{len(seen.uncollected)} test files cannot be imported ({path}: {why})"
    if failed:
        return "failed", f"{failed} of {len(seen.outcomes)} tests failed"
    return ("failed" if code == 1 else "incomplete"), f"exit code {code}: {last}"


def _last_words(done: Execution) -> str:
    """The line that says why: pytest and argparse put the error before where it comes from."""
    lines = (done.stderr.strip() or done.stdout.strip()).decode("utf-8", "replace").split("\n")
    errors = [line for line in lines[-8:] if "error: " in line]
    return (errors or lines)[-1][:_TAIL]


def digest(root: Path) -> str:
    """Hash over every file and link below `root`."""
    rows = []
    for path in sorted(root.rglob("*")):
        if path.is_symlink():
            rows.append(f"{path.relative_to(root)}\0link\0{path.readlink()}")
        elif path.is_file():
            rows.append(f"{path.relative_to(root)}\0{path.stat().st_mode & 0o111}\0{sha256(path.read_bytes())}")
    return sha256("\n".join(rows))
