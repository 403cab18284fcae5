"""Runs the project's own tests in the sandbox, on a throw-away copy, and says what came of it.

Nothing is concluded from a run that is not credible: pytest must end with 0 or 1, at least one test must pass, and at most a
fifth may fail, since an environment that lacks the project's dependencies fails most of them. What comes back is the word of
the code that ran; it can hide a blind spot of its own or feign one, and nothing else.
"""

import configparser
import contextlib
import json
import os
import re
import secrets
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ValidationError

from harness.files import decode_path, displayable
from harness.sandbox.base import Limits, Mount, Sandbox
from harness.sandbox.provided import Lacking, provided
from harness.sandbox.python import ProjectPython
from harness.scratch import prefix
from harness.source.project import Project

MOST_BYTES = 64 << 20
"""Size of a project of which a copy is made."""
LEAST_SECONDS, MOST_SECONDS = 6.0, 90.0
LINES_A_SECOND = 250
"""Lines of Python for which the tests of a project get a second: small ones have an answer soon, large ones get their time."""
BUSIEST = 5.0
"""How many times longer a small project may take on a machine that others use too."""
_AT = "/project"
_INSIDE = Path(__file__).parent / "inside"
_ARGUMENTS = (
    "-q",
    "-o",
    "addopts=",
    "-o",
    "filterwarnings=",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "-p",
    "no:randomly",
)


_DISTRIBUTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")


class CannotRun(Exception):
    """The tests cannot be run here, or not credibly; the message is the reason."""


class Range(NamedTuple):
    """Lines of a file."""

    path: str
    first: int
    last: int


class TestRun(NamedTuple):
    """One run of the tests."""

    code: int
    """Exit code of pytest: 0 all passed, 1 some failed."""
    passed: int
    failed: int
    skipped: int
    uncollected: int
    """Test files that could not be imported."""
    seconds: float
    lines: Mapping[str, frozenset[int]]
    """Executed lines by path, empty when not measured."""
    tail: str
    """End of what pytest printed."""
    tests: Mapping[Range, tuple[str, ...]]
    """Ids of the tests that ran lines of each range asked for, at most 61."""


def seconds_for(project: Project) -> float:
    """Wall clock for running the tests: by the size of the project, and at least what a small one needs on this machine now."""
    lines = sum(entry.lines for entry in project.tree.files if entry.language == "python")
    busy = min(max(os.getloadavg()[0] / (os.cpu_count() or 1), 1.0), BUSIEST)
    return min(max(lines / LINES_A_SECOND, LEAST_SECONDS * busy), MOST_SECONDS)


class _Said(BaseModel):
    code: int
    passed: int
    failed: int
    skipped: int
    uncollected: int
    total: int = 0
    projected: float = 0.0
    lines: dict[str, list[int]] = {}
    tests: list[list[str]] = []
    tail: str = ""


