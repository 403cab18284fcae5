"""The report service as a real process, and a client that may come in."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

Event = tuple[str, str, dict[str, Any]]
"""(id, name, data)."""


class Service:
    """A running service: `client` has the cookie, `address` the token."""

    def __init__(self, address: str, process: "subprocess.Popen[str]") -> None:
        self.address = address
        self.origin = address.split("/?")[0]
        self.process = process
        self.client = httpx.Client(base_url=self.origin, timeout=120, trust_env=False)
        assert self.client.get(address).status_code == 303

    def new(self, files: dict[str, bytes], name: str = "ohm") -> str:
        """A report with uploaded files."""
        made = self.client.post("/api/reports", json={"name": name})
        assert made.status_code == 201, made.text
        id_: str = made.json()["id"]
        for path, content in files.items():
            sent = self.client.put(f"/api/reports/{id_}/files", params={"path": path}, content=content)
            assert sent.status_code == 204, sent.text
        return id_

    def start(self, id_: str, **wish: object) -> httpx.Response:
        """Ask for the report."""
        return self.client.post(f"/api/reports/{id_}/start", json=wish)

    def events(self, id_: str, last: str = "", most: int | None = None) -> list[Event]:
        """Events after `last` until the stream rests, or `most` of them."""
        found: list[Event] = []
        headers = {"last-event-id": last} if last else {}
        with self.client.stream("GET", f"/api/reports/{id_}/events", headers=headers) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            fields: dict[str, str] = {}
            for line in stream.iter_lines():
                if line:
                    name, _, value = line.partition(": ")
                    fields[name] = value
                elif "data" in fields:
                    found.append((fields.get("id", ""), fields.get("event", ""), json.loads(fields["data"])))
                    fields = {}
                    if len(found) == most:
                        break
        return found


@contextmanager
def service(folder: Path, *arguments: str) -> Iterator[Service]:
    """`harness report --serve` with a state of its own below `folder`."""
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "HARNESS_STATE_DIR": str(folder / "state"),
        "PYTHONPATH": str(Path(__file__).parents[2]), "HARNESS_API_KEY": "sk-canary-0123456789abcdef",
    }  # fmt: skip
    command = [sys.executable, "-m", "harness.cli.main", "report", "--serve", *arguments]
    with subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = ""
        while not (found := re.search(r"Open (http://\S+)", said)):
            line = process.stderr.readline()
            assert line, f"the service ended: {said}"
            said += line
        entered = Service(found[1], process)
        try:
            yield entered
        finally:
            entered.client.close()
            process.terminate()
            process.wait(60)
