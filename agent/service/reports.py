"""The reports of the service: a data folder each, and at most one process that works on it.

The work is done by `harness report` itself, in a process of its own that the service can lose without harm: the session is
durable, and starting again continues it. Keys never reach it: its environment is scrubbed, and questions to models go to the
broker that stands behind the service.
"""

import contextlib
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field

from agent.records import Language
from agent.service.uploads import Refused, Uploads
from agent.session import SessionFolder, all_sessions, status_of
from harness.errors import JournalFailed
from harness.files import displayable, write_atomic
from harness.journal.events import EventLog, Told
from harness.llm.broker import scrubbed
from harness.schema.base import Record

MOST_REPORTS = 200
STOP_S = 20.0
SAID = "said.txt"
"""What the last run told its terminal; of interest when it left no session."""
FILES = {
    "report.pdf": "application/pdf",
    "report.zip": "application/zip",
    "report.tex": "text/plain; charset=utf-8",
    "report.log": "text/plain; charset=utf-8",
    "checks.md": "text/plain; charset=utf-8",
    "trace.json": "application/json",
}
"""What can be fetched, with its type."""


class Wish(Record):
    """What the page may choose for a report. No path and no model spec can come from it."""

    template: Literal["lab-report", "course-notes", "article"] = "lab-report"
    language: Language = "en"
    title: str = Field(default="", max_length=200)
    author: str = Field(default="", max_length=200)
    rounds: int = Field(default=2, ge=0, le=10)
    figures: bool = True
    appendix: bool = False
    compile: bool = True
    model: bool = False
    """Use the model that the service was started with."""


class Summary(Record):
    """A report as the page lists it."""

    id: str
    name: str
    """Name of the folder, safe to show."""
    status: Literal["new", "running", "stopped", "complete", "incomplete"]
    reason: str
    """Why it is incomplete."""
    files: tuple[str, ...]
    """What can be fetched."""
    uploaded: int
    """Files of its folder, 0 for a folder of this machine."""


class Busy(Exception):
    """The report is being made already."""


class _Report:
    def __init__(self, id_: str, name: str, data: Path, out: Path, home: Path, uploads: Uploads | None) -> None:
        self.id = id_
        self.name = name
        self.data = data
        self.out = out
        self.home = home
        self.uploads = uploads
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def session(self) -> SessionFolder | None:
        """The newest session."""
        found = all_sessions(self.home)
        return found[-1] if found else None

    @property
    def working(self) -> bool:
        return self.process is not None and self.process.poll() is None


