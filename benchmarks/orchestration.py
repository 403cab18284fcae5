"""How close a run with a model comes to an ideal scheduler, and what a call costs this machine.

    python benchmarks/orchestration.py [--latency 2] [--verifications 300]

A server on loopback answers every question after a fixed time. Six auditors read the same unit, and what they raise is put to
blind falsifiers, at most 32 questions at once. The bound is that of an ideal scheduler: one latency for the six readings, then
the verifications in full rounds. The wall time is taken from the first question to the last answer. CPU is that of all processes
of the run, less that of the same run without a model, over the number of calls.
"""

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the server of the tests is used, and tests are not installed

from tests.support.model_server import Answer, ModelServer, Seen, model_server  # noqa: E402  # after the path
from tests.support.players import finding, findings, is_auditor, text_of, vote  # noqa: E402  # after the path

IN_FLIGHT = 32


def source(count: int) -> str:
    """A module with `count` functions, each with a place to raise something."""
    return "".join(f"def mean{n}(values):\n    return sum(values) / len(values) + {n}\n\n\n" for n in range(count))


class Player:
    """Auditors that share `count` findings between them, falsifiers that uphold each."""

    def __init__(self, count: int, latency: float) -> None:
        self.left = [(4 * n + 2, n) for n in range(count)]
        self.share = math.ceil(count / 6)
        self.latency = latency

    def __call__(self, seen: Seen) -> Answer:
        """An answer after the latency."""
        if is_auditor(seen):
            mine, self.left = self.left[: self.share], self.left[self.share :]
            answer = findings(
                seen,
                *(
                    finding("m.py", line, f"return sum(values) / len(values) + {n}", symbol=f"mean{n}")
                    for line, n in mine
                ),
            )
        else:
            place = text_of(seen).partition("m.py, line ")[2].partition(",")[0]
            line = int(place)
            answer = vote(
                seen, "stands", "no check", ("m.py", line, f"return sum(values) / len(values) + {(line - 2) // 4}")
            )
        answer.delay_s = self.latency
        return answer


def run(folder: Path, state: Path, *more: str) -> tuple[float, float, dict[str, object]]:
    """(wall seconds, CPU seconds, report) of one audit in processes of its own."""
    environment = {
        **os.environ,
        "HARNESS_STATE_DIR": str(state),
        "PYTHONPATH": str(ROOT),
        "HARNESS_API_KEY": "none-needed",
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    command = [
        sys.executable,
        "-m",
        "harness.cli.main",
        "audit",
        str(folder),
        "--no-exec",
        "--quiet",
        "--format",
        "json",
        *more,
    ]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    wall = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr.decode())
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--latency", type=float, default=2.0)
    parser.add_argument("--verifications", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "project"
        folder.mkdir()
        (folder / "m.py").write_text(source(options.verifications))
        _, alone, _ = run(folder, Path(place) / "offline", "--offline")
        with model_server(Player(options.verifications, options.latency)) as server:
            wall, cpu, report = run(folder, Path(place) / "model", "--model", f"openai:m@{server.url}/v1")
            show(server, options.latency, wall, cpu - alone, report)


def show(server: ModelServer, latency: float, wall: float, cpu: float, report: dict[str, object]) -> None:
    """One line a figure."""
    begun = sorted(seen.at for seen in server.seen)
    reading = sum(is_auditor(seen) for seen in server.seen)
    judging = len(begun) - reading
    models = begun[-1] + latency - begun[0]
    bound = latency * (math.ceil(reading / IN_FLIGHT) + math.ceil(judging / IN_FLIGHT))
    most = max(sum(at <= now < at + latency for at in begun) for now in begun)
    print(f"calls                 {reading} readings, {judging} verifications, at most {most} at once")
    print(f"first to last answer  {models:.2f} s, {models / bound:.3f} x the bound of {bound:g} s")
    print(f"whole command         {wall:.2f} s")
    print(f"client CPU            {1000 * cpu / len(begun):.1f} ms a call")
    print(f"confirmed             {report['stats']['confirmed']}")  # type: ignore[index]  # the report is plain JSON here


if __name__ == "__main__":
    main()
