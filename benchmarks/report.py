"""How long the report agent's own work takes on a folder: scan, reading, series and fits; no model, no plots, no TeX.

    python -m benchmarks.report              a generated folder of 200 files, of all kinds
    python -m benchmarks.report FOLDER       another one

Prints wall clock and processor seconds of the fastest of `ROUNDS`; the bar is 2 s of wall clock for 200 files. What the reading
process uses inside the sandbox is in the wall clock only: the system does not account it to us.
"""

import io
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import openpyxl
from PIL import Image

from agent.drafts.study import study
from agent.readers.reading import read_all
from agent.scan import scan
from harness.errors import SandboxUnavailable
from harness.sandbox.probe import find_sandbox

ROUNDS = 3


class Times(NamedTuple):
    """Seconds of one round."""

    wall: float
    processor: float
    stages: str


def generate(folder: Path) -> None:
    """200 files: 110 CSV, 20 spectra of 2,048 channels, 12 workbooks, 30 texts, 16 YAML, 12 images."""
    random = np.random.default_rng(1)
    for i in range(110):
        x = np.linspace(0.5, 20, 40 + 2 * i)
        y = (3 * x + 1, 5 * np.exp(-x / 4), 9 / np.sqrt(1 + 9 * (x / 7 - 7 / x) ** 2), np.sin(x))[i % 4]
        rows = "\n".join(f"{a:.3f},{b:.4f}" for a, b in zip(x, y + random.normal(0, 0.02, len(x)), strict=True))
        target = folder / f"run{i % 10}" / f"series{i}.csv"
        target.parent.mkdir(exist_ok=True)
        target.write_text(f"t (s),U{i} (V)\n{rows}\n")
    for i in range(20):
        rate = 200 * np.exp(-np.arange(2048) / 500) + 400 * np.exp(-0.5 * ((np.arange(2048) - 700 - 20 * i) / 20) ** 2)
        rows = "\n".join(f"{c},{n}" for c, n in enumerate(random.poisson(rate), 1))
        (folder / f"spectrum{i}.csv").write_text(f"Channel,Counts\n{rows}\n")
    for i in range(12):
        book = openpyxl.Workbook()
        for row in [["f (kHz)", "U (V)"], *([0.5 * k, 1 / (1 + (k - 20 - i) ** 2)] for k in range(1, 60))]:
            book.active.append(row)
        book.save(folder / f"book{i}.xlsx")
    for i in range(30):
        (folder / f"note{i}.md").write_text(f"# Day {i}\n" + "Measured again, at 4.4 K and 10 kHz.\n" * 60)
    for i in range(16):
        (folder / f"eln{i}.yaml").write_text(f"Sample:\n  name: S{i}\n  temperature: 4.{i} K\nUser: [a, b]\n")
    for i in range(12):
        out = io.BytesIO()
        Image.new("RGB", (400, 300), (i * 20, 0, 0)).save(out, "PNG")
        (folder / f"photo{i}.png").write_bytes(out.getvalue())


def measured(folder: Path) -> Times:
    """One round."""
    try:
        sandbox = find_sandbox()
    except SandboxUnavailable:
        sandbox = None
    before, start = os.times(), time.perf_counter()
    found = scan(folder)
    scanned = time.perf_counter()
    readings = read_all(folder, found, sandbox)
    read = time.perf_counter()
    study(readings)
    end, after = time.perf_counter(), os.times()
    processor = sum(after[:2]) - sum(before[:2])
    stages = f"scan {scanned - start:.2f} s, reading {read - scanned:.2f} s, series and fits {end - read:.2f} s"
    return Times(end - start, processor, stages)


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(name)
        if len(sys.argv) < 2:
            generate(folder)
        import scipy.optimize
        import scipy.signal  # noqa: F401  # loading libraries is not the work that is measured

        rounds = sorted(measured(folder) for _ in range(ROUNDS))
        files = len(scan(folder).files)
    best = rounds[0]
    print(f"{files} files: {best.wall:.2f} s wall clock, {best.processor:.2f} s of processor ({best.stages}); bar 2 s")
    print(json.dumps({"files": files, "rounds": [r._asdict() for r in rounds], "load": os.getloadavg()[0]}))


if __name__ == "__main__":
    main()