class Reports:
    """All reports below `home`. Safe to use from several threads."""

    def __init__(
        self,
        home: Path,
        *,
        local: tuple[Path, Path] | None = None,
        options: Sequence[str] = (),
        model_options: Sequence[str] = (),
    ) -> None:
        """`local` is a folder of this machine with its output folder; `options` go to every run, `model_options` to those
        that use the model."""
        self._home = home
        self._options = tuple(options)
        self._model_options = tuple(model_options)
        self._lock = threading.Lock()
        self._reports: dict[str, _Report] = {}
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        for folder in sorted(home.iterdir()):
            if re.fullmatch(r"[0-9a-f]{16}", folder.name) and (folder / "data").is_dir():
                self._reports[folder.name] = self._uploaded(folder)
        if local is not None:
            data, out = local
            report = _Report("local", data.name, data, out, home / "local", None)
            self._reports["local"] = report

    @property
    def has_model(self) -> bool:
        """Whether the service was started with a model."""
        return bool(self._model_options)

    def all(self) -> list[Summary]:
        """Every report, the folder of this machine first, then the newest."""
        with self._lock:
            found = sorted(self._reports.values(), key=lambda r: (r.id != "local", -_made(r.home)))
            return [self._summary(report) for report in found]

    def summary(self, id_: str) -> Summary:
        """One report. Raises Refused."""
        with self._lock:
            return self._summary(self._known(id_))

    def new(self, name: str) -> Summary:
        """A report for files that will be sent. Raises Refused."""
        with self._lock:
            if len(self._reports) >= MOST_REPORTS:
                raise Refused(f"more than {MOST_REPORTS} reports: remove one first", 409)
            folder = self._home / secrets.token_hex(8)
            (folder / "data").mkdir(parents=True, mode=0o700)
            shown = displayable(name, keep="").strip()[:80] or "folder"
            write_atomic(folder / "report.json", json.dumps({"name": shown}) + "\n", mode=0o600)
            report = self._uploaded(folder)
            self._reports[report.id] = report
            return self._summary(report)

    def uploads(self, id_: str) -> Uploads:
        """Where files of a report go. Raises Refused when it takes none now."""
        with self._lock:
            report = self._known(id_)
            if report.uploads is None:
                raise Refused("a folder of this machine is read as it is", 409)
            if report.working:
                raise Refused("the report is being made: its folder is closed", 409)
            return report.uploads

    def start(self, id_: str, wish: Wish) -> Summary:
        """Begin or continue. Checked and begun under one lock. Raises Busy, Refused."""
        with self._lock:
            report = self._known(id_)
            if report.working or ((session := report.session) and status_of(session)[0] == "running"):
                raise Busy
            if wish.model and not self.has_model:
                raise Refused("the service was started without a model")
            if report.uploads is not None and not report.uploads.count:
                raise Refused("the folder is empty")
            report.home.mkdir(parents=True, exist_ok=True, mode=0o700)
            report.process = _spawn(self._command(report, wish), report.home / SAID)
            return self._summary(report)

    def stop(self, id_: str) -> Summary:
        """Stop in order: everything finished is kept."""
        with self._lock:
            report = self._known(id_)
            process = report.process
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(STOP_S)
        return self.summary(id_)

    def close(self) -> None:
        """Stop everything that is being made."""
        for report in list(self._reports.values()):
            if report.working:
                self.stop(report.id)

    def told(self, id_: str, session: str, last: int) -> tuple[str, list[Told], bool]:
        """(session, its events after `last`, whether its process works). Another session is read from its beginning."""
        with self._lock:
            report = self._known(id_)
            working, newest = report.working, report.session
        if newest is None:
            return "", [], working
        start = last if newest.id == session else 0
        try:
            with EventLog(newest.events, read_only=True) as log:
                return newest.id, log.after(start), working or status_of(newest)[0] == "running"
        except JournalFailed:
            return newest.id, [], working

    def file(self, id_: str, name: str) -> Path:
        """A file that can be fetched. Raises Refused."""
        with self._lock:
            report = self._known(id_)
        path = report.out / name
        if name not in FILES or not path.is_file() or path.is_symlink():
            raise Refused("there is no such file", 404)
        return path

    def _known(self, id_: str) -> _Report:
        report = self._reports.get(id_)
        if report is None:
            raise Refused("there is no such report", 404)
        return report

    def _uploaded(self, folder: Path) -> _Report:
        try:
            name = str(json.loads((folder / "report.json").read_text("utf-8"))["name"])
        except (OSError, ValueError, KeyError, TypeError):
            name = folder.name
        data = folder / "data"
        return _Report(folder.name, name, data, folder / "out", folder / "sessions", Uploads(data))

    def _summary(self, report: _Report) -> Summary:
        session = report.session
        status, reason = status_of(session) if session else ("new", "")
        if report.working:
            status, reason = "running", ""
        elif report.process is not None and report.process.returncode and status in ("new", "stopped"):
            status, reason = "stopped", _first_words(report.home / SAID) or "its process ended without a word"
        files = tuple(name for name in FILES if (report.out / name).is_file()) if status != "running" else ()
        return Summary(
            id=report.id, name=displayable(report.name, keep=""), status=status, reason=reason, files=files,
            uploaded=report.uploads.count if report.uploads else 0,
        )  # fmt: skip

    def _command(self, report: _Report, wish: Wish) -> list[str]:
        # -P: no module may come from the current folder.
        command = [sys.executable, "-P", "-m", "harness.cli.main", "report", f"--output={report.out}",
                   f"--sessions={report.home}", f"--template={wish.template}", f"--language={wish.language}",
                   f"--rounds={wish.rounds}", "--quiet", *self._options]  # fmt: skip
        command += [f"--title={wish.title}"] if wish.title else []
        command += [f"--author={wish.author}"] if wish.author else []
        command += [] if wish.figures else ["--no-figures"]
        command += [] if wish.compile else ["--no-compile"]
        command += ["--appendix"] if wish.appendix else []
        command += self._model_options if wish.model else ["--offline"]
        return [*command, "--", str(report.data)]


def _made(home: Path) -> float:
    try:
        return home.parent.stat().st_ctime
    except OSError:
        return 0.0


def _spawn(command: list[str], said: Path) -> subprocess.Popen[bytes]:
    with said.open("wb") as errors:
        return subprocess.Popen(
            command, env=scrubbed(os.environ), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors
        )  # fmt: skip


def _first_words(said: Path) -> str:
    """What a run that never began said: its first line, without our name."""
    try:
        lines = said.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return displayable(next((line for line in lines if line.strip()), "").removeprefix("harness: ")[:400], keep="")
