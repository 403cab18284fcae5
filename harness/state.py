"""Where runs live. Auditing somebody's tree leaves nothing in it.

Runs are kept in `.harness/runs/` of the audited folder only when the user asked for that (`adopt`, which `harness init`
calls); the consent is noted in the user's own state directory, because a folder that came with the repository proves
nothing. Everything else, and always the cache, is in `harness.places.state_home`, one folder a repository.
"""

import contextlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from harness.errors import UsageError
from harness.files import sha256, write_atomic
from harness.places import state_home

_CONSENT = "runs-live-in-the-repository"
REGISTER = "runs.tsv"
"""Name of the list of runs, in the folder of all runs."""


class RunFolder(NamedTuple):
    """Where one run keeps its things."""

    id: str
    """Four digits."""
    path: Path
    """The folder."""

    @property
    def journal(self) -> Path:
        """The durable steps."""
        return self.path / "journal.db"

    @property
    def lock(self) -> Path:
        """The lock of the run."""
        return self.path / "lock"

    @property
    def ballast(self) -> Path:
        """Room kept for answers of models while they are asked; gone once the run ends."""
        return self.path / "ballast"

    @property
    def copy(self) -> Path:
        """The private copy of what is audited; gone once the run is complete."""
        return self.path / "tree"

    @property
    def imported(self) -> Path:
        """The findings made elsewhere that this run verifies, as they came."""
        return self.path / "imported"

    @property
    def base(self) -> "RunFolder":
        """The same for the base of a review."""
        return RunFolder(self.id, self.path / "base")

    @property
    def exports(self) -> Path:
        """Whole states of the repository, for running its tests; gone once the run is complete."""
        return self.path / "exports"

    @property
    def history(self) -> Path:
        """What git knows of it, for questions; gone once the run is complete."""
        return self.path / "git"

    @property
    def usage(self) -> Path:
        """What models were asked, once one was: `harness.llm.ledger`."""
        return self.path / "usage.jsonl"

    @property
    def report(self) -> Path:
        """The JSON report, once there is one."""
        return self.path / "report.json"

    @property
    def register(self) -> Path:
        """The list of all runs that lie beside this one: `harness.journal.register`."""
        return self.path.parent / REGISTER


class State:
    """The runs and the cache of one audited folder."""

    def __init__(self, origin: Path, environment: Mapping[str, str] = os.environ) -> None:
        self.origin = origin.resolve()
        slug = re.sub(r"[^A-Za-z0-9._-]+", "-", self.origin.name).strip(".-")[:40] or "root"
        self._own = state_home(environment) / f"{slug}-{sha256(os.fsencode(self.origin))[:12]}"

    @property
    def cache(self) -> Path:
        """Results by content; never inside the audited folder, whose author could forge them."""
        return self._own / "cache.db"

    @property
    def environments(self) -> Path:
        """Records of what was installed: beside the runs."""
        return self.runs.parent / "environment"

    @property
    def disposable(self) -> Path:
        """Disposable environments; never inside the folder, where tools that walk it would find them."""
        return self._own / "disposable"

    @property
    def runs(self) -> Path:
        """The folder of all runs."""
        inside = self.origin / ".harness" / "runs"
        consent = self._own / _CONSENT
        if consent.is_file() and inside.is_dir() and not inside.is_symlink() and not inside.parent.is_symlink():
            return inside
        return self._own / "runs"

    def adopt(self) -> Path:
        """From now on runs live in the repository, by the user's wish. Returns the folder. Raises OSError."""
        inside = self.origin / ".harness" / "runs"
        inside.mkdir(parents=True, exist_ok=True)
        write_atomic(self._own / _CONSENT, f"{self.origin}\n")
        return inside

    def new_run(self) -> RunFolder:
        """The next free number, taken at once. Raises UsageError when nothing can be written there."""
        runs = self.runs
        try:
            self._own.mkdir(parents=True, exist_ok=True, mode=0o700)
            runs.mkdir(parents=True, exist_ok=True, mode=0o700)
            number = max((int(f.id) for f in self.all_runs()), default=0)
            while True:
                number += 1
                folder = RunFolder(f"{number:04}", runs / f"{number:04}")
                try:
                    folder.path.mkdir(mode=0o700)
                except FileExistsError:
                    continue
                return folder
        except OSError as error:
            raise UsageError(
                f"cannot write to the state directory: {error}",
                hint="Set HARNESS_STATE_DIR to a folder that is writable.",
            ) from error

    def all_runs(self) -> list[RunFolder]:
        """Every run, oldest first."""
        try:
            names = sorted(p.name for p in self.runs.iterdir() if re.fullmatch(r"\d{4,9}", p.name) and p.is_dir())
        except OSError:
            return []
        return [RunFolder(name, self.runs / name) for name in sorted(names, key=int)]

    def run(self, run_id: str) -> RunFolder:
        """The run with this number, leading zeros optional. Raises UsageError."""
        wanted = run_id.zfill(4)
        for folder in self.all_runs():
            if folder.id == wanted:
                return folder
        known = ", ".join(f.id for f in self.all_runs()[-5:]) or "none yet"
        raise UsageError(f"no run {run_id} of {self.origin} (last ones: {known})", hint="harness runs list")


