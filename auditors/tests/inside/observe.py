"""Runs pytest in the sandbox and says in one line what it saw: outcomes, lines executed, and which tests ran them.

Stands alone: in the sandbox there is the standard library, pytest and coverage, and nothing of ours but this file, written
for Python 3.8 and newer. The line begins with the nonce from stdin and goes to the standard output that was there before any
test could change it.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MOST_TESTS = 60
"""Tests named for one range of lines; a range with more is reported with one too many."""

HOPELESS = 25
"""Failures after which a run in which most tests fail is given up."""
PATIENCE = 4.0
"""How many times too slow a run may look at its begin; at the end of its time it must be in time."""
SAMPLE_S = 2.0
"""Seconds before which nothing is told from the pace."""
TAIL_BYTES = 2000
"""What of the end of pytest's own output is handed on."""


class Recorder:
    """A pytest plug-in that counts outcomes and tells coverage which test runs."""

    def __init__(self, measuring: Any, seconds: float) -> None:
        self.passed = 0
        self.failed = 0
        self.skipped = 0
        self.uncollected = 0
        self.total = 0
        self.projected = 0.0
        self._done = 0
        self._began = time.monotonic()
        self._seconds = seconds
        self._measuring = measuring

    def pytest_collection_finish(self, session: Any) -> None:
        """All tests are known and none has run."""
        self.total = len(session.items)
        self._began = time.monotonic()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A new test begins."""
        if self._measuring is not None:
            self._measuring.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """One phase of a test ended."""
        if report.failed:
            self.failed += 1
            if self.failed > HOPELESS and self.failed > self.passed:
                self._stop("most tests fail")
        elif report.skipped:
            self.skipped += 1
        elif report.when == "call" and report.passed:
            self.passed += 1

    def pytest_runtest_logfinish(self) -> None:
        """A test is over: give up as soon as the pace says that the time will not do by far."""
        self._done += 1
        elapsed = time.monotonic() - self._began
        if not self._seconds or elapsed < max(SAMPLE_S, self._seconds * 0.05):
            return
        projected = elapsed / self._done * self.total
        if projected > self._seconds * (1 + PATIENCE * max(0.0, 1 - elapsed / self._seconds)):
            self.projected = projected
            self._stop("too slow")

    def pytest_collectreport(self, report: Any) -> None:
        """A file was collected, or could not be."""
        if report.failed:
            self.uncollected += 1
            self._stop("a test file cannot be imported")

    def _stop(self, why: str) -> None:
        """Nothing will be concluded from this run: do not spend the time."""
        import pytest

        pytest.exit(why, returncode=2)


def main() -> None:
    """Read the job from stdin, run, report."""
    job = json.loads(sys.stdin.read())
    sys.path[:] = [p for p in sys.path if p != str(Path(__file__).parent)]
    sys.path += [p for p in [job["appended"]] if p]
    channel = os.dup(1)
    talk = tempfile.TemporaryFile()  # noqa: SIM115  # stays open as the standard output of everything below
    os.dup2(talk.fileno(), 1)
    os.dup2(talk.fileno(), 2)
    measuring = None
    if job["measure"]:
        import coverage

        measuring = coverage.Coverage(config_file=False, data_file=None, include=[f"{Path.cwd()}/*"])
        measuring.start()
    import pytest

    recorder = Recorder(measuring, job["seconds"])
    try:
        code = int(pytest.main(job["arguments"], plugins=[recorder]))
    except BaseException as error:  # noqa: BLE001  # whatever stops pytest is part of the report
        code = 3
        os.write(1, f"\nError: {error!r}\n".encode("utf-8", "replace"))
    said: dict[str, object] = {
        "code": code,
        "passed": recorder.passed,
        "failed": recorder.failed,
        "skipped": recorder.skipped,
        "uncollected": recorder.uncollected,
        "total": recorder.total,
        "projected": recorder.projected,
    }
    if measuring is not None:
        measuring.stop()
        said.update(_measured(measuring, job["ranges"]))
    sys.stdout.flush()
    talk.seek(max(0, talk.seek(0, os.SEEK_END) - TAIL_BYTES))
    said["tail"] = talk.read().decode("utf-8", "replace")
    os.write(channel, f"\n{job['nonce']} {json.dumps(said)}\n".encode())


def _measured(measuring: Any, ranges: list[list[Any]]) -> dict[str, object]:
    """Executed lines by path, and the tests that ran each of `ranges` ([path, first, last]), in their order."""
    data = measuring.get_data()
    root = str(Path.cwd()) + "/"
    lines = {f[len(root) :]: sorted(data.lines(f) or []) for f in sorted(data.measured_files()) if f.startswith(root)}
    tests: list[list[str]] = []
    for path, first, last in ranges:
        contexts = data.contexts_by_lineno(root + path)
        names = {name for line, found in contexts.items() if first <= line <= last for name in found if name}
        tests.append(sorted(names)[: MOST_TESTS + 1])
    return {"lines": lines, "tests": tests}


if __name__ == "__main__":
    main()
