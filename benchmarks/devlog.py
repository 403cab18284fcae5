"""How long a devlog of a thousand entries takes to list and to check, beside what reading and hashing its files takes.

    python -m benchmarks.devlog [--entries 1000] [--runs 5]

Entries are written to a temporary folder, each with a page of text and twenty files. `list` and `check` are the commands as
a person types them, start of the process included, best of several. The bound is a process of Python that reads every file
and hashes it. Wanted: list and check under a second each.
"""

import argparse
import datetime
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from devlog.entry import Entry, Leftover
from devlog.store import Devlog

ROOT = Path(__file__).resolve().parents[1]
BOUND = """
import hashlib, pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    hashlib.sha256(path.read_bytes()).hexdigest()
"""


def write(folder: Path, count: int) -> Devlog:
    """A log of so many entries; nothing is synced, nor checked before each, since only the result matters here."""
    log = Devlog(folder)
    day = datetime.date(2024, 1, 1)
    with mock.patch.object(Devlog, "check", return_value=[]), mock.patch("os.fsync"):
        for number in range(count):
            log.add(
                Entry(
                    number=1, date=day + datetime.timedelta(days=number // 2), title=f"What was done in part {number}",
                    goal="Make the export stream. " * 8, done="It streams now, and the tests say so.\n" * 12,
                    decisions=("One file at a time, since memory is short. " * 2,) * 3,
                    files=tuple(f"shop/module_{n}.py" for n in range(20)), commits=(f"{number:012x} Stream the export",) * 4,
                    leftovers=(Leftover(id="1.1", text="Measure it again"),),
                )
            )  # fmt: skip
    return log


class Taken(NamedTuple):
    """Seconds of the fastest run."""

    wall: float
    cpu: float
    """Of the process and its children: what a machine busy with other work does not change much."""


def best(command: list[str], runs: int) -> Taken:
    """The least of each. A command that fails is no figure."""
    walls, cpus = [], []
    for _ in range(runs):
        begin, before = time.perf_counter(), os.times()
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        after = os.times()
        walls.append(time.perf_counter() - begin)
        cpus.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return Taken(min(walls), min(cpus))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        log = write(Path(place) / "devlog", options.entries)
        size = sum(p.stat().st_size for p in log.folder.iterdir())
        print(f"{options.entries} entries, {size / 1e6:.1f} MB, best of {options.runs}")
        bound = best([sys.executable, "-c", BOUND, str(log.folder)], options.runs)
        print(f"{'':<26} {'wall':>7} {'CPU':>9} {'CPU over bound':>16}")
        print(f"{'read and hash every file':<26} {bound.wall:.3f} s {bound.cpu:7.3f} s")
        harness = [sys.executable, "-m", "harness.cli.main", "devlog", "--path", str(log.folder)]
        for name in ("list", "check"):
            taken = best([*harness, name], options.runs)
            print(f"{'devlog ' + name:<26} {taken.wall:.3f} s {taken.cpu:7.3f} s {taken.cpu / bound.cpu:16.1f}")


if __name__ == "__main__":
    main()
