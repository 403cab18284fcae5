import json
import os
from pathlib import Path

from paths import LEDGER, SETTINGS

STATE = Path("state.json")
OUTPUT = Path("report.txt")
CACHE = Path("cache.json")
FRESH = Path("defaults.json")


def load():
    with open(STATE, encoding="utf-8") as stream:
        return json.load(stream)


def save(state):
    with open(STATE, "w", encoding="utf-8") as stream:  # expect: non-atomic-overwrite
        json.dump(state, stream)


def save_whole(state):
    temporary = STATE.with_suffix(".tmp")
    temporary.write_text(json.dumps(state), encoding="utf-8")
    os.replace(temporary, STATE)  # expect: unsynced-rename UNCERTAIN


def report(text):
    OUTPUT.write_text(text, encoding="utf-8")


def show_cache():
    return json.loads(CACHE.read_text(encoding="utf-8"))


def keep_cache(data):
    CACHE.write_text(json.dumps(data), encoding="utf-8")  # expect: non-atomic-overwrite UNCERTAIN


def defaults():
    if not FRESH.exists():
        FRESH.write_text("{}", encoding="utf-8")  # expect: non-atomic-overwrite DISMISSED


def read_defaults():
    return json.loads(FRESH.read_text(encoding="utf-8"))


def add_entry(entries):
    LEDGER.write_text(json.dumps(entries), encoding="utf-8")  # expect: non-atomic-overwrite


class Settings:
    def __init__(self, root):
        self.path = root / "settings.json"
        self.partial = root / "settings.partial"

    def load(self):
        return json.loads(self.path.read_text(encoding="utf-8"))

    def save(self, data):
        self.path.write_text(json.dumps(data), encoding="utf-8")  # expect: non-atomic-overwrite

    def save_whole(self, data):
        self.partial.write_text(json.dumps(data), encoding="utf-8")  # expect: non-atomic-overwrite DISMISSED
        self.partial.replace(self.path)  # expect: unsynced-rename UNCERTAIN

    def resume(self):
        return self.partial.read_text(encoding="utf-8")


def write_settings(text):
    SETTINGS.write_text(text, encoding="utf-8")


class Resettable:
    def __init__(self, root):
        self.path = root / "status.json"

    def load(self):
        try:
            return json.loads(self.path.read_text(encoding="utf-8"))
        except ValueError:
            return {}

    def save(self, data):
        self.path.write_text(json.dumps(data), encoding="utf-8")  # expect: non-atomic-overwrite UNCERTAIN

    def echo(self, data):
        with open(os.devnull, "w") as stream:
            stream.write(data)
        with open(os.devnull) as stream:
            return json.load(stream)


def load_session(path):
    return json.loads(path.read_text(encoding="utf-8"))


def save_session(path, data):
    path.write_text(json.dumps(data), encoding="utf-8")  # expect: non-atomic-overwrite


def write_page(path, text):
    path.write_text(text, encoding="utf-8")


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def write_json(path, data):
    path.write_text(json.dumps(data), encoding="utf-8")  # expect: non-atomic-overwrite UNCERTAIN