MEMORY = Path("/dev/shm")
MEMORY_ROOM = 4 << 30
"""Free bytes that memory must have before a copy (1 GB at most) goes there."""
_COPY_PREFIX = "harness-copy-"
_OWNER = "owner"
"""File in a copy that names the link of its run."""
_SETTLED_S = 600.0
"""Age from which a copy without a run is nobody's; the link of a new one comes a moment after it."""


def room_for_copy(folder: RunFolder) -> Path:
    """A new place for the private copy: in memory where there is plenty, since it lives for one run, else in the folder.

    A copy in memory is pointed to by a link in the run's folder. Raises OSError.
    """
    discard_copy(folder)
    try:
        free = shutil.disk_usage(MEMORY).free if os.access(MEMORY, os.W_OK) else 0
    except OSError:
        free = 0
    if free < MEMORY_ROOM:
        return folder.copy
    place = Path(tempfile.mkdtemp(prefix=_COPY_PREFIX, dir=MEMORY))
    (place / _OWNER).write_bytes(os.fsencode(folder.copy))
    folder.copy.symlink_to(place)
    return place / "tree"


def sweep_copies() -> None:
    """Remove copies in memory whose run is gone or has another one: nobody can continue with them."""
    try:
        found = [e for e in os.scandir(MEMORY) if e.name.startswith(_COPY_PREFIX) and e.is_dir(follow_symlinks=False)]
    except OSError:
        return
    for entry in found:
        with contextlib.suppress(OSError):
            kept = entry.stat(follow_symlinks=False)
            young = time.time() - kept.st_mtime < _SETTLED_S
            if kept.st_uid == os.getuid() and not young and not _owned(Path(entry.path)):
                shutil.rmtree(entry.path, ignore_errors=True)


def _owned(place: Path) -> bool:
    """Whether the run that made this copy still points to it. Raises OSError."""
    owner = place / _OWNER
    link = Path(os.fsdecode(owner.read_bytes())) if owner.is_file() and not owner.is_symlink() else None
    return link is not None and link.is_symlink() and link.readlink() == place


def discard_copy(folder: RunFolder) -> None:
    """Remove the private copies of a run, that of a review's base too. What cannot be removed stays in our own folder."""
    if folder.copy.is_symlink():
        place = folder.copy.readlink()
        if place.parent == MEMORY and place.name.startswith(_COPY_PREFIX):
            shutil.rmtree(place, ignore_errors=True)
        folder.copy.unlink(missing_ok=True)
    shutil.rmtree(folder.copy, ignore_errors=True)
    shutil.rmtree(folder.history, ignore_errors=True)
    shutil.rmtree(folder.exports, ignore_errors=True)
    if folder.base.path.is_dir():
        discard_copy(folder.base)
        shutil.rmtree(folder.base.path, ignore_errors=True)
