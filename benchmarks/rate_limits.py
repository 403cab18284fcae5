"""How well the limits of an account are used by two runs at once, and whether any call is refused because of us.

    python benchmarks/rate_limits.py [--requests 120] [--tokens 120000] [--minutes 3]

A server counts requests and tokens of the last sixty seconds, as a provider does, and answers 429 above either. Two
processes with one account, which know of each other only through the state directory, ask as fast as they may. Refused
calls must be none, and at least 85 % of the scarcer limit used in whole minutes from the first call on. Fair: neither
process gets more than 55 % of the calls.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the server of the tests is used, and tests are not installed

from tests.support.model_server import Answer, Seen, model_server  # noqa: E402  # after the path
from tests.support.players import text_of  # noqa: E402  # after the path

OUTPUT = 60
LANES = 16


class Provider:
    """A sliding minute; a request counts from its arrival with what it says and what it gets."""

    def __init__(self, requests: int, tokens: int) -> None:
        self.limit = (requests, tokens)
        self.window: deque[tuple[float, int]] = deque()
        self.served: list[tuple[float, str, int]] = []
        self.refused = 0
        self._lock = threading.Lock()

    def __call__(self, seen: Seen) -> Answer:
        """An answer, or 429."""
        text = text_of(seen)
        tokens = len(text) // 4 + OUTPUT
        with self._lock:
            while self.window and self.window[0][0] <= seen.at - 60:
                self.window.popleft()
            if len(self.window) >= self.limit[0] or sum(t for _, t in self.window) + tokens > self.limit[1]:
                self.refused += 1
                return Answer(status=429, headers={"retry-after": "2"}, body='{"error": {"message": "rate limit"}}')
            self.window.append((seen.at, tokens))
            self.served.append((seen.at, "one" if "run one" in text else "two", tokens))
        return Answer(text="fine", usage=(tokens - OUTPUT, 0, OUTPUT), delay_s=0.5)


def asker(url: str, name: str, requests: int, tokens: int, seconds: float, folder: str) -> None:
    """One run: many threads that ask until the time is over."""
    from harness.llm import wire
    from harness.llm.broker import opener
    from harness.llm.ledger import Labels
    from harness.llm.messages import Request, UserMessage

    spec = f"openai:m@{url}/v1"
    opening = wire.Opening(
        run=name, ledger=f"{folder}/{name}.jsonl", tape=f"{folder}/{name}", tiers={"main": spec}, caps={}, reserve=0.4,
        requests_per_minute=requests, tokens_per_minute=tokens,
    )  # fmt: skip
    main = opener([spec], os.environ)(opening)["main"]
    end = time.monotonic() + seconds

    def lane(number: int) -> None:
        turn = 0
        while time.monotonic() < end:
            turn += 1
            text = f"run {name} {number} {turn} " + "code " * (200 + 150 * (turn % 4))
            question = Request(model="m", messages=(UserMessage(text=text),), max_output_tokens=500)
            main.ask(question, Labels(stage="verify", lane="x"))

    threads = [threading.Thread(target=lane, args=(n,), daemon=True) for n in range(LANES)]
    for thread in threads:
        thread.start()
    time.sleep(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=120)
    parser.add_argument("--tokens", type=int, default=120_000)
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--asker", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.asker:
        url, name, folder = options.asker
        asker(url, name, options.requests, options.tokens, options.minutes * 60, folder)
        return
    provider = Provider(options.requests, options.tokens)
    with tempfile.TemporaryDirectory() as folder, model_server(provider) as server:
        limits = [f"--{name}={getattr(options, name)}" for name in ("requests", "tokens", "minutes")]
        environment = {
            **os.environ,
            "HARNESS_STATE_DIR": folder,
            "PYTHONPATH": str(ROOT),
            "HARNESS_API_KEY": "one-account",
        }
        runs = [
            subprocess.Popen([sys.executable, __file__, *limits, "--asker", server.url, name, folder], env=environment)
            for name in ("one", "two")
        ]
        for run in runs:
            run.wait()
    first = provider.served[0][0]
    served = [one for one in provider.served if one[0] < first + options.minutes * 60]
    calls, tokens = len(served), sum(t for _, _, t in served)
    used = (calls / (options.requests * options.minutes), tokens / (options.tokens * options.minutes))
    mine = sum(name == "one" for _, name, _ in served)
    print(f"in {options.minutes:g} minutes     {calls} calls, {tokens} tokens")
    print(f"refused           {provider.refused}")
    print(f"used              {used[0]:.1%} of the requests, {used[1]:.1%} of the tokens")
    print(f"share of run one  {mine / calls:.1%}")


if __name__ == "__main__":
    main()
