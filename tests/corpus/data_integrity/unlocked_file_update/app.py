import threading
from pathlib import Path

from flask import Flask, request

app = Flask(__name__)
LOCK = threading.Lock()
LEDGER = Path("ledger.txt")


@app.route("/add")
def add():
    entries = LEDGER.read_text(encoding="utf-8").splitlines()
    entries.append(request.args["entry"])
    LEDGER.write_text("\n".join(entries), encoding="utf-8")  # expect: unlocked-file-update; non-atomic-overwrite UNCERTAIN
    return "ok"


@app.route("/add_locked")
def add_locked():
    with LOCK:
        entries = LEDGER.read_text(encoding="utf-8").splitlines()
        entries.append(request.args["entry"])
        LEDGER.write_text("\n".join(entries), encoding="utf-8")  # expect: non-atomic-overwrite UNCERTAIN
    return "ok"


@app.route("/other")
def other():
    seen = LEDGER.read_text(encoding="utf-8")
    LEDGER.write_text("[]", encoding="utf-8")  # expect: unlocked-file-update DISMISSED; non-atomic-overwrite UNCERTAIN
    return seen


@app.route("/append")
def append():
    with LEDGER.open("a", encoding="utf-8") as stream:
        stream.write(request.args["entry"])
    return "ok"


def command(path):
    text = path.read_text(encoding="utf-8")
    path.write_text(text.upper(), encoding="utf-8")  # expect: unlocked-file-update UNCERTAIN


def locked(entry):
    with LOCK:
        _store(entry)


def _store(entry):
    entries = LEDGER.read_text(encoding="utf-8").splitlines()
    entries.append(entry)
    LEDGER.write_text("\n".join(entries), encoding="utf-8")  # expect: unlocked-file-update DISMISSED; non-atomic-overwrite UNCERTAIN
