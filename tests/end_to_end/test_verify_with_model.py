"""`harness verify` with a model behind a real HTTP server: broker, crew, sandbox and report, as a user starts them."""

import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from harness.sandbox.probe import find_sandbox
from tests.support import scanner_logs as logs
from tests.support.model_server import Answer, Seen, model_server
from tests.support.reproducers import CALC, CONTROL, GOOD, LINE, QUOTE, SCENARIO

ROOT = Path(__file__).parents[2]
KEY = "sk-canary-51c7"
LEAK = """import glob
import os
import sys
from calc import average

values = [1]
average(values)
seen = str(os.environ).encode()
for name in glob.glob("/proc/*/environ"):
    try:
        seen += open(name, "rb").read()
    except OSError:
        pass
sys.exit(1 if b"canary" in seen or b"HARNESS_BROKER" in seen else 0)
"""


class Reader:
    """Plays votes in order, and looks at which processes of ours hold the key while it is asked."""

    def __init__(self, *votes: tuple[str, str, str]) -> None:
        self._votes = list(votes)
        self._lock = threading.Lock()
        self.holders: set[str] = set()
        self.told: list[str] = []

    def __call__(self, seen: Seen) -> Answer:
        with self._lock:
            self.holders |= set(_holding(KEY))
            text = json.dumps(seen.body["messages"])
            nonce = re.search(r'\\"nonce\\": \\"(\w+)\\"', text)
            assert nonce is not None
            assert KEY not in json.dumps(seen.body)
            self.told += re.findall(r"A program of ours ran your reproducer: (.*?)\. This is all", text)
            verdict, program, control = self._votes.pop(0) if len(self._votes) > 1 else self._votes[0]
        vote = {
            "nonce": nonce[1], "verdict": verdict, "reason": "nothing stops an empty list",
            "quotes": [{"path": "calc.py", "line": LINE, "text": QUOTE}],
            "reproducer": {"program": program, "control": control} if program else None,
        }  # fmt: skip
        return Answer(text=json.dumps(vote))


def _holding(secret: str) -> list[str]:
    """Command lines of the processes of `harness` whose environment holds the secret: the broker, and `broker` alone."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            command, environment = (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
        except OSError:
            continue
        if b"harness.cli.main" in command and secret.encode() in environment:
            found.append("broker" if b"HARNESS_BROKER=" not in environment else "worker")
    return found


@pytest.fixture
def verified(tmp_path):
    find_sandbox()
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / "calc.py").write_text(CALC)
    result = {
        "ruleId": "div", "level": "warning", "message": {"text": SCENARIO},
        "locations": [logs.place("calc.py", logs.region(LINE))],
    }  # fmt: skip
    (tmp_path / "bot.sarif").write_text(
        json.dumps(logs.log({"tool": {"driver": {"name": "Bot"}}, "results": [result]}))
    )  # fmt: skip

    def run(reader: Reader):
        with model_server(reader) as server:
            command = [
                sys.executable, "-m", "harness.cli.main", "verify", str(tmp_path / "bot.sarif"), "--repo", str(shop),
                "--model", f"openai:served@{server.url}/v1", "--format", "json", "--fail-on", "medium",
            ]  # fmt: skip
            environment = {**os.environ, "HARNESS_API_KEY": KEY, "CANARY": "canary-plain"}
            done = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=180, check=False
            )
        assert done.stdout, done.stderr
        assert KEY not in done.stdout + done.stderr
        kept = [p for p in Path(os.environ["HARNESS_STATE_DIR"]).rglob("*") if p.is_file()]
        assert not [p for p in kept if KEY.encode() in p.read_bytes()]
        assert {k.lower(): v for k, v in server.seen[0].headers.items()}["authorization"] == f"Bearer {KEY}"
        (found,) = json.loads(done.stdout)["findings"]
        return done.returncode, found, server.seen

    return run


def test_a_good_reproducer_is_e4_and_stops_the_merge(verified):
    reader = Reader(("stands", GOOD, CONTROL))
    code, found, seen = verified(reader)
    assert (code, found["verdict"], found["tier"], len(seen)) == (1, "CONFIRMED", "E4", 1)
    assert found["evidence"][-1]["summary"].startswith("the program exited 1, the control exited 0")
    assert reader.holders == {"broker"}


@pytest.mark.parametrize(
    ("program", "control", "says"),
    [
        ("import sys\nvalues = []\nsys.exit(not values)\n", "import sys\nvalues = [1]\nsys.exit(not values)\n",
         f"line {LINE} was not reached in the program"),
        (GOOD, "print('all is well')\n", "it was not run: the control is another program"),
        (GOOD.replace("average(values)", "print('{\"reached\": true}', flush=True), 1 / len(values)"),
         CONTROL.replace("average(values)", "print('{\"reached\": true}', flush=True), 1 / len(values)"),
         f"line {LINE} was not reached in the program"),
    ],
)  # fmt: skip
def test_a_lying_reproducer_is_not_e4(verified, program, control, says):
    reader = Reader(("stands", program, control), ("stands", "", ""))
    code, found, seen = verified(reader)
    assert (code, found["verdict"], found["tier"], len(seen)) == (1, "CONFIRMED", "E2", 2)
    (told,) = reader.told
    assert says in told


def test_a_reproducer_sees_no_secret_and_no_broker(verified):
    """The program exits 1 when it finds the key, the canary or the broker's socket in any environment it can read."""
    reader = Reader(("stands", LEAK, LEAK.replace("[1]", "[2]")), ("cannot_tell", "", ""))
    code, found, _ = verified(reader)
    assert (code, found["verdict"]) == (0, "UNCERTAIN")
    assert reader.told == [
        f"the program exited 0, the control exited 0; line {LINE} was reached in the program"
    ]  # fmt: skip
