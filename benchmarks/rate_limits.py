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
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the server of the tests is used, and tests are not installed

from tests.support.model_server import model_server  # noqa: E402  # after the path
from tests.support.rate_limited import Provider  # noqa: E402  # after the path

LANES = 16


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
    provider = Provider(options.requests, options.tokens, delay_s=0.5)
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
    used = provider.used(options.minutes * 60)
    mine = sum(name == "one" for _, name, _ in served)
    print(f"in {options.minutes:g} minutes     {calls} calls, {tokens} tokens")
    print(f"refused           {provider.refused}")
    print(f"used              {used[0]:.1%} of the requests, {used[1]:.1%} of the tokens")
    print(f"share of run one  {mine / calls:.1%}")


if __name__ == "__main__":
    main()
