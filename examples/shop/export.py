"""A little shop with defects, for trying harness: scripts/audit examples/shop"""

import json
import os
import threading
from pathlib import Path

from flask import Flask, abort, request

app = Flask(__name__)
STATE = Path("orders.json")
ALLOWED = {"orders", "customers"}
_lock = threading.Lock()
_running: dict[str, str] = {}


@app.get("/export")
def export():
    name = request.args["name"]
    return os.popen(f"tar c {name}").read()


@app.get("/table")
def table():
    name = request.args["name"]
    if name not in ALLOWED:
        abort(404)
    return os.popen(f"cat {name}.csv").read()


def start(job: str) -> bool:
    with _lock:
        busy = job in _running
    if busy:
        return False
    with _lock:
        _running[job] = "started"
    return True


def load() -> dict[str, int]:
    return json.loads(STATE.read_text(encoding="utf-8"))


def save(orders: dict[str, int]) -> None:
    STATE.write_text(json.dumps(orders), encoding="utf-8")