class Copy:
    """A throw-away copy of the project in which tests may run and files may be changed; a context manager."""

    def __init__(self, project: Project, sandbox: Sandbox, python: ProjectPython | None = None) -> None:
        if sum(entry.size for entry in project.tree.files) > MOST_BYTES:
            raise CannotRun(f"the project is larger than {MOST_BYTES >> 20} MB")
        if not any(entry.test and entry.language == "python" for entry in project.tree.files):
            raise CannotRun("there are no Python tests")
        try:
            self._lent = provided(python, "pytest", "coverage")
        except Lacking as error:
            raise CannotRun(str(error)) from error
        self._python = python
        self._project = project
        self._sandbox = sandbox
        self._folder = tempfile.TemporaryDirectory(prefix=prefix("tests"))

    def __enter__(self) -> "Copy":
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def run(
        self,
        *,
        wall_s: float,
        measure: bool = False,
        ranges: Sequence[Range] = (),
        tests: Iterable[str] = (),
        changed: Mapping[str, bytes] | None = None,
    ) -> TestRun:
        """Run all tests, or those with the ids `tests`, with the files of `changed` in place of the pinned ones.

        Every run starts from the pinned files. Raises CannotRun, SandboxUnavailable; a run that hits its time limit, would
        hit it by far at its pace, or leaves no report is CannotRun.
        """
        nonce = secrets.token_hex(16)
        job = {
            "nonce": nonce,
            "arguments": [*_ARGUMENTS, *_import_mode(self._project), *tests],
            "measure": measure,
            "ranges": [list(r) for r in ranges],
            "seconds": wall_s,
            "appended": self._lent.path,
        }
        with tempfile.TemporaryDirectory(dir=self._folder.name) as name:
            root = Path(name) / "project"
            self._write(root, changed or {})
            done = self._sandbox.run(
                [self._python.executable if self._python else sys.executable, "/observer/observe.py"],
                writable=Mount(root, _AT),
                readable=[
                    *(self._python.readable if self._python else ()),
                    *self._lent.readable,
                    Mount(_INSIDE, "/observer"),
                ],
                environment={
                    "PYTHONPATH": f"{_AT}:{_AT}/src",
                    "PYTHONHASHSEED": "0",
                    "HOME": _AT,
                    "PYTHONDONTWRITEBYTECODE": "1",
                },
                stdin=json.dumps(job).encode(),
                limits=Limits(wall_s=wall_s, output_bytes=16 << 20, memory_bytes=2 << 30),
            )
        if done.limit is not None and done.returncode is None:
            raise CannotRun(f"the tests were ended at the limit of {done.limit} after {done.seconds:.0f} s")
        reports = [line for line in done.stdout.decode("utf-8", "replace").splitlines() if line.startswith(f"{nonce} ")]
        if len(reports) != 1:
            said_last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
            raise CannotRun(
                displayable(
                    f"the test run ended with exit code {done.returncode} and left no report: {said_last}", keep=""
                )
            )
        try:
            said = _Said.model_validate_json(reports[0].removeprefix(f"{nonce} "))
        except ValidationError as error:
            raise CannotRun("the report of the test run has another shape") from error
        if said.projected:
            raise CannotRun(
                f"its {said.total} tests would take about {said.projected:.0f} s, and a project of this size gets {wall_s:.0f} s"
            )
        return TestRun(
            said.code,
            said.passed,
            said.failed,
            said.skipped,
            said.uncollected,
            done.seconds,
            {path: frozenset(lines) for path, lines in said.lines.items()},
            said.tail,
            {r: tuple(t) for r, t in zip(ranges, said.tests, strict=False)},
        )

    def _write(self, root: Path, changed: Mapping[str, bytes]) -> None:
        for entry in self._project.tree.files:
            target = Path(str(root)) / Path(decode_path(entry.path).decode("utf-8", "surrogateescape"))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(changed.get(entry.path) or self._project.read_bytes(entry.path))
        if named := _distribution(self._project):
            folder = root / f"{named[0].replace('-', '_')}-{named[1]}.dist-info"
            folder.mkdir(exist_ok=True)
            (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {named[0]}\nVersion: {named[1]}\n")


def _import_mode(project: Project) -> tuple[str, ...]:
    """The one option of `addopts` without which tests of one name in two folders cannot be imported."""
    asked = re.compile(r"--import-mode[=\s\"',]+importlib")
    files = [name for name in ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg") if name in project.entries]
    return ("--import-mode=importlib",) if any(asked.search(project.text(name)) for name in files) else ()


def _distribution(project: Project) -> tuple[str, str] | None:
    """Name and version that the project would be installed under: many ask for their own version when imported."""
    name, version = "", "0"
    if "pyproject.toml" in project.entries:
        try:
            table = tomllib.loads(project.text("pyproject.toml")).get("project", {})
        except tomllib.TOMLDecodeError:
            table = {}
        if isinstance(table, dict):
            name, version = str(table.get("name", "")), str(table.get("version", version))
    if not name and "setup.cfg" in project.entries:
        parser = configparser.ConfigParser(interpolation=None)
        with contextlib.suppress(configparser.Error):
            parser.read_string(project.text("setup.cfg"))
        name = parser.get("metadata", "name", fallback="")
        version = parser.get("metadata", "version", fallback=version)
    if not _DISTRIBUTION.fullmatch(name):
        return None
    return name, version if _DISTRIBUTION.fullmatch(version) else "0"


def credible(run: TestRun) -> TestRun:
    """The run itself. Raises CannotRun when nothing may be concluded from it."""
    if run.uncollected:
        raise CannotRun(displayable(f"a test file cannot be imported here: {_why(run.tail)[:200]}", keep=""))
    if run.code not in (0, 1):
        last = next((line for line in reversed(run.tail.splitlines()) if "rror" in line), "")
        raise CannotRun(displayable(f"pytest ended with exit code {run.code}: {last.strip()[:200]}", keep=""))
    if not run.passed:
        raise CannotRun(f"no test passed ({run.failed} failed): the project's dependencies may be missing here")
    if run.failed * 4 > run.passed:
        raise CannotRun(f"{run.failed} tests failed and {run.passed} passed: this is not where the project's tests run")
    return run


def _why(tail: str) -> str:
    """The error in what pytest printed last, else what it says first below its headline."""
    lines = tail.splitlines()
    errors = [line[1:].strip() for line in lines if line.startswith("E  ")]
    headline = next((n for n, line in enumerate(lines) if " ERROR collecting " in line), len(lines))
    return errors[-1] if errors else " ".join(lines[headline + 1 : headline + 3])
