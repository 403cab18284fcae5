"""A pytest plug-in that writes what became of each test to a file, one JSON record a line.

Stands alone, and is written for Python 3.8 and pytest 6 or newer: it is loaded into the project's own test run. The
record of the end says that pytest came to its end by itself; a run without it proves nothing.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

MOST_PLACES = 40
MESSAGE = 600
_HERE = os.getcwd()  # noqa: PTH109  # before any test changes it; a path costs more at every call watched


class Seen:
    """Writes the records; watches which changed functions each test calls when it is told their files."""

    def __init__(self, path: str, watched: frozenset[str]) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._out = os.open(path, flags, 0o600)
        self._watched = watched
        self._called: set[tuple[str, int]] = set()

    def _write(self, **record: Any) -> None:
        os.write(self._out, (json.dumps(record) + "\n").encode("ascii"))

    def pytest_collection_finish(self, session: Any) -> None:
        """All tests are known."""
        self._write(collected=len(session.items))

    def pytest_collectreport(self, report: Any) -> None:
        """A file was collected, or could not be."""
        if report.failed:
            self._write(uncollected=report.nodeid, message=_last_line(report))

    def pytest_runtest_setup(self) -> None:
        """A test begins."""
        self._called = set()
        if self._watched:
            sys.setprofile(self._profile)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """One phase of a test ended."""
        record = {"test": report.nodeid, "when": report.when, "outcome": report.outcome}
        if hasattr(report, "wasxfail"):
            record["expected"] = True
        if report.failed:
            record["places"] = _places(report)
            record["message"] = _last_line(report)
        if self._watched and report.when == "teardown":
            sys.setprofile(None)
            record["called"] = sorted(self._called)[:MOST_PLACES]
        self._write(**record)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """pytest came to its end."""
        self._write(end=int(exitstatus))

    def _profile(self, frame: Any, event: str, argument: Any) -> None:
        del argument
        if event == "call":
            path = _relative(frame.f_code.co_filename)
            if path in self._watched:
                self._called.add((path, frame.f_code.co_firstlineno))


def _relative(path: object) -> str:
    path = os.path.normpath(os.path.join(_HERE, str(path)))  # noqa: PTH118  # the same
    return path[len(_HERE) + 1 :] if path.startswith(_HERE + os.sep) else ""


def _places(report: Any) -> list[Any]:
    found = []
    trace = getattr(getattr(report, "longrepr", None), "reprtraceback", None)
    for entry in getattr(trace, "reprentries", ()):
        at = getattr(entry, "reprfileloc", None)
        if at is not None and (path := _relative(at.path)):
            found.append([path, at.lineno])
    if not found and report.location[1] is not None:
        found.append([report.location[0], report.location[1] + 1])
    return found[-MOST_PLACES:]


def _last_line(report: Any) -> str:
    crash = getattr(getattr(report, "longrepr", None), "reprcrash", None)
    text = getattr(crash, "message", None) or str(getattr(report, "longrepr", ""))
    lines = [line for line in text.splitlines() if line.strip()]
    return (lines[0] if crash else lines[-1])[:MESSAGE] if lines else ""


def pytest_configure(config: Any) -> None:
    """Take part in the controlling process only; with pytest-xdist the workers' reports arrive there."""
    path = os.environ.get("HARNESS_TESTS_SEEN", "")
    if path and not os.environ.get("PYTEST_XDIST_WORKER"):
        config.pluginmanager.register(Seen(path, frozenset(json.loads(os.environ.get("HARNESS_WATCHED", "[]")))))
