"""Template: untrusted data is sent in where the claim says it enters, and looked for where it is said to arrive."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Any

from .judge import isolated
from .payloads import MARK_VARIABLE, TRACES, Response, Sight, attacks
from .project import enter, load
from .sinks import instrument, reached, seen, texts
from .web import Channel, Door, Route, doors

if TYPE_CHECKING:
    from .payloads import Oracle

ATTEMPT_S = 10.0
MOST_DOORS = 40


def run(job: dict[str, Any]) -> dict[str, object]:
    """By every door (a route, or the function itself) the harmless control first: only where it arrives, the attacks."""
    root = enter(job["copy"])
    os.makedirs(TRACES, exist_ok=True)
    instrument(os.path.join(root, job["path"]), tuple(job["span"]))
    tried: list[str] = []
    entered = False
    for way in _ways(root, job)[:MOST_DOORS]:
        controls: dict[str | bytes, dict[str, Any]] = {}
        for attack in attacks(job["kind"], job["token"]):
            if attack.control not in controls:
                harmless = _attempt(job, way, attack.control, attack.oracle)
                controls[attack.control] = harmless
                tried.append(f"control {harmless['sent']} -> {_outcome(harmless)}")
            harmless = controls[attack.control]
            if harmless["reached"] and not harmless["harm"]:
                entered = True
                done = _attempt(job, way, attack.payload, attack.oracle)
                tried.append(f"attack {done['sent']} -> {_outcome(done)}")
                if done["harm"]:
                    return {"attack": done, "control": harmless, "tried": tried}
    return {"attack": None, "reached": entered, "tried": tried[:30]}


def _outcome(done: dict[str, Any]) -> str:
    if done["error"]:
        return str(done["error"])
    how = "harm" if done["harm"] else "arrived, no harm" if done["reached"] else "did not arrive"
    more = [f"status {done['status']}"] if done["status"] else []
    more += [str(done["raised"])] if done["raised"] else []
    return f"{how} ({', '.join(more)})" if more else how


def _ways(root: str, job: dict[str, Any]) -> list[Door]:
    if job["drive"] == "web":
        return doors(root, job)
    return [_Program(root, job)] if job["drive"] == "program" else [_Function(root, job)]


def _attempt(job: dict[str, Any], way: Door, payload: str | bytes, oracle: Oracle) -> dict[str, Any]:
    token = str(job["token"])
    mark = os.path.join(TRACES, token)
    os.environ[MARK_VARIABLE] = mark
    if os.path.exists(mark):
        os.unlink(mark)
    channel = Channel(job["channel"], tuple(job["keys"]), job["filler"])

    def call() -> dict[str, object]:
        opened: list[str] = []
        sys.addaudithook(_opened(opened))
        seen.clear()
        error, response = "", Response()
        try:
            response = way.send(channel, payload)
        except BaseException as raised:  # noqa: BLE001  # a sink that ends the program has still been reached
            error = f"{type(raised).__name__}: {raised}"[:300]
        sight = Sight(texts(job["slots"]), opened[:50], response)
        shown = payload if isinstance(payload, str) else payload.decode("latin-1")
        harm = oracle(token, shown, sight) if reached() else ""
        return {"reached": reached(), "harm": harm, "status": response.status, "raised": error}

    result = isolated(call, ATTEMPT_S)
    answer = result.get("answer")
    seen_there: dict[str, Any] = (
        answer if isinstance(answer, dict) else {"reached": False, "harm": "", "status": 0, "raised": ""}
    )
    return {
        **seen_there,
        "error": str(result.get("error", "")),
        "sent": way.describe(channel, payload),
        **_plan(way, channel, payload),
    }


def _plan(way: Door, channel: Channel, payload: str | bytes) -> dict[str, object]:
    """What a test of the project's own needs to send the same."""
    if not isinstance(way, Route) or not way.client:
        return {}
    request = way.request(channel, payload)._asdict()
    return {"client": way.client, "request": {**request, "body": request["body"].decode("latin-1")}}


def _opened(names: list[str]) -> Any:
    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and reached() and isinstance(arguments[0], (str, bytes)):
            names.append(os.fsdecode(arguments[0]))

    return hook


class _Function:
    """Call the function with the value as one argument."""

    def __init__(self, root: str, job: dict[str, Any]) -> None:
        self.job = job
        self.target: Any = load(root, job["entry_path"], job["entry_module"])
        for part in job["entry"].split("."):
            owner, self.target = self.target, getattr(self.target, part)
        if isinstance(owner, type) and not isinstance(vars(owner).get(part), (staticmethod, classmethod)):
            self.target = getattr(owner(), part)

    def send(self, channel: Channel, payload: str | bytes) -> Response:
        import asyncio
        import inspect

        result = self.target(**dict.fromkeys(channel.keys[1:], channel.filler), **{channel.keys[0]: payload})
        if inspect.iscoroutine(result):
            asyncio.run(result)
        return Response()

    def describe(self, channel: Channel, payload: str | bytes) -> str:
        return f"{self.job['entry']}({channel.keys[0]}={payload!r})"


class _Program:
    """Run the function that reads it, or the file itself, with arguments, environment and input that carry the value."""

    def __init__(self, root: str, job: dict[str, Any]) -> None:
        self.root = root
        self.job = job
        if job["entry"]:
            load(root, job["entry_path"], job["entry_module"])

    def send(self, channel: Channel, payload: str | bytes) -> Response:
        text = payload if isinstance(payload, str) else payload.decode("latin-1")
        sys.argv = [self.job["entry_path"], *([text] * 3 if channel.name == "argv" else [])]
        if channel.name == "environment":
            os.environ.update(dict.fromkeys(channel.keys, text))
        if channel.name == "stdin":
            sys.stdin = io.TextIOWrapper(io.BytesIO(f"{text}\n".encode() * 3))
        if self.job["entry"]:
            target: Any = load(self.root, self.job["entry_path"], self.job["entry_module"])
            for part in self.job["entry"].split("."):
                target = getattr(target, part)
            target()
        else:
            from importlib.machinery import SourceFileLoader
            from types import ModuleType

            loader = SourceFileLoader("__main__", os.path.join(self.root, self.job["entry_path"]))
            main = sys.modules["__main__"] = ModuleType("__main__")
            main.__file__ = loader.path
            loader.exec_module(main)
        return Response()

    def describe(self, channel: Channel, payload: str | bytes) -> str:
        where = f"{self.job['entry']}() of {self.job['entry_path']}" if self.job["entry"] else self.job["entry_path"]
        return f"{where} with {', '.join(channel.keys) or channel.name} = {payload!r}"
